package pages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestAttackForgedReturn opens returns that no verifier was given.
func TestAttackForgedReturn(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	b := w.Bob()
	p := b.Open(lab.AuthorizeURL())
	_, fields := p.Form(t)
	sealed := lab.SealedOf(t, b.Verify(d, p))
	for name, flow := range map[string]string{
		"none": "", "made up": "e30", "cut off": sealed[:len(sealed)-4], "changed": strings.ToUpper(sealed),
		"a flow of which nobody was sent": fields.Get("flow"),
	} {
		address := "/verify/return?flow=" + url.QueryEscape(flow)
		lab.Shown(t, b.Get(address), http.StatusBadRequest)
		if name != "a flow of which nobody was sent" && w.Pages().IsReturnTo(w.Server.URL+address) {
			t.Errorf("%s: taken for a return", name)
		}
	}
	for _, address := range []string{"https://evil.test/verify/return?flow=" + sealed, w.Server.URL + "/verify/return?flow=" + sealed + "&next=//evil.test"} {
		if w.Pages().IsReturnTo(address) {
			t.Errorf("%s: taken for a return", address)
		}
	}
}

// TestAttackReturnOfAnotherProvider opens a return that another provider with the same secret
// has given away.
func TestAttackReturnOfAnotherProvider(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	other, _ := lab.WithOffice(t)
	b := w.Bob()
	v := b.Verify(d, b.Open(lab.AuthorizeURL()))
	address := other.Server.URL + "/verify/return?flow=" + lab.SealedOf(t, v)
	if other.Pages().IsReturnTo(address) {
		t.Error("taken for a return")
	}
	lab.Shown(t, other.Bob().Get(address), http.StatusBadRequest)
}

// TestAttackReturnInAnotherBrowser sends a return to somebody else.
func TestAttackReturnInAnotherBrowser(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	mallory, victim := w.Bob(), w.Alice()
	for _, address := range []string{lab.AuthorizeURL(), "/account/groups"} {
		v := mallory.Verify(d, mallory.Open(address))
		lab.Shown(t, victim.Get(v.ReturnTo), http.StatusBadRequest)
	}
}

// TestAttackWhoseReturn asks whose a return is, and of which flow, in other browsers and for
// other users.
func TestAttackWhoseReturn(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	bob, alice := w.Bob(), w.Alice()
	inBrowser := func(b *lab.Browser) *http.Request {
		r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, w.Server.URL+"/page", nil))(t)
		for _, cookie := range b.HTTP.Jar.Cookies(b.ServerURL()) {
			r.AddCookie(cookie)
		}
		return r
	}
	flow := bob.Verify(d, bob.Open(lab.AuthorizeURL()))
	clientID, until, ok := w.Rooms().Pages.VerificationReturn(inBrowser(bob), "bob", flow.ReturnTo)
	if !ok || clientID != "v3" || !until.After(w.Now()) {
		t.Errorf("of a flow: %q, %v, %v", clientID, until, ok)
	}
	account := bob.Verify(d, bob.Open("/account/groups"))
	clientID, until, ok = w.Rooms().Pages.VerificationReturn(inBrowser(bob), "bob", account.ReturnTo)
	if !ok || clientID != "" || !until.IsZero() {
		t.Errorf("of the account: %q, %v, %v", clientID, until, ok)
	}
	for _, v := range []provider.Verification{flow, account} {
		for name, one := range map[string]struct {
			r       *http.Request
			user    string
			address string
		}{
			"another browser": {inBrowser(alice), "bob", v.ReturnTo},
			"another user":    {inBrowser(bob), "alice", v.ReturnTo},
			"nobody":          {inBrowser(bob), "", v.ReturnTo},
			"another origin":  {inBrowser(bob), "bob", strings.Replace(v.ReturnTo, w.Server.URL, "https://evil.test", 1)},
			"another path":    {inBrowser(bob), "bob", strings.Replace(v.ReturnTo, "/verify/return", "/oauth/authorize", 1)},
			"cut off":         {inBrowser(bob), "bob", v.ReturnTo[:len(v.ReturnTo)-4]},
			"none":            {inBrowser(bob), "bob", ""},
		} {
			if clientID, _, ok := w.Rooms().Pages.VerificationReturn(one.r, one.user, one.address); ok || clientID != "" {
				t.Errorf("%s: it is theirs, of %q", name, clientID)
			}
		}
	}
}

