package provider_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
)

// deeds are what an auditor asks for, and the events that tell of it. An event
// without an Address is of the host's own doing; someone is a user whose ID is random.
var deeds = map[string]struct {
	do   func(w *fixture)
	want []provider.Event
}{
	"SignIn": {func(w *fixture) { w.alice() }, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"}}},
	"SignInWithAWrongPassword": {func(w *fixture) { w.guess("alice@example.com", 1) }, []provider.Event{
		{Name: provider.EventSignInFailed, UserID: "alice", Address: "127.0.0.0/24", Detail: "wrong password"}}},
	"SignInAsNobody": {func(w *fixture) { w.guess("nobody@example.com", 1) }, []provider.Event{
		{Name: provider.EventSignInFailed, Address: "127.0.0.0/24", Detail: "no such account"}}},
	"SignInTooOftenIsToldOnce": {func(w *fixture) { w.guess("bob@example.com", 13) },
		append(slices.Repeat([]provider.Event{
			{Name: provider.EventSignInFailed, UserID: "bob", Address: "127.0.0.0/24", Detail: "wrong password"}}, 10),
			provider.Event{Name: provider.EventThrottled, Address: "127.0.0.0/24", Detail: "sign in"})},
	"SignUp": {func(w *fixture) {
		b := w.newBrowser()
		p := b.submit(b.open("/signup"), "email", "carol@example.com", "new_password", newPassword)
		_, code := w.mails.last(w.t)
		b.submit(p, "code", code)
	}, []provider.Event{
		{Name: provider.EventSignedUp, UserID: "someone", Address: "127.0.0.0/24"},
		{Name: provider.EventSignedIn, UserID: "someone", Address: "127.0.0.0/24"}}},
	"SignOut": {func(w *fixture) { b := w.alice(); b.submit(b.open("/signout")) }, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventSignedOut, UserID: "alice", Address: "127.0.0.0/24"}}},
	"SignOutOnOtherDevices": {func(w *fixture) {
		w.alice()
		b := w.alice()
		p := b.open("/account/sessions")
		b.submit(p, "action", "others")
		b.submit(p, "action", "others") // there is none any more
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventSignedOut, UserID: "alice", Address: "127.0.0.0/24", Detail: "on all other devices"}}},
	"SignOutToChangeTheAccount": {func(w *fixture) {
		b := w.alice()
		b.submit(b.open(authorizeURL(ask()...)), "action", "switch")
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventSignedOut, UserID: "alice", Address: "127.0.0.0/24", Detail: "to change the account"}}},

	"AccountCreatedByTheHost": {func(w *fixture) { w.account(provider.Account{ID: "dora", Email: "dora@example.com"}) },
		[]provider.Event{{Name: provider.EventAccountCreated, UserID: "dora"}}},
	"AccountThatStaysAsItIs": {func(w *fixture) {
		w.account(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: alicePass})
	}, nil},
	"AddressChangedByTheHost": {func(w *fixture) {
		w.account(provider.Account{ID: "alice", Email: "alice@example.org", EmailVerified: true})
	}, []provider.Event{
		{Name: provider.EventEmailChanged, UserID: "alice", Detail: "by the host"},
		{Name: provider.EventEmailVerified, UserID: "alice", Detail: "by the host"}}},
	"AddressVerified": {func(w *fixture) {
		b := w.newBrowser().signIn("bob@example.com", bobPass)
		p := b.submit(b.open("/account"), "action", "verify")
		_, code := w.mails.last(w.t)
		b.submit(p, "code", code)
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "bob", Address: "127.0.0.0/24"},
		{Name: provider.EventEmailVerified, UserID: "bob", Address: "127.0.0.0/24"}}},
	"AddressTakenBack": {func(w *fixture) {
		b := w.alice()
		p, mailed := b.askToMove("thief@evil.example", alicePass)
		b.submit(p, "code", mailed["thief@evil.example"], "old_code", mailed["alice@example.com"])
		mail, _ := w.mails.last(w.t)
		owner := w.newBrowser()
		owner.submit(owner.open(returnLink.FindString(mail.Text)), "new_password", newPassword)
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventEmailChanged, UserID: "alice", Address: "127.0.0.0/24", Detail: "by the user"},
		{Name: provider.EventEmailReturned, UserID: "alice", Address: "127.0.0.0/24"}}},
	"PasswordChanged": {func(w *fixture) {
		b := w.alice()
		b.submit(b.open("/account/password"), "password", alicePass, "new_password", newPassword)
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventPasswordChanged, UserID: "alice", Address: "127.0.0.0/24", Detail: "by the user"}}},
	"PasswordReset": {func(w *fixture) {
		b := w.newBrowser()
		p := b.submit(b.open("/reset"), "email", "alice@example.com")
		_, code := w.mails.last(w.t)
		b.submit(p, "code", code, "new_password", newPassword)
	}, []provider.Event{
		{Name: provider.EventPasswordChanged, UserID: "alice", Address: "127.0.0.0/24", Detail: "by a code sent to the user"}}},
	"PasswordSetByTheHost": {func(w *fixture) {
		w.account(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: newPassword})
	}, []provider.Event{{Name: provider.EventPasswordChanged, UserID: "alice", Detail: "by the host"}}},
	"AccountDisabledAndEnabled": {func(w *fixture) {
		w.ok(w.SetAccountDisabled(w.t.Context(), "alice", true))
		w.guess("alice@example.com", 1)
		w.ok(w.SetAccountDisabled(w.t.Context(), "alice", false))
	}, []provider.Event{
		{Name: provider.EventAccountDisabled, UserID: "alice"},
		{Name: provider.EventSignInFailed, UserID: "alice", Address: "127.0.0.0/24", Detail: "the account is disabled"},
		{Name: provider.EventAccountEnabled, UserID: "alice"}}},
	"WhatNeverWasIsNotDeleted": {func(w *fixture) {
		w.ok(w.DeleteAccount(w.t.Context(), "nobody"))
		w.ok(w.DeleteClient(w.t.Context(), "nothing"))
	}, nil},

	"ConsentGivenAndTakenBack": {func(w *fixture) {
		b := w.alice()
		b.allow(ask()...)
		b.submit(b.open("/account/apps/remove?client_id=std"))
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventConsent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: provider.EventRevoked, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "by the user"}}},
	"ConsentTakenBackTwice": {func(w *fixture) {
		b := w.alice()
		b.allow(ask()...)
		p := b.open("/account/apps/remove?client_id=std")
		b.submit(p)
		b.submit(p)
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventConsent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: provider.EventRevoked, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "by the user"}}},
	"ConsentDenied": {func(w *fixture) {
		b := w.alice()
		b.submit(b.open(authorizeURL(ask()...)), "action", "deny")
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventDenied, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"}}},
	"TokensEndedByTheApplication": {func(w *fixture) {
		b := w.alice()
		tokens := b.standardTokens()
		for _, name := range []string{"access_token", "access_token", "refresh_token", "refresh_token"} { // the second time nothing ends
			b.post(revokePath, form("client_id", "std", "client_secret", clientSecret, "token", text(w.t, tokens, name)))
		}
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventConsent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: provider.EventRevoked, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "access token, by the application"},
		{Name: provider.EventRevoked, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "refresh token, by the application"}}},
	"EverythingEndedByTheHost": {func(w *fixture) { w.ok(w.RevokeIssuedBefore(w.t.Context(), w.now())) },
		[]provider.Event{{Name: provider.EventRevoked, Detail: "everything issued before a moment"}}},
	"CodeUsedTwice": {func(w *fixture) {
		b := w.alice()
		code := b.allow(ask()...).Get("code")
		b.token(std("code", code)...)
		b.token(std("code", code)...)
		b.token(std("code", code)...) // its grant has ended already
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventConsent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: provider.EventReuse, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "authorization code"}}},
	"RefreshTokenUsedTwice": {func(w *fixture) {
		b := w.alice()
		refresh := std("grant_type", "refresh_token", "refresh_token", text(w.t, b.standardTokens(), "refresh_token"))
		b.token(refresh...)
		w.advance(time.Minute)
		b.token(refresh...)
	}, []provider.Event{
		{Name: provider.EventSignedIn, UserID: "alice", Address: "127.0.0.0/24"},
		{Name: provider.EventConsent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: provider.EventReuse, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "refresh token"}}},

	"ClientRegisteredChangedAndDeleted": {func(w *fixture) {
		c := provider.Client{ID: "shop", Secret: clientSecret, RedirectURIs: []string{callbackURI}}
		w.ok(w.SaveClient(w.t.Context(), c))
		w.ok(w.SaveClient(w.t.Context(), c)) // changes nothing
		c.Name = "Shop"
		w.ok(w.SaveClient(w.t.Context(), c))
		c.Secret = "another-" + clientSecret
		w.ok(w.SaveClient(w.t.Context(), c))
		w.ok(w.DeleteClient(w.t.Context(), c.ID))
	}, []provider.Event{
		{Name: provider.EventClientCreated, ClientID: "shop"},
		{Name: provider.EventClientChanged, ClientID: "shop"},
		{Name: provider.EventSecretChanged, ClientID: "shop"},
		{Name: provider.EventClientDeleted, ClientID: "shop"}}},
	"SecretShownAndRotated": {func(w *fixture) {
		_, err := w.ClientSecret(w.t.Context(), "std")
		w.ok(err)
		_, err = w.RotateClientSecret(w.t.Context(), "std", time.Hour, 0)
		w.ok(err)
	}, []provider.Event{
		{Name: provider.EventSecretShown, ClientID: "std"},
		{Name: provider.EventSecretChanged, ClientID: "std"}}},
	"ClientThatDoesNotKnowItsSecret": {func(w *fixture) {
		b := w.newBrowser()
		b.token(std("code", "x", "client_secret", "a-guess")...)
		b.send(http.MethodPost, tokenPath, "grant_type=refresh_token", "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("std:a-guess")),
			"Content-Type", "application/x-www-form-urlencoded")
		b.token("client_id", "nobody", "code", "x")
	}, []provider.Event{
		{Name: provider.EventClientRefused, ClientID: "std", Address: "127.0.0.0/24"}}},
}

