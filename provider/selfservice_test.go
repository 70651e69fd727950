package provider_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
)

func TestNameIsSaidByItsOwner(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	if err := w.DeleteStatus(t.Context(), "alice", "military"); err != nil {
		t.Fatal(err)
	}
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	p := b.submit(b.open("/account/data"), "first_name", " Aliceƒ ", "last_name", "")
	if p.Request.URL.Path != "/account/data" || !strings.Contains(p.body, "Aliceƒ") || strings.Contains(p.body, "Example") {
		t.Fatalf("%s:\n%s", p.Status, p.body)
	}
	form := b.open("/account/data")
	for _, name := range []string{strings.Repeat("x", 121), "a\u202eb", "a\tb"} {
		shown(t, b.submitOnce(form, "first_name", name), http.StatusUnprocessableEntity)
	}
	// Another user has signed in while the form was open.
	b.submit(b.open("/signout"))
	b.signIn("bob@example.com", bobPass)
	shown(t, b.submitOnce(form, "first_name", "Alice"), http.StatusBadRequest)
	if p := b.open("/account/data"); strings.Contains(p.body, "Alice") {
		t.Error("bob is called Alice")
	}
}

// TestAttackNameBesideAStatus tests that nobody passes for somebody else with the status that
// was checked for one name, also by a form that was open before.
func TestAttackNameBesideAStatus(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	if err := w.DeleteStatus(t.Context(), "alice", "military"); err != nil {
		t.Fatal(err)
	}
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	form := b.open("/account/data")
	if err := w.SetStatus(t.Context(), "alice", provider.Status{Group: "military", Verified: true}); err != nil {
		t.Fatal(err)
	}
	shown(t, b.submitOnce(form, "first_name", "Mallory"), http.StatusForbidden)
	if p := b.open("/account/data"); strings.Contains(p.body, "Mallory") || strings.Contains(p.body, `name="first_name"`) {
		t.Errorf("the name can be changed:\n%s", p.body)
	}
}

// TestAttackNameDuringACheck tests that nobody takes another name while somebody looks into
// theirs, and gets the status for it.
func TestAttackNameDuringACheck(t *testing.T) {
	t.Parallel()
	t.Run("RefusesWhileItIsPending", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withClients().withUsers()
		w.ok(w.DeleteStatus(t.Context(), "alice", "military"))
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		form := b.open("/account/data")
		w.ok(w.SetStatus(t.Context(), "alice", provider.Status{Group: "military", Pending: true}))
		shown(t, b.submitOnce(form, "first_name", "Mallory"), http.StatusForbidden)
		if p := b.open("/account/data"); strings.Contains(p.body, "Mallory") || strings.Contains(p.body, `name="first_name"`) {
			t.Errorf("the name can be changed:\n%s", p.body)
		}
	})
	t.Run("IsNotWhoWasChecked", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t).withClients().withUsers()
		w.ok(w.DeleteStatus(t.Context(), "alice", "military"))
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		form := b.open("/account/data")
		checked, err := w.Person(t.Context(), "alice")
		w.ok(err)
		b.submit(form, "first_name", "Mallory")
		status := provider.Status{Group: "military", Verified: true, PersonRevision: checked.Revision}
		if err := w.SetStatus(t.Context(), "alice", status); !errors.Is(err, provider.ErrChanged) {
			t.Errorf("the status of another name is recorded: %v", err)
		}
		again, err := w.Person(t.Context(), "alice")
		w.ok(err)
		status.PersonRevision = again.Revision
		w.ok(w.SetStatus(t.Context(), "alice", status))
	})
}

// TestNothingIsRecordedOfADeletedAccount tests that a verifier who answers late leaves nothing
// behind, and that hosts with users of their own need no account.
func TestNothingIsRecordedOfADeletedAccount(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	w.ok(w.DeleteAccount(t.Context(), "alice"))
	for name, err := range map[string]error{
		"status":           w.SetStatus(t.Context(), "alice", provider.Status{Group: "military", Verified: true}),
		"first status":     w.SetStatus(t.Context(), "alice", provider.Status{Group: "military", Revision: provider.NoRevision}),
		"attribute":        w.SetAttributes(t.Context(), "alice", map[string]any{"fname": "Alice"}),
		"nobody's":         w.SetAttributes(t.Context(), "nobody", map[string]any{"fname": "Alice"}),
		"status of nobody": w.SetStatus(t.Context(), "nobody", provider.Status{Group: "military", Pending: true}),
	} {
		if !errors.Is(err, provider.ErrNoUser) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.count("statuses") != 0 || w.count("attributes") != 0 {
		t.Errorf("%d statuses and %d attributes are left", w.count("statuses"), w.count("attributes"))
	}
	hosted := hostedFixture(t, func() provider.SignedIn { return provider.SignedIn{} })
	hosted.ok(hosted.SetStatus(t.Context(), "the-hosts", provider.Status{Group: "military", Verified: true}))
	hosted.ok(hosted.SetAttributes(t.Context(), "the-hosts", map[string]any{"fname": "Ann"}))
}

func TestDataSaysWhoHasReceivedWhat(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	b.allow()
	p := b.open("/account/data")
	for _, want := range []string{"Alice", "22030", "Veterans Shop", "Military"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("nothing is said of %s", want)
		}
	}
	if p := w.newBrowser().signIn("bob@example.com", bobPass).open("/account/data"); strings.Contains(p.body, "Veterans Shop") || strings.Contains(p.body, "22030") {
		t.Error("bob sees what is of alice")
	}
}

