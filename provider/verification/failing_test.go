package verification_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/verification"
)

// A database that fails at any statement of a verification is "try again in a moment", and the same
// form leads to its end afterwards: no code is wrong, and no try is spent.
func TestVerificationOfAFailingDatabase(t *testing.T) {
	t.Parallel()
	type step func(w *pages, b *lab.Browser, id string) (p lab.Page, values []string)
	begun := func(w *pages, b *lab.Browser) lab.Page { return w.begin(b, "email_domain") }
	asked := func(w *pages, b *lab.Browser, id string) lab.Page {
		return b.Submit(begun(w, b), "answer_email", id+"@university.example")
	}
	for name, leads := range map[string]step{
		"Start": func(w *pages, b *lab.Browser, _ string) (lab.Page, []string) {
			return b.Open("/verification/student"), []string{"method", "email_domain"}
		},
		"Choice": func(w *pages, b *lab.Browser, id string) (lab.Page, []string) {
			_, _, err := w.Start(t.Context(), verification.Request{UserID: id, Group: "student", Language: "en"})
			w.OK(err)
			return b.Open("/verification/student"), []string{"method", "email_domain"}
		},
		"Answer": func(w *pages, b *lab.Browser, id string) (lab.Page, []string) {
			return begun(w, b), []string{"answer_email", id + "@university.example"}
		},
		"Code": func(w *pages, b *lab.Browser, id string) (lab.Page, []string) {
			return asked(w, b, id), []string{"code", w.mailed()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policies := verification.Policies{{Group: "student", Rule: verification.AnyOf(byEmail, asks("a"))}}
			f, tap := lab.Tapped(t, func(c *provider.Config) { c.Verifiers = policies.Verifiers() })
			w, people := serve(t, f, policies), 0
			tap.Walk(t, func() (func() lab.Page, func(lab.Page) error) {
				people++
				w.Advance(time.Minute)
				id := fmt.Sprint("person-", people)
				_, err := w.Accounts().Save(t.Context(), provider.Account{ID: id, Email: id + "@example.com", EmailVerified: true, Password: lab.BobPass})
				w.OK(err)
				b := w.NewBrowser().SignIn(id+"@example.com", lab.BobPass)
				p, values := leads(w, b, id)
				return func() lab.Page { return b.SubmitOnce(p, values...) }, func(lab.Page) error {
					p := b.Open("/verification/student")
					if name != "Code" {
						if name != "Answer" {
							p = b.Submit(p, "answer_email", id+"@university.example")
						}
						p = b.Submit(p, "code", w.mailed())
					}
					all, err := w.People().Statuses(t.Context(), id, "student")
					if err == nil && (len(all) != 1 || !all[0].Verified || p.StatusCode != http.StatusOK) {
						err = fmt.Errorf("%s, and %+v", p.Status, all)
					}
					return err
				}
			})
		})
	}
}
