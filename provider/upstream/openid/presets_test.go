package openid_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/provider/internal/lab/upstreams"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/openid"
)

type m = map[string]any

func newGoogle(t *testing.T, domains ...string) *attempt {
	t.Helper()
	a := newAttempt(t)
	a.connector = openid.NewGoogle(a.up.Issuer(), openid.GoogleOptions{ClientID: a.up.ClientID, Secret: a.up.Secret, Domains: domains})
	return a
}

func TestGoogle(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		claims        m
		domains       []string
		refused       bool
		authoritative bool
	}{
		"OwnMailbox":            {claims: m{"email": "ada@gmail.com", "email_verified": true}, authoritative: true},
		"Workspace":             {claims: m{"email": "ada@corp.example", "email_verified": true, "hd": "corp.example"}, authoritative: true},
		"WorkspaceInCapitals":   {claims: m{"email": "ada@Corp.example", "email_verified": true, "hd": "corp.Example"}, authoritative: true},
		"AddressOfAnother":      {claims: m{"email": "ada@corp.example", "email_verified": true}},
		"DomainOfAnother":       {claims: m{"email": "ada@corp.example", "email_verified": true, "hd": "evil.example"}},
		"SubdomainOfAnother":    {claims: m{"email": "ada@corp.example", "email_verified": true, "hd": "sub.corp.example"}},
		"Unverified":            {claims: m{"email": "ada@gmail.com", "email_verified": false}},
		"NoDomain":              {claims: m{"email_verified": true, "hd": ""}},
		"OfTheDomain":           {claims: m{"email": "ada@corp.example", "email_verified": true, "hd": "corp.example"}, domains: []string{"Corp.example", "b.example"}, authoritative: true},
		"PersonalAccount":       {claims: m{"email": "ada@gmail.com", "email_verified": true}, domains: []string{"corp.example"}, refused: true},
		"OfAnotherDomain":       {claims: m{"email": "ada@corp.example", "email_verified": true, "hd": "evil.example"}, domains: []string{"corp.example"}, refused: true},
		"AddressWithoutItsOwn":  {claims: m{"email": "ada@corp.example", "email_verified": true}, domains: []string{"corp.example"}, refused: true},
		"DomainOfAnotherType":   {claims: m{"email": "ada@corp.example", "email_verified": true, "hd": []string{"corp.example"}}, domains: []string{"corp.example"}, refused: true},
		"DomainByAnotherLetter": {claims: m{"email": "ada@corp.example", "email_verified": true, "HD": "corp.example"}, domains: []string{"corp.example"}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newGoogle(t, test.domains...)
			a.up.Be(upstreams.Person{Subject: "1", Claims: test.claims})
			who, err := a.finish(t)
			if (err != nil) != test.refused || who.Authoritative != test.authoritative || test.refused && who.Subject != "" {
				t.Errorf("%+v, %v", who, err)
			}
		})
	}
	t.Run("AsksForAnAccountOfTheDomain", func(t *testing.T) {
		t.Parallel()
		for _, test := range []struct {
			domains    []string
			hint, want string
		}{
			{nil, "", ""}, {nil, "corp.example", "corp.example"}, {[]string{"a.example"}, "b.example", "a.example"},
			{[]string{"a.example", "b.example"}, "b.example", "b.example"}, {[]string{"a.example", "b.example"}, "evil.example", "*"},
		} {
			a := newGoogle(t, test.domains...)
			if got := a.asked(t, upstream.Request{DomainHint: test.hint}).Get("hd"); got != test.want {
				t.Errorf("%v, %q: hd is %q, want %q", test.domains, test.hint, got, test.want)
			}
		}
	})
	t.Run("KnowsNoPromptOfLogin", func(t *testing.T) {
		t.Parallel()
		if got := newGoogle(t).asked(t, upstream.Request{Afresh: true}); got.Get("prompt") != "select_account" || got.Has("max_age") {
			t.Errorf("%v", got)
		}
	})
}

// asked are the parameters of the authorization request.
func (a *attempt) asked(t *testing.T, r upstream.Request) url.Values {
	t.Helper()
	address, _, err := a.start(t, r)
	testkit.OK(t, err)
	asked := testkit.Must(url.Parse(address))(t)
	return asked.Query()
}

// tenants of Microsoft.
const (
	contoso   = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
	fabrikam  = "11111111-2222-3333-4444-555555555555"
	consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"
)

