package verification

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
)

// RosterConfig configures Roster. Roster and Columns are required.
type RosterConfig struct {
	// Roster is the name of the list that Service.ImportRoster imports: 1 to 24 of a-z, 0-9
	// and _, beginning with a letter. Several policies may use one list.
	Roster string

	// Name is that of the verifier.
	// Defaults to "roster".
	Name string

	// Title and Asks are those of the verifier.
	// Defaults to texts of the screens.
	Title, Asks Text

	// Source names the list to people, such as "Register of students".
	// Defaults to none.
	Source string

	// Columns are what people enter: all of it has to match one row. Together they are
	// something that only members know of themselves, such as a member number and a date of
	// birth: a name alone is no proof. With other columns all rows are others: give such a
	// list another Roster, or the next import ends all memberships.
	Columns []RosterColumn

	// Grace is the time between an import and the end of the memberships whose rows have
	// vanished, in which to put the former roster back loses nothing.
	// Defaults to none.
	Grace time.Duration

	// Level is that of the Proof.
	// Defaults to 2.
	Level int
}

// RosterColumn is a column of a roster by which people match.
type RosterColumn struct {
	// Name names the column: 1 to 32 of a-z, 0-9 and _.
	Name string

	// Header is the header of the column in files; RosterFile.Headers may have another one.
	// Letter case does not count.
	// Defaults to Name.
	Header string

	// Label names it to people, Hint says what to enter.
	Label, Hint Text

	// Kind says which spellings are one. Of text, letters and digits count, without letter
	// case, accents and all between them. given_name and family_name are text that is also
	// compared with the account. email is an address, date is a day.
	// Defaults to text.
	Kind string

	// Autocomplete is as in Field.
	// Defaults to off.
	Autocomplete string
}

// Roster verifies members by a list of them that the host imports (Service.ImportRoster).
// What people enter has to match one row. Of the list only keyed digests are kept. It is the
// only method with which a membership ends when the host forgets to say so: as soon as a row
// vanishes from the list.
//
// Neither the answer nor the time to it tells an unknown person from one whose entry was
// wrong, and what one person can try is limited.
func Roster(cfg RosterConfig) Verifier {
	r := &roster{cfg}
	return Verifier{
		Name:   cmp.Or(cfg.Name, "roster"),
		Title:  orText(cfg.Title, "With your data as the institution has it"),
		Asks:   orText(cfg.Asks, "You enter what is also on the list of members."),
		Takes:  time.Minute,
		Keeps:  english("A digest from which what you enter cannot be read."),
		Proof:  Proof{EvidenceType: "electronic_record", CheckMethod: "data", Level: cmp.Or(cfg.Level, 2)},
		Next:   r.next,
		check:  r.check,
		roster: r,
	}
}

type roster struct{ RosterConfig }

