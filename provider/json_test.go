package provider_test

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestConfigInJSON has the form that a config file may have.
func TestConfigInJSON(t *testing.T) {
	t.Parallel()
	want := provider.Config{
		BaseURL:        "https://id.example.com",
		Brand:          provider.Brand{Name: "Acme ID", ButtonColor: "#123456", PolicyURL: "/privacy", TermsURL: "/terms"},
		Scopes:         []catalogue.Scope{{Name: "club", Attributes: []string{"since"}, Requires: provider.Requirement{Assurance: provider.TwoFactors, MaxAge: 15 * time.Minute}}},
		Attributes:     []catalogue.Attribute{{Handle: "since", Type: catalogue.Date}},
		Lifetimes:      provider.Lifetimes{Code: 90 * time.Second, RefreshGrace: -time.Second, Session: 48 * time.Hour},
		SignIn:         provider.SignIn{Require: provider.OneFactor, Classes: map[string]provider.Requirement{"aal2": {Enrolled: time.Hour}}},
		Limits:         provider.Limits{SignIn: provider.Limit{Burst: 5, Every: time.Minute}, Mail: provider.Limit{Burst: -1}},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		Sandbox:        true, AllowPrivateNetworks: true,
	}
	text := testkit.Must(json.Marshal(want))(t)
	const form = `{"base_url":"https://id.example.com",` +
		`"brand":{"name":"Acme ID","button_color":"#123456","tos_uri":"/terms","policy_uri":"/privacy"},` +
		`"scopes":[{"name":"club","attributes":["since"],"requires":{"assurance":"two_factors","max_age":"15m0s"}}],"attributes":[{"handle":"since","type":"date"}],` +
		`"sign_in":{"require":"one_factor","classes":{"aal2":{"enrolled":"1h0m0s"}}},` +
		`"lifetimes":{"code":"1m30s","refresh_grace":"-1s","session":"48h0m0s"},` +
		`"limits":{"sign_in":{"burst":5,"every":"1m0s"},"mail":{"burst":-1}},` +
		`"trusted_proxies":["10.0.0.0/8"],"allow_private_networks":true,"sandbox":true}`
	if diff := cmp.Diff(form, string(text)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	var got provider.Config
	testkit.OK(t, json.Unmarshal(text, &got))
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestSecretsAreNotInTheJSONOfAConfig(t *testing.T) {
	t.Parallel()
	secret := []byte("canary canary canary canary 1234")
	text, err := json.Marshal(provider.Config{Secret: secret, PreviousSecrets: [][]byte{secret}})
	if err != nil || string(text) != `{"base_url":""}` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestDurationsInJSON(t *testing.T) {
	t.Parallel()
	kept := provider.Lifetimes{Code: time.Minute, Flow: time.Hour}
	testkit.OK(t, json.Unmarshal([]byte(`{"flow": "30m"}`), &kept))
	if want := (provider.Lifetimes{Code: time.Minute, Flow: 30 * time.Minute}); kept != want {
		t.Errorf("%+v, want %+v", kept, want)
	}
	for text, want := range map[string]string{
		`{"flow": "soon"}`: `"soon" is not a duration such as 90s or 12h`,
		`{"flow": "7d"}`:   `"7d" is not a duration such as 90s or 12h`,
		`{"flow": 60}`:     "flow",
		`[]`:               "array",
	} {
		before := kept
		if err := json.Unmarshal([]byte(text), &kept); err == nil || !strings.Contains(err.Error(), want) || kept != before {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestClientInJSON has the members that RFC 7591 and OpenID Connect Registration name.
func TestClientInJSON(t *testing.T) {
	t.Parallel()
	const form = `{"client_id":"shop","client_secret":"f3b1c9d07a5e42868c1fd0e9b7a36254","name":"Shop","dialect":"standard","public":true,` +
		`"token_endpoint_auth_method":"client_secret_post","redirect_uris":["https://shop.test/cb"],"post_logout_redirect_uris":["https://shop.test/"],` +
		`"response_types":["code"],"grant_types":["refresh_token"],"scopes":["military"],"origins":["https://shop.test"],` +
		`"no_query_token":true,"no_jsonp":true,"userinfo_signed_response_alg":"RS256","lean_id_tokens":true,"require_verified":true,"skip_consent":true,"unreviewed":true,"disabled":true,` +
		`"logo":"iVBORw==","button_color":"#654321","policy_uri":"https://shop.test/p","tos_uri":"https://shop.test/t"}`
	var c provider.Client
	testkit.OK(t, json.Unmarshal([]byte(form), &c))
	text := testkit.Must(json.Marshal(c))(t)
	if diff := cmp.Diff(form, string(text)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestAccountInJSON(t *testing.T) {
	t.Parallel()
	want := provider.Account{ID: "u-1", Email: "a@example.com", EmailVerified: true, Password: "quiet-otter"}
	text, err := json.Marshal(want)
	if form := `{"uuid":"u-1","email":"a@example.com","email_verified":true,"password":"quiet-otter"}`; err != nil || string(text) != form {
		t.Errorf("%s, %v; want %s", text, err, form)
	}
}
