package accounts

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestNameIsSaidByItsOwner(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	testkit.OK(t, w.People().DeleteStatus(t.Context(), "alice", "military"))
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	const joined = "Alice\u200cƒ" // as Persian and Indic names are written
	p := b.Submit(b.Open("/account/data"), "first_name", " "+joined+" ", "last_name", "")
	if p.Request.URL.Path != "/account/data" || !strings.Contains(p.Text, joined) || strings.Contains(p.Text, "Example") {
		t.Fatalf("%s:\n%s", p.Status, p.Text)
	}
	form := b.Open("/account/data")
	for _, name := range []string{strings.Repeat("x", 121), "a\u202eb", "a\u200bb", "a\tb"} {
		lab.Shown(t, b.SubmitOnce(form, "first_name", name), http.StatusUnprocessableEntity)
	}
	// Another user has signed in while the form was open.
	b.Submit(b.Open("/signout"))
	b.SignIn("bob@example.com", lab.BobPass)
	lab.Shown(t, b.SubmitOnce(form, "first_name", "Alice"), http.StatusBadRequest)
	if p := b.Open("/account/data"); strings.Contains(p.Text, "Alice") {
		t.Error("bob is called Alice")
	}
}

// TestAttackNameBesideAStatus tests that nobody passes for somebody else with the status that
// was checked for one name, also by a form that was open before.
func TestAttackNameBesideAStatus(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	testkit.OK(t, w.People().DeleteStatus(t.Context(), "alice", "military"))
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	form := b.Open("/account/data")
	testkit.OK(t, w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Verified: true}))
	lab.Shown(t, b.SubmitOnce(form, "first_name", "Mallory"), http.StatusForbidden)
	if p := b.Open("/account/data"); strings.Contains(p.Text, "Mallory") || strings.Contains(p.Text, `name="first_name"`) {
		t.Errorf("the name can be changed:\n%s", p.Text)
	}
}

// TestAttackNameDuringACheck tests that nobody takes another name while somebody looks into
// theirs, and gets the status for it.
func TestAttackNameDuringACheck(t *testing.T) {
	t.Parallel()
	t.Run("RefusesWhileItIsPending", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t).WithClients().WithUsers()
		w.OK(w.People().DeleteStatus(t.Context(), "alice", "military"))
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		form := b.Open("/account/data")
		w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Pending: true}))
		lab.Shown(t, b.SubmitOnce(form, "first_name", "Mallory"), http.StatusForbidden)
		if p := b.Open("/account/data"); strings.Contains(p.Text, "Mallory") || strings.Contains(p.Text, `name="first_name"`) {
			t.Errorf("the name can be changed:\n%s", p.Text)
		}
	})
	t.Run("IsNotWhoWasChecked", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t).WithClients().WithUsers()
		w.OK(w.People().DeleteStatus(t.Context(), "alice", "military"))
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		form := b.Open("/account/data")
		checked := testkit.Must(w.People().Get(t.Context(), "alice"))(w.T)
		b.Submit(form, "first_name", "Mallory")
		status := provider.Status{Group: "military", Verified: true, PersonRevision: checked.Revision}
		if err := w.People().SetStatus(t.Context(), "alice", status); !errors.Is(err, provider.ErrChanged) {
			t.Errorf("the status of another name is recorded: %v", err)
		}
		again := testkit.Must(w.People().Get(t.Context(), "alice"))(w.T)
		status.PersonRevision = again.Revision
		w.OK(w.People().SetStatus(t.Context(), "alice", status))
	})
}

// TestNothingIsRecordedOfADeletedAccount tests that a verifier who answers late leaves nothing
// behind, and that hosts with users of their own need no account.
func TestNothingIsRecordedOfADeletedAccount(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.OK(w.Accounts().Delete(t.Context(), "alice"))
	for name, err := range map[string]error{
		"status":           w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Verified: true}),
		"first status":     w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Revision: provider.NoRevision}),
		"attribute":        w.People().SetAttributes(t.Context(), "alice", map[string]any{"fname": "Alice"}),
		"nobody's":         w.People().SetAttributes(t.Context(), "nobody", map[string]any{"fname": "Alice"}),
		"status of nobody": w.People().SetStatus(t.Context(), "nobody", provider.Status{Group: "military", Pending: true}),
	} {
		if !errors.Is(err, provider.ErrNoUser) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.Count("statuses") != 0 || w.Count("attributes") != 0 {
		t.Errorf("%d statuses and %d attributes are left", w.Count("statuses"), w.Count("attributes"))
	}
	hosted := lab.NewHosted(t, func() provider.SignedIn { return provider.SignedIn{} })
	hosted.OK(hosted.People().SetStatus(t.Context(), "the-hosts", provider.Status{Group: "military", Verified: true}))
	hosted.OK(hosted.People().SetAttributes(t.Context(), "the-hosts", map[string]any{"fname": "Ann"}))
}

