package pages

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestLimitAtTheReturn tests that who has to wait hears so, as at the sign-up, and not that the
// other service is at fault.
func TestLimitAtTheReturn(t *testing.T) {
	t.Parallel()
	one := provider.Limit{Burst: 1, Every: time.Hour}
	for name, test := range map[string]struct {
		limit    func(*provider.Limits)
		verified bool
	}{
		"OfSignUps":           {func(l *provider.Limits) { l.SignUp = one }, true},
		"OfSignUpsWithACode":  {func(l *provider.Limits) { l.SignUp = one }, false},
		"OfMailsFromANetwork": {func(l *provider.Limits) { l.Mail = one }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCampusWith(t, func(cfg *provider.Config) { test.limit(&cfg.Limits) }, authoritative)
			for i := range 3 {
				b := c.NewBrowser()
				c.is(fmt.Sprint("s", i), fmt.Sprintf("s%d@example.com", i), test.verified)
				p := c.arrive(b, b.Open("/signin"))
				if i == 0 {
					continue
				}
				if p.StatusCode != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" || !strings.Contains(p.Text, "Too many attempts. Wait") {
					t.Errorf("%s\n%s", p.Status, p.Text)
				}
				if i == 2 {
					c.Advance(time.Hour)
					if p := b.Open(p.Request.URL.RequestURI()); p.StatusCode != http.StatusOK || strings.Contains(p.Text, "Too many") {
						t.Errorf("after the wait: %s", p.Status)
					}
				}
			}
			if log := c.Log.String(); !strings.Contains(log, "limit holds up somebody from an upstream provider") || !strings.Contains(log, "upstream=campus") {
				t.Error("the operator hears nothing of it")
			}
		})
	}
}

func TestAddressFromAnUpstreamThatIsRefused(t *testing.T) {
	t.Parallel()
	c := newCampusWith(t, func(cfg *provider.Config) { cfg.Mailer = refusing{} })
	c.is("s", "nobody@example.com", false)
	b := c.NewBrowser()
	if p := c.arrive(b, b.Open("/signin")); p.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(p.Text, "the address that the other service gave us") {
		t.Errorf("%s\n%s", p.Status, p.Text)
	}
}

// refusing is a mailer whose server has no mailboxes.
type refusing struct{}

func (refusing) Send(context.Context, provider.Mail) error { return provider.ErrRecipientRefused }

// TestUpstreamIsToldTheLanguageOfTheFlow tests that no browser's preference takes its place.
func TestUpstreamIsToldTheLanguageOfTheFlow(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	b := c.NewBrowser()
	p := b.Open(lab.AuthorizeURL(lab.Ask("ui_locales", "de")...))
	if address := sentTo(b, leave(b, p, "campus")); !strings.Contains(address, "ui_locales=de") {
		t.Errorf("the upstream is asked at %s", address)
	}
}
