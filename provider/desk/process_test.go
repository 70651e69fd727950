package desk_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// assetPaths are the addresses of what a page loads.
var assetPaths = regexp.MustCompile(`(?:href|src)="([^"]+\.(?:css|js)[^"]*)"`)

// The desk can be in a process of its own, with the configuration and the store of the public one,
// to which a proxy leads its path alone.
func TestDeskInAProcessOfItsOwn(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	inside := w.Twin()
	d := testkit.Must(desk.New(desk.Config{
		Provider: inside.Provider, Store: inside.Store.(desk.Store), Clock: w.Now,
		Anchor: func(context.Context, provider.Checkpoint) error { return nil },
		Staff: func(_ context.Context, userID string) (desk.Staff, error) {
			if userID == "alice" {
				return desk.Staff{Roles: []desk.Role{desk.RoleOperator}}, nil
			}
			return desk.Staff{}, nil
		},
	}))(w.T)
	w.OK(desk.ServeFiles(w.Provider))
	alice := w.Alice()
	shows(t, alice.Get("/desk/"), http.StatusNotFound)
	shows(t, alice.Get("/desk/find"), http.StatusNotFound)

	proxy := http.NewServeMux()
	proxy.Handle("/desk/", d)
	proxy.Handle("/", w.Provider)
	w.Server.Config.Handler = proxy
	p := finds(alice, "bob@example.com")
	shows(t, p, http.StatusOK, "The person called")
	shows(t, does(alice, alice.Open(at(p)+"/do/lock")), http.StatusOK, "Done.")
	account := testkit.Must(w.Accounts().Get(t.Context(), "bob"))(w.T)
	if !account.Disabled {
		t.Error("what the desk has done does not hold in the other process")
	}
	// The process of the desk takes checkpoints elsewhere, and its page says so.
	shows(t, alice.Open("/desk/health"), http.StatusOK, "Checkpoint last kept elsewhere")
	for _, asset := range assetPaths.FindAllStringSubmatch(p.Text, -1) {
		address := testkit.Must(url.Parse(asset[1]))(w.T)
		if q := alice.Get(address.RequestURI()); q.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", asset[1], q.Status)
		}
	}
}
