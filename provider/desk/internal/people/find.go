package people

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
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
	v.Action = r.Path("find")
	if v.Matters, err = d.OpenMatters(r); err != nil {
		return err
	}
	r.RenderSecret(status, views.Find(v))
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
	found, err := d.found(r, sought)
	if err != nil {
		return err
	}
	event := provider.Event{Name: provider.EventPersonNotFound}
	if found != "" {
		event = provider.Event{Name: provider.EventPersonFound, UserID: found}
	}
	if err := r.Write(event, storage.NoProof); err != nil {
		return err
	}
	d.count(r, found != "")
	pause(r.Context(), findTime-time.Since(begin))
	if found == "" {
		return d.renderFind(r, http.StatusUnprocessableEntity, sought, views.ProblemOf(r.Locale(), screens.FieldSought, views.WrongNobody))
	}
	return d.renderOpen(r, http.StatusOK, views.OpenView{Person: d.sealFound(r, found)})
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

// found returns the ID of a person whom who asks may look at; empty for nobody.
func (d *Room) found(r *frame.Request, sought string) (string, error) {
	if sought == "" || len(sought) > maxSought || !utf8.ValidString(sought) {
		return "", nil
	}
	id, err := d.look(r.Context(), sought)
	if id == "" || err != nil {
		return "", err
	}
	standing, err := r.StandingOf(id)
	if err != nil {
		return "", err
	}
	if standing == frame.Self || standing == frame.Protected && !r.Staff.Operates() {
		if err := r.Refuse(frame.Refusal{Action: "find", Person: id, Alarm: standing == frame.Protected}); !errors.Is(err, frame.NotFound) {
			return "", err
		}
		return "", nil
	}
	return id, nil
}

// look returns the ID of the person who has exactly this address or ID; empty for nobody.
func (d *Room) look(ctx context.Context, sought string) (string, error) {
	p := d.Frame.Provider
	if !p.Installation().HasAccounts {
		return d.lookAtHost(ctx, sought)
	}
	if strings.Contains(sought, "@") {
		account, err := p.Accounts().GetByEmail(ctx, sought)
		if errors.Is(err, provider.ErrNoUser) {
			return "", nil
		}
		return account.ID, err
	}
	account, err := p.Accounts().Get(ctx, sought)
	if errors.Is(err, provider.ErrNoUser) {
		return "", nil
	}
	return account.ID, err
}

// lookAtHost asks the host for a user by address, and finds one by ID of whom there is a record
// here.
func (d *Room) lookAtHost(ctx context.Context, sought string) (string, error) {
	if strings.Contains(sought, "@") {
		found, err := d.Host.FindUsers(ctx, person.Finder{Email: sought})
		if err != nil || len(found) != 1 {
			return "", err
		}
		return found[0], nil
	}
	data, err := d.Frame.Provider.People().Get(ctx, sought)
	if errors.Is(err, provider.ErrNoUser) {
		return "", nil
	}
	return data.UserID, err
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
