package flows

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// handles are what an older client would have had recorded, and recorded what has no such
// handle.
var (
	handles = map[string]any{
		"fname": "Maria", "lname": "Okafor", "phone": "+1 703 555 0142", "street": "4400 University Drive",
		"city": "Fairfax", "state": "VA", "zip": "22030", "country": "US", "birthdate": "1990-04-02",
	}
	recorded = map[string]any{
		"middle_name": "Ada", "nickname": "Mia", "preferred_username": "mokafor", "profile": "https://maria.test/",
		"picture": "https://maria.test/me.png", "website": "https://blog.maria.test/", "gender": "female",
		"zoneinfo": "America/New_York", "locale": "en-US", "updated_at": 1773324600, "phone_number_verified": true,
	}
)

// standardClaims are all that follows from these, with the scope that releases each.
var standardClaims = map[string]map[string]any{
	"profile": {
		"name": "Maria Okafor", "given_name": "Maria", "family_name": "Okafor", "middle_name": "Ada", "nickname": "Mia",
		"preferred_username": "mokafor", "profile": "https://maria.test/", "picture": "https://maria.test/me.png",
		"website": "https://blog.maria.test/", "gender": "female", "birthdate": "1990-04-02",
		"zoneinfo": "America/New_York", "locale": "en-US", "updated_at": 1773324600.0,
	},
	"email": {"email": "alice@example.com", "email_verified": true},
	"address": {"address": map[string]any{
		"street_address": "4400 University Drive", "locality": "Fairfax", "region": "VA", "postal_code": "22030", "country": "US",
		"formatted": "4400 University Drive\nFairfax, VA 22030\nUS",
	}},
	"phone": {"phone_number": "+1 703 555 0142", "phone_number_verified": true},
}

// all returns the claims of some scopes together.
func all(of map[string]map[string]any, scopes ...string) map[string]any {
	claims := map[string]any{}
	for _, scope := range scopes {
		for name, value := range of[scope] {
			claims[name] = value
		}
	}
	return claims
}

