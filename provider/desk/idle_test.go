package desk_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

const asksAgain = "Confirm that it’s you"

func TestIdleStaff(t *testing.T) {
	t.Parallel()
	t.Run("SignsInAgain", func(t *testing.T) {
		t.Parallel()
		_, sam, _ := helped(t)
		w := sam.Fixture
		bob := at(finds(sam, "bob@example.com"))
		for range 4 { // an hour of work, in which nobody is asked
			w.Advance(14 * time.Minute)
			shows(t, sam.Open(bob), http.StatusOK, "The person called")
		}
		w.Advance(15 * time.Minute)
		p := sam.Open(bob)
		shows(t, p, http.StatusOK, asksAgain)
		shows(t, sam.Open("/desk/"), http.StatusOK, asksAgain)
		// What comes back is the page, and not the form of before.
		shows(t, sam.Submit(p, "password", staffPass), http.StatusOK, "The person called")
	})
	t.Run("PostsNothing", func(t *testing.T) {
		t.Parallel()
		w, sam, _ := helped(t)
		p := sam.Open("/desk/find")
		w.Advance(15 * time.Minute)
		before := w.lines(event.PersonFound, "")
		shows(t, sam.Submit(p, "sought", "bob@example.com"), http.StatusOK, asksAgain)
		if w.lines(event.PersonFound, "") != before {
			t.Error("somebody who was away has searched")
		}
	})
	t.Run("GainsNothingByCookies", func(t *testing.T) {
		t.Parallel()
		w, sam, olga := helped(t)
		shows(t, sam.Open("/desk/"), http.StatusOK)
		used := sam.Cookie(session.Staff)
		w.Advance(10 * time.Minute)
		shows(t, sam.Open("/desk/"), http.StatusOK)
		shows(t, olga.Open("/desk/"), http.StatusOK)
		w.Advance(6 * time.Minute)
		for name, value := range map[string]string{
			"of before": used, "of another": olga.Cookie(session.Staff), "altered": used[:len(used)-2] + "AA", "no base64": "%%", "none": "",
		} {
			thief := sam.Thief()
			thief.SetCookie(session.Staff, value)
			if p := thief.Open("/desk/"); p.StatusCode != http.StatusOK || p.Request.URL.Path == "/desk/" {
				t.Errorf("a cookie %s: %s of %s", name, p.Status, p.Request.URL)
			}
		}
		shows(t, sam.Open("/desk/"), http.StatusOK, "Find a person")
	})
	t.Run("IsNotOfAnEarlierSignIn", func(t *testing.T) {
		t.Parallel()
		w, sam, _ := helped(t)
		w.Advance(time.Minute)
		later := w.reviewer("sam")
		shows(t, later.Open("/desk/"), http.StatusOK)
		w.Advance(10 * time.Minute)
		shows(t, later.Open("/desk/"), http.StatusOK)
		w.Advance(10 * time.Minute)
		shows(t, sam.Open("/desk/"), http.StatusOK, asksAgain)
		thief := sam.Thief()
		shows(t, thief.Open("/desk/"), http.StatusOK, asksAgain)
	})
	t.Run("IsAskedOfTheCompanysSignInToo", func(t *testing.T) {
		t.Parallel()
		w := newPlace(t)
		admitted := desk.Staff{ID: "e7", Roles: []desk.Role{desk.RoleSupport}, AuthenticatedAt: w.Now()}
		b := w.admits(func(*http.Request) (desk.Staff, error) { return admitted, nil })
		shows(t, b.Open("/desk/"), http.StatusOK)
		w.Advance(14 * time.Minute)
		admitted.AuthenticatedAt = admitted.AuthenticatedAt.Add(time.Second) // of a host that rounds
		shows(t, b.Open("/desk/"), http.StatusOK)
		w.Advance(14 * time.Minute)
		shows(t, b.Open("/desk/"), http.StatusOK)
		w.Advance(15 * time.Minute)
		shows(t, b.Open("/desk/"), http.StatusForbidden)
		admitted.AuthenticatedAt = w.Now()
		shows(t, b.Open("/desk/"), http.StatusOK)
	})
}
