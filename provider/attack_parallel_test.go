package provider_test

import (
	"net/http"
	"sync"
	"testing"
)

// TestAssertionsAtOnceForOneUser presents assertions of an application of the host's own
// about one user at once, of whose use nothing is recorded yet.
func TestAssertionsAtOnceForOneUser(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers().withSigners()
	c, err := w.Client(t.Context(), "key")
	w.ok(err)
	c.SkipConsent = true
	w.ok(w.SaveClient(t.Context(), c))
	key := clientKeys()["ES256"]
	pages, scopes := make([]page, 12), []string{"openid military", "openid student"}
	var all sync.WaitGroup
	for i := range pages {
		b := w.newBrowser()
		client, bearer := key.sign(t, w.assertion("key")), key.sign(t, w.assertionAbout("alice"))
		all.Go(func() {
			pages[i], _ = b.asserted(tokenPath, client, "grant_type", bearerGrant, "scope", scopes[i%len(scopes)], "assertion", bearer)
		})
	}
	all.Wait()
	for _, p := range pages {
		if p.StatusCode != http.StatusOK {
			t.Errorf("%s %s", p.Status, p.body)
		}
	}
}

// TestAttackOneAssertionAtOnce presents one assertion of an application many times at once.
func TestAttackOneAssertionAtOnce(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withSigners()
	assertion := clientKeys()["ES256"].sign(t, w.assertion("key"))
	statuses := make([]int, 12)
	var all sync.WaitGroup
	for i := range statuses {
		b := w.newBrowser()
		all.Go(func() {
			p, _ := b.asserted(tokenPath, assertion, machineGrant...)
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
