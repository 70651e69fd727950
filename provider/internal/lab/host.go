package lab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
)

// SignInPage is the sign-in page of a host: what it makes of who is signed in.
type SignInPage func(before provider.SignedIn, asked url.Values) provider.SignedIn

// Journey leads a user who allows everything from a request to its end, and counts
// the visits to the host's sign-in page.
func Journey(t *testing.T, b *Browser, address string, signedIn *provider.SignedIn, visit SignInPage) (end Page, visits int) {
	t.Helper()
	p := b.Get(address)
	for range 20 {
		location, err := url.Parse(p.Header.Get("Location"))
		switch {
		case err != nil:
			t.Fatal(err)
		case location.Host == "host.test":
			visits++
			asked := location.Query()
			if again := asked.Get("prompt") == "login"; again != (signedIn.UserID != "") {
				t.Fatalf("%s is told prompt=%q while %q is signed in", address, asked.Get("prompt"), signedIn.UserID)
			}
			*signedIn = visit(*signedIn, asked)
			p = b.Get(asked.Get("return_to"))
		case location.Path != "" && location.Host == "":
			p = b.Get(location.String())
		case p.StatusCode == http.StatusOK && strings.Contains(p.Text, `value="allow"`):
			p = b.SubmitOnce(p, "action", "allow")
		case p.StatusCode == http.StatusOK && strings.Contains(p.Text, `value="continue"`):
			p = b.SubmitOnce(p, "action", "continue")
		default:
			return p, visits
		}
	}
	t.Fatalf("%s: goes on and on, now at %s %q", address, p.Request.URL, p.Header.Get("Location"))
	return p, visits
}

// NewHosted is a fixture whose users are the host's: whoever who returns is signed in.
func NewHosted(t testing.TB, who func() provider.SignedIn, change ...func(*provider.Config)) *Fixture {
	t.Helper()
	return New(t, append([]func(*provider.Config){func(c *provider.Config) {
		c.Users = provider.Users{
			SignInURL:  "https://host.test/login",
			SignOutURL: "https://host.test/logout",
			SignedIn:   func(*http.Request) (provider.SignedIn, error) { return who(), nil },
		}
	}}, change...)...).WithClients()
}

// Directory is a host's user directory, which counts what it is asked.
type Directory struct {
	Mu        sync.Mutex
	User      provider.SignedIn
	Person    provider.Person
	Err       error
	signedIns int
	asked     []string
}

// Configure makes a provider ask the directory.
func (d *Directory) Configure(c *provider.Config) {
	c.Attributes = append(c.Attributes, catalogue.Attribute{Handle: "rank", Name: "Rank", Type: catalogue.Integer})
	c.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "rank", Title: "Rank", Attributes: []string{"rank"}})
	c.Users = provider.Users{
		SignInURL: "https://host.test/login", SignOutURL: "https://host.test/logout",
		SignedIn: func(r *http.Request) (provider.SignedIn, error) {
			d.Mu.Lock()
			defer d.Mu.Unlock()
			d.signedIns++
			return d.User, nil
		},
		Person: func(ctx context.Context, id string, handles, groups []string) (provider.Person, error) {
			d.Mu.Lock()
			defer d.Mu.Unlock()
			request, _ := provider.RequestOf(ctx)
			d.asked = append(d.asked, fmt.Sprintf("%s for %s %v", id, request.ClientID, request.Scopes))
			return d.Person, d.Err
		},
	}
}

// Take returns what was asked since the last time.
func (d *Directory) Take() (signedIns int, asked []string) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	signedIns, asked = d.signedIns, d.asked
	d.signedIns, d.asked = 0, nil
	return signedIns, asked
}

// Set changes what the directory knows.
func (d *Directory) Set(change func()) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	change()
}

// NewDirectory returns a directory and a provider that asks it.
func NewDirectory(t *testing.T) (*Directory, *Fixture) {
	t.Helper()
	d := &Directory{
		User:   provider.SignedIn{UserID: "carol", AuthTime: time.Now().Add(-time.Hour), AMR: []string{"pwd"}},
		Person: provider.Person{Attributes: map[string]any{"fname": "Carol", "email": "carol@example.com"}},
	}
	return d, New(t, d.Configure).WithClients()
}
