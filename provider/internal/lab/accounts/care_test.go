package accounts

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// call is a matter of the staff Sam about a user.
type call struct {
	*lab.Fixture
	staff, about string
}

func newCall(t *testing.T, change ...func(*provider.Config)) *call {
	t.Helper()
	c := &call{lab.New(t, change...).WithUsers(), "Sam", "alice"}
	c.open("m1", c.about, time.Time{})
	return c
}

func (c *call) open(id, subject string, withheld time.Time) {
	c.T.Helper()
	now := c.Now()
	testkit.OK(c.T, c.Store.OpenMatter(c.T.Context(), storage.Matter{
		ID: id, Staff: c.staff, Role: "support", Subject: subject, Reason: "caller", OpenedAt: now, EndsAt: now.Add(time.Hour), WithheldUntil: withheld,
	}))
}

// prove is the code that the staff was told in the matter m1.
func (c *call) prove(about, code string) (storage.CallerProof, error) {
	ctx := provider.By(c.T.Context(), storage.Actor{Name: "staff:" + c.staff, Matter: "m1"})
	proof, _, err := c.Rooms().People.ProveCaller(ctx, "m1", c.staff, about, code)
	return proof, err
}

var spoken = regexp.MustCompile(`>(\d{4}) (\d{4})<`)

// shown has a browser show the code for a call.
func shown(t *testing.T, b *lab.Browser) string {
	t.Helper()
	p := b.Submit(b.Open("/account/help"))
	found := spoken.FindStringSubmatch(p.Text)
	if p.StatusCode != http.StatusOK || found == nil {
		t.Fatalf("no code: %s\n%s", p.Status, p.Text)
	}
	return found[1] + found[2]
}

