package applications

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// addUnknown adds what is known of an application that nobody has registered.
func (r *Room) addUnknown(q *frame.Request, v *screens.ApplicationView) error {
	c, err := r.Provider.Rooms().Hosts.Client(q.Context(), v.ID)
	if errors.Is(err, provider.ErrNoClient) { // somebody has
		return nil
	}
	if err != nil {
		return err
	}
	u := &screens.Unknown{Calls: c.CallsItself, Came: c.CreatedAt, Goes: c.ExpiresAt}
	for _, host := range c.Hosts {
		u.Hosts = append(u.Hosts, screens.Link{Text: host, URL: q.Path("hosts", host)})
	}
	if d := c.Document; d != nil {
		u.Document = &screens.Document{Fetched: d.FetchedAt, Fresh: d.FreshUntil, Gone: d.GoneSince, Changed: d.ChangedAt, Lines: changes(d.Previous, d.Text)}
	}
	v.Nobody, v.States = u, unknownStates(c)
	return nil
}

// changes are the lines of a document, with those that it no longer has. All of them are as before
// if there was none before.
func changes(before, now []byte) []screens.DocumentLine {
	after := lines(now)
	if len(before) == 0 {
		return marked(after, screens.LineKept)
	}
	return compare(lines(before), after)
}

// lines are those of a document, of which each member gets one.
func lines(text []byte) []string {
	var laid bytes.Buffer
	if json.Indent(&laid, text, "", "  ") == nil {
		text = laid.Bytes()
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// maxCompared bounds the work of comparing two texts: the product of their lines.
const maxCompared = 1 << 20

// compare returns the lines of two texts in order, with as many as possible in both. Texts of very
// many lines are the old one and the new one.
func compare(before, after []string) (all []screens.DocumentLine) {
	first := 0
	for first < min(len(before), len(after)) && before[first] == after[first] {
		first++
	}
	all, before, after = marked(before[:first], screens.LineKept), before[first:], after[first:]
	if len(before)*len(after) > maxCompared {
		return append(append(all, marked(before, screens.LineGone)...), marked(after, screens.LineNew)...)
	}
	common := make([][]int, len(before)+1) // the length of the longest common part from there on
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(before) && j < len(after) {
		switch {
		case before[i] == after[j]:
			all = append(all, screens.DocumentLine{Kind: screens.LineKept, Text: before[i]})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			all = append(all, screens.DocumentLine{Kind: screens.LineGone, Text: before[i]})
			i++
		default:
			all = append(all, screens.DocumentLine{Kind: screens.LineNew, Text: after[j]})
			j++
		}
	}
	return append(append(all, marked(before[i:], screens.LineGone)...), marked(after[j:], screens.LineNew)...)
}

// marked are lines of one kind.
func marked(texts []string, kind screens.LineKind) (all []screens.DocumentLine) {
	for _, text := range texts {
		all = append(all, screens.DocumentLine{Kind: kind, Text: text})
	}
	return all
}