func TestExportHasAllThatIsRecordedAndNoSecret(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	w.newBrowser().signIn("bob@example.com", bobPass)
	b.allow()
	shown(t, b.submitOnce(b.open("/account/export"), "password", bobPass), http.StatusUnprocessableEntity)
	p := b.submitOnce(b.open("/account/export"), "password", alicePass)
	if p.StatusCode != http.StatusOK || p.Header.Get("Content-Disposition") == "" || p.Header.Get("Cache-Control") != "no-store" ||
		p.Header.Get("Content-Type") != "application/json" || p.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%s %v", p.Status, p.Header)
	}
	var file struct {
		Account      map[string]any
		Attributes   map[string]any
		Groups       []map[string]any
		Applications []map[string]any
		Devices      []map[string]any
		History      []map[string]any
	}
	if err := json.Unmarshal([]byte(p.body), &file); err != nil {
		t.Fatal(err)
	}
	if file.Account["email"] != "alice@example.com" || file.Attributes["zip"] != "22030" || len(file.Groups) != 1 ||
		len(file.Applications) != 1 || len(file.Devices) != 1 || len(file.History) == 0 {
		t.Errorf("not all is there:\n%s", p.body)
	}
	for _, secret := range []string{"argon2", "$", "digest", "bob", alicePass} {
		if strings.Contains(p.body, secret) {
			t.Errorf("the file has %q:\n%s", secret, p.body)
		}
	}
	if !w.saw(provider.EventDataExported) {
		t.Error("nobody has recorded the export")
	}
}

