package accounts

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
)

// An account that has less than an application demands adds it on the way, and the flow goes
// on with it.
func TestEnrolmentInsideAFlow(t *testing.T) {
	t.Run("AnApp", func(t *testing.T) {
		w := atLocalhost(t)
		b := w.Alice()
		choice := b.Open(lab.AuthorizeURL(lab.Ask(essential(mfa)...)...))
		if choice.Request.URL.Path != "/signin/enrol" || !strings.Contains(choice.Text, "asks for more than a password") {
			t.Fatalf("enrolment: %s %s", choice.Status, choice.Request.URL)
		}
		p := b.Open(linkTo(choice, "/signin/enrol/app"))
		if wrong := b.Submit(p, "code", "000000"); wrong.StatusCode != http.StatusUnprocessableEntity || w.Count("totp") != 0 {
			t.Errorf("a wrong code: %s", wrong.Status)
		}
		shown := b.Submit(p, "code", appCode(w, p))
		if len(codesOn(shown)) != 10 {
			t.Fatalf("codes: %s\n%s", shown.Status, shown.Text)
		}
		_, idToken := tokensOf(t, b, b.Get(linkTo(shown, "/oauth/authorize")))
		if idToken["acr"] != mfa {
			t.Errorf("acr = %v", idToken["acr"])
		}
	})
	t.Run("APasskey", func(t *testing.T) {
		w := atLocalhost(t)
		b := w.Alice()
		choice := b.Open(lab.AuthorizeURL(lab.Ask(essential(phr)...)...))
		if strings.Contains(choice.Text, "/signin/enrol/app") {
			t.Error("an app is offered, which is not enough")
		}
		p := answer(b, b.Open(linkTo(choice, "/signin/enrol/passkey")), "create", authenticator.New())
		_, idToken := tokensOf(t, b, p)
		if idToken["acr"] != phr || w.Count("passkeys") != 1 {
			t.Errorf("acr = %v, %d passkeys", idToken["acr"], w.Count("passkeys"))
		}
	})
	t.Run("InTheLanguageOfTheFlow", func(t *testing.T) {
		const french = `<html lang="fr"`
		w := atLocalhost(t)
		b := w.Alice()
		choice := b.Open(lab.AuthorizeURL(lab.Ask(append(essential(phr), "ui_locales", "fr")...)...))
		p := b.Open(linkTo(choice, "/signin/enrol/passkey"))
		answer(b, p, "create", authenticator.New())
		set, err := w.Sealed().Authenticators(t.Context(), "alice")
		if w.OK(err); len(set.Passkeys) != 1 || set.Passkeys[0].Name != "Clé d’accès" {
			t.Errorf("passkeys %+v", set.Passkeys)
		}
		w = atLocalhost(t)
		b = w.Alice()
		choice = b.Open(lab.AuthorizeURL(lab.Ask(append(essential(mfa), "ui_locales", "fr")...)...))
		p = b.Open(linkTo(choice, "/signin/enrol/app"))
		wrong, shown := b.Submit(p, "code", "000000"), b.Submit(p, "code", appCode(w, p))
		file := b.SubmitOnce(shown)
		for name, p := range map[string]lab.Page{"choice": choice, "form": p, "problem": wrong, "codes": shown} {
			if !strings.Contains(p.Text, french) {
				t.Errorf("%s: %s\n%s", name, p.Status, p.Text)
			}
		}
		if !strings.Contains(wrong.Text, "Ce code") || !strings.Contains(file.Text, "Codes de récupération") {
			t.Errorf("%s\n%s", wrong.Text, file.Text)
		}
	})
	t.Run("W9WhatIsNewIsNotEnough", func(t *testing.T) {
		w := atLocalhost(t, withHealth(provider.Requirement{Assurance: provider.PhishingResistant, Enrolled: 24 * time.Hour}), func(c *provider.Config) {
			c.SignIn.Passkeys.Upgrade = false
		})
		b := w.Alice()
		choice := b.Open(lab.AuthorizeURL(lab.Ask("scope", "openid health")...))
		if !strings.Contains(choice.Text, "only what your account has had for some time") {
			t.Fatalf("%s %s\n%s", choice.Status, choice.Request.URL, choice.Text)
		}
		p := b.Follow(answer(b, b.Open(linkTo(choice, "/signin/enrol/passkey")), "create", authenticator.New()))
		if lab.Response(t, p).Has("code") {
			t.Error("a passkey of a moment ago opens what wants one of a day")
		}
		if mail, _ := w.Mails.Last(t); !strings.Contains(mail.Subject, "passkey was added") {
			t.Errorf("the owner is told %q", mail.Subject)
		}
	})
	t.Run("AnOldSignInAddsNothing", func(t *testing.T) {
		w := atLocalhost(t)
		b := w.Alice()
		choice := b.Open(lab.AuthorizeURL(lab.Ask(essential(mfa)...)...))
		w.Advance(6 * time.Minute)
		for _, address := range []string{linkTo(choice, "/signin/enrol/app"), linkTo(choice, "/signin/enrol/passkey"), choice.Request.URL.String()} {
			if p := b.Open(address); p.Request.URL.Path != "/signin" {
				t.Errorf("%.40s: %s %s", address, p.Status, p.Request.URL)
			}
		}
	})
	t.Run("NobodyAndNothing", func(t *testing.T) {
		w := atLocalhost(t)
		if p := w.Alice().Open("/signin/enrol"); p.Request.URL.Path != "/account/security" {
			t.Errorf("without a flow: %s %s", p.Status, p.Request.URL)
		}
		if p := w.NewBrowser().Open("/signin/enrol/app"); p.Request.URL.Path != "/signin" {
			t.Errorf("without a session: %s %s", p.Status, p.Request.URL)
		}
	})
}
