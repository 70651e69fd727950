package provider_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// TestAttackForgedReturn opens returns that no verifier was given.
func TestAttackForgedReturn(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	b := w.bob()
	p := b.open(authorizeURL())
	_, fields := p.form(t)
	sealed := sealedOf(t, b.verify(d, p))
	for name, flow := range map[string]string{
		"none": "", "made up": "e30", "cut off": sealed[:len(sealed)-4], "changed": strings.ToUpper(sealed),
		"a flow of which nobody was sent": fields.Get("flow"),
	} {
		address := "/verify/return?flow=" + url.QueryEscape(flow)
		shown(t, b.get(address), http.StatusBadRequest)
		if name != "a flow of which nobody was sent" && w.IsReturnTo(w.server.URL+address) {
			t.Errorf("%s: taken for a return", name)
		}
	}
	for _, address := range []string{"https://evil.test/verify/return?flow=" + sealed, w.server.URL + "/verify/return?flow=" + sealed + "&next=//evil.test"} {
		if w.IsReturnTo(address) {
			t.Errorf("%s: taken for a return", address)
		}
	}
}

// TestAttackReturnOfAnotherProvider opens a return that another provider with the same secret
// has given away.
func TestAttackReturnOfAnotherProvider(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	other, _ := withOffice(t)
	b := w.bob()
	v := b.verify(d, b.open(authorizeURL()))
	address := other.server.URL + "/verify/return?flow=" + sealedOf(t, v)
	if other.IsReturnTo(address) {
		t.Error("taken for a return")
	}
	shown(t, other.bob().get(address), http.StatusBadRequest)
}

// TestAttackReturnInAnotherBrowser sends a return to somebody else.
func TestAttackReturnInAnotherBrowser(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	mallory, victim := w.bob(), w.alice()
	for _, address := range []string{authorizeURL(), "/account/groups"} {
		v := mallory.verify(d, mallory.open(address))
		shown(t, victim.get(v.ReturnTo), http.StatusBadRequest)
	}
}

// TestAttackReturnOfAnotherUser comes back in the browser of the same person, or of several,
// in which somebody else has signed in since.
func TestAttackReturnOfAnotherUser(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	for _, address := range []string{authorizeURL("client_id", "strict"), "/account/groups"} {
		b := w.bob()
		v := b.verify(d, b.open(address))
		b.submit(b.open("/signout"))
		b.signIn("alice@example.com", alicePass)
		p := b.back(v)
		if p.StatusCode != http.StatusOK || strings.Contains(p.body, `class="notice"`) || !strings.Contains(p.body, "Veteran") {
			t.Errorf("%s: %s\n%s", address, p.Status, p.body)
		}
		if w.consents("strict") {
			t.Error("a consent of bob is recorded")
		}
	}
}

