package storage_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
)

// documents are clients as they are stored, in the words of the first version. What is in
// databases is read by these names.
var documents = map[string]struct {
	client storage.Client
	text   string
}{
	"Full": {
		client: storage.Client{
			Name: `Küche <&> "Söhne"`, Dialect: "v3", Public: true,
			Secrets: []storage.ClientSecret{
				{Sealed: []byte("sealed"), CreatedAt: at, ExpiresAt: at.Add(time.Hour)},
				{Sealed: []byte{0, 255}},
			},
			AuthMethod:             "client_secret_basic",
			RedirectURIs:           []string{"https://app.example/callback?a=1&b=2"},
			PostLogoutRedirectURIs: []string{"https://app.example/"}, InitiateLoginURI: "https://app.example/start", RequestURIs: []string{"https://app.example/request"},
			ResponseTypes: []string{"code", "token"},
			GrantTypes:    []string{"authorization_code"},
			Scopes:        []string{"openid"},
			Origins:       []string{"https://app.example"},
			NoQueryToken:  true, NoJSONP: true, UserinfoSigned: true, RequireVerified: true,
			IDTokenAlg: "ES256", UserinfoAlg: "EdDSA", ResponseAlg: "PS256",
			SkipConsent: true, Unreviewed: true, Disabled: true, Deleted: true,
			AuthSigningAlg: "ES256", JWKS: json.RawMessage(`{"keys":[]}`), JWKSURI: "https://app.example/keys",
			RequirePushed: true, RequirePKCE: true, RequireSignedRequest: true, RequestSigningAlg: "PS256", RequireDPoP: true, Profile: "fapi2",
			LeanIDTokens: true, JWTAccessTokens: true, Resources: []string{"https://api.example/"},
			BackchannelLogoutURI: "https://app.example/ended", BackchannelLogoutSession: true,
			OptionalScopes: []string{"student"}, LogoDark: storage.Digest{4}, Wordmark: storage.Digest{5}, WordmarkDark: storage.Digest{6},
			Logo: storage.Digest{1, 2, 3}, ButtonColor: "#aabbcc",
			PolicyURL: "https://app.example/policy", TermsURL: "https://app.example/terms",
			Requires: storage.Requirement{Assurance: storage.TwoFactors, MaxAge: time.Hour, Enrolled: 24 * time.Hour},
			Origin:   storage.OriginDocument, GrantsSince: at.Add(time.Hour), ExpiresAt: at.Add(24 * time.Hour),
			Document: &storage.ClientDocument{
				Name: "App", FetchedAt: at, FreshUntil: at.Add(time.Hour), LookedAt: at.Add(time.Minute), GoneSince: at.Add(time.Minute),
				Digest: storage.Digest{7}, ChangedAt: at, Previous: []byte("{}"), Text: []byte("{}"),
			},
			RegistrationToken: storage.Digest{8},
			CreatedAt:         at, UpdatedAt: at.Add(time.Minute),
		},
		text: `{"name":"Küche \u003c\u0026\u003e \"Söhne\"","dialect":"v3","profile":"fapi2","public":true,` +
			`"secrets":[{"sealed":"c2VhbGVk","created_at":1773500966535897,"expires_at":1773504566535897},{"sealed":"AP8="}],` +
			`"auth_method":"client_secret_basic","redirect_uris":["https://app.example/callback?a=1\u0026b=2"],` +
			`"post_logout_redirect_uris":["https://app.example/"],"initiate_login_uri":"https://app.example/start","request_uris":["https://app.example/request"],"response_types":["code","token"],` +
			`"grant_types":["authorization_code"],"scopes":["openid"],"origins":["https://app.example"],` +
			`"no_query_token":true,"no_jsonp":true,"userinfo_signed":true,"require_verified":true,` +
			`"id_token_alg":"ES256","userinfo_alg":"EdDSA","response_alg":"PS256",` +
			`"auth_signing_alg":"ES256","jwks":{"keys":[]},"jwks_uri":"https://app.example/keys",` +
			`"require_pushed":true,"require_pkce":true,"require_signed_request":true,"request_signing_alg":"PS256","require_dpop":true,` +
			`"lean_id_tokens":true,"jwt_access_tokens":true,"resources":["https://api.example/"],` +
			`"backchannel_logout_uri":"https://app.example/ended","backchannel_logout_session":true,` +
			`"optional_scopes":["student"],"logo_dark":"BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",` +
			`"wordmark":"BQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","wordmark_dark":"BgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",` +
			`"skip_consent":true,"unreviewed":true,"disabled":true,"deleted":true,"logo":"AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",` +
			`"button_color":"#aabbcc","policy_uri":"https://app.example/policy","terms_uri":"https://app.example/terms",` +
			`"requires":{"assurance":"two_factors","max_age":"1h0m0s","enrolled":"24h0m0s"},` +
			`"origin":"document","grants_since":1773504566535897,"expires_at":1773587366535897,` +
			`"document":{"name":"App","previous":"e30=","text":"e30=","fetched_at":1773500966535897,"fresh_until":1773504566535897,` +
			`"looked_at":1773501026535897,"gone_since":1773501026535897,"changed_at":1773500966535897,` +
			`"digest":"BwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},` +
			`"registration_token":"CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",` +
			`"created_at":1773500966535897,"updated_at":1773501026535897}`,
	},
	"Empty": {
		text: `{"name":"","dialect":"","auth_method":"","redirect_uris":null,"post_logout_redirect_uris":null,` +
			`"response_types":null,"grant_types":null,"scopes":null,"origins":null}`,
	},
	"TimesBeyond": {
		client: storage.Client{
			RedirectURIs: []string{},
			CreatedAt:    time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC),
			UpdatedAt:    time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC),
		},
		text: `{"name":"","dialect":"","auth_method":"","redirect_uris":[],"post_logout_redirect_uris":null,` +
			`"response_types":null,"grant_types":null,"scopes":null,"origins":null,` +
			`"created_at":253402300799999999,"updated_at":-315619200000000}`,
	},
}

var at = time.Date(2026, 3, 14, 15, 9, 26, 535897000, time.UTC)

// TestStoredClient tests that this version reads what is stored, and that the one before
// reads what this one stores: while processes are replaced, both run.
func TestStoredClient(t *testing.T) {
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			var read storage.Client
			if err := json.Unmarshal([]byte(document.text), &read); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(document.client, read); diff != "" {
				t.Errorf("the client (-want +got):\n%s", diff)
			}
			text, err := json.Marshal(document.client)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(members(t, document.text), members(t, string(text))); diff != "" {
				t.Errorf("the document (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("HasNoTimeOfItsOwnBeyond", func(t *testing.T) {
		text, err := json.Marshal(storage.Client{CreatedAt: time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if got := members(t, string(text))["created_at"]; string(got) != "253402300799999999" {
			t.Errorf("created_at = %s", got)
		}
	})
	t.Run("HasEveryField", func(t *testing.T) {
		full := members(t, documents["Full"].text)
		for i := range reflect.TypeFor[storage.Client]().NumField() {
			field := reflect.TypeFor[storage.Client]().Field(i)
			if reflect.ValueOf(documents["Full"].client).Field(i).IsZero() && field.Tag.Get("json") != "-" {
				t.Errorf("%s is not in the full document", field.Name)
			}
		}
		if want := reflect.TypeFor[storage.Client]().NumField() - 3; len(full) != want { // ID, Version and Unreadable
			t.Errorf("the full document has %d members, want %d", len(full), want)
		}
	})
}

func members(t *testing.T, text string) map[string]json.RawMessage {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		t.Fatal(err)
	}
	return members
}
