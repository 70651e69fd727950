package desk

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// A matter that is withheld from the person is in no page and no file of theirs, whatever is
// done in it, until it is released.
func TestWithheldMatter(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		bob, olga := w.Bob(), w.as("olga")
		m := open(olga, "bob", "incident")
		for _, part := range []string{"account", "history", "sessions", "factors"} {
			is(t, olga.Get("/desk/matters/"+m+"/"+part), http.StatusOK)
		}
		w.prove(m, storage.MailboxProof)
		is(t, do(olga, m, "show_value", "handle", "email"), http.StatusOK, "bob@example.com")
		is(t, olga.Submit(send(olga, "/desk/plans/new", "check", "name", "lock", "targets", "bob\nalice", "plan_reason", "incident"), "action", "propose"), http.StatusOK)
		is(t, find(w.as("sam"), "bob"), http.StatusOK)
		w.hire("bob", desk.RoleReviewer)
		is(t, find(w.as("sam"), "bob"), http.StatusUnprocessableEntity) // a refusal about bob
		w.hire("bob")
		read := []lab.Page{bob.Open("/account"), bob.Open("/account/history"), bob.Submit(bob.Open("/account/export"), "password", lab.BobPass)}
		for _, page := range read {
			is(t, page, http.StatusOK)
			for _, word := range []string{"incident", "looked", "shown", "olga", m, "matter_", "person_found", "desk_", "plan_", "staff"} {
				if strings.Contains(page.Text, word) {
					t.Errorf("%s says %q%s", page.Request.URL, word, around(page.Text, word))
				}
			}
		}
		if export := read[2].Text; !strings.Contains(export, "signed_in") {
			t.Errorf("no export: %s", export)
		}
	})
}

func around(text, word string) string {
	i := strings.Index(text, word)
	return ": " + text[max(0, i-120):min(len(text), i+120)]
}

// Attacks 2 and 8: what takes a proof or a second person is proposed without the matter or the
// proof, or for many.
func TestPlanWithoutItsGround(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		olga := w.as("olga")
		without, ofAlice := w.matterOf("olga", "bob"), w.matterOf("olga", "alice")
		csrf := token(olga)
		for name, values := range map[string]url.Values{
			"WithoutAMatter":    lab.Form("name", "change_email", "targets", "bob", "email", "new@example.com", "plan_reason", "caller"),
			"WithoutAProof":     lab.Form("name", "change_email", "targets", "bob", "email", "new@example.com", "plan_reason", "caller", "matter", without),
			"InAMatterOfAlice":  lab.Form("name", "reset_factors_now", "targets", "bob", "plan_reason", "caller", "matter", ofAlice),
			"ForMany":           lab.Form("name", "change_email", "targets", "bob\nalice", "email", "new@example.com", "plan_reason", "caller", "matter", without),
			"ResetForMany":      lab.Form("name", "reset_factors_now", "targets", "bob\nalice", "plan_reason", "caller"),
			"UnlockForMany":     lab.Form("name", "unlock", "targets", "bob\nalice", "plan_reason", "caller"),
			"OnThemselves":      lab.Form("name", "lock", "targets", "olga", "plan_reason", "caller"),
			"ThatShows":         lab.Form("name", "show_sensitive", "targets", "bob", "handle", "allergy", "plan_reason", "caller", "matter", without),
			"OfAnotherKind":     lab.Form("name", "lock", "targets", "service", "plan_reason", "caller"),
			"OfAServiceAction":  lab.Form("name", "revoke_keys", "targets", "bob", "plan_reason", "incident"),
			"WithAnotherReason": lab.Form("name", "lock", "targets", "bob\nalice", "plan_reason", "boredom"),
		} {
			t.Run(name, func(t *testing.T) {
				for _, button := range []string{"check", "propose", "draft"} {
					w.Advance(2 * time.Second)
					values.Set("action", button)
					values.Set("csrf", csrf)
					olga.Post("/desk/plans/new", values)
				}
				if n := w.Count("plans"); n > 0 {
					t.Errorf("%d plans", n)
					w.Exec("DELETE FROM plan_targets")
					w.Exec("DELETE FROM plans")
				}
			})
		}
	})
}

