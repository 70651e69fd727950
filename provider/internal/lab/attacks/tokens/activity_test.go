package tokens

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// marker is part of all that must not be told: no activity and no line above debug has it.
const marker = "s3cr3t"

// Verifiers of PKCE, and the challenge of the first.
var (
	otherVerifier = strings.Repeat("w", 43)
)

// withMistakes registers clients that have something to do wrong.
func withMistakes(w *lab.Fixture) *lab.Fixture {
	w.T.Helper()
	for _, c := range []provider.Client{
		{ID: "off", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Disabled: true},
		{ID: "basic", Dialect: provider.V3, Secret: lab.ClientSecret, TokenEndpointAuthMethod: "client_secret_basic", RedirectURIs: []string{lab.CallbackURI}},
		{ID: "narrow", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"military"}},
		{ID: "hybrid", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, ResponseTypes: []string{"code", "id_token"}},
		{ID: "strict", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, RequireVerified: true},
		{ID: "refresher", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, GrantTypes: []string{"refresh_token"}},
		{ID: "many", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{
			"https://rp.test/1", "https://rp.test/2", "https://rp.test/3", "https://rp.test/4", "https://rp.test/callback", "https://rp.test/6"}},
	} {
		w.OK(w.Clients().Save(w.T.Context(), c))
	}
	return w
}

// happening is a request that ends in something, and what is told of it at last. What has
// no ClientID is nobody's: it is in the log only.
type happening struct {
	do   func(w *lab.Fixture, b *lab.Browser)
	want activity.Activity
}

// ofItsRequest is what an activity has of the one request that it tells of.
var ofItsRequest = cmpopts.IgnoreFields(activity.Activity{}, "At", "RequestID", "Flow", "Address")

func failed(client string, event string, code string, what diagnosis.Name, details ...string) activity.Activity {
	a := activity.Activity{ClientID: client, Event: event, Outcome: activity.Failed, Error: code, Diagnosis: what}
	return asking(a, details...)
}

// asking is an activity with details, given as names and values.
func asking(a activity.Activity, details ...string) activity.Activity {
	for i := 0; i+1 < len(details); i += 2 {
		if a.Details == nil {
			a.Details = map[string]string{}
		}
		a.Details[details[i]] = details[i+1]
	}
	return a
}

// about is an activity with a user.
func about(user string, a activity.Activity) activity.Activity {
	a.UserID = user
	return a
}

func denied(client string, what diagnosis.Name) activity.Activity {
	a := about("alice", failed(client, "authorize", "access_denied", what))
	a.Outcome = activity.Denied
	return a
}

func good(client string, event string, user string) activity.Activity {
	return activity.Activity{ClientID: client, Event: event, Outcome: activity.OK, UserID: user}
}

// at is an authorization request that a browser opens.
func at(pairs ...string) func(*lab.Fixture, *lab.Browser) {
	return func(_ *lab.Fixture, b *lab.Browser) { b.Open(lab.AuthorizeURL(append(pairs, "state", marker)...)) }
}

// exchange is a request to the token endpoint.
func exchange(pairs ...string) func(*lab.Fixture, *lab.Browser) {
	return func(_ *lab.Fixture, b *lab.Browser) { b.Token(pairs...) }
}

// redeemed is a token request with a code of the standard client, whose authorization
// request had more parameters.
func redeemed(asked []string, pairs ...string) func(*lab.Fixture, *lab.Browser) {
	return func(_ *lab.Fixture, b *lab.Browser) {
		b.Token(lab.Std(append([]string{"code", b.Allow(lab.Ask(asked...)...).Get("code")}, pairs...)...)...)
	}
}