func TestFreshInstallServesStandardClients(t *testing.T) {
	t.Parallel()
	scopes := []string{"profile", "email", "address", "phone"}
	t.Run("FromHandles", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t).WithClients().WithUsers()
		for _, values := range []map[string]any{handles, recorded, {"previous_addresses": nil}} {
			testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", values))
		}
		for _, asked := range append([][]string{scopes}, []string{"profile"}, []string{"email"}, []string{"address"}, []string{"phone"}) {
			_, id, info := lab.Released(t, w.Alice(), "openid "+strings.Join(asked, " "))
			want := all(standardClaims, asked...)
			if diff := cmp.Diff(want, id); diff != "" {
				t.Errorf("%v: ID token (-want +got):\n%s", asked, diff)
			}
			if diff := cmp.Diff(want, info); diff != "" {
				t.Errorf("%v: userinfo (-want +got):\n%s", asked, diff)
			}
		}
	})
	t.Run("FromAHost", func(t *testing.T) {
		t.Parallel()
		person := provider.Person{EmailVerified: true, Attributes: map[string]any{"email": "alice@example.com"}}
		for _, values := range []map[string]any{handles, recorded} {
			for name, value := range values {
				person.Attributes[name] = value
			}
		}
		d, w := lab.NewDirectory(t)
		d.Person = person
		_, id, info := lab.Released(t, w.NewBrowser(), "openid "+strings.Join(scopes, " "))
		for name, got := range map[string]map[string]any{"ID token": id, "userinfo": info} {
			if diff := cmp.Diff(all(standardClaims, scopes...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
	t.Run("OfAHostThatKnowsStandardNamesOnly", func(t *testing.T) {
		t.Parallel()
		d, w := lab.NewDirectory(t)
		d.Person = provider.Person{Attributes: map[string]any{
			"given_name": "Maria", "family_name": "Okafor", "name": "Dr. Maria Okafor", "phone_number": "+1 703 555 0142",
			"email": "m@example.com", "email_verified": true, "address": map[string]any{"formatted": "4400 University Drive\nFairfax"},
		}}
		_, id, _ := lab.Released(t, w.NewBrowser(), "openid profile email phone address")
		want := map[string]any{
			"name": "Dr. Maria Okafor", "given_name": "Maria", "family_name": "Okafor", "email": "m@example.com", "email_verified": true,
			"preferred_username": "m@example.com",
			"phone_number":       "+1 703 555 0142", "phone_number_verified": false,
			"address": map[string]any{"formatted": "4400 University Drive\nFairfax"},
		}
		if diff := cmp.Diff(want, id); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		_, tokens := w.NewBrowser().Token("code", w.NewBrowser().Allow("scope", "identity").Get("code"))
		values, _ := lab.Attributes(t, w.NewBrowser(), tokens)
		if values["fname"] != `"Maria"` || values["lname"] != `"Okafor"` || values["phone"] != `"+1 703 555 0142"` {
			t.Errorf("the older handles: %v", values)
		}
	})
	t.Run("AClaimWithoutAValueIsLeftOut", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t).WithClients().WithUsers()
		if err := w.People().SetAttributes(t.Context(), "alice", map[string]any{"lname": nil, "zip": nil, "birthdate": nil, "nickname": "", "address": map[string]string{"country": ""}}); err != nil {
			t.Fatal(err)
		}
		_, id, info := lab.Released(t, w.Alice(), "openid profile email address phone")
		want := map[string]any{"name": "Alice", "given_name": "Alice", "email": "alice@example.com", "email_verified": true,
			"preferred_username": "alice@example.com"}
		for _, got := range []map[string]any{id, info} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
}

func TestNothingIsRecordedUnderTwoNames(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", map[string]any{"given_name": "Maria", "phone": "1", "phone_number_verified": true}))
	person, err := w.People().Get(t.Context(), "alice")
	if err != nil || string(person.Attributes["fname"]) != `"Maria"` || person.Attributes["given_name"] != nil ||
		string(person.Attributes["phone_number_verified"]) != "true" {
		t.Errorf("%s, %v", person.Attributes, err)
	}
	err = w.People().SetAttributes(t.Context(), "alice", map[string]any{"given_name": "Maria", "fname": "Anna"})
	if err == nil || !strings.Contains(err.Error(), "given_name: is given under another name as well") {
		t.Errorf("both names at once: %v", err)
	}
	// Another number is not the one that was verified.
	testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", map[string]any{"phone_number": "2"}))
	if person, err = w.People().Get(t.Context(), "alice"); err != nil || person.Attributes["phone_number_verified"] != nil || string(person.Attributes["phone"]) != `"2"` {
		t.Errorf("%s, %v", person.Attributes, err)
	}
}

func TestEveryTypeOfAttributeKeepsItsForm(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.Attributes = []catalogue.Attribute{
			{Handle: "member", Name: "Member", Type: catalogue.Boolean}, {Handle: "roles", Name: "Roles", Type: catalogue.Strings},
			{Handle: "home", Name: "Home", Type: catalogue.Object, Members: []string{"town", "street"}},
			{Handle: "display", Name: "Display name", From: []string{"fname", "lname"}}, {Handle: "guest", Name: "Guest", Type: catalogue.Boolean},
		}
		c.Scopes = []catalogue.Scope{{Name: "club", Title: "Club", Attributes: []string{"member", "guest", "roles", "home", "display"}}}
	}).WithClients().WithUsers()
	values := map[string]any{"member": true, "guest": false, "roles": []string{"admin", "a, b"}, "home": map[string]string{"town": "Ulm", "street": ""}}
	testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", values))
	for handle, wrong := range map[string]any{
		"member": "true", "roles": []int{1}, "home": map[string]string{"planet": "Mars"}, "updated_at": "today", "address": "Main Street",
	} {
		if err := w.People().SetAttributes(t.Context(), "alice", map[string]any{handle: wrong}); err == nil {
			t.Errorf("%s: %v was recorded", handle, wrong)
		}
	}
	b := w.Alice()
	p := b.Open(lab.AuthorizeURL("scope", "openid club"))
	for _, shown := range []string{"Member</span></dt><dd>Yes</dd>", "Guest</span></dt><dd>No</dd>", "admin, a, b", "Ulm"} {
		if !strings.Contains(compact(p.Text), shown) {
			t.Errorf("the screen does not show %q", shown)
		}
	}
	if strings.Contains(p.Text, "Display name") {
		t.Error("the screen shows the names twice")
	}
	_, tokens := b.Token("code", lab.Response(t, b.Submit(p, "action", "allow")).Get("code"))
	got, _ := lab.Attributes(t, b, tokens)
	want := map[string]string{"member": "true", "guest": "false", "roles": `["admin","a, b"]`, "home": `{"town":"Ulm"}`, "display": `"Alice Example"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// compact removes what templates put between elements.
func compact(body string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("<dd><bdi>", "<dd>", "</bdi></dd>", "</dd>", "> ", ">", " <", "<").Replace(body)), " ")
}

func TestTheFirstAttributeIsWhatClientsGreetBy(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	for _, scope := range []string{"identity", "military"} {
		tokens := b.V3Tokens("scope", "openid "+scope)
		var body struct{ Attributes []struct{ Handle string } }
		testkit.OK(t, json.Unmarshal([]byte(b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")).Text), &body))
		var order []string
		for _, a := range body.Attributes {
			order = append(order, a.Handle)
		}
		want := []string{"fname", "lname", "email", "uuid", "zip"}
		if len(order) < len(want) || !slices.Equal(order[:len(want)], want) {
			t.Errorf("%s: attributes %v", scope, order)
		}
		signed := strings.Trim(b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")).Text, `"`)
		for name, token := range map[string]string{"ID token": lab.Member(t, tokens, "id_token"), "userinfo": signed} {
			if got := inOrderOf(payload(t, token), want...); !slices.Equal(got, want) {
				t.Errorf("%s: %s: %v", scope, name, got)
			}
		}
	}
}

// payload returns what a JWT says, as it is written.
func payload(t *testing.T, token string) string {
	t.Helper()
	raw := testkit.Must(base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1]))(t)
	return string(raw)
}

