package operations

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// A request that is under way when its application is deleted has not failed: there is
// nobody to answer any more.
func TestApplicationThatIsDeletedMeanwhileIsUnknown(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"SaveConsent", "CreateGrant"} {
		t.Run("Before"+method, func(t *testing.T) {
			var store *lab.FaultyStore
			w, b := lab.WithAlice(t, lab.Faulty(&store))
			screen := b.Open(lab.AuthorizeURL(lab.Ask()...))
			store.BreakBefore(func(ctx context.Context, called string) error {
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
			lab.Shown(t, b.Submit(screen, "action", "allow"), http.StatusBadRequest)
			if strings.Contains(w.Log.String(), "level=ERROR") || w.Saw(event.Reuse) {
				t.Errorf("it is told as a failure:\n%s", w.Log)
			}
			if n := w.Count("grants"); n != 0 {
				t.Errorf("%d grants", n)
			}
		})
	}
}