func TestCallerCode(t *testing.T) {
	t.Parallel()
	t.Run("ShownToWhoIsSignedInProvesASession", func(t *testing.T) {
		c := newCall(t)
		b := c.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		if p := b.Open("/account"); !strings.Contains(p.Text, "/account/help") {
			t.Error("nothing leads to it")
		}
		code := shown(t, b)
		if proof, err := c.prove(c.about, code[:4]+" "+code[4:]); err != nil || proof != storage.SessionProof {
			t.Fatalf("%v, %v", proof, err)
		}
		e := c.last(c.about)
		if e.Name != event.CallerProved || e.Detail != "session" || e.Actor != "staff:Sam" || e.Matter != "m1" {
			t.Errorf("the line is %+v", e)
		}
	})
	t.Run("MailedProvesTheMailbox", func(t *testing.T) {
		c := newCall(t)
		testkit.OK(t, c.Rooms().Accounts.SendCallerCode(t.Context(), c.about))
		mail, code := c.Mails.Last(t)
		if mail.To != "alice@example.com" || !strings.Contains(mail.Text, "It signs nobody in") {
			t.Errorf("the mail is %+v", mail)
		}
		if proof, err := c.prove(c.about, code); err != nil || proof != storage.MailboxProof || c.last(c.about).Detail != "mailbox" {
			t.Fatalf("%v, %v", proof, err)
		}
	})
	t.Run("IsMailedToWhoIsLocked", func(t *testing.T) { // who could not be unlocked otherwise
		for _, stop := range []func(*call) error{
			func(c *call) error { return c.Accounts().SetDisabled(t.Context(), c.about, true) },
			func(c *call) error { return c.Rooms().Accounts.ScheduleDeletion(t.Context(), c.about) },
		} {
			c := newCall(t)
			testkit.OK(t, errors.Join(stop(c), c.Rooms().Accounts.SendCallerCode(t.Context(), c.about)))
			_, code := c.Mails.Last(t)
			if proof, err := c.prove(c.about, code); err != nil || proof != storage.MailboxProof {
				t.Errorf("%v, %v", proof, err)
			}
		}
	})
	t.Run("SignsNobodyIn", func(t *testing.T) {
		c := newCall(t)
		code := shown(t, c.NewBrowser().SignIn("alice@example.com", lab.AlicePass))
		thief := c.NewBrowser()
		p := thief.Submit(thief.Open("/reset"), "email", "alice@example.com")
		if p = thief.Submit(p, "code", code, "new_password", lab.NewPassword); p.StatusCode == http.StatusOK && thief.IsSignedIn() {
			t.Fatal("the code of a call has reset the password")
		}
		if _, err := c.prove(c.about, code); err != nil || thief.IsSignedIn() {
			t.Errorf("the code is used up elsewhere: %v", err)
		}
	})
	t.Run("IsForOneUse", func(t *testing.T) {
		c := newCall(t)
		code := shown(t, c.NewBrowser().SignIn("alice@example.com", lab.AlicePass))
		var right atomic.Int32
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				switch _, err := c.prove(c.about, code); {
				case err == nil:
					right.Add(1)
				case !errors.Is(err, audit.ErrProof):
					t.Errorf("got %v", err)
				}
			})
		}
		all.Wait()
		if right.Load() != 1 {
			t.Errorf("%d uses", right.Load())
		}
	})
	t.Run("IsOfOnePerson", func(t *testing.T) {
		c := newCall(t)
		code := shown(t, c.NewBrowser().SignIn("bob@example.com", lab.BobPass))
		for _, about := range []string{c.about, "bob"} { // the matter is about the first
			if _, err := c.prove(about, code); !errors.Is(err, audit.ErrProof) {
				t.Errorf("%s: %v", about, err)
			}
		}
	})
	t.Run("IsLateAfterFiveMinutes", func(t *testing.T) {
		c := newCall(t)
		code := shown(t, c.NewBrowser().SignIn("alice@example.com", lab.AlicePass))
		c.Advance(5 * time.Minute)
		if _, err := c.prove(c.about, code); !errors.Is(err, audit.ErrProof) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("EndsWithFiveGuesses", func(t *testing.T) {
		c := newCall(t)
		code := shown(t, c.NewBrowser().SignIn("alice@example.com", lab.AlicePass))
		wrong := "00000000"
		for range 5 {
			if _, err := c.prove(c.about, wrong); !errors.Is(err, audit.ErrProof) {
				t.Fatalf("got %v", err)
			}
		}
		if _, err := c.prove(c.about, code); !errors.Is(err, audit.ErrProof) {
			t.Errorf("sixth try: %v", err)
		}
	})
	t.Run("IsGuessedByNoStaff", func(t *testing.T) {
		c := newCall(t)
		var err error
		for range 21 {
			_, err = c.prove(c.about, "00000000")
		}
		if !errors.Is(err, room.ErrTooMany) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("IsNothingWithoutTheMatter", func(t *testing.T) {
		c := newCall(t)
		code := shown(t, c.NewBrowser().SignIn("alice@example.com", lab.AlicePass))
		if _, _, err := c.Rooms().People.ProveCaller(t.Context(), "m1", "Eve", c.about, code); !errors.Is(err, audit.ErrMatter) {
			t.Errorf("another's matter: %v", err)
		}
		if _, _, err := c.Rooms().People.ProveCaller(t.Context(), "m2", c.staff, c.about, code); !errors.Is(err, audit.ErrMatter) {
			t.Errorf("no matter: %v", err)
		}
		if _, err := c.prove(c.about, code); err != nil {
			t.Errorf("the code is gone: %v", err)
		}
	})
	t.Run("IsShownSixTimesAndThenLater", func(t *testing.T) {
		c := newCall(t)
		b := c.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		for range 6 {
			shown(t, b)
		}
		if p := b.Submit(b.Open("/account/help")); p.StatusCode != http.StatusTooManyRequests {
			t.Errorf("seventh: %s", p.Status)
		}
	})
	t.Run("IsNotShownByALink", func(t *testing.T) {
		c := newCall(t)
		b := c.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		if p := b.Get("/account/help"); spoken.MatchString(p.Text) || p.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s, %q", p.Status, p.Header.Get("Cache-Control"))
		}
		if p := c.NewBrowser().Open("/account/help"); !strings.Contains(p.Request.URL.Path, "/signin") {
			t.Errorf("a stranger is at %s", p.Request.URL)
		}
	})
}

func (c *call) last(subject string) provider.Event {
	c.T.Helper()
	events, err := c.Events().List(c.T.Context(), provider.EventFilter{UserID: subject, Limit: 1})
	if err != nil || len(events) == 0 {
		c.T.Fatal(err)
	}
	return events[0].Event
}

func TestSendReset(t *testing.T) {
	t.Parallel()
	t.Run("LeadsToANewPassword", func(t *testing.T) {
		c := newCall(t)
		testkit.OK(t, c.Rooms().Accounts.SendReset(t.Context(), c.about))
		mail, code := c.Mails.Last(t)
		if mail.To != "alice@example.com" || code != "" {
			t.Fatalf("the mail is %+v", mail)
		}
		link := regexp.MustCompile(`http\S+/reset\S*`).FindString(mail.Text)
		b := c.NewBrowser()
		p := b.Submit(b.Open(link), "email", "alice@example.com")
		p = b.Submit(p, "code", c.Mails.LastCode(t), "new_password", lab.NewPassword)
		b.SignIn("alice@example.com", lab.NewPassword)
		if !b.IsSignedIn() {
			t.Errorf("no way in: %s", p.Text)
		}
	})
	t.Run("IsLimited", func(t *testing.T) {
		c := newCall(t)
		var err error
		for range 5 {
			err = c.Rooms().Accounts.SendReset(t.Context(), c.about)
		}
		if !errors.Is(err, room.ErrTooMany) || c.Mails.Count() != 4 {
			t.Errorf("%d mails, %v", c.Mails.Count(), err)
		}
	})
	t.Run("IsRefusedWhereItLeadsNowhere", func(t *testing.T) {
		c := newCall(t)
		for want, id := range map[error]string{provider.ErrNoUser: "nobody", room.ErrLocked: "bob"} {
			_ = c.Accounts().SetDisabled(t.Context(), "bob", true)
			if err := c.Rooms().Accounts.SendReset(t.Context(), id); !errors.Is(err, want) {
				t.Errorf("%s: %v", id, err)
			}
		}
		if c.Mails.Count() != 0 {
			t.Error("a mail was sent")
		}
	})
}

func TestHistoryOfTheStaff(t *testing.T) {
	t.Parallel()
	look := func(c *call, matter string) {
		ctx := provider.By(context.Background(), storage.Actor{Name: "staff:" + c.staff, Matter: matter})
		testkit.OK(c.T, c.Events().Record(ctx, provider.Event{Name: event.MatterOpened, UserID: c.about}))
		testkit.OK(c.T, c.Accounts().SetDisabled(ctx, c.about, false))
	}
	pages := func(t *testing.T, c *call) (history, export string) {
		t.Helper()
		b := c.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		history = b.Open("/account/history").Text
		return history, b.Submit(b.Open("/account/export"), "password", lab.AlicePass).Text
	}
	t.Run("SaysWhyAndNeverWho", func(t *testing.T) {
		c := newCall(t)
		look(c, "m1")
		history, export := pages(t, c)
		for _, want := range []string{"Support opened your account", "you called", "Account unlocked"} {
			if !strings.Contains(history, want) {
				t.Errorf("the history does not say %q", want)
			}
		}
		if !strings.Contains(export, `"reason": "caller"`) || !strings.Contains(export, `"by": "staff"`) {
			t.Error("the export does not say why")
		}
		if strings.Contains(history+export, "Sam") || strings.Contains(export, "m1") {
			t.Error("it says who")
		}
	})
	t.Run("WaitsForItsRelease", func(t *testing.T) {
		c := newCall(t)
		c.open("m2", c.about, c.Now().Add(24*time.Hour))
		look(c, "m2")
		history, export := pages(t, c)
		if strings.Contains(history, "Support opened") || strings.Contains(history, "unlocked") || strings.Contains(export, "matter_opened") {
			t.Error("the user reads of it before")
		}
		testkit.OK(t, c.Store.ReleaseMatter(t.Context(), "m2", c.Now()))
		if history, _ := pages(t, c); !strings.Contains(history, "Support opened") {
			t.Error("the user does not read of it afterwards")
		}
	})
}

func TestFind(t *testing.T) {
	t.Parallel()
	c := newCall(t, func(cfg *provider.Config) {
		cfg.Attributes = append(cfg.Attributes, catalogue.Attribute{Handle: "customer_number", Findable: true}, catalogue.Attribute{Handle: "internal"})
	})
	people := c.Rooms().People
	for id, number := range map[string]any{"alice": "A-17", "bob": "B 17"} {
		testkit.OK(t, people.SetAttributes(t.Context(), id, map[string]any{"customer_number": number, "internal": "17"}))
	}
	for name, test := range map[string]struct {
		by   room.Finder
		want []string
	}{
		"ByID":                     {room.Finder{ID: "alice"}, []string{"alice"}},
		"ByAddressInAnySpelling":   {room.Finder{Email: "ALICE@example.com"}, []string{"alice"}},
		"ByAFindableValue":         {room.Finder{Handle: "customer_number", Value: " a17 "}, []string{"alice"}},
		"NotByAPrefix":             {room.Finder{Handle: "customer_number", Value: "A1"}, nil},
		"NobodyByAnUnknownID":      {room.Finder{ID: "nobody"}, nil},
		"NobodyByAnInvalidAddress": {room.Finder{Email: "nowhere"}, nil},
		"NobodyByNoValue":          {room.Finder{Handle: "customer_number"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := people.Find(t.Context(), test.by); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	t.Run("RefusesWhatIsNotFindable", func(t *testing.T) {
		for _, by := range []room.Finder{{Handle: "internal", Value: "17"}, {Handle: "fname", Value: "Alice"}, {}, {ID: "alice", Email: "alice@example.com"}} {
			var field *provider.FieldError
			if got, err := people.Find(t.Context(), by); !errors.As(err, &field) || got != nil {
				t.Errorf("%+v: %v, %v", by, got, err)
			}
		}
	})
	t.Run("ForgetsAFormerValue", func(t *testing.T) {
		testkit.OK(t, people.SetAttributes(t.Context(), "bob", map[string]any{"customer_number": "C-17"}))
		if got, err := people.Find(t.Context(), room.Finder{Handle: "customer_number", Value: "B17"}); err != nil || got != nil {
			t.Errorf("%v, %v", got, err)
		}
	})
	t.Run("ByAValueOfBeforeOnceRunHasLooked", func(t *testing.T) {
		mobile := catalogue.Attribute{Handle: "mobile"}
		c := newCall(t, func(cfg *provider.Config) { cfg.Attributes = []catalogue.Attribute{mobile} })
		testkit.OK(t, c.People().SetAttributes(t.Context(), "bob", map[string]any{"mobile": "+1 202-555-0100"}))
		mobile.Findable = true
		p := testkit.Must(provider.New(t.Context(), provider.Config{
			BaseURL: c.Rooms().Installation().BaseURL, Secret: lab.Secret(t), Store: c.Store, Clock: c.Now, Attributes: []catalogue.Attribute{mobile},
		}))(t)
		found := func() []string {
			got := testkit.Must(p.Rooms().People.Find(t.Context(), room.Finder{Handle: "mobile", Value: "+12025550100"}))(t)
			return got
		}
		if got := found(); got != nil {
			t.Fatalf("found before: %v", got)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		lab.Eventually(t, func() bool { return slices.Equal(found(), []string{"bob"}) })
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Run("IsRefusedForFewValues", func(t *testing.T) {
		for _, a := range []catalogue.Attribute{{Handle: "x", Type: catalogue.Boolean, Findable: true}, {Handle: "x", Type: catalogue.Date, Findable: true}, {Handle: "x", SameAs: "fname", Findable: true}} {
			_, err := provider.New(t.Context(), provider.Config{BaseURL: "https://id.example", Secret: lab.Secret(t), Store: c.Store, Attributes: []catalogue.Attribute{a}})
			var field *provider.FieldError
			if !errors.As(err, &field) || field.Field != "Attributes[0].Findable" {
				t.Errorf("%+v: %v", a, err)
			}
		}
	})
}
