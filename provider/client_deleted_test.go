package provider_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// A request that is under way when its application is deleted has not failed: there is
// nobody to answer any more.
func TestApplicationThatIsDeletedMeanwhileIsUnknown(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"SaveConsent", "CreateGrant"} {
		t.Run("Before"+method, func(t *testing.T) {
			var store *faultyStore
			w := newFixture(t, faulty(&store)).withClients().withUsers()
			b := w.alice()
			screen := b.open(authorizeURL(ask()...))
			store.breakBefore(func(ctx context.Context, called string) error {
				if called == method {
					ctx := context.WithoutCancel(ctx)
					c, err := store.Store.Client(ctx, "std")
					if err != nil {
						return err
					}
					return store.Store.DeleteClient(ctx, "std", c.Version)
				}
				return nil
			})
			shown(t, b.submit(screen, "action", "allow"), http.StatusBadRequest)
			if strings.Contains(w.log.String(), "level=ERROR") || w.saw(provider.EventReuse) {
				t.Errorf("it is told as a failure:\n%s", w.log)
			}
			if n := w.count("grants"); n != 0 {
				t.Errorf("%d grants", n)
			}
		})
	}
}
