package operations

import (
	"encoding/base32"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// Details of what alice does at the provider's screens, and in the browser of the tests.
var (
	byPassword = provider.Event{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password"}
	byApp      = provider.Event{Name: event.SignedIn, UserID: "alice", Address: "127.0.0.0/24", Detail: "password, app code"}
	started    = ofAlice(event.RecoveryStarted, "with the mailbox alone")
)

// ofAlice is an event of what alice does.
func ofAlice(name string, detail string) provider.Event {
	return provider.Event{Name: name, UserID: "alice", Address: "127.0.0.0/24", Detail: detail}
}

// factorDeeds are those about apps, recovery codes and the way back; passkeys are in package
// accounts, which has an authenticator.
var factorDeeds = map[string]deed{
	"AppAdded": {func(w *lab.Fixture) {
		b := w.Alice()
		p := b.Open("/account/totp")
		b.Submit(p, "code", "000000") // adds nothing
		b.Submit(p, "code", codeFor(w, p))
	}, []provider.Event{byPassword, ofAlice(event.TOTPAdded, "by the user")}},
	"SignInWithAnApp": {func(w *lab.Fixture) {
		app, _ := w.AddApp("alice")
		withApp(w, app)
	}, []provider.Event{byApp}},
	"SignInWithAWrongAppCode": {func(w *lab.Fixture) {
		app, _ := w.AddApp("alice")
		b := w.NewBrowser()
		p := b.Submit(secondStep(b), "code", "000000")
		b.Submit(p, "code", app.Code())
	}, []provider.Event{ofAlice(event.SignInFailed, "wrong app code"), byApp}},
	"SignInWithTheSameAppCode": {func(w *lab.Fixture) {
		app, _ := w.AddApp("alice")
		code := app.Code()
		for range 2 {
			b := w.NewBrowser()
			b.Submit(secondStep(b), "code", code)
		}
	}, []provider.Event{byApp, ofAlice(event.SignInFailed, "wrong app code")}},
	"SignInWithThePasswordOfTwo": {func(w *lab.Fixture) {
		w.AddApp("alice")
		secondStep(w.NewBrowser())
	}, nil},
	"SignInWithARecoveryCode": {func(w *lab.Fixture) {
		_, codes := w.AddApp("alice")
		for range 2 {
			b := w.NewBrowser()
			p := secondStep(b)
			b.Submit(b.Open(p.Request.URL.String()+"&way=codes"), "code", codes[0])
		}
	}, []provider.Event{ofAlice(event.SignedIn, "password, recovery code"), ofAlice(event.SignInFailed, "wrong recovery code")}},
	"RecoveryCodesMade": {func(w *lab.Fixture) {
		app, _ := w.AddApp("alice")
		b := withApp(w, app)
		b.Submit(b.Open("/account/codes"))
	}, []provider.Event{byApp, ofAlice(event.RecoveryCodesMade, "by the user")}},
	"AppRemoved": {func(w *lab.Fixture) {
		app, _ := w.AddApp("alice")
		b := withApp(w, app)
		p := b.Open("/account/totp/remove")
		b.Submit(p)
		b.Submit(p) // there is none any more
	}, []provider.Event{byApp, ofAlice(event.TOTPRemoved, "by the user")}},

	"PasswordResetWithAnApp": {func(w *lab.Fixture) {
		app, _ := w.AddApp("alice")
		b, p := readMailbox(w)
		p = way(b, p, "/recover/app")
		b.Submit(p, "code", "000000")
		b.Submit(b.Submit(p, "code", app.Code()), "new_password", lab.NewPassword)
	}, []provider.Event{ofAlice(event.SignInFailed, "wrong app code"), ofAlice(event.PasswordChanged, "by a code sent to the user and a code of an app")}},
	"RecoveredByACode": {func(w *lab.Fixture) {
		_, codes := w.AddApp("alice")
		b, p := readMailbox(w)
		b.Submit(b.Submit(way(b, p, "/recover/codes"), "code", codes[0]), "new_password", lab.NewPassword)
	}, []provider.Event{ofAlice(event.Recovered, "by a recovery code")}},
	"RecoveredAfterTheWait": {func(w *lab.Fixture) {
		w.AddApp("alice")
		b, p := startRecovery(w)
		b.Submit(p) // reads the page again
		w.Advance(73 * time.Hour)
		b, p = readMailbox(w)
		b.Submit(p, "new_password", lab.NewPassword)
		b.Submit(p, "new_password", lab.NewPassword) // it is over
	}, []provider.Event{started, ofAlice(event.Recovered, "after the wait")}},
	"RecoveredWithThePassword": {func(w *lab.Fixture) {
		w.AddApp("alice")
		w.Advance(73 * time.Hour) // her password is older than the wait
		b, p := readMailbox(w)
		p = way(b, p, "/recover/password")
		b.Submit(p, "password", "not-the-password")
		b.Submit(p, "password", lab.AlicePass)
	}, []provider.Event{ofAlice(event.SignInFailed, "wrong password"), ofAlice(event.RecoveryStarted, "with the password")}},
	"RecoveryApprovedByTheHost": {func(w *lab.Fixture) {
		w.AddApp("alice")
		startRecovery(w)
		w.OK(w.Accounts().ApproveRecovery(w.T.Context(), "alice"))
		b, p := readMailbox(w)
		b.Submit(p, "new_password", lab.NewPassword)
	}, []provider.Event{
		started, {Name: event.RecoveryApproved, UserID: "alice"}, ofAlice(event.Recovered, "approved by the host")}},
	"RecoveryStoppedByTheLink": {func(w *lab.Fixture) {
		w.AddApp("alice")
		startRecovery(w)
		mail, _ := w.Mails.Last(w.T)
		b := w.NewBrowser()
		p := b.Open(stopLink.FindString(mail.Text))
		b.Submit(p)
		b.Submit(p) // there is none any more
	}, []provider.Event{started, ofAlice(event.RecoveryStopped, "by the link of a mail")}},
	"RecoveryStoppedByAReader": {func(w *lab.Fixture) {
		w.AddApp("alice")
		b, p := startRecovery(w)
		b.Submit(p, "action", "stop")
	}, []provider.Event{started, ofAlice(event.RecoveryStopped, "by a reader of the mailbox")}},
	"RecoveryStoppedBySigningIn": {func(w *lab.Fixture) {
		app, _ := w.AddApp("alice")
		startRecovery(w)
		withApp(w, app)
		withApp(w, app)
	}, []provider.Event{started, ofAlice(event.RecoveryStopped, "by a sign-in"), byApp, byApp}},
	"RecoveryStoppedOnThePageOfTheAccount": {func(w *lab.Fixture) {
		app, _ := w.AddApp("alice")
		b := withApp(w, app)
		startRecovery(w)
		_, form := b.Open("/account").Form(w.T)
		form.Set("action", "stop_recovery")
		b.Post("/account/security", form)
	}, []provider.Event{byApp, started, ofAlice(event.RecoveryStopped, "by the user")}},
	"AuthenticatorsResetByTheHost": {func(w *lab.Fixture) {
		w.AddApp("alice")
		w.OK(w.Accounts().ResetAuthenticators(w.T.Context(), "alice"))
		w.Alice()
	}, []provider.Event{{Name: event.AuthenticatorsReset, UserID: "alice"}, byPassword}},
	"RecoveryOfNobody": {func(w *lab.Fixture) {
		b := w.NewBrowser()
		p := b.Submit(b.Open("/recover"), "email", "nobody@example.com")
		b.Submit(p, "code", "00000000")
	}, nil},
}

var (
	appKey   = regexp.MustCompile(`id="key"[^>]*>([A-Z2-7 ]+)<`)
	stopLink = regexp.MustCompile(`http\S+/recover/stop\?\S+`)
)

// codeFor returns the code of the app whose key is on a page.
func codeFor(w *lab.Fixture, p lab.Page) string {
	w.T.Helper()
	found := appKey.FindStringSubmatch(p.Text)
	if found == nil {
		w.T.Fatalf("no key on the page (%s %s)", p.Status, p.Request.URL)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(found[1], " ", ""))
	w.OK(err)
	return lab.CodeAt(secret, w.Now().Unix()/30)
}

// secondStep enters the password of alice, who has an app.
func secondStep(b *lab.Browser) lab.Page {
	b.T.Helper()
	return b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
}

// withApp signs alice in with her app.
func withApp(w *lab.Fixture, app *lab.App) *lab.Browser {
	w.T.Helper()
	b := w.NewBrowser()
	b.Submit(secondStep(b), "code", app.Code())
	return b
}

// readMailbox goes through a new browser's recovery of alice up to the mailed code.
func readMailbox(w *lab.Fixture) (*lab.Browser, lab.Page) {
	w.T.Helper()
	b := w.NewBrowser()
	p := b.Submit(b.Open("/recover"), "email", "alice@example.com")
	_, code := w.Mails.Last(w.T)
	return b, b.Submit(p, "code", code)
}

// startRecovery begins the recovery of alice, who has an app, without it.
func startRecovery(w *lab.Fixture) (*lab.Browser, lab.Page) {
	w.T.Helper()
	b, p := readMailbox(w)
	return b, b.Submit(way(b, p, "/recover/wait"))
}

// way opens another way of a recovery.
func way(b *lab.Browser, p lab.Page, path string) lab.Page {
	b.T.Helper()
	return b.Open(path + "?ticket=" + url.QueryEscape(p.Request.URL.Query().Get("ticket")))
}
