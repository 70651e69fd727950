package upstreams

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/upstream"
)

// Fault is a lie of an upstream, or a failure. No identity comes of it.
type Fault struct {
	Name string

	// Is is the error of the connector, upstream.ErrDenied or upstream.ErrUnavailable. It is
	// nil for an error that is neither: what the upstream says cannot be believed.
	Is error

	// Hangs is set if the upstream does not answer to the end: a test gives its client little
	// time.
	Hangs bool

	// Early is set if the response must be refused before its code is sent to a token endpoint.
	Early bool

	// Leads is the fault of an upstream to which nobody can be sent.
	Leads bool

	change func(*OpenID, *lies)
}

// Apply has an upstream tell this lie, and no other.
func (f Fault) Apply(up *OpenID) {
	up.mu.Lock()
	defer up.mu.Unlock()
	up.lies = lies{}
	if f.change != nil {
		f.change(up, &up.lies)
	}
}

// None is the upstream that tells the truth.
var None = Fault{Name: "None"}

// Matches reports whether an error of a connector is that of the fault.
func (f Fault) Matches(err error) bool {
	if f.Is != nil {
		return errors.Is(err, f.Is)
	}
	return err != nil && !errors.Is(err, upstream.ErrDenied) && !errors.Is(err, upstream.ErrUnavailable)
}

// script is what an upstream would have a page show.
const script = `"><script>alert(document.cookie)</script>`

// Faults are all of them.
func Faults() []Fault {
	var all []Fault
	all = append(all, faultsOfTheToken()...)
	all = append(all, faultsOfTheResponse()...)
	all = append(all, faultsOfEndpoints()...)
	return append(all, faultsOfTheConfiguration()...)
}

func faultsOfTheToken() []Fault {
	claim := func(name string, value func(*OpenID) any) func(*OpenID, *lies) {
		return func(up *OpenID, l *lies) {
			v := value(up)
			l.idToken = func(c map[string]any) { c[name] = v }
		}
	}
	fixed := func(v any) func(*OpenID) any { return func(*OpenID) any { return v } }
	at := func(d time.Duration) func(*OpenID) any { return func(up *OpenID) any { return up.now().Add(d).Unix() } }
	signed := func(sign func(*OpenID, map[string]any) string) func(*OpenID, *lies) {
		return func(_ *OpenID, l *lies) { l.sign = sign }
	}
	without := func(name string) func(*OpenID, *lies) {
		return func(_ *OpenID, l *lies) { l.idToken = func(c map[string]any) { delete(c, name) } }
	}
	return []Fault{
		{Name: "OtherIssuer", change: claim("iss", fixed("https://evil.example"))},
		{Name: "IssuerWithSlash", change: claim("iss", func(up *OpenID) any { return up.URL + "/" })},
		{Name: "NoIssuer", change: without("iss")},
		{Name: "OtherAudience", change: claim("aud", fixed("another-client"))},
		{Name: "NoAudience", change: without("aud")},
		{Name: "AudiencesWithoutParty", change: claim("aud", func(up *OpenID) any { return []string{up.ClientID, "another-client"} })},
		{Name: "OtherParty", change: claim("azp", fixed("another-client"))},
		{Name: "PartyOfAnotherType", change: claim("azp", fixed(7))},
		{Name: "OtherNonce", change: claim("nonce", fixed("of-another-attempt"))},
		{Name: "NoNonce", change: without("nonce")},
		{Name: "EmptyNonce", change: claim("nonce", fixed(""))},
		{Name: "Expired", change: claim("exp", at(-2*time.Minute))},
		{Name: "NoExpiry", change: without("exp")},
		{Name: "ExpiryAsText", change: claim("exp", fixed("9999999999"))},
		{Name: "IssuedInTheFuture", change: claim("iat", at(2*time.Minute))},
		{Name: "NoTime", change: without("iat")},
		{Name: "BeginsInTheFuture", change: claim("nbf", at(2*time.Minute))},
		{Name: "NoSubject", change: without("sub")},
		{Name: "SubjectAsNumber", change: claim("sub", fixed(1))},
		{Name: "LongSubject", change: claim("sub", fixed(strings.Repeat("a", 256)))},
		{Name: "SubjectOfControls", change: claim("sub", fixed("a\x00b"))},
		{Name: "SubjectByAnotherName", change: func(_ *OpenID, l *lies) {
			l.idToken = func(c map[string]any) { c["SUB"] = c["sub"]; delete(c, "sub") }
		}},
		{Name: "Unsigned", change: signed((*OpenID).signNone)},
		{Name: "SignedWithTheSecret", change: signed((*OpenID).signHS256)},
		{Name: "ForeignKey", change: signed((*OpenID).signForeign)},
		{Name: "EmbeddedKey", change: signed((*OpenID).signEmbedded)},
		{Name: "ChangedUnderTheSignature", change: signed((*OpenID).signChanged)},
		{Name: "NoToken", change: signed(func(*OpenID, map[string]any) string { return "" })},
		{Name: "NotAToken", change: signed(func(*OpenID, map[string]any) string { return "a.b.c" + script })},
	}
}

