package provider_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

func TestNew(t *testing.T) {
	t.Parallel()
	store := testkit.Must(sqlite.Open(t.Context(), t.TempDir()+"/identity.db"))(t)
	t.Cleanup(func() { _ = store.Close() })
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		small = nil // newer releases of Go refuse to make one
	}
	for name, c := range map[string]struct {
		change func(*provider.Config)
		field  string
	}{
		"NoBaseURL": {func(c *provider.Config) { c.BaseURL = "" }, "BaseURL"},
		"PlainHTTP": {func(c *provider.Config) { c.BaseURL = "http://id.example.com" }, "BaseURL"},
		"PlainHTTPOnPublicHost": {func(c *provider.Config) {
			c.BaseURL, c.Sandbox, c.InsecureHTTP = "http://id.example.com", true, true
		}, "BaseURL"},
		"PlainHTTPOnNumber": {func(c *provider.Config) {
			c.BaseURL, c.Sandbox, c.InsecureHTTP = "http://134744072", true, true
		}, "BaseURL"},
		"PlainHTTPInProduction": {func(c *provider.Config) { c.InsecureHTTP = true }, "InsecureHTTP"},
		"SlashAtTheEnd":         {func(c *provider.Config) { c.BaseURL = "https://id.example.com/" }, "BaseURL"},
		"DotsInThePath":         {func(c *provider.Config) { c.BaseURL = "https://id.example.com/a/../oauth" }, "BaseURL"},
		"TwoSlashesInThePath":   {func(c *provider.Config) { c.BaseURL = "https://id.example.com//id" }, "BaseURL"},
		"EscapedHost":           {func(c *provider.Config) { c.BaseURL = "https://caf%C3%A9.example" }, "BaseURL"},
		"CapitalsInTheScheme":   {func(c *provider.Config) { c.BaseURL = "HTTPS://id.example.com" }, "BaseURL"},
		"HostNotInASCII":        {func(c *provider.Config) { c.BaseURL = "https://café.example" }, "BaseURL"},
		"QueryInTheBaseURL":     {func(c *provider.Config) { c.BaseURL = "https://id.example.com?x=1" }, "BaseURL"},
		"NoSecret":              {func(c *provider.Config) { c.Secret = nil }, "Secret"},
		"ShortSecret":           {func(c *provider.Config) { c.Secret = c.Secret[:31] }, "Secret"},
		"SecretOfZeros":         {func(c *provider.Config) { c.Secret = make([]byte, 32) }, "Secret"},
		"NoStore":               {func(c *provider.Config) { c.Store = nil }, "Store"},
		"FedCMOfTheHostsUsers": {func(c *provider.Config) {
			c.FedCM.On, c.Users = true, provider.Users{
				SignInURL: "/signin", SignedIn: func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil },
			}
		}, "FedCM.On"},
		"FedCMWithoutHTTPS": {func(c *provider.Config) {
			c.FedCM.On, c.BaseURL, c.Sandbox, c.InsecureHTTP = true, "http://idp.test", true, true
		}, "FedCM.On"},
		"PasskeysOfAnotherHost": {func(c *provider.Config) { c.SignIn.Passkeys.RPID = "other.example" }, "SignIn.Passkeys.RPID"},
		"PasskeysOfEverybody":   {func(c *provider.Config) { c.SignIn.Passkeys.RPID = "com" }, "SignIn.Passkeys.RPID"},
		"OriginWithPath":        {func(c *provider.Config) { c.SignIn.Passkeys.Origins = []string{"https://a.example/b"} }, "SignIn.Passkeys.Origins[0]"},
		"TrustForMonths":        {func(c *provider.Config) { c.SignIn.TrustDevices = 31 * 24 * time.Hour }, "SignIn.TrustDevices"},
		"RequiredPasskeysOff":   {func(c *provider.Config) { c.SignIn.Passkeys.Off, c.SignIn.Require = true, provider.PhishingResistant }, "SignIn.Require"},
		"RequiredFactorsOff": {func(c *provider.Config) {
			c.SignIn.Passkeys.Off, c.SignIn.TOTP.Off, c.SignIn.Require = true, true, provider.TwoFactors
		}, "SignIn.Require"},
		"UnknownLevelRequired":      {func(c *provider.Config) { c.SignIn.Require = provider.PhishingResistant + 1 }, "SignIn.Require"},
		"ClassOfALevel":             {classed("phr", provider.Requirement{Assurance: provider.OneFactor}), `SignIn.Classes["phr"]`},
		"ClassOfALevelByItsAddress": {classed("https://refeds.org/profile/mfa", provider.Requirement{Assurance: provider.PhishingResistant}), `SignIn.Classes["https://refeds.org/profile/mfa"]`},
		"ClassOfAFormerName":        {classed("multi_factor", provider.Requirement{Assurance: provider.TwoFactors}), `SignIn.Classes["multi_factor"]`},
		"ClassWithoutName":          {classed("", provider.Requirement{}), `SignIn.Classes[""]`},
		"ClassOfTwoWords":           {classed("aal 2", provider.Requirement{}), `SignIn.Classes["aal 2"]`},
		"ClassOfAnUnknownLevel":     {classed("aal2", provider.Requirement{Assurance: provider.PhishingResistant + 1}), `SignIn.Classes["aal2"].Assurance`},
		"ClassOfTheFuture":          {classed("aal2", provider.Requirement{MaxAge: -time.Second}), `SignIn.Classes["aal2"].MaxAge`},
		"ClassOfMilliseconds":       {classed("aal2", provider.Requirement{MaxAge: 1500 * time.Millisecond}), `SignIn.Classes["aal2"].MaxAge`},
		"ClassEnrolledLater":        {classed("aal2", provider.Requirement{Enrolled: -time.Hour}), `SignIn.Classes["aal2"].Enrolled`},
		"ScopeOfAnUnknownLevel":     {required(provider.Requirement{Assurance: provider.PhishingResistant + 1}), "Scopes[0].Requires.Assurance"},
		"ScopeOfTheFuture":          {required(provider.Requirement{MaxAge: -time.Second}), "Scopes[0].Requires.MaxAge"},
		"ScopeEnrolledLater":        {required(provider.Requirement{Enrolled: -time.Hour}), "Scopes[0].Requires.Enrolled"},
		"ScopeThatNobodyReaches": {func(c *provider.Config) {
			required(provider.Requirement{Assurance: provider.PhishingResistant})(c)
			c.SignIn.Passkeys.Off = true
		}, "Scopes[0].Requires.Assurance"},
		"HostOfAnUnknownLevel": {func(c *provider.Config) {
			c.Users.SignInURL, c.Users.SignedIn, c.Users.Assurance = "/login", nobodySignedIn, provider.PhishingResistant+1
		}, "Users.Assurance"},
		"RecoveryByMailAlone":     {func(c *provider.Config) { c.SignIn.Recovery.Wait = -1 }, "SignIn.Recovery.Wait"},
		"RecoveryAfterMonths":     {func(c *provider.Config) { c.SignIn.Recovery.Wait = 31 * 24 * time.Hour }, "SignIn.Recovery.Wait"},
		"PasswordThatTakesLonger": {func(c *provider.Config) { c.SignIn.Recovery.WithPassword = 73 * time.Hour }, "SignIn.Recovery.WithPassword"},
		"ColorThatIsNone":         {func(c *provider.Config) { c.Brand.ButtonColor = "red;}" }, "Brand.ButtonColor"},
		"LogoThatIsNone":          {func(c *provider.Config) { c.Brand.Logo = []byte("<svg onload=alert(1)>") }, "Brand.Logo"},
		"LabelThatTurnsRound": {func(c *provider.Config) {
			c.Brand.Links = []provider.Link{{Label: "\u202emoc.knab", URL: "https://bank.test"}}
		}, "Brand.Links[0].Label"},
		"LinkThatRunsCode": {func(c *provider.Config) { c.Brand.HelpURL = "javascript:alert(1)" }, "Brand.HelpURL"},
		"VerifierOfNoGroup": {func(c *provider.Config) {
			c.Verifiers = map[string]provider.Verifier{"Military": new(lab.Office).Verify}
		}, `Verifiers["Military"]`},
		"NilVerifier": {func(c *provider.Config) {
			c.Verifiers = map[string]provider.Verifier{"student": nil}
		}, `Verifiers["student"]`},
		"UnknownAttribute":     {func(c *provider.Config) { c.Scopes = []catalogue.Scope{{Name: "a", Attributes: []string{"fnam"}}} }, "Scopes[0].Attributes"},
		"UnknownGroup":         {func(c *provider.Config) { c.Scopes = []catalogue.Scope{{Name: "a", Groups: []string{"pilots"}}} }, "Scopes[0].Groups"},
		"ReservedScope":        {func(c *provider.Config) { c.Scopes = []catalogue.Scope{{Name: "openid"}} }, "Scopes[0].Name"},
		"AttributeOfProtocol":  {func(c *provider.Config) { c.Attributes = []catalogue.Attribute{{Handle: "iss"}} }, "Attributes[0].Handle"},
		"TypeThatIsNone":       {func(c *provider.Config) { c.Attributes = []catalogue.Attribute{{Handle: "a", Type: "number"}} }, "Attributes[0].Type"},
		"MembersOfAText":       {func(c *provider.Config) { c.Attributes = []catalogue.Attribute{{Handle: "a", Members: []string{"b"}}} }, "Attributes[0].Members"},
		"GroupTwice":           {func(c *provider.Config) { c.Groups = []catalogue.Group{{Name: "a"}, {Name: "a"}} }, "Groups[1].Name"},
		"ShortPreviousSecret":  {func(c *provider.Config) { c.PreviousSecrets = [][]byte{c.Secret[:31]} }, "PreviousSecrets"},
		"LongName":             {func(c *provider.Config) { c.Brand.Name = strings.Repeat("n", 64) }, "Brand.Name"},
		"LongCodeLife":         {func(c *provider.Config) { c.Lifetimes.Code = time.Hour }, "Lifetimes.Code"},
		"SignedInWithoutURL":   {func(c *provider.Config) { c.Users.SignInURL = "/login" }, "Users.SignedIn"},
		"LimitOfNoAttempt":     {func(c *provider.Config) { c.Limits.SignUp.Every = time.Second }, "Limits.SignUp.Burst"},
		"LimitWithoutTime":     {func(c *provider.Config) { c.Limits.Code.Burst = 5 }, "Limits.Code.Every"},
		"LimitOfYears":         {func(c *provider.Config) { c.Limits.Mail = provider.Limit{Burst: 1, Every: 1 << 62} }, "Limits.Mail.Every"},
		"ShortPasswordsWanted": {func(c *provider.Config) { c.PasswordMinLength = 4 }, "PasswordMinLength"},
		"PortZero":             {func(c *provider.Config) { c.BaseURL = "https://id.example.com:0" }, "BaseURL"},
		"PortOfTheScheme":      {func(c *provider.Config) { c.BaseURL = "https://id.example.com:443" }, "BaseURL"},
		"NameThatIsNotSeen":    {func(c *provider.Config) { c.Brand.Name = " \u200b\u3164" }, "Brand.Name"},
		"LinkWithAUserName":    {func(c *provider.Config) { c.Brand.TermsURL = "https://good.test@evil.test/" }, "Brand.TermsURL"},
		"ProxyThatIsNone":      {func(c *provider.Config) { c.TrustedProxies = []netip.Prefix{{}} }, "TrustedProxies[0]"},
		"ProxyOfEverybody": {func(c *provider.Config) {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("0.0.0.0/0")}
		}, "TrustedProxies[1]"},
		"ProxyThatNeverMatches": {func(c *provider.Config) {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("::ffff:127.0.0.0/104")}
		}, "TrustedProxies[0]"},
		"FragmentInTheSignInURL": {func(c *provider.Config) {
			c.Users.SignInURL, c.Users.SignedIn = "/login#form", nobodySignedIn
		}, "Users.SignInURL"},
		"ReturnToInTheSignInURL": {func(c *provider.Config) {
			c.Users.SignInURL, c.Users.SignedIn = "/login?return_to=/", nobodySignedIn
		}, "Users.SignInURL"},
		"ReturnToInTheSignOutURL": {func(c *provider.Config) {
			c.Users.SignInURL, c.Users.SignOutURL, c.Users.SignedIn = "/login", "/logout?%72eturn_to=/", nobodySignedIn
		}, "Users.SignOutURL"},
		"TwoKindsOfSigner": {func(c *provider.Config) {
			c.Signers = map[string]crypto.Signer{"RS256": small}
			c.Wrap = func(_ string, k crypto.Signer) (crypto.Signer, error) { return k, nil }
		}, "Signing.Wrap"},
		"NoSignerForAnAlgorithm": {func(c *provider.Config) { c.Signers = map[string]crypto.Signer{} }, "Signing.Signers"},
		"SignerForNoAlgorithm": {func(c *provider.Config) {
			c.Signers = map[string]crypto.Signer{"RS256": small, "ES256": small}
		}, "Signing.Signers"},
		"SmallSigner": {func(c *provider.Config) {
			if small != nil {
				c.Signers = map[string]crypto.Signer{"RS256": small}
			} else {
				c.Secret = nil
			}
		}, "S"},
	} {
		t.Run("Names"+name, func(t *testing.T) {
			cfg := provider.Config{BaseURL: "http://localhost:8080", Secret: bytes.Clone(lab.Secret(t)), Store: store}
			c.change(&cfg)
			_, err := provider.New(t.Context(), cfg)
			var wrong *provider.FieldError
			if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Field, c.field) || !strings.HasPrefix(err.Error(), "provider: Config."+wrong.Field+": ") {
				t.Fatalf("New returned %v, want the field %s", err, c.field)
			}
			if len(cfg.Secret) > 8 && strings.Contains(err.Error(), string(cfg.Secret)) {
				t.Error("the error shows the secret")
			}
		})
	}
}