// TestAttackReturnOfAnotherUser comes back in the browser of the same person, or of several,
// in which somebody else has signed in since.
func TestAttackReturnOfAnotherUser(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	for _, address := range []string{lab.AuthorizeURL("client_id", "strict"), "/account/groups"} {
		b := w.Bob()
		v := b.Verify(d, b.Open(address))
		b.Submit(b.Open("/signout"))
		b.SignIn("alice@example.com", lab.AlicePass)
		p := b.Back(v)
		if p.StatusCode != http.StatusOK || strings.Contains(p.Text, `class="notice"`) || !strings.Contains(p.Text, "Veteran") {
			t.Errorf("%s: %s\n%s", address, p.Status, p.Text)
		}
		if w.Consents("strict") {
			t.Error("a consent of bob is recorded")
		}
	}
}

// TestAttackReplayedReturn comes back more often than the verifier has sent anybody.
func TestAttackReplayedReturn(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	b := w.Bob()
	v := b.Verify(d, b.Open(lab.AuthorizeURL("client_id", "strict")))
	w.Record(provider.Status{Verified: true})
	p := b.Back(v)
	if answer := lab.Response(t, b.Submit(p, "action", "allow")); answer.Get("code") == "" {
		t.Fatalf("answer %v", answer)
	}
	if p := b.Back(v); p.StatusCode != http.StatusOK || p.Header.Get("Location") != "" {
		t.Errorf("a second answer: %s %q", p.Status, p.Header.Get("Location"))
	}
	if d.Count() != 1 {
		t.Errorf("the verifier was asked %d times", d.Count())
	}
	// What was true at the first return is not remembered by it.
	w.Record(provider.Status{})
	if p := b.Open(lab.AuthorizeURL("client_id", "strict")); !strings.Contains(p.Text, `value="verify"`) {
		t.Errorf("%s\n%s", p.Status, p.Text)
	}
}

// TestAttackOpenRedirectByAVerifier has a verifier answer with what its own user has given it.
func TestAttackOpenRedirectByAVerifier(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"", "desk", "//evil.test", `/\evil.test`, `\\evil.test`, "https://good.test@evil.test", "https:evil.test", "https://", "javascript:alert(1)",
		"data:text/html,x", "ftp://evil.test", "app.evil:/x", "/desk\r\nSet-Cookie: a=b", " https://evil.test", "https://evil.test:0x50/",
	} {
		w := lab.New(t, func(c *provider.Config) {
			c.Verifiers = map[string]provider.Verifier{"military": func(context.Context, provider.Verification) (string, error) { return answer, nil }}
		}).WithClients().WithUsers()
		b := w.Bob()
		for _, page := range []string{lab.AuthorizeURL(), "/account/groups"} {
			p := b.SubmitOnce(b.Open(page), "action", "verify", "group", "military")
			if p.StatusCode != http.StatusServiceUnavailable || p.Header.Get("Location") != "" || len(p.Header.Values("Set-Cookie")) > 0 {
				t.Errorf("%q: %s %q", answer, p.Status, p.Header.Get("Location"))
			}
		}
		if w.Saw(event.VerificationStarted) {
			t.Errorf("%q: the audit log says that somebody was sent there", answer)
		}
	}
}

// TestAttackVerifierThatFails has it panic, end its goroutine, hang and fail.
func TestAttackVerifierThatFails(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(context.Context) (string, error){
		"panics":             func(context.Context) (string, error) { panic("secret of the host") },
		"ends its goroutine": func(context.Context) (string, error) { runtime.Goexit(); return "", nil },
		"hangs":              func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() },
		"fails":              func(context.Context) (string, error) { return "/desk", errors.New("secret of the host") },
		"knows nobody":       func(context.Context) (string, error) { return "", provider.ErrNoUser },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t, func(c *provider.Config) {
				c.Verifiers = map[string]provider.Verifier{"military": func(ctx context.Context, _ provider.Verification) (string, error) { return fails(ctx) }}
			}).WithClients().WithUsers()
			b := w.Bob()
			for _, page := range []string{lab.AuthorizeURL(), "/account/groups"} {
				p := b.SubmitOnce(b.Open(page), "action", "verify", "group", "military")
				lab.Shown(t, p, http.StatusServiceUnavailable)
				if strings.Contains(p.Text, "secret of the host") || !strings.Contains(w.Log.String(), `verifier of \"military\"`) {
					t.Errorf("%s: %s\n%s", page, p.Text, w.Log.String())
				}
			}
			// The request is not lost: the same page can be posted again, or answered.
			if answer := b.Allow(); answer.Get("code") == "" {
				t.Errorf("answer %v", answer)
			}
		})
	}
}

