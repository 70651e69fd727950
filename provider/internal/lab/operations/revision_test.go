package operations

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestClientRevision(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	read := func() provider.Client {
		t.Helper()
		c := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
		if c.Revision == 0 {
			t.Fatal("the registration has no revision")
		}
		return c
	}
	named := func(c provider.Client, name string) provider.Client {
		c.Name = name
		return c
	}
	refused := func(what string, c provider.Client) {
		t.Helper()
		before := read()
		if err := w.Clients().Save(t.Context(), c); !errors.Is(err, provider.ErrChanged) {
			t.Errorf("%s: err = %v", what, err)
		}
		if after := read(); after.Name != before.Name || after.Revision != before.Revision {
			t.Errorf("%s: changed %q to %q all the same", what, before.Name, after.Name)
		}
	}
	first := read()
	w.OK(w.Clients().Save(t.Context(), named(first, "One")))
	refused("ARegistrationThatIsOver", named(first, "Two"))
	second := read()
	testkit.Must(w.Clients().RotateSecret(t.Context(), "std", time.Hour, 0))(t)
	refused("AfterNewSecrets", named(second, "Three"))
	whichever := named(read(), "Four")
	whichever.Revision = 0
	w.OK(w.Clients().Save(t.Context(), whichever))
	anew := named(read(), "Five")
	anew.Revision = provider.NoRevision
	refused("OneThatThereIs", anew)
	current := read()
	w.OK(w.Clients().Save(t.Context(), current)) // changes nothing
	if again := read(); again.Revision != current.Revision {
		t.Error("what changes nothing has another revision")
	}
	w.OK(w.Clients().Delete(t.Context(), "std", 0))
	if err := w.Clients().Save(t.Context(), current); !errors.Is(err, provider.ErrChanged) {
		t.Errorf("one that is gone: %v", err)
	}
	w.OK(w.Clients().Save(t.Context(), anew))
	refused("OneThatIsRegisteredAnew", current)
	list := testkit.Must(w.Clients().List(t.Context(), "", 100))(w.T)
	for _, c := range list {
		if c.Revision == 0 {
			t.Errorf("%s is listed without a revision", c.ID)
		}
	}
}

// Two people change one application: nobody's change is lost, nor a logo kept that no
// application has.
func TestSaveClientAtOnceWithOneRevision(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	c, err := w.Clients().Get(t.Context(), "std")
	w.OK(err)
	var saved, changed atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			mine := c
			mine.Name, mine.Logo = strings.Repeat("x", i+1), lab.Square(t, uint8(10*i))
			switch err := w.Clients().Save(t.Context(), mine); {
			case err == nil:
				saved.Add(1)
			case errors.Is(err, provider.ErrChanged):
				changed.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if saved.Load() != 1 || changed.Load() != 7 {
		t.Errorf("%d saved, %d refused", saved.Load(), changed.Load())
	}
	if got := w.Count("images"); got != 1 {
		t.Errorf("%d logos are stored, want 1", got)
	}
}

func TestUnreviewedApplicationIsToldOf(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	const told = "hasn’t been reviewed"
	for _, unreviewed := range []bool{true, false} {
		c := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
		c.Unreviewed = unreviewed
		w.OK(w.Clients().Save(t.Context(), c))
		b := w.NewBrowser()
		signIn := b.Open(lab.AuthorizeURL(lab.Ask()...))
		consent := b.Submit(signIn, "email", "alice@example.com", "password", lab.AlicePass)
		for _, p := range []lab.Page{signIn, consent, b.Get("/signup?flow=" + signIn.Request.URL.Query().Get("flow"))} {
			if p.StatusCode != http.StatusOK || strings.Contains(p.Text, told) != unreviewed {
				t.Errorf("unreviewed %v: %s %s\n%s", unreviewed, p.Request.URL.Path, p.Status, p.Text)
			}
		}
	}
}