func newMicrosoft(t *testing.T, tenant string, tenants ...string) *attempt {
	t.Helper()
	a := newAttempt(t)
	a.connector = openid.Microsoft(openid.MicrosoftOptions{ClientID: a.up.ClientID, Secret: a.up.Secret, Tenant: tenant, Tenants: tenants, Authority: a.up.URL + "/"})
	testkit.OK(t, a.connector.Check())
	a.up.Below("/" + strings.ToLower(tenant) + "/v2.0")
	name := strings.ToLower(tenant)
	switch tenant {
	case openid.MicrosoftCommon, openid.MicrosoftOrganizations:
		name = "{tenantid}"
	case openid.MicrosoftConsumers:
		name = consumers
	}
	a.up.Describe(func(d map[string]any) {
		d["issuer"] = a.up.URL + "/" + name + "/v2.0"
		delete(d, "authorization_response_iss_parameter_supported")
	})
	return a
}

// of has somebody of a tenant authenticate.
func (a *attempt) of(t *testing.T, issuer, tenant string, more m) (upstream.Identity, error) {
	t.Helper()
	claims := m{"iss": a.up.URL + "/" + issuer + "/v2.0", "tid": tenant}
	maps.Copy(claims, more)
	a.up.Be(upstreams.Person{Subject: "1", Name: "Ada", Claims: claims, Unnamed: true})
	return a.finish(t)
}

func TestMicrosoft(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tenant      string
		tenants     []string
		issuer, tid string
		accepted    bool
	}{
		"OfItsTenant":            {contoso, nil, contoso, contoso, true},
		"TenantInCapitals":       {strings.ToUpper(contoso), nil, contoso, contoso, true},
		"OfAnotherTenant":        {contoso, nil, fabrikam, fabrikam, false},
		"OfAnotherByName":        {contoso, nil, contoso, fabrikam, false},
		"Common":                 {openid.MicrosoftCommon, nil, fabrikam, fabrikam, true},
		"CommonPersonal":         {openid.MicrosoftCommon, nil, consumers, consumers, true},
		"CommonMixed":            {openid.MicrosoftCommon, nil, fabrikam, contoso, false},
		"CommonTemplate":         {openid.MicrosoftCommon, nil, "{tenantid}", "{tenantid}", false},
		"CommonWithoutTenant":    {openid.MicrosoftCommon, nil, fabrikam, "", false},
		"CommonPath":             {openid.MicrosoftCommon, nil, "a/../" + contoso, "a/../" + contoso, false},
		"CommonInCapitals":       {openid.MicrosoftCommon, nil, strings.ToUpper(contoso), strings.ToUpper(contoso), false},
		"Listed":                 {openid.MicrosoftOrganizations, []string{contoso}, contoso, contoso, true},
		"NotListed":              {openid.MicrosoftOrganizations, []string{contoso}, fabrikam, fabrikam, false},
		"PersonalAmongCompanies": {openid.MicrosoftOrganizations, nil, consumers, consumers, false},
		"Personal":               {openid.MicrosoftConsumers, nil, consumers, consumers, true},
		"CompanyAmongPersons":    {openid.MicrosoftConsumers, nil, contoso, contoso, false},
		"IssuerWithoutItsTenant": {openid.MicrosoftConsumers, nil, "consumers", consumers, false},
		"IssuerOfConfiguration":  {openid.MicrosoftCommon, nil, "common", contoso, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newMicrosoft(t, test.tenant, test.tenants...)
			who, err := a.of(t, test.issuer, test.tid, nil)
			if (err == nil) != test.accepted {
				t.Fatalf("%+v, %v", who, err)
			}
			if test.accepted && (who.Issuer != a.up.URL+"/"+test.issuer+"/v2.0" || who.Subject != "1") {
				t.Errorf("%+v", who)
			}
		})
	}
	t.Run("Address", func(t *testing.T) {
		t.Parallel()
		for name, test := range map[string]struct {
			claims   m
			verified bool
		}{
			"Mutable":        {m{}, false},
			"SaidVerified":   {m{"email_verified": true}, false},
			"OwnedDomain":    {m{"xms_edov": true}, true},
			"AsText":         {m{"xms_edov": "1"}, true},
			"AsNumber":       {m{"xms_edov": 1}, true},
			"NotOwnedDomain": {m{"xms_edov": false, "email_verified": true}, false},
			"AnotherText":    {m{"xms_edov": "no"}, false},
		} {
			a := newMicrosoft(t, openid.MicrosoftCommon)
			test.claims["email"] = "victim@corp.example"
			who, err := a.of(t, contoso, contoso, test.claims)
			if err != nil || who.Email != "victim@corp.example" || who.EmailVerified != test.verified || who.Authoritative || who.Claims["email_verified"] != test.verified {
				t.Errorf("%s: %+v, %v", name, who, err)
			}
		}
	})
	t.Run("ResponseNamesATenant", func(t *testing.T) {
		t.Parallel()
		for named, accepted := range map[string]bool{contoso: true, fabrikam: false, "{tenantid}": false, "common": false, "a/" + contoso: false} {
			a := newMicrosoft(t, openid.MicrosoftCommon)
			claims := m{"iss": a.up.URL + "/" + contoso + "/v2.0", "tid": contoso}
			a.up.Be(upstreams.Person{Subject: "1", Claims: claims, NamedBy: a.up.URL + "/" + named + "/v2.0"})
			if who, err := a.finish(t); (err == nil) != accepted {
				t.Errorf("%s: %+v, %v", named, who, err)
			}
		}
	})
	t.Run("ConfigurationOfAnotherTenant", func(t *testing.T) {
		t.Parallel()
		a := newMicrosoft(t, contoso)
		a.up.Describe(func(d map[string]any) { d["issuer"] = a.up.URL + "/" + fabrikam + "/v2.0" })
		if _, _, err := a.start(t, upstream.Request{}); err == nil || errors.Is(err, upstream.ErrUnavailable) {
			t.Error(err)
		}
	})
	t.Run("HintsOfADomain", func(t *testing.T) {
		t.Parallel()
		if got := newMicrosoft(t, contoso).asked(t, upstream.Request{DomainHint: "corp.example"}).Get("domain_hint"); got != "corp.example" {
			t.Errorf("%q", got)
		}
	})
}

