package flows

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestRelease(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T, scope string) (*lab.Fixture, *lab.Browser, map[string]any) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		_, tokens := b.Token("code", w.Code(b, "scope", scope, "eid", "order-17"))
		return w, b, tokens
	}
	t.Run("KeepsTypesAndShapes", func(t *testing.T) {
		w, b, tokens := start(t, "identity")
		err := w.People().SetAttributes(t.Context(), "alice", map[string]any{"covid_vaccine_records": []map[string]string{
			{"brand": "Moderna", "date": "2021-04-01T00:00:00+00:00", "type": "initial"}}})
		testkit.OK(t, err)
		values, statuses := lab.Attributes(t, b, tokens)
		var address []map[string]string
		testkit.OK(t, json.Unmarshal([]byte(values["previous_addresses"]), &address))
		want := []map[string]string{{
			"normalized_street": "", "street1": "1 Main St", "street2": "", "city": "Fairfax", "state": "",
			"province": "", "zip": "", "country": "", "normalized": "", "primary": "",
		}}
		if diff := cmp.Diff(want, address); diff != "" {
			t.Error(diff)
		}
		if values["uuid"] != `"alice"` || values["eid"] != `"order-17"` || len(statuses) != 0 {
			t.Errorf("%v %v", values, statuses)
		}
		if !strings.Contains(values["covid_vaccine_records"], `"2021-04-01T00:00:00+00:00"`) {
			t.Errorf("vaccine records: %s", values["covid_vaccine_records"])
		}
	})
	t.Run("ShowsRecordsToPeopleInTheirOrder", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		err := w.People().SetAttributes(t.Context(), "alice", map[string]any{"previous_addresses": []map[string]string{
			{"city": "Norfolk", "street1": "5 Elm St", "zip": "23510", "primary": "true"}}})
		testkit.OK(t, err)
		p := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass).Open(lab.AuthorizeURL("scope", "identity"))
		if !strings.Contains(p.Text, "5 Elm St, Norfolk, 23510<") {
			t.Errorf("the consent screen does not show the address:\n%s", p.Text)
		}
	})
	t.Run("AsksForMoreOnlyWhenThereIsMore", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		b.Allow("client_id", "std", "scope", "openid military")
		again := b.Open(lab.AuthorizeURL("client_id", "std", "scope", "openid military", "prompt", "consent"))
		more := b.Open(lab.AuthorizeURL("client_id", "std", "scope", "openid military student"))
		const words = "more of your data"
		if strings.Contains(again.Text, words) || !strings.Contains(more.Text, words) {
			t.Errorf("asked again: %t, asked for more: %t", strings.Contains(again.Text, words), strings.Contains(more.Text, words))
		}
	})
	t.Run("ComputesTheAgeOnTheDayOfTheRequest", func(t *testing.T) {
		w, b, tokens := start(t, "identity")
		now := w.Now().UTC()
		birthday := now.AddDate(-30, 0, 1).Format(time.DateOnly) // tomorrow it is 30 years
		testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", map[string]any{"birthdate": birthday}))
		if values, _ := lab.Attributes(t, b, tokens); values["age"] != "29" {
			t.Errorf("age on the day before the birthday: %s", values["age"])
		}
		testkit.OK(t, w.People().SetAttributes(t.Context(), "alice", map[string]any{"age": 77}))
		if values, _ := lab.Attributes(t, b, tokens); values["age"] != "77" {
			t.Errorf("recorded age: %s", values["age"])
		}
	})
	t.Run("ReadsAStatusAtTheMomentOfRelease", func(t *testing.T) {
		w, b, tokens := start(t, "military")
		verified := map[string]any{"group": "military", "subgroups": []any{"Veteran"}, "verified": true}
		unverified := map[string]any{"group": "military", "subgroups": []any{}, "verified": false}
		if _, got := lab.Attributes(t, b, tokens); cmp.Diff([]any{verified}, got) != "" {
			t.Errorf("verified: %v", got)
		}
		testkit.OK(t, w.People().DeleteStatus(t.Context(), "alice", "military"))
		if _, got := lab.Attributes(t, b, tokens); cmp.Diff([]any{unverified}, got) != "" {
			t.Errorf("removed: %v", got)
		}
	})
	t.Run("ShowsAnExpiredStatusAsUnverified", func(t *testing.T) {
		w, b, tokens := start(t, "military")
		err := w.People().SetStatus(t.Context(), "alice", provider.Status{
			Group: "military", Subgroups: []string{"Veteran"}, Verified: true, ExpiresAt: w.Now().Add(time.Minute)})
		testkit.OK(t, err)
		w.Advance(2 * time.Minute)
		want := []any{map[string]any{"group": "military", "subgroups": []any{}, "verified": false}}
		if _, got := lab.Attributes(t, b, tokens); cmp.Diff(want, got) != "" {
			t.Errorf("expired: %v", got)
		}
	})
	t.Run("RefusesTheUnverifiedWhereTheApplicationRequiresIt", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		err := w.Clients().Save(t.Context(), provider.Client{ID: "strict", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, RequireVerified: true})
		testkit.OK(t, err)
		b := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		if answer := lab.Response(t, b.Submit(b.Open(lab.AuthorizeURL("client_id", "strict")), "action", "deny")); answer.Get("error") != "access_denied" || answer.Get("state") != "xyz" {
			t.Errorf("bob, not verified: %v", answer)
		}
		if answer := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass).Allow("client_id", "strict"); answer.Get("code") == "" {
			t.Errorf("alice, verified: %v", answer)
		}
	})
	t.Run("EndsWithTheMembershipWhereTheApplicationRequiresIt", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		w.OK(w.Clients().Save(t.Context(), provider.Client{
			ID: "strict", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, RequireVerified: true,
			GrantTypes: []string{"authorization_code", "refresh_token"},
		}))
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		_, tokens := b.Token("code", w.Code(b, "client_id", "strict", "scope", "openid military"), "client_id", "strict")
		is := func(verified bool) {
			w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Verified: verified}))
		}
		for _, step := range []struct {
			verified bool
			scope    string
			want     int
		}{
			{true, "openid military", http.StatusOK}, {false, "openid military", http.StatusBadRequest},
			{false, "openid", http.StatusBadRequest}, {true, "openid", http.StatusOK}, // the grant stays
		} {
			is(step.verified)
			p, next := b.Token("client_id", "strict", "grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"), "redirect_uri", "", "scope", step.scope)
			if p.StatusCode != step.want {
				t.Errorf("%+v: %s %s", step, p.Status, p.Text)
			}
			if p.StatusCode == http.StatusOK {
				tokens = next
			}
		}
	})
	t.Run("AgreesBetweenIDTokenAndUserinfo", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		_, tokens := b.Token("code", w.Code(b, "client_id", "std", "scope", "openid email military"), "client_id", "std")
		fromToken := lab.ClaimsOf(t, tokens["id_token"].(string))
		_, fromUserinfo := b.JSON(lab.Bearer(b, "/api/public/v3/userinfo", tokens))
		for _, name := range []string{"sub", "email", "email_verified", "status"} {
			if diff := cmp.Diff(fromToken[name], fromUserinfo[name]); diff != "" || fromToken[name] == nil {
				t.Errorf("%s: %v and %v", name, fromToken[name], fromUserinfo[name])
			}
		}
		for _, name := range []string{"uuid", "fname", "lname", "zip"} {
			if fromToken[name] != nil || fromUserinfo[name] != nil {
				t.Errorf("a status gives a standard application %s", name)
			}
		}
	})
}

