package desk

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// Attack 9: the search as an oracle: it says of nobody who is like them.
func TestSearchIsExact(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	sam := w.as("sam")
	misses := map[string]string{}
	for name, sought := range map[string]string{
		"Prefix": "bo", "PrefixOfAnAddress": "bob@example.co", "Pattern": "b%b@example.com", "Character": "b_b@example.com", "Star": "*", "Name": canaryName,
		"Domain": "@example.com", "Case": "BOB", "SQL": "' OR 1=1 --", "Long": strings.Repeat("a", 5000) + "@example.com",
		"Staff": "olga@example.com", "Self": "sam@example.com", "Pseudonym": "deleted-1", "Value": canaryBirth,
	} {
		p := find(sam, sought)
		is(t, p, http.StatusUnprocessableEntity)
		misses[name] = neutral(p.Text)
		w.Advance(time.Minute) // each a minute
	}
	for name, text := range misses {
		if text != misses["Prefix"] {
			t.Errorf("the answer to %s is another", name)
		}
	}
	for _, sought := range []string{"bob", "bob@example.com", "BOB@example.com", " bob@example.com "} {
		is(t, find(sam, sought), http.StatusOK)
	}
}

// Attack 9: what a hit costs a miss costs too: the statements are as many, and the time is one.
func TestSearchTakesAsLong(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	sam := w.as("sam")
	csrf := token(sam)
	ask := func(sought string) (statements int, took time.Duration) {
		begin := time.Now()
		w.tap.Open(0, false)
		sam.Post("/desk/find", lab.Form("csrf", csrf, "sought", sought))
		return len(w.tap.Close()), time.Since(begin)
	}
	ask("bob@example.com") // what is remembered for a second is remembered
	const patience = 150 * time.Millisecond
	for _, pair := range [][2]string{{"bob@example.com", "bub@example.com"}, {"bob", "bub"}} {
		hit, hitTook := ask(pair[0])
		miss, missTook := ask(pair[1])
		if diff := hit - miss; diff < -2 || diff > 2 { // the page after a miss lists the open matters
			t.Errorf("%s: %d statements, %s: %d", pair[0], hit, pair[1], miss)
		}
		if hitTook < patience || missTook < patience {
			t.Errorf("%s took %s, %s %s", pair[0], hitTook, pair[1], missTook)
		}
	}
}

// Attack 9: who tries many is stopped, and told of; the lines have no address.
func TestSearchIsLimited(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	sam, since := w.as("sam"), 0
	csrf := token(sam)
	since = len(w.Log.String())
	answered := 0
	for i := range 70 {
		p := sam.Post("/desk/find", lab.Form("csrf", csrf, "sought", fmt.Sprintf("guess-%d@secret-domain.example", i)))
		if p.StatusCode == http.StatusTooManyRequests {
			if p.Header.Get("Retry-After") == "" {
				t.Error("429 without Retry-After")
			}
			break
		}
		is(t, p, http.StatusUnprocessableEntity)
		answered++
	}
	if answered > 60 {
		t.Errorf("%d finds at once", answered)
	}
	if n := w.told(desk.AlarmMisses); answered >= 20 && n == 0 {
		t.Error("the host was not told of 20 misses in a row")
	}
	lines := w.lines(provider.EventFilter{Name: event.PersonNotFound, Actor: "staff:sam", Limit: 100})
	if len(lines) != answered {
		t.Errorf("%d lines for %d misses", len(lines), answered)
	}
	for _, e := range lines {
		if e.UserID != "" || e.Detail != "" || strings.Contains(e.Address, "secret-domain") {
			t.Errorf("a line with what was sought: %v", e)
		}
	}
	if said := w.Lines(since, "secret-domain"); len(said) > 0 {
		t.Errorf("the log says what was sought: %s", said[0])
	}
	is(t, find(w.as("simon"), "bob"), http.StatusOK) // another is not stopped
}