// TestAttackReplayedReturn comes back more often than the verifier has sent anybody.
func TestAttackReplayedReturn(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	b := w.bob()
	v := b.verify(d, b.open(authorizeURL("client_id", "strict")))
	w.record(provider.Status{Verified: true})
	p := b.back(v)
	if answer := response(t, b.submit(p, "action", "allow")); answer.Get("code") == "" {
		t.Fatalf("answer %v", answer)
	}
	if p := b.back(v); p.StatusCode != http.StatusOK || p.Header.Get("Location") != "" {
		t.Errorf("a second answer: %s %q", p.Status, p.Header.Get("Location"))
	}
	if d.count() != 1 {
		t.Errorf("the verifier was asked %d times", d.count())
	}
	// What was true at the first return is not remembered by it.
	w.record(provider.Status{})
	if p := b.open(authorizeURL("client_id", "strict")); !strings.Contains(p.body, `value="verify"`) {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
}

// TestAttackOpenRedirectByAVerifier has a verifier answer with what its own user has given it.
func TestAttackOpenRedirectByAVerifier(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"", "desk", "//evil.test", `/\evil.test`, `\\evil.test`, "https://good.test@evil.test", "https:evil.test", "https://", "javascript:alert(1)",
		"data:text/html,x", "ftp://evil.test", "app.evil:/x", "/desk\r\nSet-Cookie: a=b", " https://evil.test", "https://evil.test:0x50/",
	} {
		w := newFixture(t, func(c *provider.Config) {
			c.Verifiers = map[string]provider.Verifier{"military": provider.VerifierFunc(
				func(context.Context, provider.Verification) (string, error) { return answer, nil })}
		}).withClients().withUsers()
		b := w.bob()
		for _, page := range []string{authorizeURL(), "/account/groups"} {
			p := b.submitOnce(b.open(page), "action", "verify", "group", "military")
			if p.StatusCode != http.StatusServiceUnavailable || p.Header.Get("Location") != "" || len(p.Header.Values("Set-Cookie")) > 0 {
				t.Errorf("%q: %s %q", answer, p.Status, p.Header.Get("Location"))
			}
		}
		if w.saw(provider.EventVerificationStarted) {
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
			w := newFixture(t, func(c *provider.Config) {
				c.Verifiers = map[string]provider.Verifier{"military": provider.VerifierFunc(
					func(ctx context.Context, _ provider.Verification) (string, error) { return fails(ctx) })}
			}).withClients().withUsers()
			b := w.bob()
			for _, page := range []string{authorizeURL(), "/account/groups"} {
				p := b.submitOnce(b.open(page), "action", "verify", "group", "military")
				shown(t, p, http.StatusServiceUnavailable)
				if strings.Contains(p.body, "secret of the host") || !strings.Contains(w.log.String(), `verifier of \"military\"`) {
					t.Errorf("%s: %s\n%s", page, p.body, w.log.String())
				}
			}
			// The request is not lost: the same page can be posted again, or answered.
			if answer := b.allow(); answer.Get("code") == "" {
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
		w, d := withOffice(t)
		b := w.bob()
		for _, address := range []string{authorizeURL(), authorizeURL("client_id", "strict"), "/account/groups"} {
			w.record(provider.Status{})
			p := b.open(address)
			w.record(now)
			if p = b.submit(p, "action", "verify", "group", "military"); p.StatusCode != http.StatusOK || d.count() != 0 {
				t.Errorf("%s, %s: %s, verifier asked %d times", name, address, p.Status, d.count())
			}
		}
	}
}

// TestAttackVerifiedAndRevokedInBetween presses Allow on a screen of a moment at which the
// user was verified.
func TestAttackVerifiedAndRevokedInBetween(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	b := w.bob()
	v := b.verify(d, b.open(authorizeURL("client_id", "strict")))
	w.record(provider.Status{Verified: true})
	p := b.back(v)
	w.record(provider.Status{})
	p = b.submit(p, "action", "allow")
	if p.StatusCode != http.StatusOK || strings.Contains(p.body, `value="allow"`) || !strings.Contains(p.body, `value="verify"`) {
		t.Errorf("%s %q\n%s", p.Status, p.Header.Get("Location"), p.body)
	}
	if w.consents("strict") {
		t.Error("a consent is recorded")
	}
}

// TestAttackAllowWhatIsNotOffered posts the answer that an application which requires
// verified users gets from nobody else.
func TestAttackAllowWhatIsNotOffered(t *testing.T) {
	t.Parallel()
	w, _ := withOffice(t)
	b := w.bob()
	for _, client := range []string{"strict", "own"} {
		p := b.submit(b.open(authorizeURL("client_id", client)), "action", "allow")
		if p.StatusCode != http.StatusOK || w.consents(client) || w.saw(provider.EventConsent) {
			t.Errorf("%s: %s %q, recorded: %v", client, p.Status, p.Header.Get("Location"), w.consents(client))
		}
	}
}

// TestAttackVerificationByAForeignPage starts a verification with a link, or with a form of
// another site.
func TestAttackVerificationByAForeignPage(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	b := w.bob()
	for _, address := range []string{authorizeURL(), "/account/groups"} {
		action, fields := b.open(address).form(t)
		fields.Set("action", "verify")
		fields.Set("group", "military")
		separator := "?"
		if strings.Contains(action, "?") {
			separator = "&"
		}
		b.get(action + separator + fields.Encode())
		forged := url.Values{"action": {"verify"}, "group": {"military"}, "flow": fields["flow"], "user": fields["user"], "terms": fields["terms"]}
		shown(t, b.post(action, forged), http.StatusForbidden)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.absolute(action), strings.NewReader(fields.Encode()))
		w.ok(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "https://evil.test")
		shown(t, b.do(r), http.StatusForbidden)
	}
	if d.count() != 0 {
		t.Errorf("the verifier was asked %d times", d.count())
	}
}

// TestAttackVerificationOfWhatIsNotAskedFor posts a group that the application does not ask
// for, that there is not, and one without a verifier.
func TestAttackVerificationOfWhatIsNotAskedFor(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	b := w.bob()
	p := b.open(authorizeURL("scope", "student"))
	for _, group := range []string{"military", "student", "", "../military", "Military"} {
		if got := b.submitOnce(p, "action", "verify", "group", group); got.StatusCode != http.StatusOK {
			t.Errorf("%q: %s %q", group, got.Status, got.Header.Get("Location"))
		}
	}
	account := b.open("/account/groups")
	for _, group := range []string{"student", "", "nothing"} {
		if got := b.submitOnce(account, "action", "verify", "group", group); got.StatusCode != http.StatusOK {
			t.Errorf("%q: %s %q", group, got.Status, got.Header.Get("Location"))
		}
	}
	if d.count() != 0 {
		t.Errorf("the verifier was asked %d times", d.count())
	}
}

// TestAttackVerificationInTheNameOfAnother posts a form that was shown to another user of the
// browser.
func TestAttackVerificationInTheNameOfAnother(t *testing.T) {
	t.Parallel()
	w, d := withOffice(t)
	b := w.bob()
	p := b.open(authorizeURL())
	b.submit(b.open("/signout"))
	b.signIn("alice@example.com", alicePass)
	if got := b.submitOnce(p, "action", "verify", "group", "military"); got.StatusCode != http.StatusOK || d.count() != 0 {
		t.Errorf("%s, the verifier was asked %d times", got.Status, d.count())
	}
}