var happenings = map[string]happening{
	"Authorized": {func(_ *lab.Fixture, b *lab.Browser) { b.Allow() },
		asking(good("v3", "authorize", "alice"), "response_type", "code", "scope", "military", "redirect_uri", lab.CallbackURI)},
	"TokenForACode": {redeemed(nil), good("std", "token", "alice")},
	"Refreshed":     {func(_ *lab.Fixture, b *lab.Browser) { b.Refresh(lab.Member(b.T, b.StandardTokens(), "refresh_token")) }, good("std", "refresh", "alice")},
	"Userinfo": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Bearer(lab.UserinfoPath, lab.Member(b.T, b.StandardTokens(), "access_token"))
	}, good("std", "userinfo", "alice")},
	"Attributes": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Bearer(lab.AttributesPath, lab.Member(b.T, b.V3Tokens(), "access_token"))
	}, good("v3", "attributes", "alice")},
	"Revoked": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Client(lab.RevokePath, "std", "token", lab.Member(b.T, b.StandardTokens(), "access_token"))
	}, good("std", "revoke", "")},
	"Introspected": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Client(lab.IntrospectPath, "std", "token", lab.Member(b.T, b.StandardTokens(), "access_token"))
	}, good("std", "introspect", "alice")},
	"SignedOut": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Open("/signout?" + url.Values{"id_token_hint": {lab.Member(b.T, b.StandardTokens(), "id_token")}, "post_logout_redirect_uri": {"https://rp.test/bye"}}.Encode())
	}, good("std", "sign_out", "alice")},

	"ClientUnknown":        {at("client_id", "nobody"), failed("", "authorize", "invalid_client", "client_unknown")},
	"ClientUnknownAtToken": {exchange("client_id", "nobody", "code", marker), failed("", "token", "invalid_client", "client_unknown")},
	"ApplicationDisabled":  {at("client_id", "off"), failed("off", "authorize", "invalid_client", "application_disabled")},
	"ApplicationDisabledAtToken": {exchange("client_id", "off", "code", marker),
		failed("off", "token", "invalid_client", "application_disabled")},
	"OriginNotRegistered": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Send(http.MethodGet, lab.AttributesPath, "", "Origin", "https://evil.test", "Authorization", "Bearer "+lab.Member(b.T, b.V3Tokens(), "access_token"))
	}, about("alice", failed("v3", "attributes", "", "origin_not_registered", "origin", "https://evil.test", "registered", "https://rp.test"))},
	"OriginNotRegisteredAtToken": {func(_ *lab.Fixture, b *lab.Browser) {
		form := url.Values{"client_id": {"std"}, "client_secret": {lab.ClientSecret}, "redirect_uri": {lab.CallbackURI},
			"grant_type": {"authorization_code"}, "code": {b.Allow(lab.Ask()...).Get("code")}}
		b.Send(http.MethodPost, lab.TokenPath, form.Encode(), "Origin", "https://evil.test", "Content-Type", "application/x-www-form-urlencoded")
	}, about("alice", failed("std", "token", "", "origin_not_registered", "origin", "https://evil.test", "registered", ""))},

	"ParameterRepeated": {func(_ *lab.Fixture, b *lab.Browser) { b.Open(lab.AuthorizeURL() + "&nonce=" + marker + "&nonce=2") },
		about("", failed("v3", "authorize", "invalid_request", "parameter_repeated", "parameter", "nonce"))},
	"ParameterMissing":        {at("response_type", ""), failed("v3", "authorize", "invalid_request", "parameter_missing", "parameter", "response_type")},
	"ParameterMissingAtToken": {exchange("code", ""), failed("v3", "token", "invalid_request", "parameter_missing", "parameter", "code")},
	"GrantTypeMissing":        {exchange("grant_type", ""), failed("v3", "token", "invalid_request", "parameter_missing", "parameter", "grant_type")},
	"ParameterMalformed":      {at("prompt", marker), failed("v3", "authorize", "invalid_request", "parameter_malformed", "parameter", "prompt")},
	"ParameterUnsupported":    {at("registration", marker), failed("v3", "authorize", "registration_not_supported", "parameter_unsupported", "parameter", "registration")},
	"RequestMalformed": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Send(http.MethodPost, lab.TokenPath, `{"code":"`+marker+`"}`, "Content-Type", "text/plain", "Authorization", lab.Basic("v3"))
	}, failed("v3", "token", "invalid_request", "request_malformed")},

	"RedirectURINotRegistered": {at("redirect_uri", "https://user:"+marker+"@rp.test/cb/?code="+marker+"&"+marker+"#"+marker),
		failed("v3", "authorize", "invalid_request", "redirect_uri_not_registered",
			"redirect_uri", "https://…@rp.test/cb/?code=…&…", "registered", lab.CallbackURI,
			"difference", `has "…@rp.test/cb/?code=…" after "https://", where registered has "rp.test/cb"`)},
	"OneSlashTooMany": {at("redirect_uri", lab.CallbackURI+"/"),
		failed("v3", "authorize", "invalid_request", "redirect_uri_not_registered",
			"redirect_uri", lab.CallbackURI+"/", "registered", lab.CallbackURI, "difference", `goes on with "/" after "https://rp.test/cb", where registered ends`)},
	"MostAlikeOfMany": {at("client_id", "many", "redirect_uri", "https://rp.test/callBack"),
		failed("many", "authorize", "invalid_request", "redirect_uri_not_registered", "redirect_uri", "https://rp.test/callBack",
			"registered", "https://rp.test/1 https://rp.test/2 https://rp.test/3 https://rp.test/4 https://rp.test/callback",
			"difference", `has "Back" after "https://rp.test/call", where registered has "back"`)},
	"NoRedirectURI": {at("redirect_uri", ""),
		failed("v3", "authorize", "invalid_request", "redirect_uri_not_registered", "registered", lab.CallbackURI)},
	"AnotherQuery": {at("client_id", "q", "redirect_uri", "https://rp.test/cb?x="+marker),
		failed("q", "authorize", "invalid_request", "redirect_uri_not_registered", "redirect_uri", "https://rp.test/cb?x=…",
			"registered", "https://rp.test/cb?x=…", "difference", "in what the query or the fragment carries")},
	"ResponseTypeUnknown": {at("response_type", "magic"),
		failed("v3", "authorize", "unsupported_response_type", "response_type_unknown", "response_type", "magic")},
	"ResponseTypeNotRegistered": {at(lab.Ask("response_type", "id_token", "nonce", marker)...),
		failed("std", "authorize", "unsupported_response_type", "response_type_not_registered", "response_type", "id_token", "registered", "code")},
	"ResponseModeUnsupported": {at("response_mode", "web_message"),
		failed("v3", "authorize", "unsupported_response_mode", "response_mode_unsupported", "response_mode", "web_message")},
	"ScopeIgnored": {func(_ *lab.Fixture, b *lab.Browser) {
		b.T.Helper()
		b.Allow(lab.Std("scope", "openid military magic")...)
	}, activity.Activity{ClientID: "std", Event: "authorize", Outcome: activity.OK, UserID: "alice", Diagnosis: "scope_ignored", Details: map[string]string{"scope": "magic"}}},
	"ScopeUnknown": {at(lab.Std("scope", "magic")...), failed("std", "authorize", "invalid_scope", "scope_unknown", "scope", "magic")},
	"ScopeNotAllowed": {at("client_id", "narrow", "scope", "military student"),
		failed("narrow", "authorize", "invalid_scope", "scope_not_allowed", "scope", "student", "registered", "military")},
	"ScopeNotPicked": {at("scope", "military student", "prompt", "none"), about("alice", failed("v3", "authorize", "interaction_required", "scope_not_picked"))},
	"ScopeNotRegistered": {func(w *lab.Fixture, b *lab.Browser) {
		w.OK(w.Clients().Save(b.T.Context(), provider.Client{ID: "none", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"openid"}}))
		b.Open(lab.AuthorizeURL("client_id", "none", "scope", "openid"))
	}, failed("none", "authorize", "invalid_scope", "scope_not_registered")},
	"OpenIDMissing": {at("response_type", "id_token"), failed("v3", "authorize", "invalid_scope", "openid_missing")},
	"NonceMissing": {at("client_id", "hybrid", "scope", "openid", "response_type", "id_token"),
		failed("hybrid", "authorize", "invalid_request", "nonce_missing", "response_type", "id_token")},
	"ChallengeMissing": {at("client_id", "pub"), failed("pub", "authorize", "invalid_request", "challenge_missing")},
	"ChallengeMethod": {at("client_id", "pub", "code_challenge", marker, "code_challenge_method", "plain"),
		failed("pub", "authorize", "invalid_request", "challenge_method", "code_challenge_method", "plain")},
	"ChallengeMalformed": {at("client_id", "pub", "code_challenge", marker, "code_challenge_method", "S256"),
		failed("pub", "authorize", "invalid_request", "challenge_malformed")},
	"HintForeign":     {at("id_token_hint", marker), about("alice", failed("v3", "authorize", "invalid_request", "id_token_hint_foreign"))},
	"ClaimsMalformed": {at(lab.Std("scope", "openid", "claims", `{"id_token":"`+marker+`"}`)...), failed("std", "authorize", "invalid_request", "claims_malformed")},
	"AuthenticationUnmet": {at(lab.Std("scope", "openid", "claims", `{"id_token":{"acr":{"essential":true,"value":"`+marker+`"}}}`)...),
		about("alice", failed("std", "authorize", "unmet_authentication_requirements", "authentication_unmet"))},
	"StandardRequestAtV3": {at("scope", "openid profile roles"),
		failed("v3", "authorize", "invalid_scope", "standard_request_at_v3", "scope", "openid profile roles")},
	"StandardRequestAtV3ForSeveralScopes": {at("scope", "openid profile email"),
		activity.Activity{ClientID: "v3", Event: "authorize", Outcome: activity.OK, Diagnosis: "standard_request_at_v3"}},
	"StandardRequestAtV3ThatWorks": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Allow("scope", "openid military", "nonce", marker, "code_challenge", lab.S256, "code_challenge_method", "S256")
	}, activity.Activity{ClientID: "v3", Event: "authorize", Outcome: activity.OK, UserID: "alice", Diagnosis: "standard_request_at_v3"}},
	"StandardRequestAtV3ToPickFrom": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Open(lab.AuthorizeURL("scope", "openid military student", "nonce", marker, "code_challenge", lab.S256, "code_challenge_method", "S256"))
	}, activity.Activity{ClientID: "v3", Event: "authorize", Outcome: activity.OK, Diagnosis: "standard_request_at_v3"}},
	"StandardRequestAtV3AtToken": {func(_ *lab.Fixture, b *lab.Browser) { standardTokensAtV3(b) },
		activity.Activity{ClientID: "v3", Event: "token", Outcome: activity.OK, UserID: "alice", Diagnosis: "standard_request_at_v3"}},
	"StandardRequestAtV3AtUserinfo": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Bearer(lab.UserinfoPath, lab.Member(b.T, standardTokensAtV3(b), "access_token"))
	}, activity.Activity{ClientID: "v3", Event: "userinfo", Outcome: activity.OK, UserID: "alice", Diagnosis: "standard_request_at_v3"}},
	"V3RequestAtV3AtUserinfo": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Get(lab.UserinfoPath + "?access_token=" + lab.Member(b.T, standardTokensAtV3(b), "access_token"))
	}, good("v3", "userinfo", "alice")},
	"V3RequestAtStandard": {at(lab.Std("response_type", "token")...),
		failed("std", "authorize", "unsupported_response_type", "v3_request_at_standard", "response_type", "token")},
	"LoginRequired": {func(w *lab.Fixture, _ *lab.Browser) {
		w.NewBrowser().Open(lab.AuthorizeURL("prompt", "none", "state", marker))
	},
		failed("v3", "authorize", "login_required", "login_required")},
	"ConsentRequired": {at("prompt", "none"), about("alice", failed("v3", "authorize", "consent_required", "consent_required"))},
	"ConsentNeverRemembered": {func(_ *lab.Fixture, b *lab.Browser) {
		native := []string{"client_id", "pub", "redirect_uri", "http://127.0.0.1:5000/cb", "state", marker, "code_challenge", lab.S256, "code_challenge_method", "S256"}
		b.SubmitOnce(b.Open(lab.AuthorizeURL(native...)), "action", "allow")
		b.Get(lab.AuthorizeURL(append(native, "prompt", "none")...))
	}, about("alice", failed("pub", "authorize", "consent_required", "consent_never_remembered"))},
	"UserDenied": {func(_ *lab.Fixture, b *lab.Browser) {
		b.SubmitOnce(b.Open(lab.AuthorizeURL("state", marker)), "action", "deny")
	}, denied("v3", "user_denied")},
	"UserNotVerified": {func(w *lab.Fixture, b *lab.Browser) {
		w.OK(w.People().SetStatus(b.T.Context(), "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran"}}))
		b.Submit(b.Open(lab.AuthorizeURL("client_id", "strict")), "action", "deny")
	}, denied("strict", "user_not_verified")},
	"UserNotVerifiedSilently": {func(w *lab.Fixture, b *lab.Browser) {
		b.Allow("client_id", "strict")
		w.OK(w.People().SetStatus(b.T.Context(), "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran"}}))
		b.Open(lab.AuthorizeURL("client_id", "strict", "prompt", "none"))
	}, denied("strict", "user_not_verified")},
	"RequestExpired": {func(w *lab.Fixture, b *lab.Browser) {
		p := b.Open(lab.AuthorizeURL())
		w.Advance(2 * time.Hour)
		b.SubmitOnce(p, "action", "allow")
	}, failed("v3", "authorize", "invalid_request", "request_expired")},

	"SecretMissing": {exchange(lab.Std("client_secret", "", "code", marker)...), failed("std", "token", "invalid_client", "client_secret_missing")},
	"SecretWrong":   {exchange(lab.Std("client_secret", marker, "code", marker)...), failed("std", "token", "invalid_client", "client_secret_wrong")},
	"SecretWrongInTheHeader": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Send(http.MethodPost, lab.TokenPath, "grant_type=refresh_token&refresh_token="+marker, "Content-Type", "application/x-www-form-urlencoded",
			"Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("std:"+marker)))
	}, failed("std", "refresh", "invalid_client", "client_secret_wrong")},
	"AuthMethodWrong": {exchange("client_id", "basic", "code", marker),
		failed("basic", "token", "invalid_client", "auth_method_wrong", "method", "client_secret_post", "registered", "client_secret_basic")},
	"PublicWithSecret": {exchange("client_id", "pub", "client_secret", marker, "code", marker),
		failed("pub", "token", "invalid_client", "public_client_with_secret")},
	"CredentialsMalformed": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Send(http.MethodPost, lab.TokenPath, "client_id=std&grant_type=authorization_code", "Content-Type", "application/x-www-form-urlencoded",
			"Authorization", "Bearer "+marker)
	}, failed("std", "token", "invalid_client", "credentials_malformed")},
	"CredentialsRepeated": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Send(http.MethodPost, lab.TokenPath, "client_id=std&client_secret="+marker+"&grant_type=authorization_code",
			"Content-Type", "application/x-www-form-urlencoded", "Authorization", lab.Basic("std"))
	}, failed("std", "token", "invalid_request", "credentials_repeated")},
	"AssertionMissing": {func(w *lab.Fixture, b *lab.Browser) {
		w.WithSigners()
		b.Token("client_id", "key", "client_secret", "", "code", marker)
	}, failed("key", "token", "invalid_client", "client_assertion_missing")},
	"ClientThrottled": {func(_ *lab.Fixture, b *lab.Browser) {
		for range 200 {
			if p, _ := b.Token(lab.Std("client_secret", marker, "code", marker)...); p.StatusCode == http.StatusTooManyRequests {
				return
			}
		}
		b.T.Fatal("never throttled")
	}, failed("std", "token", "invalid_client", "client_throttled")},

	"ParametersInQuery": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Send(http.MethodPost, lab.TokenPath+"?code="+marker, "grant_type=authorization_code", "Content-Type", "application/x-www-form-urlencoded",
			"Authorization", lab.Basic("std"))
	}, failed("std", "token", "invalid_request", "parameters_in_query")},
	"GrantTypeUnsupported": {exchange(lab.Std("grant_type", "password", "password", marker)...),
		failed("std", "token", "unsupported_grant_type", "grant_type_unsupported", "grant_type", "password")},
	"GrantNotRegistered": {exchange("client_id", "refresher", "code", marker), failed("refresher", "token", "unauthorized_client", "grant_not_registered")},
	"RefreshNotRegistered": {exchange("grant_type", "refresh_token", "refresh_token", marker),
		failed("v3", "refresh", "unsupported_grant_type", "refresh_not_registered")},
	"RefreshNotRegisteredAtStandard": {exchange("client_id", "narrow", "grant_type", "refresh_token", "refresh_token", marker),
		failed("narrow", "refresh", "unauthorized_client", "refresh_not_registered")},
	"CodeUnknown": {exchange(lab.Std("code", marker)...), failed("std", "token", "invalid_grant", "code_unknown")},
	"CodeUsed": {func(_ *lab.Fixture, b *lab.Browser) {
		code := b.Allow(lab.Ask()...).Get("code")
		b.Token(lab.Std("code", code)...)
		b.Token(lab.Std("code", code)...)
	}, failed("std", "token", "invalid_grant", "code_used")},
	"CodeUsedThrice": {func(_ *lab.Fixture, b *lab.Browser) {
		code := b.Allow(lab.Ask()...).Get("code")
		for range 3 {
			b.Token(lab.Std("code", code)...)
		}
	}, failed("std", "token", "invalid_grant", "code_used")},
	"CodeExpired": {func(w *lab.Fixture, b *lab.Browser) {
		code := b.Allow(lab.Ask()...).Get("code")
		w.Advance(2 * time.Minute)
		b.Token(lab.Std("code", code)...)
	}, failed("std", "token", "invalid_grant", "code_expired")},
	"CodeRevoked": {func(w *lab.Fixture, b *lab.Browser) {
		code := b.Allow(lab.Ask()...).Get("code")
		w.RevokeAll()
		b.Token(lab.Std("code", code)...)
	}, failed("std", "token", "invalid_grant", "code_revoked")},
	"CodeOfAnother": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Token("client_id", "std2", "client_secret", lab.ClientSecret+"2", "code", b.Allow(lab.Ask()...).Get("code"))
	}, failed("std2", "token", "invalid_grant", "code_of_another_client")},
	"JSONMalformed": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Send(http.MethodPost, lab.TokenPath, `{"client_id":"v3","code":["`+marker+`"]}`, "Content-Type", "application/json", "Authorization", lab.Basic("v3"))
	}, failed("v3", "token", "invalid_request", "json_malformed")},
	"JSONUnavailable": {func(_ *lab.Fixture, b *lab.Browser) {
		b.TokenJSON(lab.ExchangeJSON(b.T, marker, map[string]any{"client_id": "std"}))
	}, failed("std", "token", "invalid_request", "json_unavailable")},
	"RedirectURIDiffers": {redeemed(nil, "redirect_uri", lab.CallbackURI+"2?code="+marker),
		failed("std", "token", "invalid_grant", "redirect_uri_differs", "redirect_uri", lab.CallbackURI+"2?code=…", "registered", lab.CallbackURI,
			"difference", `goes on with "2?code=…" after "https://rp.test/cb", where registered ends`)},
	"VerifierMissing":    {redeemed(pkce()), failed("std", "token", "invalid_grant", "verifier_missing")},
	"VerifierMalformed":  {redeemed(pkce(), "code_verifier", marker), failed("std", "token", "invalid_grant", "verifier_malformed")},
	"VerifierWrong":      {redeemed(pkce(), "code_verifier", otherVerifier), failed("std", "token", "invalid_grant", "verifier_wrong")},
	"VerifierUnexpected": {redeemed(nil, "code_verifier", lab.Verifier), failed("std", "token", "invalid_grant", "verifier_unexpected")},
	"ScopeWithdrawn": {func(w *lab.Fixture, b *lab.Browser) {
		code := b.Allow(lab.Ask()...).Get("code")
		w.OK(w.Clients().Save(b.T.Context(), provider.Client{ID: "std", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"student"}}))
		b.Token(lab.Std("code", code)...)
	}, failed("std", "token", "invalid_grant", "scope_withdrawn", "scope", "openid military")},
	"AuthenticationWeak": {func(w *lab.Fixture, b *lab.Browser) {
		refresh := lab.Member(b.T, b.StandardTokens(), "refresh_token")
		w.OK(w.Clients().Save(b.T.Context(), provider.Client{ID: "std", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
			GrantTypes: []string{"authorization_code", "refresh_token"}, Requires: provider.Requirement{Assurance: provider.TwoFactors}}))
		b.Refresh(refresh)
	}, failed("std", "refresh", "invalid_grant", "authentication_insufficient", "acr", "https://refeds.org/profile/sfa", "required", "https://refeds.org/profile/mfa")},
	"RefreshUnknown": {func(_ *lab.Fixture, b *lab.Browser) { b.Refresh(marker) }, failed("std", "refresh", "invalid_grant", "refresh_token_unknown")},
	"RefreshUsed": {func(w *lab.Fixture, b *lab.Browser) {
		first := lab.Member(b.T, b.StandardTokens(), "refresh_token")
		b.Refresh(first)
		w.Advance(5 * time.Minute)
		b.Refresh(first)
	}, failed("std", "refresh", "invalid_grant", "refresh_token_used")},
	"RefreshExpired": {func(w *lab.Fixture, b *lab.Browser) {
		first := lab.Member(b.T, b.StandardTokens(), "refresh_token")
		w.Advance(8 * 24 * time.Hour)
		b.Refresh(first)
	}, failed("std", "refresh", "invalid_grant", "refresh_token_expired")},
	"RefreshRevoked": {func(w *lab.Fixture, b *lab.Browser) {
		first := lab.Member(b.T, b.StandardTokens(), "refresh_token")
		w.RevokeAll()
		b.Refresh(first)
	}, failed("std", "refresh", "invalid_grant", "refresh_token_revoked")},
	"RefreshOfAnother": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Refresh(lab.Member(b.T, b.StandardTokens(), "refresh_token"), "client_id", "std2", "client_secret", lab.ClientSecret+"2")
	}, failed("std2", "refresh", "invalid_grant", "refresh_token_of_another_client")},
	"ScopeWider": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Refresh(lab.Member(b.T, b.StandardTokens(), "refresh_token"), "scope", "openid student")
	}, failed("std", "refresh", "invalid_scope", "scope_wider", "scope", "openid student", "allowed", "openid military")},
	"ResourceUnknown": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Get(lab.AuthorizeURL("resource", "https://api.test/x?x="+marker))
	}, failed("v3", "authorize", "invalid_target", "resource_unknown", "resource", "https://api.test/x?x=…")},
	"ResourceNotAllowed": {func(w *lab.Fixture, b *lab.Browser) {
		w.OK(w.Clients().Save(b.T.Context(), provider.Client{ID: "v3", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}, Resources: []string{lab.ToolsURI}}))
		b.Get(lab.AuthorizeURL("resource", lab.FilesURI))
	}, failed("v3", "authorize", "invalid_target", "resource_not_allowed", "resource", lab.FilesURI, "registered", lab.ToolsURI)},
	"ResourceWider": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Refresh(lab.Member(b.T, b.StandardTokens(), "refresh_token"), "resource", lab.ToolsURI)
	}, failed("std", "refresh", "invalid_target", "resource_wider", "resource", lab.ToolsURI, "allowed", "")},
	"ResourceAlgorithms": {func(w *lab.Fixture, b *lab.Browser) {
		w.OK(w.Clients().Save(b.T.Context(), provider.Client{ID: "jwt", Secret: lab.ClientSecret, Dialect: provider.Standard, AccessTokenFormat: "jwt",
			RedirectURIs: []string{lab.CallbackURI}, GrantTypes: []string{"client_credentials"}}))
		b.Redeem("jwt", "client_credentials", []string{lab.ToolsURI, lab.FilesURI})
	}, failed("jwt", "token", "invalid_target", "resource_algorithms", "resource", lab.FilesURI)},
	"ResourceWithdrawn": {func(w *lab.Fixture, b *lab.Browser) {
		token := lab.Member(b.T, resourceTokens(b), "access_token")
		w.OK(w.Clients().Save(b.T.Context(), provider.Client{ID: "std", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, Resources: []string{lab.FilesURI}}))
		b.Bearer(lab.UserinfoPath, token)
	}, about("alice", failed("std", "userinfo", "invalid_token", "resource_withdrawn", "resource", lab.ToolsURI))},
	"TokenForResource": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Bearer(lab.UserinfoPath, lab.Member(b.T, resourceTokens(b), "access_token"))
	},
		about("alice", failed("std", "userinfo", "invalid_token", "access_token_for_resource"))},
	"TokenOfAnother": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Client(lab.RevokePath, "std", "token", lab.Member(b.T, b.V3Tokens(), "access_token"))
	}, failed("std", "revoke", "unauthorized_client", "token_of_another_client")},
	"IntrospectionPublic": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Post(lab.IntrospectPath, url.Values{"client_id": {"pub"}, "token": {marker}})
	}, failed("pub", "introspect", "invalid_client", "introspection_by_public_client")},

	"TokenMissing": {func(_ *lab.Fixture, b *lab.Browser) { b.Get(lab.UserinfoPath) }, failed("", "userinfo", "", "access_token_missing")},
	"TokenUnknown": {func(_ *lab.Fixture, b *lab.Browser) { b.Bearer(lab.UserinfoPath, marker) }, failed("", "userinfo", "invalid_token", "access_token_unknown")},
	"TokenExpired": {func(w *lab.Fixture, b *lab.Browser) {
		access := lab.Member(b.T, b.StandardTokens(), "access_token")
		w.Advance(10 * time.Minute)
		b.Bearer(lab.UserinfoPath, access)
	}, about("alice", failed("std", "userinfo", "invalid_token", "access_token_expired"))},
	"TokenRevoked": {func(w *lab.Fixture, b *lab.Browser) {
		access := lab.Member(b.T, b.StandardTokens(), "access_token")
		w.RevokeAll()
		b.Bearer(lab.AttributesPath, access)
	}, about("alice", failed("std", "attributes", "invalid_token", "access_token_revoked"))},
	"TokenInQuery": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Get(lab.UserinfoPath + "?access_token=" + lab.Member(b.T, b.StandardTokens(), "access_token"))
	},
		about("alice", failed("std", "userinfo", "invalid_request", "access_token_in_query"))},
	"HeaderMalformed": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Send(http.MethodGet, lab.UserinfoPath, "", "Authorization", "Bearer two "+marker)
	},
		failed("", "userinfo", "invalid_request", "authorization_header_malformed")},
	"CallbackUnavailable": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Bearer(lab.UserinfoPath+"?callback=show", lab.Member(b.T, b.StandardTokens(), "access_token"))
	}, about("alice", failed("std", "userinfo", "invalid_request", "callback_unavailable"))},
	"CallbackMalformed": {func(_ *lab.Fixture, b *lab.Browser) { b.Get(lab.UserinfoPath + "?callback=" + marker + "()") },
		failed("", "userinfo", "invalid_request", "callback_malformed")},
	"ScopeInsufficient": {func(_ *lab.Fixture, b *lab.Browser) {
		_, tokens := b.Token(lab.Std("code", b.Allow(lab.Ask("scope", "military")...).Get("code"))...)
		b.Bearer(lab.UserinfoPath, lab.Member(b.T, tokens, "access_token"))
	},
		about("alice", failed("std", "userinfo", "insufficient_scope", "scope_insufficient", "scope", "military"))},
	"TokenWithoutUser": {func(w *lab.Fixture, b *lab.Browser) {
		w.Machine("robot")
		b.Bearer(lab.UserinfoPath, w.MachineToken("robot").AccessToken)
	}, failed("robot", "userinfo", "insufficient_scope", "access_token_without_user")},
	"SignOutNotRegistered": {func(_ *lab.Fixture, b *lab.Browser) {
		b.Open("/signout?client_id=std&state=" + marker + "&post_logout_redirect_uri=https://rp.test/goodbye?x=" + marker)
	}, failed("std", "sign_out", "invalid_request", "post_logout_redirect_uri_not_registered",
		"post_logout_redirect_uri", "https://rp.test/goodbye?x=…", "registered", "https://rp.test/bye",
		"difference", `has "goodbye?x=…" after "https://rp.test/", where registered has "bye"`)},
}

