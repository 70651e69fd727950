package accounts

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestPerson(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.Alice().Allow("scope", "openid military", "response_type", "code")
	got := testkit.Must(w.People().Get(t.Context(), "alice"))(w.T)
	raw := testkit.Must(json.Marshal(got))(w.T)
	text := string(raw)
	for _, want := range []string{
		`"user_id":"alice"`, `"email":"alice@example.com"`, `"fname":"Alice"`, `"city":"Fairfax"`, `"group":"military"`,
		`"verified":true`, `"scopes":["openid","military"]`, `"address":"127.0.0.0/24"`, `"name":"sign_in"`, `"user_agent"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for _, secret := range []string{"argon2", "sealed2:"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s in %s", secret, text)
		}
	}
	// What was read can be replaced, once.
	status := got.Statuses[0]
	status.Verified = false
	w.OK(w.People().SetStatus(t.Context(), "alice", status))
	if err := w.People().SetStatus(t.Context(), "alice", status); !errors.Is(err, provider.ErrChanged) {
		t.Errorf("err = %v", err)
	}
	t.Run("OfTheHost", func(t *testing.T) {
		w := lab.NewHosted(t, func() provider.SignedIn { return provider.SignedIn{} })
		w.OK(w.People().SetAttributes(t.Context(), "dora", map[string]any{"fname": "Dora"}))
		got, err := w.People().Get(t.Context(), "dora")
		want := provider.PersonalData{UserID: "dora", Attributes: map[string]json.RawMessage{"fname": []byte(`"Dora"`)}, Events: []provider.RecordedEvent{
			{Event: provider.Event{Name: event.AttributesChanged, UserID: "dora", Detail: "fname"}},
		}}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(provider.RecordedEvent{}, "ID"), cmpopts.IgnoreFields(provider.Event{}, "At")); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("OfNobody", func(t *testing.T) {
		if _, err := w.People().Get(t.Context(), "nobody"); !errors.Is(err, provider.ErrNoUser) {
			t.Errorf("err = %v", err)
		}
	})
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	var got []string
	for after := ""; ; {
		page := testkit.Must(w.Accounts().List(t.Context(), after, 1))(w.T)
		if len(page) == 0 {
			break
		}
		got = append(got, fmt.Sprint(page[0].ID, page[0].Email, page[0].EmailVerified, page[0].HasPassword, page[0].Disabled))
		after = page[0].ID
	}
	if diff := cmp.Diff([]string{"alicealice@example.comtrue true false", "bobbob@example.comfalse true false"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, spelling := range []string{"alice@example.com", "Alice@Example.COM"} {
		if found, err := w.Accounts().GetByEmail(t.Context(), spelling); err != nil || found.ID != "alice" {
			t.Errorf("%s is found as %q: %v", spelling, found.ID, err)
		}
	}
	for _, address := range []string{"nobody@example.com", "alice", "", "alice@example.com "} {
		if _, err := w.Accounts().GetByEmail(t.Context(), address); !errors.Is(err, provider.ErrNoUser) {
			t.Errorf("%q: err = %v", address, err)
		}
	}
	if _, err := w.Accounts().Get(t.Context(), "nobody"); !errors.Is(err, provider.ErrNoUser) {
		t.Errorf("err = %v", err)
	}
}

func TestClients(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	var got []string
	for after := ""; ; {
		page := testkit.Must(w.Clients().List(t.Context(), after, 2))(w.T)
		for _, c := range page {
			got = append(got, c.ID)
			after = c.ID
			one, err := w.Clients().Get(t.Context(), c.ID)
			if diff := cmp.Diff(c, one); diff != "" || err != nil || c.Secret != "" {
				t.Errorf("%s: %v (-in list +alone):\n%s", c.ID, err, diff)
			}
			before := testkit.Must(w.Store.Client(t.Context(), c.ID))(w.T)
			w.OK(w.Clients().Save(t.Context(), one)) // changes nothing
			if now, err := w.Store.Client(t.Context(), c.ID); err != nil || now.Version != before.Version {
				t.Errorf("%s: saved as it was read it is another: %v", c.ID, err)
			}
		}
		if len(page) < 2 {
			break
		}
	}
	if diff := cmp.Diff([]string{"pub", "q", "std", "std2", "v3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := w.Clients().Get(t.Context(), "nobody"); !errors.Is(err, provider.ErrNoClient) {
		t.Errorf("err = %v", err)
	}
}

func TestInstallation(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.Sandbox, c.Brand.Name = true, "Acme ID"
		c.Attributes = []catalogue.Attribute{{Handle: "badge", Name: "Badge"}}
		c.Groups = []catalogue.Group{{Name: "staff", Title: "Staff", Subgroups: []string{"Office"}}}
		c.Scopes = []catalogue.Scope{{Name: "work", Title: "Your work", Attributes: []string{"badge"}, Groups: []string{"staff"}}}
	})
	got := w.Rooms().Installation()
	if got.BaseURL != w.Server.URL || got.Issuer != w.Issuer() || got.Name != "Acme ID" || !got.Sandbox || !got.HasAccounts || !got.SignsUp ||
		got.Lifetimes.Code == 0 {
		t.Errorf("%+v", got)
	}
	if len(got.Scopes) != 1 || got.Scopes[0].Title != "Your work" || len(got.Groups) != 1 || got.Groups[0].Title != "Staff" {
		t.Errorf("scopes %+v, groups %+v", got.Scopes, got.Groups)
	}
	if last := got.Attributes[len(got.Attributes)-1]; last.Handle != "badge" || last.Type != catalogue.String || len(got.Attributes) < 2 {
		t.Errorf("attributes %+v", got.Attributes)
	}
	got.Scopes[0].Attributes[0], got.Groups[0].Subgroups[0] = "x", "x"
	if again := w.Rooms().Installation(); again.Scopes[0].Attributes[0] != "badge" || again.Groups[0].Subgroups[0] != "Office" {
		t.Error("whoever reads it can change what is in force")
	}
	if hosted := lab.NewHosted(t, func() provider.SignedIn { return provider.SignedIn{} }).Rooms().Installation(); hosted.HasAccounts || hosted.SignsUp {
		t.Errorf("with users of the host: %+v", hosted)
	}
}