var (
	rosterName  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,23}$`)
	columnKinds = []string{"", "text", "given_name", "family_name", "email", "date"}
)

const maxColumns = 6

func (r *roster) check(field string) error {
	switch {
	case !rosterName.MatchString(r.Roster):
		return wrongField(field+".Roster", "%q is not 1 to 24 of a-z, 0-9 and _, beginning with a letter", r.Roster)
	case len(r.Columns) == 0 || len(r.Columns) > maxColumns:
		return wrongField(field+".Columns", "must be 1 to %d", maxColumns)
	case r.Grace < 0 || r.Grace > 30*day:
		return wrongField(field+".Grace", "must be at most 30 days")
	}
	seen := map[string]bool{}
	for i, c := range r.Columns {
		name := fmt.Sprintf("%s.Columns[%d]", field, i)
		switch {
		case !requirementName.MatchString(c.Name) || seen[c.Name]:
			return wrongField(name+".Name", "%q is not 1 to 32 of a-z, 0-9 and _, or is there twice", c.Name)
		case c.Label.English == "":
			return wrongField(name+".Label", "is missing")
		case !slices.Contains(columnKinds, c.Kind):
			return wrongField(name+".Kind", "%q is none of %s", c.Kind, strings.Join(columnKinds[1:], ", "))
		}
		seen[c.Name] = true
	}
	return nil
}

// checkRosters refuses two verifiers for one list that would make other rows of it.
func (p Policies) checkRosters() error {
	known := map[string]*roster{}
	for i, policy := range p {
		for _, v := range policy.Rule.verifiers() {
			if v.roster == nil {
				continue
			}
			first := known[v.roster.Roster]
			if first != nil && (first.Grace != v.roster.Grace || !slices.EqualFunc(first.Columns, v.roster.Columns, sameColumn)) {
				return wrongField(fmt.Sprintf("Policies[%d].Rule (verifier %q)", i, v.Name),
					"roster %q has other Columns, or another Grace, in another policy", v.roster.Roster)
			}
			known[v.roster.Roster] = v.roster
		}
	}
	return nil
}

func sameColumn(a, b RosterColumn) bool { return a.Name == b.Name && a.Kind == b.Kind }

func (r *roster) next(ctx context.Context, c *Case, event Event) (Result, error) {
	if event.Kind != Answered {
		return r.ask(""), nil
	}
	value, ok := r.value(func(c RosterColumn) string { return event.Form[c.Name] })
	if !ok {
		return r.ask(ReasonIncomplete), nil
	}
	row, found, err := c.lookup.matchRoster(ctx, c, r.Roster, value)
	switch {
	case errors.Is(err, errTooMany):
		return Refuse{[]Reason{ReasonLimit}}, nil
	case err != nil:
		return nil, err
	case !found, !row.Until.IsZero() && !event.At.Before(row.Until):
		return r.ask(ReasonNoMatch), nil
	}
	accepted := Accept{Until: row.Until, Source: r.Source, Name: r.name(event.Form), Proved: []Fact{{Kind: r.kind(), Value: value}}}
	if slices.Contains(c.Subgroups, row.Subgroup) { // or it is one of another group with this list
		accepted.Subgroups = []string{row.Subgroup}
	}
	return accepted, nil
}

func (r *roster) ask(problem Reason) Result {
	ask := Ask{Problem: problem}
	for _, c := range r.Columns {
		f := Field{Name: c.Name, Label: c.Label, Hint: c.Hint, Autocomplete: c.Autocomplete}
		if c.Kind == "date" || c.Kind == "email" {
			f.Kind = c.Kind
		}
		ask.Fields = append(ask.Fields, f)
	}
	return ask
}

// kind is that of the fact that a row proves: of its own for each roster, so that members of
// another one do not vanish.
func (r *roster) kind() string { return rosterKind(r.Roster) }

func rosterKind(name string) string { return "roster_" + name }

// name returns the name that was entered, to be compared with that of the account.
func (r *roster) name(form map[string]string) (n Name) {
	for _, c := range r.Columns {
		switch c.Kind {
		case "given_name":
			n.Given = strings.TrimSpace(form[c.Name])
		case "family_name":
			n.Family = strings.TrimSpace(form[c.Name])
		}
	}
	return n
}

// value returns the one spelling of what matches a row, or the name of the first column that has
// nothing, and false.
func (r *roster) value(of func(RosterColumn) string) (string, bool) {
	var b strings.Builder
	for _, c := range r.Columns {
		v := c.normalize(of(c))
		if v == "" {
			return c.Name, false
		}
		b.WriteString(strconv.Itoa(len(v)) + ":" + v) // so that no two rows can be shifted into one
	}
	return b.String(), true
}

// maxCell limits what is entered or in a cell, in bytes.
const maxCell = 512

// normalize returns the one spelling of a value; empty for none.
func (c RosterColumn) normalize(value string) string {
	if len(value) > maxCell {
		return ""
	}
	value = strings.TrimSpace(value)
	switch c.Kind {
	case "email":
		box, err := mailbox.Parse(value)
		if err != nil {
			return ""
		}
		return box.Fingerprint()
	case "date":
		for _, layout := range []string{time.DateOnly, "2.1.2006", "20060102"} {
			if t, err := time.Parse(layout, value); err == nil {
				return t.Format(time.DateOnly)
			}
		}
		return ""
	default:
		return bare(value)
	}
}

// likeASCII are letters that have no decomposition, as they are written without them.
var likeASCII = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "ı", "i", "þ", "th")

// bare returns the letters and digits of a text, without letter case and accents. Marks of
// other scripts stay: there they are letters.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && (r < '\u0300' || r > '\u036f') {
			return r
		}
		return -1
	}, norm.NFKD.String(likeASCII.Replace(strings.ToLower(norm.NFKC.String(text)))))
}