// classed adds a class of authentication.
func classed(name string, r provider.Requirement) func(*provider.Config) {
	return func(c *provider.Config) { c.SignIn.Classes = map[string]provider.Requirement{name: r} }
}

// required has the only scope require something.
func required(r provider.Requirement) func(*provider.Config) {
	return func(c *provider.Config) { c.Scopes = []catalogue.Scope{{Name: "pay", Requires: r}} }
}

func TestNewTriesToWrapItsKeys(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/identity.db")
	testkit.OK(t, err)
	t.Cleanup(func() { _ = store.Close() })
	_, err = provider.New(t.Context(), provider.Config{
		BaseURL: "http://localhost:8080", Secret: lab.Secret(t), Store: store,
		Signing: provider.Signing{Wrap: func(string, crypto.Signer) (crypto.Signer, error) { return nil, errors.New("no library") }},
	})
	if err == nil || !strings.Contains(err.Error(), "Signing.Wrap: no library") {
		t.Errorf("New returned %v, want the field Signing.Wrap and its reason", err)
	}
}

func TestLifecycle(t *testing.T) {
	t.Run("NewStartsNothingAndCloseLeavesNothing", func(t *testing.T) {
		before := runtime.NumGoroutine()
		store := testkit.Must(sqlite.Open(t.Context(), t.TempDir()+"/identity.db"))(t)
		p := testkit.Must(provider.New(t.Context(), provider.Config{BaseURL: "http://localhost:8080", Secret: lab.Secret(t), Store: store}))(t)
		ended := make(chan error, 1)
		go func() { ended <- p.Run(context.Background()) }()
		testkit.OK(t, p.Close())
		if err := <-ended; err != nil {
			t.Fatalf("Run: %v", err)
		}
		// database/sql lets go of its opener a moment later.
		lab.Eventually(t, func() bool { return runtime.NumGoroutine() <= before })
	})
	t.Run("RefusesAnotherSecretInsteadOfMakingNewKeys", func(t *testing.T) {
		path := t.TempDir() + "/identity.db"
		open := func(secret []byte, previous ...[]byte) (*provider.Provider, error) {
			store := testkit.Must(sqlite.Open(t.Context(), path))(t)
			p, err := provider.New(t.Context(), provider.Config{BaseURL: "http://localhost:8080", Secret: secret, PreviousSecrets: previous, Store: store})
			if err != nil {
				_ = store.Close()
			}
			return p, err
		}
		p, err := open(lab.Secret(t))
		testkit.OK(t, err)
		testkit.OK(t, p.Close())
		other := make([]byte, 32)
		testkit.Must(rand.Read(other))(t)
		if _, err := open(other); err == nil {
			t.Fatal("opened with another secret")
		}
		p, err = open(other, lab.Secret(t))
		if err != nil {
			t.Fatalf("with the former secret among the previous ones: %v", err)
		}
		_ = p.Close()
	})
}

