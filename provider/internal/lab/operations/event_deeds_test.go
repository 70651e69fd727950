package operations

import (
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// deed is what an auditor asks for, and the events that tell of it. An event without an
// Address is of the host's own doing; someone is a user whose ID is random.
type deed struct {
	do   func(w *lab.Fixture)
	want []provider.Event
}

var deeds = map[string]deed{
	"SignIn": {func(w *lab.Fixture) { w.Alice() }, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"}}},
	"SignInWithAWrongPassword": {func(w *lab.Fixture) { w.Guess("alice@example.com", 1) }, []provider.Event{
		{Name: event.SignInFailed, UserID: "alice", Address: "127.0.0.0/24", Detail: "wrong password"}}},
	"SignInAsNobody": {func(w *lab.Fixture) { w.Guess("nobody@example.com", 1) }, []provider.Event{
		{Name: event.SignInFailed, Address: "127.0.0.0/24", Detail: "no such account"}}},
	"SignInTooOftenIsToldOnce": {func(w *lab.Fixture) { w.Guess("bob@example.com", 13) },
		append(slices.Repeat([]provider.Event{
			{Name: event.SignInFailed, UserID: "bob", Address: "127.0.0.0/24", Detail: "wrong password"}}, 10),
			provider.Event{Name: event.Throttled, Address: "127.0.0.0/24", Detail: "sign in"})},
	"SignUp": {func(w *lab.Fixture) {
		b := w.NewBrowser()
		p := b.Submit(b.Open("/signup"), "email", "carol@example.com", "new_password", lab.NewPassword)
		_, code := w.Mails.Last(w.T)
		b.Submit(p, "code", code)
	}, []provider.Event{
		{Name: event.SignedUp, UserID: "someone", Address: "127.0.0.0/24"},
		{Name: event.SignedIn, UserID: "someone", Address: "127.0.0.0/24", Detail: "password"}}},
	"SignOut": {func(w *lab.Fixture) { b := w.Alice(); b.Submit(b.Open("/signout")) }, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.SignedOut, UserID: "alice", Address: "127.0.0.0/24"}}},
	"SignOutOnOtherDevices": {func(w *lab.Fixture) {
		w.Alice()
		b := w.Alice()
		p := b.Open("/account/sessions")
		b.Submit(p, "action", "others")
		b.Submit(p, "action", "others") // there is none any more
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.SignedOut, UserID: "alice", Address: "127.0.0.0/24", Detail: "on all other devices"}}},
	"SignOutToChangeTheAccount": {func(w *lab.Fixture) {
		b := w.Alice()
		b.Submit(b.Open(lab.AuthorizeURL(lab.Ask()...)), "action", "switch")
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.SignedOut, UserID: "alice", Address: "127.0.0.0/24", Detail: "to change the account"}}},

	"AccountCreatedByTheHost": {func(w *lab.Fixture) { w.AddAccount(provider.Account{ID: "dora", Email: "dora@example.com"}) },
		[]provider.Event{{Name: event.AccountCreated, UserID: "dora"}}},
	"AccountThatStaysAsItIs": {func(w *lab.Fixture) {
		w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: lab.AlicePass})
	}, nil},
	"AddressChangedByTheHost": {func(w *lab.Fixture) {
		w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.org", EmailVerified: true})
	}, []provider.Event{
		{Name: event.EmailChanged, UserID: "alice", Detail: "by the host"},
		{Name: event.EmailVerified, UserID: "alice", Detail: "by the host"}}},
	"AddressVerified": {func(w *lab.Fixture) {
		b := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		p := b.Submit(b.Open("/account"), "action", "verify")
		_, code := w.Mails.Last(w.T)
		b.Submit(p, "code", code)
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "bob", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.EmailVerified, UserID: "bob", Address: "127.0.0.0/24"}}},
	"AddressTakenBack": {func(w *lab.Fixture) {
		b := w.Alice()
		p, mailed := b.AskToMove("thief@evil.example", lab.AlicePass)
		b.Submit(p, "code", mailed["thief@evil.example"], "old_code", mailed["alice@example.com"])
		mail, _ := w.Mails.Last(w.T)
		owner := w.NewBrowser()
		owner.Submit(owner.Open(lab.ReturnLink.FindString(mail.Text)), "new_password", lab.NewPassword)
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.EmailChanged, UserID: "alice", Address: "127.0.0.0/24", Detail: "by the user"},
		{Name: event.EmailReturned, UserID: "alice", Address: "127.0.0.0/24"}}},
	"PasswordChanged": {func(w *lab.Fixture) {
		b := w.Alice()
		b.Submit(b.Open("/account/password"), "password", lab.AlicePass, "new_password", lab.NewPassword)
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.PasswordChanged, UserID: "alice", Address: "127.0.0.0/24", Detail: "by the user"}}},
	"PasswordReset": {func(w *lab.Fixture) {
		b := w.NewBrowser()
		p := b.Submit(b.Open("/reset"), "email", "alice@example.com")
		_, code := w.Mails.Last(w.T)
		b.Submit(p, "code", code, "new_password", lab.NewPassword)
	}, []provider.Event{
		{Name: event.PasswordChanged, UserID: "alice", Address: "127.0.0.0/24", Detail: "by a code sent to the user"}}},
	"PasswordSetByTheHost": {func(w *lab.Fixture) {
		w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: lab.NewPassword})
	}, []provider.Event{{Name: event.PasswordChanged, UserID: "alice", Detail: "by the host"}}},
	"AccountDisabledAndEnabled": {func(w *lab.Fixture) {
		w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", true))
		w.Guess("alice@example.com", 1)
		w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", false))
	}, []provider.Event{
		{Name: event.AccountDisabled, UserID: "alice"},
		{Name: event.SignInFailed, UserID: "alice", Address: "127.0.0.0/24", Detail: "the account is disabled"},
		{Name: event.AccountEnabled, UserID: "alice"}}},
	"WhatNeverWasIsNotDeleted": {func(w *lab.Fixture) {
		w.OK(w.Accounts().Delete(w.T.Context(), "nobody"))
		w.OK(w.Clients().Delete(w.T.Context(), "nothing", 0))
	}, nil},

	"ConsentGivenAndTakenBack": {func(w *lab.Fixture) {
		b := w.Alice()
		b.Allow(lab.Ask()...)
		b.Submit(b.Open("/account/apps/remove?client_id=std"))
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.Consent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: event.Revoked, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "by the user"}}},
	"ConsentTakenBackTwice": {func(w *lab.Fixture) {
		b := w.Alice()
		b.Allow(lab.Ask()...)
		p := b.Open("/account/apps/remove?client_id=std")
		b.Submit(p)
		b.Submit(p)
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.Consent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: event.Revoked, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "by the user"}}},
	"ConsentDenied": {func(w *lab.Fixture) {
		b := w.Alice()
		b.Submit(b.Open(lab.AuthorizeURL(lab.Ask()...)), "action", "deny")
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.Denied, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"}}},
	"TokensEndedByTheApplication": {func(w *lab.Fixture) {
		b := w.Alice()
		tokens := b.StandardTokens()
		for _, name := range []string{"access_token", "access_token", "refresh_token", "refresh_token"} { // the second time nothing ends
			b.Post(lab.RevokePath, lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "token", lab.Member(w.T, tokens, name)))
		}
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.Consent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: event.Revoked, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "access token, by the application"},
		{Name: event.Revoked, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "refresh token, by the application"}}},
	"EverythingEndedByTheHost": {func(w *lab.Fixture) { w.OK(w.People().RevokeIssuedBefore(w.T.Context(), w.Now())) },
		[]provider.Event{{Name: event.Revoked, Detail: "everything issued before a moment"}}},
	"CodeUsedTwice": {func(w *lab.Fixture) {
		b := w.Alice()
		code := b.Allow(lab.Ask()...).Get("code")
		b.Token(lab.Std("code", code)...)
		b.Token(lab.Std("code", code)...)
		b.Token(lab.Std("code", code)...) // its grant has ended already
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.Consent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: event.Reuse, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "authorization code"}}},
	"RefreshTokenUsedTwice": {func(w *lab.Fixture) {
		b := w.Alice()
		refresh := lab.Std("grant_type", "refresh_token", "refresh_token", lab.Member(w.T, b.StandardTokens(), "refresh_token"))
		b.Token(refresh...)
		w.Advance(time.Minute)
		b.Token(refresh...)
	}, []provider.Event{
		{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"},
		{Name: event.Consent, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24"},
		{Name: event.Reuse, UserID: "alice", ClientID: "std", Address: "127.0.0.0/24", Detail: "refresh token"}}},

	"ClientRegisteredChangedAndDeleted": {func(w *lab.Fixture) {
		c := provider.Client{ID: "shop", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}}
		w.OK(w.Clients().Save(w.T.Context(), c))
		w.OK(w.Clients().Save(w.T.Context(), c)) // changes nothing
		c.Name = "Shop"
		w.OK(w.Clients().Save(w.T.Context(), c))
		c.Secret = "another-" + lab.ClientSecret
		w.OK(w.Clients().Save(w.T.Context(), c))
		w.OK(w.Clients().Delete(w.T.Context(), c.ID, 0))
	}, []provider.Event{
		{Name: event.ClientCreated, ClientID: "shop"},
		{Name: event.ClientChanged, ClientID: "shop"},
		{Name: event.SecretChanged, ClientID: "shop"},
		{Name: event.ClientDeleted, ClientID: "shop"}}},
	"SecretShownAndRotated": {func(w *lab.Fixture) {
		_, err := w.Clients().Secret(w.T.Context(), "std")
		w.OK(err)
		_, err = w.Clients().RotateSecret(w.T.Context(), "std", time.Hour, 0)
		w.OK(err)
	}, []provider.Event{
		{Name: event.SecretShown, ClientID: "std"},
		{Name: event.SecretChanged, ClientID: "std"}}},
	"ClientThatDoesNotKnowItsSecret": {func(w *lab.Fixture) {
		b := w.NewBrowser()
		b.Token(lab.Std("code", "x", "client_secret", "a-guess")...)
		b.Send(http.MethodPost, lab.TokenPath, "grant_type=refresh_token", "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("std:a-guess")),
			"Content-Type", "application/x-www-form-urlencoded")
		b.Token("client_id", "nobody", "code", "x")
	}, []provider.Event{
		{Name: event.ClientRefused, ClientID: "std", Address: "127.0.0.0/24"}}},
}

func TestDeedsAreInTheAuditTrail(t *testing.T) {
	t.Parallel()
	all := maps.Clone(deeds)
	maps.Copy(all, factorDeeds)
	for name, deed := range all {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t).WithClients().WithUsers()
			before := len(w.Told())
			deed.do(w)
			told := w.Told()[before:]
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
			stored := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Limit: 1000}))(t)
			kept := make([]provider.Event, len(stored))
			for i, e := range stored {
				kept[len(stored)-1-i] = e.Event
			}
			if diff := cmp.Diff(w.Told(), kept, cmpopts.EquateApproxTime(time.Millisecond)); diff != "" {
				t.Errorf("what is stored (-told +stored):\n%s", diff)
			}
		})
	}
}
