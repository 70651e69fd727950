package tokens

import (
	"net/http"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAssertionsAtOnceForOneUser presents assertions of an application of the host's own
// about one user at once, of whose use nothing is recorded yet.
func TestAssertionsAtOnceForOneUser(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	c, err := w.Clients().Get(t.Context(), "key")
	w.OK(err)
	c.SkipConsent = true
	w.OK(w.Clients().Save(t.Context(), c))
	key := lab.ClientKeys()["ES256"]
	pages, scopes := make([]lab.Page, 12), []string{"openid military", "openid student"}
	var all sync.WaitGroup
	for i := range pages {
		b := w.NewBrowser()
		client, bearer := key.Sign(t, w.Assertion("key")), key.Sign(t, w.AssertionAbout("alice"))
		all.Go(func() {
			pages[i], _ = b.Asserted(lab.TokenPath, client, "grant_type", lab.BearerGrant, "scope", scopes[i%len(scopes)], "assertion", bearer)
		})
	}
	all.Wait()
	for _, p := range pages {
		if p.StatusCode != http.StatusOK {
			t.Errorf("%s %s", p.Status, p.Text)
		}
	}
}

// TestAttackOneAssertionAtOnce presents one assertion of an application many times at once.
func TestAttackOneAssertionAtOnce(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithSigners()
	assertion := lab.ClientKeys()["ES256"].Sign(t, w.Assertion("key"))
	statuses := make([]int, 12)
	var all sync.WaitGroup
	for i := range statuses {
		b := w.NewBrowser()
		all.Go(func() {
			p, _ := b.Asserted(lab.TokenPath, assertion, machineGrant...)
			statuses[i] = p.StatusCode
		})
	}
	all.Wait()
	granted := 0
	for _, status := range statuses {
		if status == http.StatusOK {
			granted++
		}
	}
	if granted != 1 {
		t.Errorf("%d of %v", granted, statuses)
	}
}