// wantField fails unless an error is about a field, and of the form of all errors.
func wantField(t *testing.T, err error, field string) {
	t.Helper()
	var wrong *provider.FieldError
	if !errors.As(err, &wrong) || wrong.Field != field || !strings.HasPrefix(err.Error(), "provider: ") || !strings.HasSuffix(err.Error(), ": "+wrong.Error()) {
		t.Fatalf("err = %v, want one about the field %s", err, field)
	}
}

func TestSetAttributesNamesTheHandle(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	for handle, value := range map[string]any{"fnam": "A", "uuid": "x", "age": "old"} {
		wantField(t, w.People().SetAttributes(t.Context(), "alice", map[string]any{handle: value}), handle)
	}
}

func TestSetStatusNamesTheField(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	wantField(t, w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "pilots"}), "Group")
	wantField(t, w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran", "Pirate"}}), "Subgroups[1]")
}

func TestClientsSave(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	valid := func() provider.Client {
		return provider.Client{ID: "c", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}}
	}
	for name, c := range map[string]struct {
		change func(*provider.Client)
		field  string
	}{
		"IDWithAColon":         {func(c *provider.Client) { c.ID = "a:b" }, "ID"},
		"ID":                   {func(c *provider.Client) { c.ID = "a b" }, "ID"},
		"Dialect":              {func(c *provider.Client) { c.Dialect = "v4" }, "Dialect"},
		"NoDialect":            {func(c *provider.Client) { c.Dialect = "" }, "Dialect"},
		"ShortSecret":          {func(c *provider.Client) { c.Secret = "hunter2" }, "Secret"},
		"SecretOfPublicClient": {func(c *provider.Client) { c.Public, c.Secret = true, lab.ClientSecret }, "Secret"},
		"NoRedirectURI":        {func(c *provider.Client) { c.RedirectURIs = nil }, "RedirectURIs"},
		"UnknownScope":         {func(c *provider.Client) { c.Scopes = []string{"militry"} }, "Scopes[0]"},
		"UnknownGrant":         {func(c *provider.Client) { c.GrantTypes = []string{"password"} }, "GrantTypes[0]"},
		"UnknownResponseType":  {func(c *provider.Client) { c.ResponseTypes = []string{"none"} }, "ResponseTypes[0]"},
		"WildcardOrigin":       {func(c *provider.Client) { c.Origins = []string{"https://*.rp.test"} }, "Origins[0]"},
		"OriginWithPath":       {func(c *provider.Client) { c.Origins = []string{"https://rp.test/"} }, "Origins[0]"},
		"OriginWithItsPort":    {func(c *provider.Client) { c.Origins = []string{"https://rp.test", "https://rp.test:443"} }, "Origins[1]"},
		"OriginWithNoPort":     {func(c *provider.Client) { c.Origins = []string{"https://rp.test:"} }, "Origins[0]"},
		"OriginBeyondPorts":    {func(c *provider.Client) { c.Origins = []string{"https://rp.test:99999"} }, "Origins[0]"},
		"OriginOfLoopback":     {func(c *provider.Client) { c.Origins = []string{"http://localhost:80"} }, "Origins[0]"},
		"ManyOrigins":          {func(c *provider.Client) { c.Origins = slices.Repeat([]string{"https://rp.test"}, 101) }, "Origins"},
		"ManyPostLogoutURIs":   {func(c *provider.Client) { c.PostLogoutRedirectURIs = slices.Repeat([]string{lab.CallbackURI}, 101) }, "PostLogoutRedirectURIs"},
		"ManyRedirectURIs":     {func(c *provider.Client) { c.RedirectURIs = slices.Repeat([]string{lab.CallbackURI}, 101) }, "RedirectURIs"},
		"ManyScopes":           {func(c *provider.Client) { c.Scopes = slices.Repeat([]string{"military"}, 101) }, "Scopes"},
		"BlankName":            {func(c *provider.Client) { c.Name = "  " }, "Name"},
		"InvisibleName":        {func(c *provider.Client) { c.Name = "\u200b\ufeff\u2060" }, "Name"},
		"NameOfFillers":        {func(c *provider.Client) { c.Name = "\u3164\u115f\u2800" }, "Name"},
		"NameOfMarks":          {func(c *provider.Client) { c.Name = "\u034f\ufe0f\u0301" }, "Name"},
		"StartOverHTTP":        {func(c *provider.Client) { c.InitiateLoginURI = "http://good.test/start" }, "InitiateLoginURI"},
		"StartInAnApp":         {func(c *provider.Client) { c.InitiateLoginURI = "com.example.app:/start" }, "InitiateLoginURI"},
		"RequestOfTheCloud": {func(c *provider.Client) {
			c.RequestURIs, c.JWKSURI = []string{"https://169.254.169.254/request"}, "https://good.test/keys"
		}, "RequestURIs[0]"},
		"RequestOfNoDigest": {func(c *provider.Client) {
			c.RequestURIs, c.JWKSURI = []string{"https://good.test/request#x"}, "https://good.test/keys"
		}, "RequestURIs[0]"},
		"RequestWithoutKeys":  {func(c *provider.Client) { c.RequestURIs = []string{"https://good.test/request"} }, "RequestURIs"},
		"PolicyWithAUserName": {func(c *provider.Client) { c.PolicyURL = "https://good.test@evil.test/" }, "PolicyURL"},
		"TermsWithAUserName":  {func(c *provider.Client) { c.TermsURL = "https://a:b@evil.test/" }, "TermsURL"},
		"Color":               {func(c *provider.Client) { c.ButtonColor = "#fff" }, "ButtonColor"},
		"Logo":                {func(c *provider.Client) { c.Logo = []byte("<svg>") }, "Logo"},
		"AuthMethod":          {func(c *provider.Client) { c.TokenEndpointAuthMethod = "none" }, "TokenEndpointAuthMethod"},
		"KeyWithoutKeys":      {func(c *provider.Client) { c.TokenEndpointAuthMethod = "private_key_jwt" }, "JWKS"},
		"KeysThatAreNone":     {func(c *provider.Client) { c.JWKS = []byte(`{"keys":[{"kty":"oct","k":"AAAA"}]}`) }, "JWKS"},
		"KeysOfTheCloud":      {func(c *provider.Client) { c.JWKSURI = "https://169.254.169.254/keys" }, "JWKSURI"},
		"KeysOfTheMachine":    {func(c *provider.Client) { c.JWKSURI = "http://localhost/keys" }, "JWKSURI"},
		"RequestAlg":          {func(c *provider.Client) { c.RequestObjectSigningAlg = "none" }, "RequestObjectSigningAlg"},
		"AuthAlg":             {func(c *provider.Client) { c.TokenEndpointAuthSigningAlg = "ES256" }, "TokenEndpointAuthSigningAlg"},
		"SignedWithoutKeys":   {func(c *provider.Client) { c.RequireSignedRequestObject = true }, "RequireSignedRequestObject"},
		"UnknownLevel":        {func(c *provider.Client) { c.Requires.Assurance = provider.PhishingResistant + 1 }, "Requires.Assurance"},
		"AuthenticatedLater":  {func(c *provider.Client) { c.Requires.MaxAge = -time.Second }, "Requires.MaxAge"},
		"EnrolledLater":       {func(c *provider.Client) { c.Requires.Enrolled = -time.Hour }, "Requires.Enrolled"},
		"UserinfoAlg":         {func(c *provider.Client) { c.UserinfoSignedResponseAlg = "none" }, "UserinfoSignedResponseAlg"},
		"PolicyThatRunsCode":  {func(c *provider.Client) { c.PolicyURL = "javascript:alert(1)" }, "PolicyURL"},
	} {
		t.Run("Names"+name, func(t *testing.T) {
			client := valid()
			c.change(&client)
			wantField(t, w.Clients().Save(t.Context(), client), c.field)
		})
	}
	t.Run("AcceptsNamesInEveryScript", func(t *testing.T) {
		for _, name := range []string{"A", "東京", "مكتبة", "สมุด", "☕", "👨‍👩‍👧", "می‌خواهم", "#1"} {
			client := valid()
			client.Name = name
			if err := w.Clients().Save(t.Context(), client); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("KeepsTheSecretThatIsRegistered", func(t *testing.T) {
		testkit.OK(t, w.Clients().Save(t.Context(), valid()))
		made, err := w.Clients().Secret(t.Context(), "c")
		if err != nil || len(made) < 40 {
			t.Fatalf("secret of %d characters, %v", len(made), err)
		}
		renamed := valid()
		renamed.Name = "Another name"
		testkit.OK(t, w.Clients().Save(t.Context(), renamed))
		if kept, err := w.Clients().Secret(t.Context(), "c"); err != nil || kept != made {
			t.Fatalf("the secret has changed: %v", err)
		}
	})
}

func TestClientsRotateSecret(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	redeem := func(secret string) int {
		p, _ := b.Token("code", w.Code(b), "client_secret", secret)
		return p.StatusCode
	}
	fresh := testkit.Must(w.Clients().RotateSecret(t.Context(), "v3", time.Hour, 0))(t)
	if old, now := redeem(lab.ClientSecret), redeem(fresh); old != 200 || now != 200 {
		t.Errorf("within the overlap: old %d, new %d", old, now)
	}
	w.Advance(time.Hour)
	if old, now := redeem(lab.ClientSecret), redeem(fresh); old != 401 || now != 200 {
		t.Errorf("after the overlap: old %d, new %d", old, now)
	}
	if _, err := w.Clients().RotateSecret(t.Context(), "pub", time.Hour, 0); !errors.Is(err, provider.ErrNoClient) {
		t.Errorf("a public client: %v", err)
	}
}

func nobodySignedIn(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil }

func TestAccountsSave(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	for name, chosen := range map[string]string{
		"OneLetter": "x", "TooShort": "nine9nine", "TooLong": strings.Repeat("glacier ", 250), "WithNUL": "glacier-tulip\x00-42", "NotText": "glacier-tulip-\xff-42",
	} {
		t.Run("RefusesAPasswordThat"+name, func(t *testing.T) {
			for _, id := range []string{"alice", "new"} {
				_, err := w.Accounts().Save(t.Context(), provider.Account{ID: id, Email: id + "@example.com", EmailVerified: true, Password: chosen})
				if wantField(t, err, "Password"); strings.Contains(err.Error(), chosen) {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	for name, c := range map[string]struct {
		account provider.Account
		field   string
	}{
		"Email": {provider.Account{Email: "nobody"}, "Email"},
		"ID":    {provider.Account{ID: "a b", Email: "a@example.com"}, "ID"},
	} {
		t.Run("Names"+name, func(t *testing.T) {
			_, err := w.Accounts().Save(t.Context(), c.account)
			wantField(t, err, c.field)
		})
	}
	w.NewBrowser().SignIn("alice@example.com", lab.AlicePass) // which she has kept
	t.Run("KeepsAPasswordThatWasLongEnough", func(t *testing.T) {
		if _, err := w.Accounts().Save(t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: lab.AlicePass}); err != nil {
			t.Error(err)
		}
	})
}

func TestTimesBeyondTheCalendar(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	tokens := b.StandardTokens()
	for field, s := range map[string]provider.Status{
		"ExpiresAt":  {Group: "military", Verified: true, ExpiresAt: time.Unix(1<<62, 0)},
		"VerifiedAt": {Group: "military", Verified: true, VerifiedAt: time.Unix(-1<<62, 0)},
	} {
		wantField(t, w.People().SetStatus(t.Context(), "alice", s), field)
	}
	far := provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true, ExpiresAt: time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC)}
	if err := w.People().SetStatus(t.Context(), "alice", far); err != nil {
		t.Error(err)
	}
	if p := b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")); !strings.Contains(p.Text, "Veteran") {
		t.Errorf("a status until 9999: %s", p.Text)
	}
	if err := w.People().RevokeIssuedBefore(t.Context(), time.Time{}); err == nil {
		t.Error("revoking what was issued before no moment was accepted")
	}
	testkit.OK(t, w.People().RevokeIssuedBefore(t.Context(), time.Unix(1<<62, 0)))
	w.Advance(2 * time.Second)
	lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
	if b.IsSignedIn() {
		t.Error("the session has not ended")
	}
}
