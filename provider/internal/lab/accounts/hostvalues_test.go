package accounts

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestUserIDOfAHost(t *testing.T) {
	t.Parallel()
	d, w := lab.NewDirectory(t)
	b := w.NewBrowser()
	const says = "must be 1 to 255 printable ASCII characters"
	for name, id := range map[string]string{
		"NotUTF8": "bad\xff", "Binary": "\x00\x01\x02", "Umlaut": "jürgen", "Space": "a b", "Blank": " ", "TooLong": strings.Repeat("x", 256), "LineBreak": "a\nb",
	} {
		t.Run(name, func(t *testing.T) {
			d.Set(func() { d.User.UserID = id })
			lab.Unavailable(t, b.Get(lab.AuthorizeURL(lab.Ask()...)))
			lab.Unavailable(t, b.Get("/account"))
			for name, err := range map[string]error{
				"SetAttributes": w.People().SetAttributes(t.Context(), id, map[string]any{"fname": "X"}),
				"SetStatus":     w.People().SetStatus(t.Context(), id, provider.Status{Group: "nurse"}),
				"DeleteStatus":  w.People().DeleteStatus(t.Context(), id, "nurse"),
			} {
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	if err := w.People().SetAttributes(t.Context(), "", map[string]any{"fname": "X"}); err == nil {
		t.Error("nobody got a name")
	}
	if !strings.Contains(w.Log.String(), "SignedIn: UserID: "+says) {
		t.Error("the log does not tell")
	}
	for _, id := range []string{strings.Repeat("x", 255), "CN=Carol,OU=People", `DOMAIN\carol`, "7"} {
		d.Set(func() { d.User.UserID = id })
		if p := b.Get("/account"); p.StatusCode != http.StatusOK {
			t.Errorf("%q: %s", id, p.Status)
		}
	}
}

func TestMethodsOfAHost(t *testing.T) {
	t.Parallel()
	d, w := lab.NewDirectory(t)
	for name, amr := range map[string][]string{
		"Empty": {""}, "Space": {"pass word"}, "TooLong": {strings.Repeat("x", 65)}, "TooMany": slices.Repeat([]string{"otp"}, 17), "NotUTF8": {"\xff"},
	} {
		d.Set(func() { d.User.AMR = amr })
		lab.Unavailable(t, w.NewBrowser().Get(lab.AuthorizeURL(lab.Ask()...)))
		if !strings.Contains(w.Log.String(), "SignedIn: AMR") {
			t.Errorf("%s: the log does not tell", name)
		}
	}
	d.Set(func() { d.User.AMR = []string{"pwd", "otp", "https://host.test/methods/badge"} })
	b := w.NewBrowser()
	_, id := lab.JWT(t, lab.Member(t, b.StandardTokens(), "id_token"))
	if diff := cmp.Diff([]any{"pwd", "otp", "https://host.test/methods/badge"}, id["amr"]); diff != "" {
		t.Error(diff)
	}
}

// nothing marshals to null, secret fails with what it holds.
type (
	nothing struct{}
	secret  string
)

func (nothing) MarshalJSON() ([]byte, error)  { return []byte("null"), nil }
func (s secret) MarshalJSON() ([]byte, error) { return nil, fmt.Errorf("cannot write %s", string(s)) }

func TestPersonOfAHostIsHeldToTheCatalogue(t *testing.T) {
	t.Parallel()
	d, w := lab.NewDirectory(t)
	b := w.NewBrowser()
	_, tokens := b.Token(lab.Std("code", b.Allow(lab.Ask("scope", "openid identity rank")...).Get("code"))...)
	token := lab.Member(t, tokens, "access_token")
	released := func(t *testing.T, attributes map[string]any) map[string]any {
		t.Helper()
		d.Set(func() { d.Person.Attributes = attributes })
		p, body := b.JSON(b.Bearer(lab.AttributesPath, token))
		if p.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", p.Status, p.Text)
		}
		values := map[string]any{}
		for _, a := range body["attributes"].([]any) {
			values[a.(map[string]any)["handle"].(string)] = a.(map[string]any)["value"]
		}
		delete(values, "uuid")
		return values
	}
	born := "1990-04-02"
	t.Run("WhatIsAbsentIsLeftOutInSilence", func(t *testing.T) {
		var noText *string
		var noRecords []map[string]string
		got := released(t, map[string]any{
			"fname": "Carol", "lname": nil, "email": noText, "phone": json.RawMessage("null"), "street": nothing{}, "birthdate": "", "rank": (*int)(nil), "previous_addresses": noRecords,
		})
		if diff := cmp.Diff(map[string]any{"fname": "Carol"}, got); diff != "" {
			t.Error(diff)
		}
		if strings.Contains(w.Log.String(), "dropped values") {
			t.Error("the log tells of what is absent")
		}
	})
	t.Run("WhatIsOfAnotherTypeIsLeftOutAndTold", func(t *testing.T) {
		got := released(t, map[string]any{
			"fname": 7, "lname": "Canary", "birthdate": "4/2/1990", "rank": "Major-canary", "city": []string{"canary"}, "zip": secret("canary"), "phone": map[string]any{"canary": 1},
			"previous_addresses": []map[string]any{{"street1": "canary", "canary": "x"}}, "country": sql.NullString{String: "canary", Valid: true},
		})
		if diff := cmp.Diff(map[string]any{"lname": "Canary"}, got); diff != "" {
			t.Error(diff)
		}
		for _, handle := range []string{"fname", "birthdate", "rank", "city", "zip", "phone", "previous_addresses", "country"} {
			if !strings.Contains(w.Log.String(), "user=carol attribute="+handle) {
				t.Errorf("the log does not tell of %s", handle)
			}
		}
		if strings.Contains(w.Log.String(), "canary") || strings.Contains(w.Log.String(), "4/2/1990") {
			t.Error("the log tells a value")
		}
		if got := strings.Count(w.Log.String(), "attribute=rank"); got != 1 {
			t.Errorf("told %d times", got)
		}
		released(t, map[string]any{"rank": "Major"})
		if got := strings.Count(w.Log.String(), "attribute=rank"); got != 1 {
			t.Errorf("told %d times after two requests", got)
		}
	})
	t.Run("WhatFitsIsReleased", func(t *testing.T) {
		got := released(t, map[string]any{"fname": &born, "birthdate": &born, "rank": 7, "previous_addresses": []map[string]string{}})
		delete(got, "age")
		if diff := cmp.Diff(map[string]any{"fname": born, "birthdate": born, "rank": 7.0, "previous_addresses": []any{}}, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("ScreensAndTokensWorkWithoutIt", func(t *testing.T) {
		d.Set(func() { d.Person.Attributes = map[string]any{"birthdate": "4/2/1990", "fname": 7} })
		p := b.Open(lab.AuthorizeURL(lab.Ask("scope", "openid identity rank", "prompt", "consent")...))
		if p.StatusCode != http.StatusOK {
			t.Fatalf("consent: %s", p.Status)
		}
		code := lab.Response(t, b.Submit(p, "action", "allow")).Get("code")
		if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
			t.Errorf("token: %s %s", p.Status, p.Text)
		}
	})
}

func TestStatusesOfAHostAreHeldToTheCatalogue(t *testing.T) {
	t.Parallel()
	d, w := lab.NewDirectory(t)
	b := w.NewBrowser()
	token := lab.Member(t, b.StandardTokens(), "access_token")
	for name, c := range map[string]struct {
		status provider.Status
		want   string
	}{
		"UnknownSubgroup": {provider.Status{Group: "military", Verified: true, Subgroups: []string{"Spy", "Veteran"}}, `[{"group":"military","subgroups":["Veteran"],"verified":true}]`},
		"UnknownGroup":    {provider.Status{Group: "spies", Verified: true}, `[{"group":"military","subgroups":[],"verified":false}]`},
		"GroupNotAskedFor": {provider.Status{Group: "nurse", Verified: true},
			`[{"group":"military","subgroups":[],"verified":false}]`},
		"EndsBeyondTheCalendar": {provider.Status{Group: "military", Verified: true, ExpiresAt: time.Unix(1<<62, 0)}, `[{"group":"military","subgroups":[],"verified":false}]`},
	} {
		d.Set(func() { d.Person.Statuses = []provider.Status{c.status} })
		p := b.Bearer(lab.AttributesPath, token)
		if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, `"status":`+c.want) {
			t.Errorf("%s: %s %s", name, p.Status, p.Text)
		}
	}
	if !strings.Contains(w.Log.String(), "user=carol group=military") || strings.Contains(w.Log.String(), "Spy") {
		t.Error("the log does not tell of the subgroup, or tells which")
	}
}

// The catalogue of the next start gives a handle another type, and takes a subgroup out.
func TestRecordedValuesAreHeldToTheCatalogueOfToday(t *testing.T) {
	t.Parallel()
	kind, subgroups := catalogue.String, []string{"Gold", "Silver"}
	var w *lab.Fixture
	configure := func(c *provider.Config) {
		c.Attributes = []catalogue.Attribute{{Handle: "rank", Name: "Rank", Type: kind}, {Handle: "homes", Name: "Homes", Type: catalogue.Objects, Members: []string{"city"}}}
		c.Groups = []catalogue.Group{{Name: "club", Title: "Club", Subgroups: subgroups}}
		c.Scopes = []catalogue.Scope{{Name: "rank", Title: "Rank", Attributes: []string{"fname", "rank", "homes"}, Groups: []string{"club"}}}
		if w != nil {
			c.Store, c.BaseURL = w.Store, w.Server.URL
		}
	}
	w = lab.New(t, configure).WithClients()
	id := testkit.Must(w.Accounts().Save(t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", Password: lab.AlicePass}))(t)
	testkit.OK(t, w.People().SetAttributes(t.Context(), id, map[string]any{"fname": "Alice", "rank": "Major", "homes": []map[string]string{{"city": "Ulm"}}}))
	testkit.OK(t, w.People().SetStatus(t.Context(), id, provider.Status{Group: "club", Verified: true, Subgroups: []string{"Gold", "Silver"}}))
	b := w.Alice()
	_, tokens := b.Token(lab.Std("code", b.Allow("client_id", "std", "scope", "openid rank").Get("code"))...)
	kind, subgroups = catalogue.Integer, []string{"Silver"}
	next := lab.New(t, configure)
	w.Provider = next.Provider // behind the same server
	p := b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token"))
	if p.StatusCode != http.StatusOK || strings.Contains(p.Text, "Major") || strings.Contains(p.Text, "Gold") || !strings.Contains(p.Text, `"subgroups":["Silver"]`) ||
		!strings.Contains(p.Text, "Ulm") || !strings.Contains(p.Text, "Alice") {
		t.Errorf("%s %s", p.Status, p.Text)
	}
	for _, line := range []string{"user=alice attribute=rank", "user=alice group=club"} {
		if !strings.Contains(next.Log.String(), line) || strings.Contains(next.Log.String(), "Major") {
			t.Errorf("the log does not tell %q, or a value", line)
		}
	}
}

// Each request asks the host who is signed in, and what about them, once, and tells
// which application asks.
func TestHostIsAskedOnceForEachRequest(t *testing.T) {
	t.Parallel()
	d, w := lab.NewDirectory(t)
	b := w.NewBrowser()
	scopes := "openid identity military responder student teacher nurse"
	step := func(name string, p lab.Page, signedIns int, asked ...string) lab.Page {
		t.Helper()
		gotSignedIns, gotAsked := d.Take()
		if gotSignedIns != signedIns {
			t.Errorf("%s: asked %d times who is signed in, want %d", name, gotSignedIns, signedIns)
		}
		if diff := cmp.Diff(asked, gotAsked); diff != "" {
			t.Errorf("%s: asked about the person (-want +got):\n%s", name, diff)
		}
		return p
	}
	who := "carol for std [" + scopes + "]"
	p := step("authorize", b.Get(lab.AuthorizeURL(lab.Ask("scope", scopes)...)), 1)
	p = step("consent", b.Get(p.Header.Get("Location")), 1, who)
	p = step("allow", b.SubmitOnce(p, "action", "allow"), 1)
	p = step("issue", b.Get(p.Header.Get("Location")), 1, who)
	p, tokens := b.Token(lab.Std("code", lab.Response(t, p).Get("code"))...)
	step("token", p, 0, who)
	p, _ = b.Refresh(lab.Member(t, tokens, "refresh_token"))
	step("refresh", p, 0, who)
	step("userinfo", b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")), 0, who)
	step("account", b.Get("/account"), 1, "carol for  []")
	step("sign-out", b.Get("/signout"), 1, "carol for  []")
	implicit := []string{"scope", "openid military", "response_type", "id_token", "nonce", "n"}
	b.Allow(implicit...)
	d.Take()
	step("implicit", b.Get(lab.AuthorizeURL(append(implicit, "prompt", "none")...)), 1, "carol for v3 [openid military]")
	if _, ok := provider.RequestOf(t.Context()); ok {
		t.Error("there is a request outside of any")
	}
}

// A host that answers otherwise when it is asked again cannot have the consent of one
// user recorded as that of another.
func TestDecisionIsOfWhoWasShownIt(t *testing.T) {
	t.Parallel()
	d, w := lab.NewDirectory(t)
	b := w.NewBrowser()
	p := b.Open(lab.AuthorizeURL(lab.Ask()...))
	d.Set(func() { d.User.UserID = "dave" })
	if p = b.SubmitOnce(p, "action", "allow"); p.StatusCode != http.StatusOK || !strings.Contains(p.Text, `value="dave"`) {
		t.Errorf("not shown again: %s", p.Status)
	}
}