// told returns what OnEvent has been called with.
func (w *fixture) told() []provider.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

// guess tries to sign in with a password that is nobody's.
func (w *fixture) guess(email string, times int) {
	b := w.newBrowser()
	p := b.open("/signin")
	for range times {
		b.submit(p, "email", email, "password", "not-the-password-1")
	}
}

func (w *fixture) account(a provider.Account) {
	w.t.Helper()
	_, err := w.SaveAccount(w.t.Context(), a)
	w.ok(err)
}

func (w *fixture) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestDeedsAreInTheAuditTrail(t *testing.T) {
	t.Parallel()
	for name, deed := range deeds {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).withClients().withUsers()
			before := len(w.told())
			deed.do(w)
			told := w.told()[before:]
			for i, e := range told {
				if e.At.IsZero() {
					t.Errorf("%s: when?", e.Name)
				}
				told[i].At = time.Time{}
				if len(e.UserID) == 36 {
					told[i].UserID = "someone"
				}
			}
			if diff := cmp.Diff(deed.want, told, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			stored, err := w.Events(t.Context(), provider.EventFilter{Limit: 1000})
			if err != nil {
				t.Fatal(err)
			}
			kept := make([]provider.Event, len(stored))
			for i, e := range stored {
				kept[len(stored)-1-i] = e.Event
			}
			if diff := cmp.Diff(w.told(), kept, cmpopts.EquateApproxTime(time.Millisecond)); diff != "" {
				t.Errorf("what is stored (-told +stored):\n%s", diff)
			}
		})
	}
}
