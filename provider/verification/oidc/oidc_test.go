package oidc_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"
	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/provider/verification/oidc"
)

const redirectURI = "https://id.example/verification/return/upstream"

// upstream is another Bonafide, which knows who has served.
type upstream struct {
	*providertest.Server
	verifier verification.Verifier
	key      string
	seen     []oidc.Identity
}

func newUpstream(t *testing.T, change ...func(*oidc.Config)) *upstream {
	t.Helper()
	u := &upstream{Server: providertest.New(t, providertest.Config{Client: provider.Client{RedirectURIs: []string{redirectURI}}}), key: "k-1"}
	cfg := oidc.Config{
		Name: "upstream", Title: verification.Text{English: "At the other one"}, Scopes: []string{"military"}, UserInfo: true,
		Issuer: u.Issuer(), ClientID: u.ClientID, ClientSecret: u.ClientSecret, Egress: verification.Egress{AllowPrivate: true},
		Accept: u.accept,
	}
	for _, c := range change {
		c(&cfg)
	}
	u.verifier = oidc.New(cfg)
	if err := u.verifier.Check(); err != nil {
		t.Fatal(err)
	}
	return u
}

// accept is what a host writes.
func (u *upstream) accept(_ context.Context, _ *verification.Case, who oidc.Identity) (verification.Result, error) {
	u.seen = append(u.seen, who)
	var claims struct {
		Status []struct {
			Group     string   `json:"group"`
			Subgroups []string `json:"subgroups"`
			Verified  bool     `json:"verified"`
		} `json:"status"`
	}
	if err := who.Claims(&claims); err != nil {
		return nil, err
	}
	for _, s := range claims.Status {
		if s.Group == "military" && s.Verified {
			return verification.Accept{Source: "The other one", Subgroups: s.Subgroups}, nil
		}
	}
	return verification.Refuse{Reasons: []verification.Reason{verification.ReasonNotInGroup}}, nil
}

func (u *upstream) newCase(id string) *verification.Case {
	return &verification.Case{
		ID: id, Key: u.key, Group: "military", ReturnURL: "https://id.example/verification/return?case=" + id, RedirectURI: redirectURI,
		Digest: func(purpose, value string) [][32]byte {
			return [][32]byte{sha256.Sum256([]byte("secret" + purpose + value + id))}
		},
	}
}

func (u *upstream) next(t *testing.T, c *verification.Case, kind verification.EventKind, query map[string]string) (verification.Result, error) {
	t.Helper()
	return u.verifier.Next(t.Context(), c, verification.Event{Kind: kind, Query: query, At: u.Now()})
}

// begins returns a case and the address to which its person is sent.
func (u *upstream) begins(t *testing.T, id string) (*verification.Case, string) {
	t.Helper()
	c := u.newCase(id)
	result, err := u.next(t, c, verification.Begun, nil)
	to, ok := result.(verification.GoTo)
	if err != nil || !ok {
		t.Fatalf("%+v, %v", result, err)
	}
	return c, to.URL
}

// signsIn returns the parameters with which a persona comes back.
func (u *upstream) signsIn(t *testing.T, address, persona string) map[string]string {
	t.Helper()
	callback := u.SignIn(t, address, persona)
	if got, _, _ := strings.Cut(callback.String(), "?"); got != redirectURI {
		t.Fatalf("sent back to %s", callback)
	}
	query := map[string]string{}
	for name, values := range callback.Query() {
		query[name] = values[0]
	}
	return query
}