func TestExportSaysWhereItsHistoryIsCut(t *testing.T) {
	t.Parallel()
	const most = 10_000
	w := newFixture(t).withUsers()
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	before, err := w.store.Events(t.Context(), storage.EventFilter{Subject: "alice"})
	w.ok(err)
	appendEvents := func(n int) {
		t.Helper()
		var group sync.WaitGroup
		for worker := range 64 {
			group.Go(func() {
				for i := worker; i < n; i += 64 {
					if err := w.store.AppendEvent(t.Context(), storage.Event{At: w.now(), Name: string(provider.EventSignedOut), Subject: "alice"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
	}
	history := func() (lines int, cut bool) {
		t.Helper()
		var file struct {
			History    []json.RawMessage `json:"history"`
			HistoryCut bool              `json:"history_cut"`
		}
		p := b.submitOnce(b.open("/account/export"), "password", alicePass)
		w.ok(json.Unmarshal([]byte(p.body), &file))
		return len(file.History), file.HistoryCut
	}
	appendEvents(most - len(before))
	if lines, cut := history(); lines != most || cut { // the export is recorded afterwards
		t.Errorf("of %d events the file has %d, cut %t", most, lines, cut)
	}
	if lines, cut := history(); lines != most || !cut {
		t.Errorf("of %d events the file has %d, cut %t", most+1, lines, cut)
	}
}

func TestHistoryIsOfOneUser(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	b.allow()
	w.newBrowser().attempt("alice@example.com", "not-the-password")
	for range 30 {
		w.newBrowser().signIn("alice@example.com", alicePass)
	}
	p := b.open("/account/history")
	_, after, ok := strings.Cut(p.body, `href="/account/history?after=`)
	if !ok {
		t.Fatalf("one page is all:\n%s", p.body)
	}
	older, _, _ := strings.Cut(after, `"`)
	p = b.open("/account/history?after=" + older)
	if !strings.Contains(p.body, "Sign-in failed") || !strings.Contains(p.body, "Veterans Shop") || strings.Contains(p.body, "Older entries") {
		t.Errorf("the second page:\n%s", p.body)
	}
	other := w.newBrowser().signIn("bob@example.com", bobPass)
	shown(t, other.get("/account/history?after="+older), http.StatusBadRequest)
	shown(t, b.get("/account/history?after=5"), http.StatusBadRequest)
	if p := other.open("/account/history"); strings.Contains(p.body, "Veterans Shop") {
		t.Error("bob sees what is of alice")
	}
}

func TestLanguageIsKeptWithTheAccount(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	shown(t, b.submitOnce(b.open("/account/language"), "language", "xx"), http.StatusBadRequest)
	b.submit(b.open("/account/language"), "language", "de")
	fresh, chosen := w.newBrowser(), w.newBrowser()
	fresh.signIn("alice@example.com", alicePass)
	if p := fresh.open("/account"); !strings.Contains(p.body, `lang="de"`) || fresh.cookie(session.Language) != "de" {
		t.Error("a new browser does not take the language of the account")
	}
	chosen.get("/signin?ui_locales=ar")
	chosen.signIn("alice@example.com", alicePass)
	if chosen.cookie(session.Language) != "ar" {
		t.Error("what was chosen in the browser was overruled")
	}
	stranger := w.newBrowser()
	stranger.submit(stranger.open("/reset"), "email", "alice@example.com")
	if mail, _ := w.mails.last(t); !strings.Contains(mail.Text, "Passwort") {
		t.Errorf("a stranger has chosen the language of the mail: %s", mail.Text)
	}
}

func TestDevicesSayWhatTheyAreAndThisOneComesFirst(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	w.advance(time.Minute)
	w.newBrowser().signIn("alice@example.com", alicePass)
	p := b.open("/account/sessions")
	_, first, _ := strings.Cut(p.body, "<h2>")
	first, _, _ = strings.Cut(first, "<h2>")
	if !strings.Contains(first, "This device") || !strings.Contains(p.body, "In this network") {
		t.Errorf("first comes:\n%s", first)
	}
}

func TestNewCodeIsAnotherAndNotAtOnce(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.newBrowser()
	first := b.submit(b.open("/signup"), "email", "carol@example.com", "new_password", newPassword)
	_, old := w.mails.last(t)
	if p := b.submitOnce(first, "action", "resend"); p.StatusCode != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" || w.mails.count() != 1 {
		t.Fatalf("at once: %s, %d mails", p.Status, w.mails.count())
	}
	w.advance(31 * time.Second)
	second := b.submit(first, "action", "resend")
	_, fresh := w.mails.last(t)
	if fresh == "" || fresh == old || w.mails.count() != 2 {
		t.Fatalf("%s: codes %q and %q", second.Status, old, fresh)
	}
	shown(t, b.submitOnce(first, "code", old), http.StatusUnprocessableEntity)
	shown(t, b.submitOnce(first, "action", "resend"), http.StatusBadRequest)
	if p := b.submit(second, "code", fresh); p.Request.URL.Path != "/account" {
		t.Errorf("the new code: %s", p.Status)
	}
}

func TestNewCodeDoesNotTellWhetherAnAddressHasAnAccount(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	answers := map[string]bool{}
	for _, email := range []string{"alice@example.com", "nobod@example.com"} {
		b := w.newBrowser()
		p := b.submit(b.open("/signup"), "email", email, "new_password", newPassword)
		w.advance(31 * time.Second)
		again := b.submitOnce(p, "action", "resend")
		next := b.follow(again)
		key, err := json.Marshal([]int{again.StatusCode, len(again.Header.Get("Location")), next.StatusCode, len(next.body)})
		if err != nil {
			t.Fatal(err)
		}
		answers[string(key)] = true
	}
	if len(answers) != 1 {
		t.Errorf("answers differ: %v", answers)
	}
}

func TestSignUpSaysThatADotIsMissing(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.newBrowser()
	p := b.submitOnce(b.open("/signup"), "email", "new@example", "new_password", newPassword)
	if shown(t, p, http.StatusUnprocessableEntity); !strings.Contains(p.body, `id="email-problem"`) || w.mails.count() != 0 {
		t.Errorf("%d mails:\n%s", w.mails.count(), p.body)
	}
}

func TestResetSaysAllThatIsMissingAndFillsInTheAddress(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	b := w.newBrowser()
	p := b.submit(b.open("/reset"), "email", "alice@example.com")
	_, code := w.mails.last(t)
	empty := b.submitOnce(p, "code", "", "new_password", "")
	if !strings.Contains(empty.body, `id="code-problem"`) || !strings.Contains(empty.body, `id="new_password-problem"`) {
		t.Errorf("not both are said:\n%s", empty.body)
	}
	p = b.submit(p, "code", code, "new_password", newPassword)
	_, fields := p.form(t)
	if fields.Get("email") != "alice@example.com" {
		t.Errorf("filled in: %v", fields)
	}
	if thief := w.newBrowser(); true {
		thief.get("/signin")
		if _, fields := thief.get(p.Request.URL.RequestURI()).form(t); fields.Get("email") != "" {
			t.Error("another browser learns the address")
		}
	}
}