func TestRecording(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	ctx := context.Background()
	for name, err := range map[string]error{
		"AnUnknownAttribute":     w.People().SetAttributes(ctx, "u", map[string]any{"shoe_size": "44"}),
		"TheIdentifier":          w.People().SetAttributes(ctx, "u", map[string]any{"uuid": "x"}),
		"ANumberForAString":      w.People().SetAttributes(ctx, "u", map[string]any{"fname": 7}),
		"AFractionForAnInteger":  w.People().SetAttributes(ctx, "u", map[string]any{"age": 7.5}),
		"ADateThatDoesNotExist":  w.People().SetAttributes(ctx, "u", map[string]any{"birthdate": "2023-02-30"}),
		"AnUnknownRecordMember":  w.People().SetAttributes(ctx, "u", map[string]any{"previous_addresses": []map[string]string{{"planet": "Mars"}}}),
		"AnUnknownGroup":         w.People().SetStatus(ctx, "u", provider.Status{Group: "pilots"}),
		"AnUnknownSubgroup":      w.People().SetStatus(ctx, "u", provider.Status{Group: "military", Subgroups: []string{"Space Cadet"}}),
		"AnAddressThatIsNone":    saveAccount(w, provider.Account{Email: "nobody"}),
		"AnIdentifierThatIsNone": saveAccount(w, provider.Account{ID: "a b", Email: "x@example.com"}),
	} {
		t.Run("Refuses"+name, func(t *testing.T) {
			if err == nil {
				t.Fatal("was accepted")
			}
		})
	}
}

func saveAccount(w *lab.Fixture, a provider.Account) error {
	_, err := w.Accounts().Save(context.Background(), a)
	return err
}
