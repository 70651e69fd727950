package desk

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// forms are posts that do something, for who has a matter about bob.
func forms(matter string) map[string]url.Values {
	of := "/desk/matters/" + matter
	return map[string]url.Values{
		"/desk/find":                   lab.Form("sought", "bob"),
		"/desk/matters":                lab.Form("person", "bob", "reason", "caller"),
		of + "/proof":                  lab.Form("action", "send"),
		of + "/do/lock":                lab.Form("action", "do", "revision", "1"),
		of + "/do/send_reset":          lab.Form("action", "do", "revision", "1"),
		"/desk/plans/new":              lab.Form("action", "propose", "name", "lock", "targets", "bob", "plan_reason", "incident"),
		"/desk/breaks/new":             lab.Form("action", "alone", "name", "unlock", "targets", "bob", "matter", matter, "sentence", "It burns and nobody else is here.", "revision", "1"),
		"/desk/looks":                  lab.Form("action", "release", "matter", matter),
		"/desk/service/do/rotate_keys": lab.Form("action", "do"),
	}
}

// Attack 10: another site posts the forms of the desk, with the cookies of the staff.
func TestForgedRequest(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		olga := w.as("olga")
		own, foreign := token(olga), token(w.as("oleg"))
		m := w.matterOf("olga", "bob")
		mails, lines := w.Mails.Count(), w.Count("events")
		for address, fields := range forms(m) {
			for name, csrf := range map[string][]string{"None": nil, "Empty": {""}, "Wrong": {strings.Repeat("A", len(own))}, "OfAnother": {foreign}} {
				w.Advance(2 * time.Second)
				fields["csrf"] = csrf
				if p := olga.Post(address, fields); p.StatusCode < http.StatusBadRequest {
					t.Errorf("%s, %s: %s", address, name, p.Status)
				}
			}
			fields.Set("csrf", own)
			r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, olga.Absolute(address), strings.NewReader(fields.Encode())))(w.T)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", "https://evil.example")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			if p := olga.Do(r); p.StatusCode < http.StatusBadRequest {
				t.Errorf("%s from another site: %s", address, p.Status)
			}
		}
		if w.isLocked("bob") || w.Mails.Count() != mails || w.Count("events") != lines || w.Count("plans") > 0 || w.Count("breaks") > 0 {
			t.Errorf("something was done: %d lines, %d before", w.Count("events"), lines)
		}
	})
}

// Attack 10: an address does what a form does, or a field counts twice.
func TestFormAsAnAddress(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		olga := w.as("olga")
		csrf, m := token(olga), w.matterOf("olga", "bob")
		mails, plans := w.Mails.Count(), w.Count("plans")
		for address, fields := range forms(m) {
			fields.Set("csrf", csrf)
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions, "TRACE"} {
				r := testkit.Must(http.NewRequestWithContext(t.Context(), method, olga.Absolute(address)+"?"+fields.Encode(), nil))(w.T)
				if p := olga.Do(r); p.StatusCode == http.StatusSeeOther {
					t.Errorf("%s %s leads to %s", method, address, p.Header.Get("Location"))
				}
			}
			if p := olga.Post(address+"?"+fields.Encode(), url.Values{"csrf": {csrf}}); p.StatusCode < http.StatusBadRequest {
				t.Errorf("%s reads its form from the address: %s", address, p.Status)
			}
			for field := range fields {
				w.Advance(2 * time.Second)
				twice := url.Values{}
				for name, values := range fields {
					twice[name] = values
				}
				twice[field] = []string{fields.Get(field), fields.Get(field) + "x"}
				is(t, olga.Post(address, twice), http.StatusBadRequest)
			}
		}
		if w.isLocked("bob") || w.Mails.Count() != mails || w.Count("plans") != plans {
			t.Error("something was done")
		}
	})
}

// Attack 5: what a browser fetches before anybody looks is no page without a matter, and what
// has no body is no look at more than what it would show.
func TestLookWithoutSeeing(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		sam := w.as("sam")
		m := open(sam, "alice", "caller")
		for _, address := range []string{"/desk/matters/" + m + "/history", "/desk/matters/" + m + "/sessions"} {
			r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodHead, sam.Absolute(address), nil))(w.T)
			p := sam.Do(r)
			silent(t, p)
			if p.Text != "" {
				t.Errorf("HEAD has a body: %q", p.Text)
			}
		}
		for _, address := range []string{"/desk/matters/", "/desk/matters", "/desk/people/alice", "/desk/people", "/desk/matters/alice", "/desk/matters/..%2f" + m, "/desk//matters/" + m} {
			p := sam.Get(address)
			if p.StatusCode == http.StatusOK {
				t.Errorf("%s: %s", address, p.Status)
			}
			silent(t, p)
		}
		for _, header := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
			r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, sam.Absolute("/desk/matters/"+m+"/groups"), nil))(w.T)
			r.Header.Set(header, "prefetch")
			silent(t, sam.Do(r))
		}
		if lines := w.lines(provider.EventFilter{Name: event.SupportLooked, Matter: m, Limit: 20}); len(lines) == 0 || lines[0].Actor != "staff:sam" {
			t.Errorf("a page without a line: %v", lines)
		}
	})
}

// Attacks 7 and 11: a form names who acts, another address, an approval or a proof.
func TestFieldOfNoForm(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		olga := w.as("olga")
		csrf, m := token(olga), w.matterOf("olga", "bob")
		mails := w.Mails.Count()
		for address, fields := range forms(m) {
			for _, more := range []string{"actor", "staff", "approved_by", "proof", "verified", "email_to", "role", "withheld_until", "subject", "force"} {
				w.Advance(2 * time.Second)
				posted := url.Values{"csrf": {csrf}, more: {"x"}}
				for name, values := range fields {
					posted[name] = values
				}
				if p := olga.Post(address, posted); p.StatusCode != http.StatusBadRequest {
					t.Errorf("%s with %s: %s", address, more, p.Status)
				}
			}
		}
		if w.isLocked("bob") || w.Mails.Count() != mails || w.Count("plans") > 0 || w.Count("breaks") > 0 {
			t.Error("something was done")
		}
	})
}

// What a page sealed for one member of the staff opens for no other, and for no other list.
func TestSealedOfAnother(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		sam, simon := w.as("sam"), w.as("simon")
		_, ofSam := find(sam, "bob").Form(t)
		person := ofSam.Get("person")
		if person == "" {
			t.Fatal("nobody was found")
		}
		before := w.Count("matters")
		edited := []byte(person)
		edited[len(edited)/2] ^= 1
		for name, sealed := range map[string]string{"OfAnother": person, "Edited": string(edited), "Plain": "bob", "Empty": "", "Long": strings.Repeat("A", 5000)} {
			b := simon
			if name != "OfAnother" {
				b = sam
			}
			if p := send(b, "/desk/matters", "", "person", sealed, "reason", "caller"); p.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s: %s", name, p.Status)
			}
		}
		for _, address := range []string{"/desk/trail?after=", "/desk/looks?after=", "/desk/applications?after=", "/desk/hosts?after=", "/desk/plans?after=", "/desk/breaks?after="} {
			b := w.as("olga")
			if strings.Contains(address, "looks") {
				b = w.as("anna")
			}
			for _, cursor := range []string{person, string(edited), "1", "%00", strings.Repeat("A", 3000)} {
				is(t, b.Get(address+cursor), http.StatusBadRequest)
			}
		}
		if w.Count("matters") != before {
			t.Error("a matter was opened")
		}
	})
}
