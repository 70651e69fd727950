package desk_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// logged returns a place whose dashboard keeps the logs of applications.
func logged(t *testing.T) (*place, *developer.Dashboard) {
	t.Helper()
	var dashboard *developer.Dashboard
	w := newPlaceWith(t, given{desk: func(w *place, c *desk.Config) {
		dashboard = testkit.Must(developer.New(developer.Config{Provider: w.Provider, Store: w.Store.(storage.Developers), Clock: w.Now}))(w.T)
		c.Dashboard = dashboard
	}})
	w.WithClients()
	now := w.Now()
	w.OK(w.Store.(storage.Developers).CreateOrganization(t.Context(), storage.Organization{ID: "river", Name: "River", CreatedAt: now}, storage.Member{UserID: "alice", JoinedAt: now}, 10))
	w.OK(w.Store.(storage.Developers).CreateApplication(t.Context(), storage.Application{
		Environment: storage.Production, ClientID: "std", OrganizationID: "river", Name: "Standard App", Kind: "web",
		CreatedBy: "alice", CreatedAt: now, UpdatedAt: now,
	}, 10))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return w, dashboard
}

var requestID = regexp.MustCompile(`id="request">([0-9a-f]+)<`)

// refused returns the ID on the error page of a request that an application got wrong, once it is
// in the application's log: the log may begin a moment after the provider.
func refused(t *testing.T, w *place, b *lab.Browser, d *developer.Dashboard) string {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		w.Advance(time.Since(w.Now())) // the ID has the time of the machine, the log that of the provider
		p := b.Get("/oauth/authorize?client_id=std&response_type=code&scope=openid&redirect_uri=https://evil.test/")
		found := requestID.FindStringSubmatch(p.Text)
		if found == nil {
			t.Fatalf("%s without the ID of the request:\n%s", p.Status, p.Text)
		}
		for range 10 {
			lines := testkit.Must(d.FindRequest(t.Context(), found[1]))(t)
			if len(lines) > 0 {
				return found[1]
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	t.Fatal("the request is not in the log of the application")
	return ""
}

func TestFindByRequest(t *testing.T) {
	t.Parallel()
	w, dashboard := logged(t)
	w.hires("sam", desk.RoleSupport)
	sam := w.reviewer("sam")
	id := refused(t, w, w.NewBrowser().SignIn("bob@example.com", lab.BobPass), dashboard)
	shows(t, sam.Open("/desk/find"), http.StatusOK, "Case – Request")
	p := sam.Submit(sam.Open("/desk/find"), "sought", id)
	lines := testkit.Must(dashboard.FindRequest(t.Context(), id))(w.T)
	shows(t, p, http.StatusOK, "A request", "std", "error", lines[0].Error, lines[0].Cause, `<time datetime="`+lines[0].At.UTC().Format("2006-01-02T15:04"))
	t.Run("OpensNobody", func(t *testing.T) {
		for _, hidden := range []string{"bob", "Builder", "Why do you look", "/desk/matters/"} {
			if strings.Contains(p.Text, hidden) {
				t.Errorf("the page says %q", hidden)
			}
		}
		if w.lines(event.PersonFound, "") != 0 || w.lines(event.MatterOpened, "") != 0 {
			t.Error("somebody was found")
		}
		if n := w.lines(event.PersonNotFound, "request"); n != 1 {
			t.Errorf("%d lines of the request in the log, want 1", n)
		}
	})
	t.Run("NotByAnother", func(t *testing.T) {
		shows(t, sam.Submit(sam.Open("/desk/find"), "sought", id[:len(id)-1]+"x"), http.StatusUnprocessableEntity, "Nobody is recorded under exactly this")
		other := strings.Map(func(r rune) rune {
			if r == '0' {
				return '1'
			}
			return r
		}, id[8:])
		if id[:8]+other != id {
			shows(t, sam.Submit(sam.Open("/desk/find"), "sought", id[:8]+other), http.StatusUnprocessableEntity, "Nobody is recorded under exactly this")
		}
	})
}

func TestFindByCase(t *testing.T) {
	t.Parallel()
	w, sam, _ := helped(t)
	c := w.applies(w.NewBrowser().SignIn("bob@example.com", lab.BobPass), "bob")
	p := finds(sam, c.ID)
	shows(t, p, http.StatusOK, "b•••@e•••.com")
	matters, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.MatterOpened})
	w.OK(err)
	if len(matters) != 1 || matters[0].UserID != "bob" || matters[0].Actor != "staff:sam" {
		t.Errorf("matters opened: %+v", matters)
	}
	t.Run("NotByAnother", func(t *testing.T) {
		other := c.ID[:len(c.ID)-1] + "x"
		shows(t, sam.Submit(sam.Open("/desk/find"), "sought", other), http.StatusUnprocessableEntity, "Nobody is recorded under exactly this")
	})
}