// A person is deleted while a matter about them is open.
func TestPersonIsDeletedMeanwhile(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		sam, olga := w.as("sam"), w.as("olga")
		m, of := open(sam, "alice", "caller"), open(olga, "alice", "caller")
		form := sam.Get("/desk/matters/" + m + "/do/lock")
		w.OK(w.Accounts().Delete(t.Context(), "alice"))
		for address := range pages(m) {
			p := sam.Get(address)
			if p.StatusCode >= http.StatusInternalServerError {
				t.Errorf("%s: %s", address, p.Status)
			}
			silent(t, p)
		}
		for address := range pages(of) {
			if p := olga.Get(address); p.StatusCode >= http.StatusInternalServerError {
				t.Errorf("%s: %s", address, p.Status)
			}
		}
		if p := send(sam, "/desk/matters/"+m+"/do/lock", "do", "revision", revision(form)); p.StatusCode >= http.StatusInternalServerError || strings.Contains(p.Header.Get("Location"), "acted") {
			t.Errorf("lock: %s %s", p.Status, p.Header.Get("Location"))
		}
		for action := range personActions() {
			w.Advance(time.Second)
			p := send(olga, "/desk/matters/"+of+"/do/"+action, "do", "revision", "1", "handle", "fname", "session", "x", "client_id", "std", "group", "military", "until", "2040-01-01", "email", "x@example.com")
			if p.StatusCode >= http.StatusInternalServerError || strings.Contains(p.Header.Get("Location"), "acted") {
				t.Errorf("%s: %s %s", action, p.Status, p.Header.Get("Location"))
			}
		}
		if w.Exists("alice") {
			t.Error("alice is back")
		}
	})
}

// Attack 4: what is of another person is not acted on in a matter.
func TestThingOfAnother(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		bob, sam := w.Bob(), w.as("sam")
		state, err := w.People().Get(t.Context(), "bob")
		w.OK(err)
		sessions := state.Sessions
		if len(sessions) != 1 {
			t.Fatalf("%d sessions", len(sessions))
		}
		m := open(sam, "alice", "caller")
		for _, session := range []string{sessions[0].Handle, "", "x", strings.Repeat("A", 43)} {
			p := do(sam, m, "end_session", "session", session)
			if strings.Contains(p.Header.Get("Location"), "acted") {
				t.Errorf("session %q: %s", session, p.Header.Get("Location"))
			}
		}
		is(t, bob.Get("/account"), http.StatusOK)
	})
}

// Attacks 5 and 9: the log is no list of who was where, and support does not read it.
func TestLogIsNoList(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		anna := w.as("anna")
		for _, query := range []string{"network=127.0.0.0/24", "network=127.0.0.0/24&from=2020-01-01&until=2030-01-01", "network=127.0.0.0/24&from=2020-01-01"} {
			p := anna.Get("/desk/trail?" + query)
			if p.StatusCode == http.StatusOK || strings.Contains(p.Text, "account_registered") {
				t.Errorf("%s: %s", query, p.Status)
			}
			is(t, anna.Get("/desk/trail.csv?"+query), http.StatusBadRequest)
		}
		for _, name := range []string{"sam", "rita"} {
			b := w.as(name)
			for _, address := range []string{"/desk/trail", "/desk/trail.csv", "/desk/trail.jsonl", "/desk/looks", "/desk/numbers"} {
				is(t, b.Get(address), http.StatusNotFound)
			}
		}
		exported := len(w.lines(provider.EventFilter{Name: event.TrailExported, Limit: 20}))
		is(t, anna.Get("/desk/trail.csv"), http.StatusOK)
		if n := len(w.lines(provider.EventFilter{Name: event.TrailExported, Actor: "staff:anna", Limit: 20})); n != exported+1 {
			t.Errorf("%d lines of exports", n)
		}
	})
}