// inOrderOf returns some members of a JSON object in the order in which they stand.
func inOrderOf(object string, members ...string) []string {
	at := func(member string) int { return strings.Index(object, `"`+member+`":`) }
	return slices.SortedFunc(slices.Values(members), func(a, b string) int { return at(a) - at(b) })
}

func TestConsentShowsEachFactOnce(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", handles))
	b := w.Alice()
	p, _ := b.Asked("scope", "openid identity profile email address phone military")
	for _, value := range []string{"Maria Okafor", "alice@example.com", "+1 703 555 0142", "4400 University Drive", "22030", "2 April 1990"} {
		_, rows, _ := strings.Cut(p.Text, "<dl")
		if n := strings.Count(rows, value); n != 1 {
			t.Errorf("%s is shown %d times", value, n)
		}
	}
	for _, label := range []string{"First name", "Last name", "Street", "Phone verified"} {
		if strings.Contains(compact(p.Text), label) {
			t.Errorf("%s says what other lines say", label)
		}
	}
	testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", map[string]any{"name": "Dr. Maria Okafor"}))
	if p, _ := b.Asked("scope", "openid profile"); !strings.Contains(p.Text, ">Dr. Maria Okafor</bdi>") {
		t.Error("a full name that is recorded is not shown")
	}
}

func TestStandardClaimsAreAskedForOneByOne(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", handles))
	narrow := provider.Client{ID: "narrow", Name: "Narrow App", Secret: lab.ClientSecret, Dialect: provider.Standard,
		RedirectURIs: []string{lab.CallbackURI}, GrantTypes: []string{"authorization_code", "refresh_token"}, Scopes: []string{"login"}}
	testkit.OK(t, w.Clients().Save(t.Context(), narrow))
	const claims = `{"id_token":{"given_name":null,"email_verified":null,"name":null,"address":null,"phone_number":null}}`
	all := map[string]any{"given_name": "Maria", "email_verified": true, "name": "Maria Okafor", "phone_number": "+1 703 555 0142",
		"address": standardClaims["address"]["address"]}
	for client, want := range map[string]map[string]any{
		"std":    all,
		"narrow": {"given_name": "Maria", "email_verified": true}, // what its scope releases, by another name
	} {
		b := w.Alice()
		p := b.Open(lab.AuthorizeURL(lab.AskFor(claims, "client_id", client)...))
		_, rows, _ := strings.Cut(p.Text, "<dl")
		if n := strings.Count(rows, "Maria"); n != 1 || strings.Contains(rows, "Maria Okafor") != (client == "std") {
			t.Errorf("%s: the first name is shown %d times:\n%s", client, n, p.Text)
		}
		_, tokens := b.Token("client_id", client, "code", lab.Response(t, b.Submit(p, "action", "allow")).Get("code"))
		for range 2 { // as issued, and after a refresh
			_, id := lab.JWT(t, lab.Member(t, tokens, "id_token"))
			if diff := cmp.Diff(want, lab.WithoutProtocol(id)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", client, diff)
			}
			_, tokens = b.Token("client_id", client, "grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"), "redirect_uri", "")
		}
	}
}