// TestAttackStatusChangedBetweenShowAndPost posts what a screen offered that has been
// overtaken.
func TestAttackStatusChangedBetweenShowAndPost(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]provider.Status{"verified": {Verified: true}, "being checked": {Pending: true}} {
		w, d := lab.WithOffice(t)
		b := w.Bob()
		for _, address := range []string{lab.AuthorizeURL(), lab.AuthorizeURL("client_id", "strict"), "/account/groups"} {
			w.Record(provider.Status{})
			p := b.Open(address)
			w.Record(now)
			if p = b.Submit(p, "action", "verify", "group", "military"); p.StatusCode != http.StatusOK || d.Count() != 0 {
				t.Errorf("%s, %s: %s, verifier asked %d times", name, address, p.Status, d.Count())
			}
		}
	}
}

// TestAttackVerifiedAndRevokedInBetween presses Allow on a screen of a moment at which the
// user was verified.
func TestAttackVerifiedAndRevokedInBetween(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	b := w.Bob()
	v := b.Verify(d, b.Open(lab.AuthorizeURL("client_id", "strict")))
	w.Record(provider.Status{Verified: true})
	p := b.Back(v)
	w.Record(provider.Status{})
	p = b.Submit(p, "action", "allow")
	if p.StatusCode != http.StatusOK || strings.Contains(p.Text, `value="allow"`) || !strings.Contains(p.Text, `value="verify"`) {
		t.Errorf("%s %q\n%s", p.Status, p.Header.Get("Location"), p.Text)
	}
	if w.Consents("strict") {
		t.Error("a consent is recorded")
	}
}

// TestAttackAllowWhatIsNotOffered posts the answer that an application which requires
// verified users gets from nobody else.
func TestAttackAllowWhatIsNotOffered(t *testing.T) {
	t.Parallel()
	w, _ := lab.WithOffice(t)
	b := w.Bob()
	for _, client := range []string{"strict", "own"} {
		p := b.Submit(b.Open(lab.AuthorizeURL("client_id", client)), "action", "allow")
		if p.StatusCode != http.StatusOK || w.Consents(client) || w.Saw(event.Consent) {
			t.Errorf("%s: %s %q, recorded: %v", client, p.Status, p.Header.Get("Location"), w.Consents(client))
		}
	}
}

// TestAttackVerificationByAForeignPage starts a verification with a link, or with a form of
// another site.
func TestAttackVerificationByAForeignPage(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	b := w.Bob()
	for _, address := range []string{lab.AuthorizeURL(), "/account/groups"} {
		action, fields := b.Open(address).Form(t)
		fields.Set("action", "verify")
		fields.Set("group", "military")
		separator := "?"
		if strings.Contains(action, "?") {
			separator = "&"
		}
		b.Get(action + separator + fields.Encode())
		forged := url.Values{"action": {"verify"}, "group": {"military"}, "flow": fields["flow"], "user": fields["user"], "terms": fields["terms"]}
		lab.Shown(t, b.Post(action, forged), http.StatusForbidden)
		r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, b.Absolute(action), strings.NewReader(fields.Encode())))(w.T)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "https://evil.test")
		lab.Shown(t, b.Do(r), http.StatusForbidden)
	}
	if d.Count() != 0 {
		t.Errorf("the verifier was asked %d times", d.Count())
	}
}

// TestAttackVerificationOfWhatIsNotAskedFor posts a group that the application does not ask
// for, that there is not, and one without a verifier.
func TestAttackVerificationOfWhatIsNotAskedFor(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	b := w.Bob()
	p := b.Open(lab.AuthorizeURL("scope", "student"))
	for _, group := range []string{"military", "student", "", "../military", "Military"} {
		if got := b.SubmitOnce(p, "action", "verify", "group", group); got.StatusCode != http.StatusOK {
			t.Errorf("%q: %s %q", group, got.Status, got.Header.Get("Location"))
		}
	}
	account := b.Open("/account/groups")
	for _, group := range []string{"student", "", "nothing"} {
		if got := b.SubmitOnce(account, "action", "verify", "group", group); got.StatusCode != http.StatusOK {
			t.Errorf("%q: %s %q", group, got.Status, got.Header.Get("Location"))
		}
	}
	if d.Count() != 0 {
		t.Errorf("the verifier was asked %d times", d.Count())
	}
}

// TestAttackVerificationInTheNameOfAnother posts a form that was shown to another user of the
// browser.
func TestAttackVerificationInTheNameOfAnother(t *testing.T) {
	t.Parallel()
	w, d := lab.WithOffice(t)
	b := w.Bob()
	p := b.Open(lab.AuthorizeURL())
	b.Submit(b.Open("/signout"))
	b.SignIn("alice@example.com", lab.AlicePass)
	if got := b.SubmitOnce(p, "action", "verify", "group", "military"); got.StatusCode != http.StatusOK || d.Count() != 0 {
		t.Errorf("%s, the verifier was asked %d times", got.Status, d.Count())
	}
}