func TestDataSaysWhoHasReceivedWhat(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	b.Allow()
	p := b.Open("/account/data")
	for _, want := range []string{"Alice", "22030", "Veterans Shop", "Military"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("nothing is said of %s", want)
		}
	}
	if p := w.NewBrowser().SignIn("bob@example.com", lab.BobPass).Open("/account/data"); strings.Contains(p.Text, "Veterans Shop") || strings.Contains(p.Text, "22030") {
		t.Error("bob sees what is of alice")
	}
	for _, end := range []func(){
		func() { b.Submit(b.Open("/account/apps/remove?client_id=v3")) },
		func() {
			testkit.OK(t, w.Provider.Clients().Delete(t.Context(), "v3", 0))
		},
	} {
		end()
		p := b.Open("/account/data")
		for _, want := range []string{"Could see until", "Veterans Shop", "Postal code", "Military", "keeps what it has already received"} {
			if !strings.Contains(p.Text, want) {
				t.Errorf("nothing is said of %s:\n%s", want, p.Text)
			}
		}
	}
	var file struct {
		Former []struct {
			Name               string
			Attributes, Groups []string
			Until              time.Time
		} `json:"former_applications"`
	}
	exported := b.SubmitOnce(b.Open("/account/export"), "password", lab.AlicePass).Text
	if err := json.Unmarshal([]byte(exported), &file); err != nil || len(file.Former) != 1 || file.Former[0].Until.IsZero() ||
		!slices.Contains(file.Former[0].Attributes, "zip") || !slices.Contains(file.Former[0].Groups, "military") {
		t.Errorf("the export says of the former one: %v\n%s", err, exported)
	}
}

func TestExportHasAllThatIsRecordedAndNoSecret(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	b.Allow()
	lab.Shown(t, b.SubmitOnce(b.Open("/account/export"), "password", lab.BobPass), http.StatusUnprocessableEntity)
	p := b.SubmitOnce(b.Open("/account/export"), "password", lab.AlicePass)
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
	testkit.OK(t, json.Unmarshal([]byte(p.Text), &file))
	if file.Account["email"] != "alice@example.com" || file.Attributes["zip"] != "22030" || len(file.Groups) != 1 ||
		len(file.Applications) != 1 || len(file.Devices) != 1 || len(file.History) == 0 {
		t.Errorf("not all is there:\n%s", p.Text)
	}
	for _, secret := range []string{"argon2", "$", "digest", "bob", lab.AlicePass} {
		if strings.Contains(p.Text, secret) {
			t.Errorf("the file has %q:\n%s", secret, p.Text)
		}
	}
	if !w.Saw(event.DataExported) {
		t.Error("nobody has recorded the export")
	}
	for _, query := range []string{"ui_locales=de", strings.Repeat("x", 2000)} { // a long one is no page of ours
		other := w.NewBrowser()
		p := other.Submit(other.Open("/account/export?"+query), "email", "alice@example.com", "password", lab.AlicePass)
		if want := "/account/export"; p.Request.URL.Path != want || len(query) > 1000 && p.Request.URL.RawQuery != "" {
			t.Errorf("who signs in for the export comes to %s", p.Request.URL)
		}
	}
}