// pkce are the parameters of an authorization request with a challenge.
// standardTokensAtV3 are what an OpenID Connect library gets at the older client.
func standardTokensAtV3(b *lab.Browser) map[string]any {
	b.T.Helper()
	code := b.Allow("scope", "openid military", "nonce", marker, "code_challenge", lab.S256, "code_challenge_method", "S256").Get("code")
	_, tokens := b.Token("code", code, "code_verifier", lab.Verifier)
	return tokens
}

func pkce() []string { return []string{"code_challenge", lab.S256, "code_challenge_method", "S256"} }

// resourceTokens signs alice in at the standard client, for an access token for an API.
func resourceTokens(b *lab.Browser) map[string]any {
	b.T.Helper()
	_, tokens := b.Token(lab.Std("code", b.Allow(lab.Ask("resource", lab.ToolsURI)...).Get("code"), "resource", lab.ToolsURI)...)
	return tokens
}

func TestActivity(t *testing.T) {
	t.Parallel()
	for name, h := range happenings {
		t.Run(name, func(t *testing.T) {
			w := withMistakes(lab.New(t, func(c *provider.Config) {
				c.Resources = []provider.Resource{{URI: lab.ToolsURI}, {URI: lab.FilesURI, SigningAlgorithm: "ES256"}}
				c.Algorithms = []string{"RS256", "ES256"}
			}).WithClients().WithUsers())
			b := w.Alice()
			seen := w.WatchActivity()
			h.do(w, b)
			told := seen.All()
			if told := fmt.Sprint(told); strings.Contains(told, marker) || strings.Contains(told, lab.ClientSecret) {
				t.Errorf("a secret is told: %s", told)
			}
			warned := w.Lines(0, "application made a mistake")
			if strings.Contains(fmt.Sprint(warned), marker) {
				t.Errorf("a secret is logged: %s", warned)
			}
			if h.want.Diagnosis != "" && h.want.Outcome != activity.OK {
				mistake := slices.ContainsFunc(warned, func(line string) bool {
					return strings.Contains(line, "diagnosis="+string(h.want.Diagnosis)) && strings.Contains(line, "remedy=")
				})
				if mistake != h.want.Diagnosis.IsMistake() {
					t.Errorf("logged: %v", warned)
				}
			}
			if h.want.ClientID == "" {
				return
			}
			if len(told) == 0 {
				t.Fatal("nothing is told")
			}
			last := told[len(told)-1]
			if last.RequestID == "" || last.Address != "127.0.0.0/24" || last.At.IsZero() {
				t.Errorf("activity without its request: %+v", last)
			}
			if diff := cmp.Diff(h.want, last, ofItsRequest); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryDiagnosisHasItsTextAndItsTest(t *testing.T) {
	t.Parallel()
	tested := map[diagnosis.Name]bool{
		// Of our own doing, or of the host's: see the tests below.
		"provider_unavailable": true, "provider_failed": true, "user_refused": true, "user_gone": true, "sign_in_unstable": true,
		// Of no request: see TestBackchannelLogout.
		"backchannel_logout_not_delivered": true, "backchannel_logout_given_up": true,
		"backchannel_logout_rejected": true, "backchannel_logout_address_forbidden": true,
	}
	for _, h := range happenings {
		tested[h.want.Diagnosis] = true
	}
	for _, attack := range attackedAssertions {
		tested[attack.diagnosis] = true
	}
	for _, attack := range attackedObjects {
		tested[attack.diagnosis] = true
	}
	for _, d := range []diagnosis.Name{ // in the tests of pushed requests, request objects and keys
		"pushed_request_required", "request_uri_unknown", "request_uri_refused", "request_object_required", "jwt_used", "client_keys_missing", "client_keys_refused", "client_keys_unreachable", "consent_missing", "signing_algorithm_off",
		// Of token exchange: see package exchange beside this one.
		"subject_token_of_another_api", "resource_not_exchanged", "scope_not_exchanged", "subject_token_exchanged_twice",
	} {
		tested[d] = true
	}
	for _, d := range diagnosesOfProofs {
		tested[d] = true
	}
	for _, d := range diagnosis.Names() {
		if !tested[d] {
			t.Errorf("no test of %s", d)
		}
		for _, text := range []string{d.Cause(), d.Remedy()} {
			if text == "" || !strings.HasSuffix(text, ".") {
				t.Errorf("%s says %q", d, text)
			}
		}
	}
}

func TestActivityOfUsersOfTheHost(t *testing.T) {
	t.Parallel()
	d, w := lab.NewDirectory(t)
	b := w.NewBrowser()
	refresh := lab.Member(t, b.StandardTokens(), "refresh_token")
	access := lab.Member(t, b.StandardTokens(), "access_token")
	for name, c := range map[string]struct {
		err  error
		do   func()
		want activity.Activity
	}{
		"RefusedAtThePage":   {provider.ErrNoUser, func() { b.Open(lab.AuthorizeURL(lab.Ask()...)) }, about("carol", denied("std", "user_refused"))},
		"RefusedWithoutPage": {provider.ErrNoUser, func() { b.Open(lab.AuthorizeURL(lab.Ask("prompt", "none")...)) }, about("carol", denied("std", "user_refused"))},
		"GoneAtRefresh":      {provider.ErrNoUser, func() { b.Refresh(refresh) }, failed("std", "refresh", "invalid_grant", "user_gone")},
		"GoneAtData":         {provider.ErrNoUser, func() { b.Bearer(lab.UserinfoPath, access) }, about("carol", failed("std", "userinfo", "invalid_token", "user_gone"))},
		"HostFails": {errors.New("ldap is down"), func() { b.Bearer(lab.UserinfoPath, access) },
			about("carol", failed("std", "userinfo", "temporarily_unavailable", "provider_unavailable"))},
		"HostFailsAtThePage": {errors.New("ldap is down"), func() { b.Open(lab.AuthorizeURL(lab.Ask()...)) },
			about("carol", failed("std", "authorize", "temporarily_unavailable", "provider_unavailable"))},
	} {
		t.Run(name, func(t *testing.T) {
			d.Set(func() { d.Err = c.err })
			defer d.Set(func() { d.Err = nil })
			seen := w.WatchActivity()
			c.do()
			told := seen.All()
			if len(told) != 1 {
				t.Fatalf("told %+v", told)
			}
			if diff := cmp.Diff(c.want, told[0], ofItsRequest); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestActivityOfASignInPageThatKeepsNoSession(t *testing.T) {
	t.Parallel()
	var signedIn provider.SignedIn
	w := lab.NewHosted(t, func() provider.SignedIn { return signedIn })
	seen := w.WatchActivity()
	lab.Journey(t, w.NewBrowser(), lab.AuthorizeURL(lab.Ask()...), &signedIn, func(before provider.SignedIn, _ url.Values) provider.SignedIn { return before })
	want := []activity.Activity{failed("std", "authorize", "login_required", "sign_in_unstable")}
	if diff := cmp.Diff(want, seen.All(), ofItsRequest); diff != "" {
		t.Error(diff)
	}
}

func TestActivityTellsOfConsentOnceAndOfPagesOfUsersNothing(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	seen := w.WatchActivity()
	w.Guess("alice@example.com", 2)
	b := w.Alice()
	b.Open("/account")
	b.Get("/nowhere")
	b.Allow()
	b.Allow() // remembered
	answered := asking(good("v3", "authorize", "alice"), "response_type", "code", "scope", "military", "redirect_uri", lab.CallbackURI)
	want := []activity.Activity{asking(good("v3", "consent", "alice"), "scope", "military"), answered, answered}
	if diff := cmp.Diff(want, seen.All(), ofItsRequest); diff != "" {
		t.Error(diff)
	}
}

func TestAMistakeIsLoggedOnceAMinuteForEachApplication(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	b := w.NewBrowser()
	logged := func() int { return len(w.Lines(0, "application made a mistake")) }
	for range 3 {
		b.Token("code", marker)
	}
	if logged() != 1 {
		t.Errorf("%d lines for one mistake", logged())
	}
	b.Token(lab.Std("code", marker)...)
	b.Token("code", "")
	if logged() != 3 {
		t.Errorf("%d lines for three mistakes", logged())
	}
	w.Advance(time.Minute)
	b.Token("code", marker)
	if logged() != 4 {
		t.Errorf("%d lines after a minute", logged())
	}
}

func TestMarkupAndLineBreaksOfStrangersAreTextInActivities(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	seen := w.WatchActivity()
	w.NewBrowser().Open(lab.AuthorizeURL("redirect_uri", "https://rp.test/\n\u202elevel=ERROR <script>"+strings.Repeat("ä", 1000)))
	told := seen.All()
	if len(told) != 1 {
		t.Fatalf("told %+v", told)
	}
	for name, value := range told[0].Details {
		if len(value) > 410 || strings.ContainsAny(value, "\n\u202e") || !utf8.ValidString(value) {
			t.Errorf("%s is %q", name, value)
		}
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	t.Run("APanicHarmsNobody", func(t *testing.T) {
		w := lab.New(t).WithClients()
		stop := w.Rooms().Events.WatchActivity(func(activity.Activity) { panic("watcher") })
		seen := w.WatchActivity()
		b := w.NewBrowser()
		b.Token("code", marker)
		b.Token("code", marker)
		stop()
		if told := seen.All(); len(told) != 2 {
			t.Errorf("the other watcher is told %v", told)
		}
		if len(w.Lines(0, "activity watcher failed or did not return")) != 1 {
			t.Error("it is not logged once")
		}
	})

	t.Run("OneThatEndsItsGoroutineHarmsNobody", func(t *testing.T) {
		w := lab.New(t).WithClients()
		stop := w.Rooms().Events.WatchActivity(func(activity.Activity) { runtime.Goexit() })
		b := w.NewBrowser()
		b.Token("code", marker)
		p, _ := b.Token("code", marker)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		stop()
	})

	t.Run("OneThatHangsHoldsNoAnswerUpAndMissesSome", func(t *testing.T) {
		w := lab.New(t).WithClients()
		release := make(chan struct{})
		w.Rooms().Events.WatchActivity(func(activity.Activity) { <-release })
		defer close(release)
		b := w.NewBrowser()
		for range 1100 {
			p, _ := b.Token("code", marker)
			lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		}
		if len(w.Lines(0, "activity watcher is too slow")) != 1 {
			t.Error("it is not logged once that it misses some")
		}
	})

	t.Run("AfterStopNothingIsTold", func(t *testing.T) {
		w := lab.New(t).WithClients()
		seen := w.WatchActivity()
		seen.Stop()
		w.NewBrowser().Token("code", marker)
		if told := seen.All(); len(told) != 0 {
			t.Errorf("told %v", told)
		}
	})

	t.Run("CloseTellsWhatHasHappened", func(t *testing.T) {
		w := lab.New(t).WithClients()
		seen := w.WatchActivity()
		w.NewBrowser().Token("code", marker)
		w.OK(w.Close())
		seen.Mu.Lock()
		n := len(seen.Told)
		seen.Mu.Unlock()
		if n != 1 {
			t.Errorf("told %d", n)
		}
		seen.Stop()
		w.Rooms().Events.WatchActivity(func(activity.Activity) { t.Error("told after Close") })()
	})
}