func TestVerifier(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	t.Run("AcceptsAMember", func(t *testing.T) {
		c, address := u.begins(t, "c-1")
		result, err := u.next(t, c, verification.Returned, u.signsIn(t, address, "veteran"))
		accepted, ok := result.(verification.Accept)
		if err != nil || !ok || accepted.Source != "The other one" || len(accepted.Subgroups) == 0 {
			t.Fatalf("%+v, %v", result, err)
		}
		if len(accepted.Proved) != 1 || accepted.Proved[0].Kind != "upstream" || accepted.Proved[0].Value == "" {
			t.Errorf("%+v", accepted.Proved)
		}
		// The same identity is the same proof in another case.
		c, address = u.begins(t, "c-2")
		again, err := u.next(t, c, verification.Returned, u.signsIn(t, address, "veteran"))
		if diff := cmp.Diff(result, again); diff != "" || err != nil {
			t.Error(err, diff)
		}
	})
	t.Run("RefusesWhoIsNone", func(t *testing.T) {
		c, address := u.begins(t, "c-3")
		result, err := u.next(t, c, verification.Returned, u.signsIn(t, address, "student"))
		if _, ok := result.(verification.Refuse); err != nil || !ok {
			t.Errorf("%+v, %v", result, err)
		}
	})
	t.Run("AsksForTheSameWhenItIsHandledAgain", func(t *testing.T) {
		_, first := u.begins(t, "c-4")
		_, second := u.begins(t, "c-4")
		if _, other := u.begins(t, "c-5"); first != second || first == other {
			t.Errorf("%s\n%s\n%s", first, second, other)
		}
		asked, _ := url.Parse(first)
		q := asked.Query()
		if q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || q.Get("nonce") == "" || !strings.HasPrefix(q.Get("state"), "c-4.") ||
			q.Get("scope") != "openid military" || q.Get("response_type") != "code" {
			t.Errorf("%s", first)
		}
	})
	t.Run("LetsWhoCancelsTryAgain", func(t *testing.T) {
		c, address := u.begins(t, "c-6")
		asked, _ := url.Parse(address)
		result, err := u.next(t, c, verification.Returned, map[string]string{"error": "access_denied", "state": asked.Query().Get("state"), "iss": u.Issuer()})
		refused, ok := result.(verification.Refuse)
		if err != nil || !ok || !refused.Reasons[0].CanRetry() {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// TestAttackReturn comes back with what another request was answered with.
func TestAttackReturn(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	victim, address := u.begins(t, "victim")
	asked, _ := url.Parse(address)
	state := asked.Query().Get("state")
	_, attacking := u.begins(t, "attacker")
	attackers := u.signsIn(t, attacking, "veteran")
	for name, query := range map[string]map[string]string{
		"Nothing":    {},
		"Approved":   {"approved": "1", "status": "yes"},
		"OtherState": attackers,
		"CutState":   {"code": attackers["code"], "state": state[:len(state)-1]},
		"NoState":    {"code": attackers["code"]},
		"NoIssuer":   {"code": attackers["code"], "state": state}, // of one that names itself
		"OtherIssuer": { // mix-up: an answer of somebody else's provider (RFC 9207)
			"code": attackers["code"], "state": state, "iss": "https://evil.example",
		},
	} {
		result, err := u.next(t, victim, verification.Returned, query)
		if to, ok := result.(verification.GoTo); err != nil || !ok || to.URL != address {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
	// Somebody else's code in one's own request: PKCE does not fit.
	result, err := u.next(t, victim, verification.Returned, map[string]string{"code": attackers["code"], "state": state, "iss": u.Issuer()})
	if _, refused := result.(verification.Refuse); err != nil || !refused {
		t.Errorf("an injected code: %+v, %v", result, err)
	}
	// A code that was redeemed.
	spent := u.signsIn(t, address, "veteran")
	if result, err := u.next(t, victim, verification.Returned, spent); err != nil {
		t.Fatalf("%+v, %v", result, err)
	}
	result, err = u.next(t, victim, verification.Returned, spent)
	if _, refused := result.(verification.Refuse); err != nil || !refused {
		t.Errorf("a code twice: %+v, %v", result, err)
	}
}

// hostile is an OpenID provider that answers a code with any ID token.
type hostile struct {
	*httptest.Server
	signer   jose.Signer
	token    string
	userInfo string
}

func newSigner(t *testing.T) (jose.Signer, jose.JSONWebKey) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return signer, jose.JSONWebKey{Key: key.Public(), KeyID: "k", Algorithm: "RS256", Use: "sig"}
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	h := &hostile{}
	var public jose.JSONWebKey
	h.signer, public = newSigner(t)
	mux := http.NewServeMux()
	answer := func(path string, body func() any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(body())
		})
	}
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	answer("/.well-known/openid-configuration", func() any {
		return map[string]any{
			"issuer": h.URL, "authorization_endpoint": h.URL + "/authorize", "token_endpoint": h.URL + "/token",
			"jwks_uri": h.URL + "/keys", "userinfo_endpoint": h.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256"},
		}
	})
	odd := map[string]string{"kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"} // passed over
	answer("/keys", func() any { return map[string]any{"keys": []any{odd, public}} })
	answer("/token", func() any {
		return map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": h.token}
	})
	answer("/userinfo", func() any { return json.RawMessage(h.userInfo) })
	return h
}

func sign(t *testing.T, signer jose.Signer, claims map[string]any) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestAttackIDToken has a provider answer with what proves nothing here.
func TestAttackIDToken(t *testing.T) {
	t.Parallel()
	stranger, _ := newSigner(t)
	now := time.Now()
	for name, test := range map[string]struct {
		change   func(claims map[string]any)
		token    func(h *hostile, valid string) string
		userInfo string
		accepted bool
	}{
		"Valid":         {accepted: true},
		"OtherAudience": {change: func(c map[string]any) { c["aud"] = "another" }},
		"OtherIssuer":   {change: func(c map[string]any) { c["iss"] = "https://evil.example" }},
		"Expired":       {change: func(c map[string]any) { c["exp"] = now.Add(-time.Hour).Unix() }},
		"OtherNonce":    {change: func(c map[string]any) { c["nonce"] = "another" }},
		"NoNonce":       {change: func(c map[string]any) { delete(c, "nonce") }},
		"None":          {token: func(*hostile, string) string { return "" }},
		"Unsigned": {token: func(_ *hostile, valid string) string {
			return "eyJhbGciOiJub25lIn0." + strings.Split(valid, ".")[1] + "."
		}},
		"OtherKey":          {},
		"UserInfoOfAnother": {userInfo: `{"sub": "bob", "member": true}`},
		"UserInfoOverrides": {userInfo: `{"sub": "alice", "member": false}`, accepted: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHostile(t)
			u := &upstream{key: "k"}
			u.verifier = oidc.New(oidc.Config{
				Name: "upstream", Issuer: h.URL, ClientID: "us", ClientSecret: "s", Egress: verification.Egress{AllowPrivate: true}, UserInfo: true,
				Accept: func(_ context.Context, _ *verification.Case, who oidc.Identity) (verification.Result, error) {
					var claims struct {
						Member bool `json:"member"`
					}
					if err := who.Claims(&claims); err != nil || !claims.Member || who.Subject != "alice" {
						t.Errorf("%+v, %v", claims, err)
					}
					return verification.Accept{}, nil
				},
			})
			c := u.newCase("c-1")
			begun, err := u.verifier.Next(t.Context(), c, verification.Event{Kind: verification.Begun, At: now})
			if err != nil {
				t.Fatal(err)
			}
			asked, _ := url.Parse(begun.(verification.GoTo).URL)
			claims := map[string]any{
				"iss": h.URL, "aud": "us", "sub": "alice", "exp": now.Add(time.Minute).Unix(), "iat": now.Unix(),
				"nonce": asked.Query().Get("nonce"), "member": true,
			}
			if test.change != nil {
				test.change(claims)
			}
			h.token, h.userInfo = sign(t, h.signer, claims), `{"sub": "alice"}`
			if name == "OtherKey" {
				h.token = sign(t, stranger, claims)
			} else if test.token != nil {
				h.token = test.token(h, h.token)
			}
			if test.userInfo != "" {
				h.userInfo = test.userInfo
			}
			query := map[string]string{"code": "code", "state": asked.Query().Get("state")}
			result, err := u.verifier.Next(t.Context(), c, verification.Event{Kind: verification.Returned, Query: query, At: now})
			if _, ok := result.(verification.Accept); ok != test.accepted || (err == nil) != test.accepted {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}

// TestAcceptDecides tests that a host's function cannot begin another step.
func TestAcceptDecides(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]verification.Result{"Ask": verification.Ask{}, "GoTo": verification.GoTo{}, "None": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, func(c *oidc.Config) {
				c.Accept = func(context.Context, *verification.Case, oidc.Identity) (verification.Result, error) {
					return wrong, nil
				}
			})
			c, address := u.begins(t, "c-1")
			if result, err := u.next(t, c, verification.Returned, u.signsIn(t, address, "veteran")); err == nil {
				t.Errorf("%+v", result)
			}
		})
	}
}

// TestEgress tests that discovery does not reach what only this machine can.
func TestEgress(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	v := oidc.New(oidc.Config{Name: "upstream", Issuer: h.URL, ClientID: "us", Accept: (&upstream{}).accept})
	if err := v.Check(); err == nil {
		t.Error("an issuer of plain http is accepted")
	}
	u := &upstream{verifier: v, key: "k"}
	if result, err := v.Next(t.Context(), u.newCase("c"), verification.Event{Kind: verification.Begun}); err == nil {
		t.Errorf("%+v", result)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*oidc.Config){
		"Issuer":              func(c *oidc.Config) { c.Issuer = "https://other.example/?a=b" },
		"ClientID":            func(c *oidc.Config) { c.ClientID = "" },
		"Accept":              func(c *oidc.Config) { c.Accept = nil },
		`Parameters["state"]`: func(c *oidc.Config) { c.Parameters = map[string]string{"state": "mine"} },
	} {
		cfg := oidc.Config{Issuer: "https://other.example", ClientID: "us", Accept: (&upstream{}).accept}
		change(&cfg)
		var wrong *provider.FieldError
		if err := oidc.New(cfg).Check(); !errors.As(err, &wrong) || wrong.Field != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestLinkedByWhoImportsIt tests that package verification does not need what this one needs.
func TestLinkedByWhoImportsIt(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/bonafide-id/bonafide/provider/verification").Output()
	if err != nil {
		t.Fatal("go list: ", err)
	}
	for _, path := range []string{"github.com/coreos/go-oidc", "bonafide/provider/verification/oidc", "bonafide/provider/verification/academic"} {
		if strings.Contains(string(out), path) {
			t.Errorf("%s is linked by everybody", path)
		}
	}
}
