package people

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
	views "github.com/bonafide-id/bonafide/ui/desk/person"
)

const (
	// findTime is how long each find takes at least: a miss takes as long as a hit.
	findTime = 150 * time.Millisecond

	// manyMisses is how many people somebody may look for in a row who are not here, before the
	// host is told.
	manyMisses = 20

	// maxSought is how long what is sought may be.
	maxSought = 254

	// foundFor is how long a matter may be opened about who was found.
	foundFor = 15 * time.Minute
)

// findLimit is how often one member of the staff may look for people: 60 times in the first hour,
// and 30 in each one after it.
var findLimit = provider.Limit{Burst: 30, Every: 2 * time.Minute}

func (d *Room) showFind(r *frame.Request) error {
	return d.renderFind(r, http.StatusOK, "")
}

func (d *Room) renderFind(r *frame.Request, status int, sought string, problems ...ui.Problem) error {
	page, err := r.Page(screens.SectionFind)
	if err != nil {
		return err
	}
	v := views.FindView{Page: page, Form: r.Form(problems...), Sought: sought}
	v.Action, v.Ways = r.Path("find"), d.Ways(r)
	if v.Matters, err = d.OpenMatters(r); err != nil {
		return err
	}
	r.Room().RenderSecret(status, views.Find(v))
	return nil
}

// find looks for a person. Whoever is not here, and who may not be looked at, is one answer.
func (d *Room) find(r *frame.Request) error {
	if err := r.Only(screens.FieldSought); err != nil {
		return err
	}
	if err := r.Allow("desk_find", findLimit); err != nil {
		return err
	}
	begin := time.Now()
	sought := r.Posted(screens.FieldSought)
	found, problem, err := d.found(r, sought)
	if err != nil {
		return err
	}
	looked := provider.Event{Name: event.PersonNotFound}
	var lines []storage.LogEntry
	switch {
	case found != "":
		looked = provider.Event{Name: event.PersonFound, UserID: found}
	case problem == views.WrongSeveral:
		looked.Detail = "several"
	case d.Dashboard != nil:
		if lines, err = d.Dashboard.FindRequest(r.Context(), sought); err != nil {
			return err
		}
		if len(lines) > 0 {
			looked.Detail, looked.ClientID = "request", lines[0].ClientID
		}
	}
	if err := r.Write(looked); err != nil {
		return err
	}
	if looked.Detail == "" { // what is no person is neither a hit nor a miss
		d.count(r, found != "")
	}
	pause(r.Context(), findTime-time.Since(begin))
	switch {
	case found != "":
		return d.renderOpen(r, http.StatusOK, views.OpenView{Person: d.sealFound(r, found)})
	case len(lines) > 0:
		return d.renderRequest(r, lines)
	}
	return d.renderFind(r, http.StatusUnprocessableEntity, sought, views.ProblemOf(r.Locale(), screens.FieldSought, problem))
}

// renderRequest shows what the logs of applications have of a request. Whose it was they do not
// say to anybody here.
func (d *Room) renderRequest(r *frame.Request, lines []storage.LogEntry) error {
	page, err := r.Page(screens.SectionFind)
	if err != nil {
		return err
	}
	v := views.RequestView{Page: page, BackURL: r.Path("find")}
	for _, line := range lines {
		rows := []views.Row{{Name: views.RowAt, At: line.At}, {Name: views.RowApplication, Text: line.ClientID}, {Name: views.RowOutcome, Text: line.Outcome}}
		if line.Error != "" {
			rows = append(rows, views.Row{Name: views.RowError, Text: line.Error})
		}
		if line.Cause != "" {
			rows = append(rows, views.Row{Name: views.RowDetail, Text: line.Cause})
		}
		v.Cards = append(v.Cards, views.Card{Code: line.Event, Rows: rows})
	}
	r.Room().RenderSecret(http.StatusOK, views.Request(v))
	return nil
}

// pause waits, unless the request ends.
func pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// found returns the ID of a person whom who asks may look at; empty for nobody, and why not.
func (d *Room) found(r *frame.Request, sought string) (string, views.Wrong, error) {
	if sought == "" || len(sought) > maxSought || !utf8.ValidString(sought) {
		return "", views.WrongNobody, nil
	}
	ids, err := d.seek(r.Context(), sought)
	if err != nil {
		return "", "", err
	}
	var left []string
	for _, id := range ids {
		standing, err := r.StandingOf(id)
		if err != nil {
			return "", "", err
		}
		if standing != frame.Self && (standing != frame.Protected || r.Staff.Operates()) {
			left = append(left, id)
			continue
		}
		if err := r.Refuse(frame.Refusal{Action: "find", Person: id, Alarm: standing == frame.Protected}); !errors.Is(err, frame.NotFound) {
			return "", "", err
		}
	}
	switch len(left) {
	case 0:
		return "", views.WrongNobody, nil
	case 1:
		return left[0], "", nil
	}
	return "", views.WrongSeveral, nil
}

// count counts a find, and tells the host of many misses in a row.
func (d *Room) count(r *frame.Request, hit bool) {
	d.mu.Lock()
	if hit {
		delete(d.misses, r.Staff.ID)
	} else {
		d.misses[r.Staff.ID]++
	}
	many := !hit && d.misses[r.Staff.ID]%manyMisses == 0
	d.mu.Unlock()
	if many {
		r.Frame.Raise(r.Context(), frame.Alarm{Kind: frame.AlarmMisses, Staff: r.Staff.ID})
	}
}

// sealedFound is the list of which who was found is the cursor: sealed, of this staff alone.
const sealedFound = "found"

type foundPerson struct {
	ID    string    `json:"i"`
	Until time.Time `json:"u"`
}

func (d *Room) sealFound(r *frame.Request, id string) string {
	plain, err := json.Marshal(foundPerson{id, r.Frame.Now().Add(foundFor)})
	if err != nil {
		panic(err) // a string and a time always have a JSON form
	}
	return r.Next(string(plain), sealedFound)
}

// openFound returns who was found by who asks; false for what is no such, or has expired.
func (d *Room) openFound(r *frame.Request, sealed string) (id string, ok bool) {
	plain, ok := r.Frame.OpenCursor([]string{sealedFound, r.Staff.ID}, sealed)
	var f foundPerson
	if !ok || sealed == "" || json.Unmarshal([]byte(plain), &f) != nil {
		return "", false
	}
	return f.ID, r.Frame.Now().Before(f.Until)
}
