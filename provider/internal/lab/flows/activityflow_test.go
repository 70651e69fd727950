package flows

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// flows returns the events of activities by the flow that they name.
func flows(told []activity.Activity) map[string]string {
	of := map[string]string{}
	for _, a := range told {
		of[a.Flow] = strings.TrimSpace(of[a.Flow] + " " + string(a.Event) + ":" + string(a.Outcome))
	}
	return of
}

// onlyFlow returns the events of activities that are all of one flow.
func onlyFlow(t *testing.T, told []activity.Activity) string {
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
		do   func(b *lab.Browser)
		want string
	}{
		"FromTheRequestToTheLastUseOfItsTokens": {func(b *lab.Browser) {
			code := b.Allow(lab.Ask()...).Get("code")
			_, tokens := b.Token(lab.Std("code", code)...)
			b.Bearer(lab.UserinfoPath, lab.Member(b.T, tokens, "access_token"))
			b.Client(lab.IntrospectPath, "std", "token", lab.Member(b.T, tokens, "access_token"))
			_, again := b.Refresh(lab.Member(b.T, tokens, "refresh_token"))
			b.Bearer(lab.UserinfoPath, lab.Member(b.T, again, "access_token"))
			b.Client(lab.RevokePath, "std", "token", lab.Member(b.T, again, "refresh_token"))
			b.Bearer(lab.UserinfoPath, lab.Member(b.T, again, "access_token"))
			b.Refresh(lab.Member(b.T, again, "refresh_token"))
		}, "consent:ok authorize:ok token:ok userinfo:ok introspect:ok refresh:ok userinfo:ok revoke:ok userinfo:error refresh:error"},
		"OfACodeThatIsUsedTwice": {func(b *lab.Browser) {
			code := b.Allow(lab.Ask()...).Get("code")
			b.Token(lab.Std("code", code)...)
			b.Token(lab.Std("code", code)...)
		}, "consent:ok authorize:ok token:ok token:error"},
		"OfAPushedRequest": {func(b *lab.Browser) {
			p := b.Submit(b.Open(lab.PushedURL("std", b.Pushed())), "action", "allow")
			b.Token(lab.Std("code", lab.Response(b.T, p).Get("code"))...)
		}, "push:ok consent:ok authorize:ok token:ok"},
		"OfAUserWhoRefuses": {func(b *lab.Browser) { b.Submit(b.Open(lab.AuthorizeURL(lab.Ask()...)), "action", "deny") }, "authorize:denied"},
		"OfNoUser": {func(b *lab.Browser) {
			_, tokens := b.Token("client_id", "machine", "grant_type", "client_credentials", "redirect_uri", "")
			b.Client(lab.IntrospectPath, "machine", "token", lab.Member(b.T, tokens, "access_token"))
		}, "token:ok introspect:ok"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t).WithClients().WithUsers()
			w.Machine("machine")
			b := w.Alice()
			seen := w.WatchActivity()
			c.do(b)
			if got := onlyFlow(t, seen.All()); got != c.want {
				t.Errorf("the flow has %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestEachSignInHasAFlowOfItsOwn(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b, seen := w.Alice(), w.WatchActivity()
	for range 3 {
		b.Token(lab.Std("code", b.Allow(lab.Ask()...).Get("code"))...)
	}
	if of := flows(seen.All()); len(of) != 3 {
		t.Errorf("%d flows of three sign-ins: %v", len(of), of)
	}
}

// The flow of another application's grant in a line would say whose code was found.
func TestActivityNamesNoSignInOfAnotherApplication(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	code := b.Allow(lab.Ask()...).Get("code")
	tokens := b.StandardTokens()
	seen := w.WatchActivity()
	b.Token("code", code)
	b.Client(lab.IntrospectPath, "v3", "token", lab.Member(t, tokens, "access_token"))
	b.Client(lab.RevokePath, "v3", "token", lab.Member(t, tokens, "refresh_token"))
	told := seen.All()
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
	w := lab.New(t).WithClients().WithUsers()
	b, seen := w.Alice(), w.WatchActivity()
	p := b.Open(lab.AuthorizeURL(lab.Ask()...))
	answer := lab.Response(t, b.Submit(p, "action", "allow"))
	got, _ := b.Token(lab.Std("code", answer.Get("code"))...)
	if got.StatusCode != http.StatusOK {
		t.Fatal(got.Text)
	}
	name := seen.All()[0].Flow
	for what, text := range map[string]string{"page": p.Text, "answer": answer.Encode(), "tokens": got.Text} {
		if name == "" || strings.Contains(text, name) {
			t.Errorf("the %s has the name %q", what, name)
		}
	}
}
