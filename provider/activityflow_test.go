package provider_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// flows returns the events of activities by the flow that they name.
func flows(told []provider.Activity) map[string]string {
	of := map[string]string{}
	for _, a := range told {
		of[a.Flow] = strings.TrimSpace(of[a.Flow] + " " + string(a.Event) + ":" + string(a.Outcome))
	}
	return of
}

// onlyFlow returns the events of activities that are all of one flow.
func onlyFlow(t *testing.T, told []provider.Activity) string {
	t.Helper()
	of := flows(told)
	if len(of) != 1 {
		t.Fatalf("%d flows, want one: %v", len(of), of)
	}
	for name, events := range of {
		if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(name) {
			t.Errorf("the flow is named %q", name)
		}
		return events
	}
	return ""
}

func TestActivityNamesTheSignInThatARequestBelongsTo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(b *browser)
		want string
	}{
		"FromTheRequestToTheLastUseOfItsTokens": {func(b *browser) {
			code := b.allow(ask()...).Get("code")
			_, tokens := b.token(std("code", code)...)
			b.bearer(userinfoPath, text(b.t, tokens, "access_token"))
			b.client(introspectPath, "std", "token", text(b.t, tokens, "access_token"))
			_, again := b.refresh(text(b.t, tokens, "refresh_token"))
			b.bearer(userinfoPath, text(b.t, again, "access_token"))
			b.client(revokePath, "std", "token", text(b.t, again, "refresh_token"))
			b.bearer(userinfoPath, text(b.t, again, "access_token"))
			b.refresh(text(b.t, again, "refresh_token"))
		}, "consent:ok authorize:ok token:ok userinfo:ok introspect:ok refresh:ok userinfo:ok revoke:ok userinfo:error refresh:error"},
		"OfACodeThatIsUsedTwice": {func(b *browser) {
			code := b.allow(ask()...).Get("code")
			b.token(std("code", code)...)
			b.token(std("code", code)...)
		}, "consent:ok authorize:ok token:ok token:error"},
		"OfAPushedRequest": {func(b *browser) {
			p := b.submit(b.open(pushedURL("std", b.pushed())), "action", "allow")
			b.token(std("code", response(b.t, p).Get("code"))...)
		}, "push:ok consent:ok authorize:ok token:ok"},
		"OfAUserWhoRefuses": {func(b *browser) { b.submit(b.open(authorizeURL(ask()...)), "action", "deny") }, "authorize:denied"},
		"OfNoUser": {func(b *browser) {
			_, tokens := b.token("client_id", "machine", "grant_type", "client_credentials", "redirect_uri", "")
			b.client(introspectPath, "machine", "token", text(b.t, tokens, "access_token"))
		}, "token:ok introspect:ok"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t).withClients().withUsers()
			w.machine("machine")
			b := w.alice()
			seen := w.watch()
			c.do(b)
			if got := onlyFlow(t, seen.all()); got != c.want {
				t.Errorf("the flow has %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestEachSignInHasAFlowOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b, seen := w.alice(), w.watch()
	for range 3 {
		b.token(std("code", b.allow(ask()...).Get("code"))...)
	}
	if of := flows(seen.all()); len(of) != 3 {
		t.Errorf("%d flows of three sign-ins: %v", len(of), of)
	}
}

// The flow of another application's grant in a line would say whose code was found.
func TestActivityNamesNoSignInOfAnotherApplication(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	code := b.allow(ask()...).Get("code")
	tokens := b.standardTokens()
	seen := w.watch()
	b.token("code", code)
	b.client(introspectPath, "v3", "token", text(t, tokens, "access_token"))
	b.client(revokePath, "v3", "token", text(t, tokens, "refresh_token"))
	told := seen.all()
	if len(told) != 3 {
		t.Fatalf("told %+v", told)
	}
	for _, a := range told {
		if a.Flow != "" || a.ClientID != "v3" {
			t.Errorf("%s of %s names the flow %q", a.Event, a.ClientID, a.Flow)
		}
	}
}

// Neither what travels through the browser nor what an application is given has the name.
func TestTheNameOfASignInIsNoneOfItsSecrets(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b, seen := w.alice(), w.watch()
	p := b.open(authorizeURL(ask()...))
	answer := response(t, b.submit(p, "action", "allow"))
	got, _ := b.token(std("code", answer.Get("code"))...)
	if got.StatusCode != http.StatusOK {
		t.Fatal(got.body)
	}
	name := seen.all()[0].Flow
	for what, text := range map[string]string{"page": p.body, "answer": answer.Encode(), "tokens": got.body} {
		if name == "" || strings.Contains(text, name) {
			t.Errorf("the %s has the name %q", what, name)
		}
	}
}