func appleKey(t *testing.T) (*ecdsa.PrivateKey, []byte) {
	t.Helper()
	key := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	der := testkit.Must(x509.MarshalPKCS8PrivateKey(key))(t)
	return key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

func TestApple(t *testing.T) {
	t.Parallel()
	key, file := appleKey(t)
	newApple := func(t *testing.T) *attempt {
		t.Helper()
		a := newAttempt(t)
		a.connector = openid.NewApple(a.up.Issuer(), openid.AppleOptions{ClientID: a.up.ClientID, TeamID: "TEAM", KeyID: "KEY", Key: file})
		testkit.OK(t, a.connector.Check())
		a.up.Describe(func(d map[string]any) {
			d["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
			delete(d, "userinfo_endpoint")
			delete(d, "authorization_response_iss_parameter_supported")
		})
		a.up.TakesSecret(func(secret string) bool { return isAppleSecret(t, &key.PublicKey, secret, a.up) })
		return a
	}
	t.Run("KnowsWhoHasAuthenticated", func(t *testing.T) {
		t.Parallel()
		a := newApple(t)
		a.up.Be(upstreams.Person{Subject: "000.abc", Email: "x@privaterelay.appleid.com", Verified: "true", Unnamed: true, Claims: m{"is_private_email": "true"}})
		address, keep, err := a.start(t, upstream.Request{LoginHint: "ada@uni.example", Afresh: true})
		testkit.OK(t, err)
		values := a.up.Return(t, address)
		values.Set("user", `{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"victim@corp.example"}`)
		who, err := a.back(t.Context(), values, keep)
		if err != nil || who.Email != "x@privaterelay.appleid.com" || !who.EmailVerified || !who.Authoritative || who.Name != "Ada Lovelace" {
			t.Errorf("%+v, %v", who, err)
		}
		asked := a.asked(t, upstream.Request{LoginHint: "ada@uni.example", Afresh: true})
		if asked.Get("response_mode") != "form_post" || asked.Get("scope") != "openid name email" || asked.Has("prompt") || asked.Has("login_hint") {
			t.Errorf("%v", asked)
		}
	})
	t.Run("NameIsShownAndNoMore", func(t *testing.T) {
		t.Parallel()
		for field, want := range map[string]string{
			`{"name":{"firstName":"<script>","lastName":"\u202eb\u0000"}}`: "<script> b",
			`{"name":"Ada"}`: "", "null": "", "nonsense": "", `{"name":{"firstName":1}}`: "", "": "",
		} {
			a := newApple(t)
			a.up.Be(upstreams.Person{Subject: "1", Unnamed: true})
			address, keep, err := a.start(t, upstream.Request{})
			testkit.OK(t, err)
			values := a.up.Return(t, address)
			values.Set("user", field)
			if who, err := a.back(t.Context(), values, keep); err != nil || who.Name != want || who.Email != "" {
				t.Errorf("%s: %+v, %v", field, who, err)
			}
		}
	})
	t.Run("Cancelled", func(t *testing.T) {
		t.Parallel()
		a := newApple(t)
		_, keep, err := a.start(t, upstream.Request{})
		testkit.OK(t, err)
		values := url.Values{"error": {"user_cancelled_authorize"}, "iss": {a.up.Issuer()}}
		if _, err := a.back(t.Context(), values, keep); !errors.Is(err, upstream.ErrDenied) {
			t.Error(err)
		}
	})
}

// isAppleSecret reports whether a client secret is the JWT that Apple asks for.
func isAppleSecret(t *testing.T, key *ecdsa.PublicKey, secret string, up *upstreams.OpenID) bool {
	parts := strings.Split(secret, ".")
	if len(parts) != 3 {
		return false
	}
	var header struct{ Alg, Kid string }
	var claims struct {
		Iss, Sub, Aud string
		Iat, Exp      int64
	}
	for i, v := range []any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.NewDecoder(bytes.NewReader(text)).Decode(v) != nil {
			return false
		}
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || len(signature) != 64 || !ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return false
	}
	life := time.Duration(claims.Exp-claims.Iat) * time.Second
	return header.Alg == "ES256" && header.Kid == "KEY" && claims.Iss == "TEAM" && claims.Sub == up.ClientID && claims.Aud == up.Issuer() &&
		claims.Iat == start.Unix() && life == 5*time.Minute
}

func TestCheck(t *testing.T) {
	t.Parallel()
	_, file := appleKey(t)
	other := testkit.Must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))(t)
	der := testkit.Must(x509.MarshalPKCS8PrivateKey(other))(t)
	otherFile := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	for _, test := range []struct {
		want      string
		connector *openid.Connector
	}{
		{"Issuer", openid.New(openid.Options{ClientID: "c"})},
		{"Issuer", openid.New(openid.Options{Issuer: "http://login.example", ClientID: "c"})},
		{"Issuer", openid.New(openid.Options{Issuer: "https://169.254.169.254", ClientID: "c"})},
		{"Issuer", openid.New(openid.Options{Issuer: "https://login.example?tenant=a", ClientID: "c"})},
		{"ClientID", openid.New(openid.Options{Issuer: "https://login.example"})},
		{`Parameters["state"]`, openid.New(openid.Options{Issuer: "https://login.example", ClientID: "c", Parameters: map[string]string{"state": "a"}})},
		{"ClientID", openid.Google(openid.GoogleOptions{Secret: "s"})},
		{"Secret", openid.Google(openid.GoogleOptions{ClientID: "c"})},
		{"Tenant", openid.Microsoft(openid.MicrosoftOptions{ClientID: "c"})},
		{"Tenant", openid.Microsoft(openid.MicrosoftOptions{ClientID: "c", Tenant: "contoso.onmicrosoft.com"})},
		{"Tenants", openid.Microsoft(openid.MicrosoftOptions{ClientID: "c", Tenant: openid.MicrosoftCommon, Tenants: []string{"contoso.com"}})},
		{"Tenants", openid.Microsoft(openid.MicrosoftOptions{ClientID: "c", Tenant: contoso, Tenants: []string{contoso}})},
		{"Key", openid.Apple(openid.AppleOptions{ClientID: "c", TeamID: "t", KeyID: "k", Key: []byte("nonsense")})},
		{"Key", openid.Apple(openid.AppleOptions{ClientID: "c", TeamID: "t", KeyID: "k", Key: otherFile})},
		{"TeamID", openid.Apple(openid.AppleOptions{ClientID: "c", KeyID: "k", Key: file})},
		{"KeyID", openid.Apple(openid.AppleOptions{ClientID: "c", TeamID: "t", Key: file})},
	} {
		var wrong *field.Error
		if err := test.connector.Check(); !errors.As(err, &wrong) || wrong.Field != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