func faultsOfTheResponse() []Fault {
	with := func(change func(url.Values)) func(*OpenID, *lies) {
		return func(_ *OpenID, l *lies) { l.response = change }
	}
	failed := func(name string) func(*OpenID, *lies) {
		return with(func(v url.Values) {
			v.Del("code")
			v.Set("error", name)
			v.Set("error_description", script)
			v.Set("error_uri", "javascript:alert(1)")
		})
	}
	return []Fault{
		{Name: "ResponseOfAnotherIssuer", Early: true, change: with(func(v url.Values) { v.Set("iss", "https://evil.example") })},
		{Name: "ResponseOfNoIssuer", Early: true, change: with(func(v url.Values) { v.Del("iss") })},
		{Name: "EmptyIssuer", Early: true, change: with(func(v url.Values) { v.Set("iss", "") })},
		{Name: "TwoIssuers", Early: true, change: with(func(v url.Values) { v.Add("iss", "https://evil.example") })},
		{Name: "TwoCodes", Early: true, change: with(func(v url.Values) { v.Add("code", "another") })},
		{Name: "NoCode", Early: true, change: with(func(v url.Values) { v.Del("code") })},
		{Name: "LongCode", Early: true, change: with(func(v url.Values) { v.Set("code", strings.Repeat("a", 9000)) })},
		{Name: "CodeAndError", Early: true, Is: upstream.ErrDenied, change: with(func(v url.Values) { v.Set("error", "access_denied") })},
		{Name: "OtherCode", change: with(func(v url.Values) { v.Set("code", "of-somebody-else") })},
		{Name: "Denied", Early: true, Is: upstream.ErrDenied, change: failed("access_denied")},
		{Name: "LoginRequired", Early: true, Is: upstream.ErrDenied, change: failed("login_required")},
		{Name: "ServerError", Early: true, Is: upstream.ErrUnavailable, change: failed("server_error")},
		{Name: "InvalidScope", Early: true, change: failed("invalid_scope")},
		{Name: "ErrorOfScript", Early: true, change: failed(script)},
		{Name: "DeniedByAnother", Early: true, change: with(func(v url.Values) {
			v.Set("error", "access_denied")
			v.Set("iss", "https://evil.example")
		})},
	}
}

