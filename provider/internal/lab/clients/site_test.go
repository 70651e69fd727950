package clients

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// site is a client that is a program: people use it with a browser.
type site struct {
	*installation

	// start is a page that only who has signed in sees: with name and e-mail address.
	start string
	// redirectURI is where the response comes to.
	redirectURI string
	// signOut is where the client signs out, of the provider too, and afterwards where
	// the browser is then.
	signOut, afterwards string
}

// test signs in, refreshes and signs out, and tries what must be refused.
func (s site) test(t *testing.T) {
	t.Helper()
	b := s.newBrowser(t)
	if p := b.signIn(s.start); !p.shows(fullName, email) {
		t.Fatalf("name and e-mail address do not arrive: %s at %s\n%s", p.Status, p.url, p.body)
	}
	s.refresh(t, b)
	s.forgeState(t)
	s.changeRedirectURI(t)

	p := b.open(s.signOut)
	for range 2 { // client and provider may ask
		if p.url.String() != s.afterwards && p.StatusCode == http.StatusOK {
			p = b.submit(p, nil)
		}
	}
	if p.url.String() != s.afterwards {
		t.Fatalf("signing out leads to %s: %s\n%s", p.url, p.Status, p.body)
	}
	if p := b.open(s.start); !p.isSignIn() {
		t.Errorf("after signing out: %s at %s\n%s", p.Status, p.url, p.body)
	}
}

// refresh uses the client until it has refreshed its tokens.
func (s site) refresh(t *testing.T, b *browser) {
	t.Helper()
	soon, late := time.NewTicker(50*time.Millisecond), time.After(time.Minute)
	defer soon.Stop()
	for !s.refreshed() {
		if p := b.open(s.start); !p.shows(fullName, email) {
			t.Fatalf("while refreshing: %s at %s\n%s", p.Status, p.url, p.body)
		}
		select {
		case <-soon.C:
		case <-late:
			t.Fatal("it does not refresh")
		}
	}
	if p := b.open(s.start); !p.shows(fullName, email) {
		t.Fatalf("after refreshing: %s at %s\n%s", p.Status, p.url, p.body)
	}
}

// forgeState gives the client a response that belongs to another request.
func (s site) forgeState(t *testing.T) {
	t.Helper()
	b := s.newBrowser(t)
	response := b.response(s.start, s.redirectURI)
	query := response.Query()
	query.Set("state", "x"+query.Get("state"))
	b.until = s.base
	for _, address := range []string{with(response, query), s.start} {
		if p := b.open(address); p.shows(fullName) {
			t.Errorf("another state is accepted: %s at %s\n%s", p.Status, p.url, p.body)
		}
	}
}

// changeRedirectURI sends the client's authorization request with another redirect URI.
func (s site) changeRedirectURI(t *testing.T) {
	t.Helper()
	b := s.newBrowser(t)
	b.until = s.base
	p := b.open(s.start)
	request, err := p.Location()
	if err != nil {
		t.Fatalf("no authorization request: %s at %s\n%s", p.Status, p.url, p.body)
	}
	b.until = ""
	query := request.Query()
	query.Set("redirect_uri", s.redirectURI+"/x")
	if p := b.open(with(request, query)); p.StatusCode != http.StatusBadRequest || !strings.HasPrefix(p.url.String(), s.base) {
		t.Errorf("another redirect URI: %s at %s\n%s", p.Status, p.url, p.body)
	}
}

func with(address *url.URL, query url.Values) string {
	changed := *address
	changed.RawQuery = query.Encode()
	return changed.String()
}