// What follows from others must not release what the screen has not shown.
func TestDerivationReleasesNothingThatConsentDidNotShow(t *testing.T) {
	t.Parallel()
	card := func(attributes []catalogue.Attribute, scope ...string) func(*provider.Config) {
		return func(c *provider.Config) {
			c.Attributes = attributes
			c.Scopes = []catalogue.Scope{{Name: "card", Title: "Card", Attributes: scope}}
		}
	}
	for name, test := range map[string]struct {
		before, after func(*provider.Config)
		secret        string
		released      map[string]any
		asks          bool
	}{
		"AScopeComesToHaveAComposedClaim": {
			card(nil, "fname"), card(nil, "fname", "name"), "Example", map[string]any{"fname": "Alice"}, true,
		},
		"AScopeComesToHaveAnotherNameOfWhatWasNotShown": {
			card(nil, "fname"), card(nil, "fname", "family_name"), "Example", map[string]any{"fname": "Alice"}, true,
		},
		"ADerivationGrows": {
			card([]catalogue.Attribute{{Handle: "badge", From: []string{"fname"}}}, "badge"),
			card([]catalogue.Attribute{{Handle: "badge", From: []string{"fname", "zip"}}}, "badge"), "22030", map[string]any{}, true,
		},
		"AnAttributeBecomesAnotherNameOfASecret": {
			card([]catalogue.Attribute{{Handle: "badge"}}, "badge"),
			card([]catalogue.Attribute{{Handle: "badge", SameAs: "zip"}}, "badge"), "22030", map[string]any{}, true,
		},
		"AnAttributeComesToVerifyASecret": {
			card([]catalogue.Attribute{{Handle: "badge", Type: catalogue.Boolean}}, "badge"),
			card([]catalogue.Attribute{{Handle: "badge", Type: catalogue.Boolean, Verifies: "zip"}}, "badge"), "22030", map[string]any{}, true,
		},
		"TheAgeIsNoDateOfBirth": {
			card(nil, "age"), card(nil, "age", "birthdate"), "1990-04-02", nil, true,
		},
		"TheSameFactUnderItsOtherNameAsksNobody": {
			card(nil, "fname"), card(nil, "given_name"), "Example", map[string]any{"given_name": "Alice"}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, b := lab.WithAlice(t, test.before)
			tokens, _, _ := lab.Released(t, b, "openid card")
			next := w.Twin(test.after)
			later := &lab.Browser{T: t, Fixture: next, HTTP: b.HTTP}
			_, refreshed := later.Refresh(lab.Member(t, tokens, "refresh_token"))
			_, info := later.JSON(later.Bearer(lab.UserinfoPath, lab.Member(t, refreshed, "access_token")))
			_, id := lab.JWT(t, lab.Member(t, refreshed, "id_token"))
			for place, got := range map[string]map[string]any{"userinfo": lab.WithoutProtocol(info), "ID token": lab.WithoutProtocol(id)} {
				raw, err := json.Marshal(got)
				if err != nil || strings.Contains(string(raw), test.secret) {
					t.Errorf("%s releases what was not shown: %s, %v", place, raw, err)
				}
				if diff := cmp.Diff(test.released, got); test.released != nil && diff != "" {
					t.Errorf("%s (-want +got):\n%s", place, diff)
				}
			}
			if _, asks := later.Asked("scope", "openid card"); asks != test.asks {
				t.Errorf("the user is asked: %v", asks)
			}
		})
	}
}

func TestDerivationsThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]catalogue.Attribute{
		"SameAs: unknown":           {Handle: "x", SameAs: "nothing"},
		"SameAs: itself":            {Handle: "x", SameAs: "x"},
		"SameAs: another name":      {Handle: "x", SameAs: "given_name"},
		"SameAs: the user ID":       {Handle: "x", SameAs: "uuid"},
		"SameAs: of another type":   {Handle: "x", SameAs: "birthdate", Type: catalogue.Boolean},
		"From: derived":             {Handle: "x", From: []string{"name"}},
		"From: a list of objects":   {Handle: "x", From: []string{"previous_addresses"}},
		"From: more than members":   {Handle: "x", Type: catalogue.Object, Members: []string{"a"}, From: []string{"fname", "lname"}},
		"From: years of a text":     {Handle: "x", Type: catalogue.Integer, From: []string{"fname"}},
		"From: a date":              {Handle: "x", Type: catalogue.Date, From: []string{"birthdate"}},
		"Verifies: a second time":   {Handle: "x", Type: catalogue.Boolean, Verifies: "email"},
		"Verifies: as text":         {Handle: "x", Verifies: "fname"},
		"Both":                      {Handle: "x", SameAs: "fname", From: []string{"lname"}},
		"Object without members":    {Handle: "x", Type: catalogue.Object},
		"Type that there is not":    {Handle: "x", Type: "number"},
		"Handle of a standard one":  {Handle: "given_name"},
		"Members without an object": {Handle: "x", Type: catalogue.Strings, Members: []string{"a"}},
	} {
		cfg := provider.Config{BaseURL: "http://localhost:8080", Secret: lab.Secret(t), Attributes: []catalogue.Attribute{a}, Store: lab.New(t).Store}
		if _, err := provider.New(context.WithoutCancel(t.Context()), cfg); err == nil || !strings.Contains(err.Error(), "Config.Attributes[0].") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