func faultsOfEndpoints() []Fault {
	var all []Fault
	for _, e := range []struct{ name, path string }{{"Token", "/token"}, {"Keys", "/keys"}, {"UserInfo", "/userinfo"}} {
		answer := func(h http.HandlerFunc) func(*OpenID, *lies) {
			return func(_ *OpenID, l *lies) {
				l.instead = map[string]http.HandlerFunc{e.path: h}
				l.idToken = func(c map[string]any) { delete(c, "email") } // so that userinfo is asked
			}
		}
		// Of keys that cannot be read nothing is known of the token: a later attempt may succeed.
		var nonsense error
		if e.name == "Keys" {
			nonsense = upstream.ErrUnavailable
		}
		all = append(all,
			Fault{Name: e.name + "Fails", Is: upstream.ErrUnavailable, change: answer(status(http.StatusInternalServerError))},
			Fault{Name: e.name + "Refuses", Is: nonsense, change: answer(status(http.StatusForbidden))},
			Fault{Name: e.name + "IsNoJSON", Is: nonsense, change: answer(text("<p>" + script))},
			Fault{Name: e.name + "IsNull", Is: nonsense, change: answer(text("null"))},
			Fault{Name: e.name + "IsHuge", Is: upstream.ErrUnavailable, change: answer(huge)},
			Fault{Name: e.name + "Drips", Is: upstream.ErrUnavailable, Hangs: true, change: answer(drip)},
			Fault{Name: e.name + "HangsUp", Is: upstream.ErrUnavailable, change: answer(hangUp)},
			Fault{Name: e.name + "LeadsAway", Is: nonsense, change: answer(away)},
		)
	}
	return append(all,
		Fault{Name: "OtherSubjectInUserInfo", change: func(_ *OpenID, l *lies) {
			l.idToken = func(c map[string]any) { delete(c, "email") }
			l.userinfo = func(c map[string]any) { c["sub"] = "somebody-else" }
		}},
		Fault{Name: "NoSubjectInUserInfo", change: func(_ *OpenID, l *lies) {
			l.idToken = func(c map[string]any) { delete(c, "email") }
			l.userinfo = func(c map[string]any) { delete(c, "sub") }
		}},
	)
}

func faultsOfTheConfiguration() []Fault {
	answer := func(h http.HandlerFunc) func(*OpenID, *lies) {
		return func(_ *OpenID, l *lies) { l.instead = map[string]http.HandlerFunc{configuration: h} }
	}
	named := func(name string, value any) func(*OpenID, *lies) {
		return func(_ *OpenID, l *lies) { l.discovery = func(d map[string]any) { d[name] = value } }
	}
	return []Fault{
		{Name: "ConfigurationOfAnother", Leads: true, change: named("issuer", "https://evil.example")},
		{Name: "ConfigurationWithScript", Leads: true, change: named("authorization_endpoint", "javascript:alert(1)//")},
		{Name: "ConfigurationWithoutKeys", Leads: true, change: named("jwks_uri", "")},
		{Name: "ConfigurationWithMetadataService", Leads: true, change: named("token_endpoint", "https://169.254.169.254/latest/meta-data/")},
		{Name: "ConfigurationOfNone", Leads: true, change: named("id_token_signing_alg_values_supported", []string{"none", "HS256"})},
		{Name: "ConfigurationOfAnotherType", Leads: true, Is: upstream.ErrUnavailable, change: named("authorization_response_iss_parameter_supported", "perhaps")},
		{Name: "ConfigurationFails", Leads: true, Is: upstream.ErrUnavailable, change: answer(status(http.StatusBadGateway))},
		{Name: "ConfigurationIsMissing", Leads: true, Is: upstream.ErrUnavailable, change: answer(status(http.StatusNotFound))},
		{Name: "ConfigurationIsNoJSON", Leads: true, Is: upstream.ErrUnavailable, change: answer(text("<p>" + script))},
		{Name: "ConfigurationIsHuge", Leads: true, Is: upstream.ErrUnavailable, change: answer(huge)},
		{Name: "ConfigurationDrips", Leads: true, Is: upstream.ErrUnavailable, Hangs: true, change: answer(drip)},
		{Name: "ConfigurationLeadsAway", Leads: true, Is: upstream.ErrUnavailable, change: answer(away)},
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		write(w, code, map[string]any{"error": script, "error_description": script})
	}
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}
}

// huge writes two mebibytes of an object that never ends.
func huge(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"a":"` + strings.Repeat("a", 2<<20)))
}

// drip writes the beginning of an answer, and never the rest.
func drip(w http.ResponseWriter, r *http.Request) {
	_, _ = w.Write([]byte(`{"a":"`))
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// hangUp ends the connection without an answer.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// away redirects to an address that only the provider's network knows: here, to one that counts.
func away(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/private", http.StatusTemporaryRedirect)
}