func TestExportSaysWhereItsHistoryIsCut(t *testing.T) {
	t.Parallel()
	const most = 10_000
	w := lab.New(t).WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	before := testkit.Must(w.Store.Events(t.Context(), storage.EventFilter{Subject: "alice"}))(w.T)
	appendEvents := func(n int) {
		t.Helper()
		var group sync.WaitGroup
		for worker := range 64 {
			group.Go(func() {
				for i := worker; i < n; i += 64 {
					if err := w.Store.AppendEvent(t.Context(), storage.Event{At: w.Now(), Name: event.SignedOut, Subject: "alice"}); err != nil {
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
		p := b.SubmitOnce(b.Open("/account/export"), "password", lab.AlicePass)
		w.OK(json.Unmarshal([]byte(p.Text), &file))
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
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	b.Allow()
	w.NewBrowser().Attempt("alice@example.com", "not-the-password")
	for range 30 {
		w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	}
	w.OK(w.Events().Record(t.Context(), provider.Event{Name: event.VerificationStarted, UserID: "alice", Detail: "military"}))
	w.OK(w.Events().Record(t.Context(), provider.Event{Name: event.VerificationEnded, UserID: "alice", Detail: "military declined"}))
	p := b.Open("/account/history")
	for _, said := range []string{"Verification started", "Verification not approved", "Military"} {
		if !strings.Contains(p.Text, said) {
			t.Errorf("the history does not say %q", said)
		}
	}
	_, after, ok := strings.Cut(p.Text, `href="/account/history?after=`)
	if !ok {
		t.Fatalf("one page is all:\n%s", p.Text)
	}
	older, _, _ := strings.Cut(after, `"`)
	p = b.Open("/account/history?after=" + older)
	if !strings.Contains(p.Text, "Sign-in failed") || !strings.Contains(p.Text, "Veterans Shop") || strings.Contains(p.Text, "Older entries") {
		t.Errorf("the second page:\n%s", p.Text)
	}
	other := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	lab.Shown(t, other.Get("/account/history?after="+older), http.StatusBadRequest)
	lab.Shown(t, b.Get("/account/history?after=5"), http.StatusBadRequest)
	if p := other.Open("/account/history"); strings.Contains(p.Text, "Veterans Shop") {
		t.Error("bob sees what is of alice")
	}
}

func TestLanguageIsKeptWithTheAccount(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	lab.Shown(t, b.SubmitOnce(b.Open("/account/language"), "language", "xx"), http.StatusBadRequest)
	b.Submit(b.Open("/account/language"), "language", "de")
	fresh, chosen := w.NewBrowser(), w.NewBrowser()
	fresh.SignIn("alice@example.com", lab.AlicePass)
	if p := fresh.Open("/account"); !strings.Contains(p.Text, `lang="de"`) || fresh.Cookie(session.Language) != "de" {
		t.Error("a new browser does not take the language of the account")
	}
	chosen.Get("/signin?ui_locales=ar")
	chosen.SignIn("alice@example.com", lab.AlicePass)
	if chosen.Cookie(session.Language) != "ar" {
		t.Error("what was chosen in the browser was overruled")
	}
	stranger := w.NewBrowser()
	stranger.Submit(stranger.Open("/reset"), "email", "alice@example.com")
	if mail, _ := w.Mails.Last(t); !strings.Contains(mail.Text, "Passwort") {
		t.Errorf("a stranger has chosen the language of the mail: %s", mail.Text)
	}
}

func TestDevicesSayWhatTheyAreAndThisOneComesFirst(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	w.Advance(time.Minute)
	w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	p := b.Open("/account/sessions")
	_, first, _ := strings.Cut(p.Text, "<h2>")
	first, _, _ = strings.Cut(first, "<h2>")
	if !strings.Contains(first, "This device") || !strings.Contains(p.Text, "In this network") {
		t.Errorf("first comes:\n%s", first)
	}
}

func TestNewCodeIsAnotherAndNotAtOnce(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	b := w.NewBrowser()
	first := b.Submit(b.Open("/signup"), "email", "carol@example.com", "new_password", lab.NewPassword)
	_, old := w.Mails.Last(t)
	if p := b.SubmitOnce(first, "action", "resend"); p.StatusCode != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" || w.Mails.Count() != 1 {
		t.Fatalf("at once: %s, %d mails", p.Status, w.Mails.Count())
	}
	w.Advance(31 * time.Second)
	second := b.Submit(first, "action", "resend")
	_, fresh := w.Mails.Last(t)
	if fresh == "" || fresh == old || w.Mails.Count() != 2 {
		t.Fatalf("%s: codes %q and %q", second.Status, old, fresh)
	}
	lab.Shown(t, b.SubmitOnce(first, "code", old), http.StatusUnprocessableEntity)
	lab.Shown(t, b.SubmitOnce(first, "action", "resend"), http.StatusBadRequest)
	if p := b.Submit(second, "code", fresh); p.Request.URL.Path != "/account" {
		t.Errorf("the new code: %s", p.Status)
	}
}
func TestSignUpSaysThatADotIsMissing(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	b := w.NewBrowser()
	p := b.SubmitOnce(b.Open("/signup"), "email", "new@example", "new_password", lab.NewPassword)
	if lab.Shown(t, p, http.StatusUnprocessableEntity); !strings.Contains(p.Text, `id="email-problem"`) || w.Mails.Count() != 0 {
		t.Errorf("%d mails:\n%s", w.Mails.Count(), p.Text)
	}
}

func TestResetSaysAllThatIsMissingAndFillsInTheAddress(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.NewBrowser()
	p := b.Submit(b.Open("/reset"), "email", "alice@example.com")
	_, code := w.Mails.Last(t)
	empty := b.SubmitOnce(p, "code", "", "new_password", "")
	if !strings.Contains(empty.Text, `id="code-problem"`) || !strings.Contains(empty.Text, `id="new_password-problem"`) {
		t.Errorf("not both are said:\n%s", empty.Text)
	}
	p = b.Submit(p, "code", code, "new_password", lab.NewPassword)
	_, fields := p.Form(t)
	if fields.Get("email") != "alice@example.com" {
		t.Errorf("filled in: %v", fields)
	}
	if thief := w.NewBrowser(); true {
		thief.Get("/signin")
		if _, fields := thief.Get(p.Request.URL.RequestURI()).Form(t); fields.Get("email") != "" {
			t.Error("another browser learns the address")
		}
	}
}
