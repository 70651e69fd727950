package reference

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/oauth"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/provider/internal/resource"
	"github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// clientFor returns the client of the lab that an error is for.
func clientFor(t testing.TB, f Error) string {
	t.Helper()
	if f.SignedIn {
		return "new"
	}
	client, ok := map[Audience]string{
		Everyone: "std", InStandard: "std", InV3: "v3", ForPublic: "pub", WithoutRefresh: "once", WithCodeOnly: "once", RequiringVerified: "strict",
	}[f.For]
	if !ok {
		t.Fatalf("no client for %q", f.For)
	}
	return client
}

func TestEveryExampleIsAnsweredAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, e := range l.doc.Endpoints {
		t.Run(e.ID, func(t *testing.T) {
			l, client := l.in(t), "std"
			p := l.open(l.alice, l.build(e, client, e.Example, nil))
			if e.ID == "authorize" {
				if values := l.allow(client); values.Get("code") == "" || values.Get("iss") != l.doc.Issuer {
					t.Errorf("response %v", values)
				}
				return
			}
			want := e.Answers[0]
			if e.ID == "signOut" {
				want = e.Answers[1]
			}
			if p.StatusCode != want.Status || !strings.HasPrefix(p.Header.Get("Content-Type"), want.Type) {
				t.Fatalf("answered %s %q\n%s", p.Status, p.Header.Get("Content-Type"), p.body)
			}
		})
	}
}

func TestEveryErrorIsAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, e := range l.doc.Endpoints {
		for i, f := range l.doc.errorsOf(e) {
			if len(f.Example) == 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d_%s", e.ID, i, f.Code), func(t *testing.T) {
				l, example := l.in(t), e.Example
				if f.Refresh {
					example = RefreshExample()
				}
				if f.Itself {
					example = ItselfExample()
				}
				p := l.do(testkit.NewClient(t), l.build(e, clientFor(t, f), example, f.Example))
				if p.StatusCode != f.Status || p.Header.Get("Content-Type") != mediaJSON {
					t.Fatalf("%s is answered %s %q\n%s", describe(f.Example), p.Status, p.Header.Get("Content-Type"), p.body)
				}
				want := map[string]any{"error": f.Code, "error_description": f.Text}
				if diff := cmp.Diff(want, l.object(p.body)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", describe(f.Example), diff)
				}
				for name := range errorHeaders(f.Status) {
					if p.Header.Get(name) == "" {
						t.Errorf("no header %s", name)
					}
				}
			})
		}
	}
}

func TestEveryErrorAtTheRedirectURIIsAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	e := l.doc.endpoint("authorize")
	for i, f := range e.Errors {
		if len(f.Example) == 0 {
			continue
		}
		t.Run(fmt.Sprintf("%d_%s", i, f.Code), func(t *testing.T) {
			l, browser := l.in(t), testkit.NewClient(t)
			if f.SignedIn {
				browser = l.alice
			}
			p := l.do(browser, l.build(e, clientFor(t, f), e.Example, f.Example))
			values := l.response(p)
			got := []string{values.Get("error"), values.Get("error_description"), values.Get("iss")}
			if diff := cmp.Diff([]string{f.Code, f.Text, l.doc.Issuer}, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", describe(f.Example), diff)
			}
		})
	}
}

func TestEveryErrorPageIsAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	e := l.doc.endpoint("authorize")
	for _, f := range l.doc.Pages {
		if len(f.Example) == 0 {
			continue
		}
		t.Run(f.Heading, func(t *testing.T) {
			l := l.in(t)
			p := l.do(testkit.NewClient(t), l.build(e, "std", e.Example, f.Example))
			if p.StatusCode != f.Status || !strings.Contains(p.body, ">"+f.Heading+"<") {
				t.Errorf("%s is answered %s\n%s", describe(f.Example), p.Status, p.body)
			}
		})
	}
}

// fits demands that an object has the members that a payload documents, and no others.
func fits(t *testing.T, d *Document, dialect, name string, object map[string]any) {
	t.Helper()
	p := d.payload(name)
	for _, m := range p.Members {
		if _, there := object[m.Name]; m.Always && !there {
			t.Errorf("%s has no %s", name, m.Name)
		}
	}
	for key, value := range object {
		i := slices.IndexFunc(p.Members, func(m Member) bool { return m.Name == key })
		if i < 0 {
			t.Errorf("%s has %s, which is not documented", name, key)
			continue
		}
		of := p.Members[i].Type
		if dialect == "v3" && p.Members[i].InV3 != "" {
			of = p.Members[i].InV3
		}
		if !hasType(t, d, dialect, of, value) {
			t.Errorf("%s: %s is %v, documented as %s", name, key, value, of)
		}
	}
}

func hasType(t *testing.T, d *Document, dialect string, of Type, value any) bool {
	t.Helper()
	if payload, ok := strings.CutPrefix(string(of), string(typeObjects)); ok {
		list, ok := value.([]any)
		for _, v := range list {
			object, isObject := v.(map[string]any)
			fits(t, d, dialect, payload, object)
			ok = ok && isObject
		}
		return ok
	}
	switch of {
	case TypeString, TypeDate:
		_, ok := value.(string)
		return ok
	case TypeInteger:
		n, ok := value.(float64)
		return ok && n == float64(int64(n))
	case TypeBoolean:
		_, ok := value.(bool)
		return ok
	case TypeStrings:
		list, ok := value.([]any)
		return ok && !slices.ContainsFunc(list, func(v any) bool { _, s := v.(string); return !s })
	default:
		return of == TypeAny
	}
}

// part returns one of the JSON parts of a JWT.
func (l *lab) part(token any, n int) map[string]any {
	l.t.Helper()
	text, _ := token.(string)
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		l.t.Fatalf("no JWT: %v", token)
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[n])
	testkit.OK(l.t, err)
	return l.object(string(raw))
}

func TestEveryPayloadIsAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, id := range []struct{ endpoint, payload string }{{"discovery", "Discovery"}, {"jwks", "KeySet"}, {"introspect", "Introspection"}, {"push", "PushedRequest"}, {"device", "DeviceAuthorization"}, {"register", "Registration"}, {"clientConfiguration", "Registration"}} {
		e := l.doc.endpoint(id.endpoint)
		fits(t, l.doc, "standard", id.payload, l.object(l.do(l.alice, l.build(e, "std", e.Example, nil)).body))
	}
	for client, dialect := range map[string]string{"std": "standard", "v3": "v3"} {
		for _, scope := range []string{"openid military", "openid identity"} {
			response := l.allow(client, with("scope", scope))
			inAddress := map[string]any{}
			for name := range response {
				inAddress[name] = response.Get(name)
			}
			fits(t, l.doc, dialect, "AuthorizationResponse", inAddress)
			tokens := l.tokens(client, with("scope", scope))
			fits(t, l.doc, dialect, "TokenPayload", tokens)
			fits(t, l.doc, dialect, "IDTokenHeader", l.part(tokens["id_token"], 0))
			fits(t, l.doc, dialect, "IDToken", l.part(tokens["id_token"], 1))
			bearer := []Pair{{"Authorization", fmt.Sprint("Bearer ", tokens["access_token"])}}
			fits(t, l.doc, dialect, "Attributes", l.object(l.do(l.alice, l.build(l.doc.endpoint("attributes"), client, bearer, nil)).body))
			if dialect == "standard" {
				fits(t, l.doc, dialect, "Userinfo", l.object(l.do(l.alice, l.build(l.doc.endpoint("userinfo"), client, bearer, nil)).body))
			}
		}
	}
}

// Where nobody registers without a token, the endpoint is documented with one.
func TestRegistrationWithATokenIsAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	i := l.doc.Installation
	i.Registers = false
	d := New(i)
	e := d.endpoint("register")
	p := l.do(testkit.NewClient(t), l.build(e, "std", e.Example, nil))
	said := l.object(p.body)
	fits(t, d, "standard", "Registration", said)
	if p.StatusCode != e.Answers[0].Status || said["registration_access_token"] == nil {
		t.Errorf("%s %s", p.Status, p.body)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[registration.Answer]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !slices.ContainsFunc(d.payload("Registration").Members, func(m Member) bool { return m.Name == name }) {
			t.Errorf("the payload has no %s", name)
		}
	}
	if text := string(d.LLMs()); strings.Contains(text, "nobody has registered registers itself") || !strings.Contains(text, "-H 'Authorization: Bearer {initial_access_token}'") {
		t.Error("llms.txt tells of a registration without a token, or not of one with it")
	}
}

func TestAnswersToAnApplicationItselfAreAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for client, dialect := range map[string]string{"std": "standard", "v3": "v3"} {
		tokens := l.object(l.do(testkit.NewClient(t), l.build(l.doc.endpoint("token"), client, ItselfExample(), []Change{with("scope", "military")})).body)
		fits(t, l.doc, dialect, "TokenPayload", tokens)
		asked := []Pair{{"token", fmt.Sprint(tokens["access_token"])}, {"client_id", "{client_id}"}, {"client_secret", "{client_secret}"}}
		found := l.object(l.do(testkit.NewClient(t), l.build(l.doc.endpoint("introspect"), client, asked, nil)).body)
		fits(t, l.doc, dialect, "Introspection", found)
		if found["active"] != true || found["sub"] != client {
			t.Errorf("%s: %v", client, found)
		}
	}
}

func TestRoutesForApplicationsAreDocumented(t *testing.T) {
	t.Parallel()
	var routes []web.Route
	// Without a path in the base URL some are where the host's router would be asked.
	beside := oauth.InsertedPaths("")
	for _, r := range (&oauth.Endpoints{Options: oauth.Options{Site: &web.Site{Base: &url.URL{}}, Devices: true, Streams: &signals.Streams{}}}).Routes() {
		if !slices.Contains(beside, r.Path) {
			routes = append(routes, r)
		}
	}
	routes = append(routes, resource.New(resource.Options{}).Routes()...)
	got := map[string][]string{"/signout": {"GET", "POST"}, "/widget/v1.js": {"GET"}}
	for _, r := range append(routes, authflow.New(authflow.Options{}).Routes()...) {
		if (r.Kind == web.Program || r.OwnQuery) && !r.Alias {
			got[r.Path] = append(got[r.Path], r.Method)
		}
	}
	documented := map[string][]string{}
	i := installation("https://id.example")
	i.Credentials = nil        // package credential has its routes
	i.RegistersByToken = false // its routes are there with the applications of a dashboard
	for _, e := range New(i).Endpoints {
		for _, path := range append(e.Aliases, e.Path) {
			documented[path] = slices.Sorted(slices.Values(e.Methods))
		}
	}
	for _, methods := range got {
		slices.Sort(methods)
	}
	if diff := cmp.Diff(documented, got); diff != "" {
		t.Errorf("routes (-documented +provider):\n%s", diff)
	}
	for _, r := range routes {
		for _, e := range New(installation("https://id.example")).Endpoints {
			if e.Path == r.Path && r.Origins != (e.Origins != NoOrigin) {
				t.Errorf("%s: scripts of %s may ask", e.Path, e.Origins)
			}
		}
	}
}

func TestDiscoveryListsAreTheDocuments(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	found := l.object(l.do(l.alice, l.request(http.MethodGet, l.doc.Issuer+"/.well-known/openid-configuration", "")).body)
	list := func(name string) []string {
		values := []string{}
		for _, v := range found[name].([]any) {
			values = append(values, v.(string))
		}
		slices.Sort(values)
		return values
	}
	sorted := func(values []string) []string { return slices.Sorted(slices.Values(values)) }
	parameter := func(endpoint, name string) []string {
		for _, p := range l.doc.endpoint(endpoint).Parameters {
			if p.Name == name {
				return sorted(p.Values)
			}
		}
		return nil
	}
	scopes := []string{"openid", "offline_access"}
	for _, s := range l.doc.Scopes {
		scopes = append(scopes, s.Name)
	}
	claims := map[string]bool{}
	for _, m := range l.doc.payload("IDToken").Members {
		// Those of a response, and one that the parameter claims cannot ask for.
		if m.Name != "at_hash" && m.Name != "c_hash" && m.Name != "status" {
			claims[m.Name] = true
		}
	}
	for name, documented := range map[string][]string{
		"response_types_supported": parameter("authorize", "response_type"),
		"response_modes_supported": parameter("authorize", "response_mode"),
		"prompt_values_supported":  parameter("authorize", "prompt"),
		"display_values_supported": parameter("authorize", "display"),
		"grant_types_supported":    sorted(append(slices.Clone(parameter("token", "grant_type")), "implicit")),
		"scopes_supported":         sorted(scopes),
		"claims_supported":         slices.Sorted(maps.Keys(claims)),
	} {
		if diff := cmp.Diff(documented, list(name)); diff != "" {
			t.Errorf("%s (-documented +discovery):\n%s", name, diff)
		}
	}
	for name, id := range map[string]string{
		"authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo", "jwks_uri": "jwks",
		"revocation_endpoint": "revoke", "introspection_endpoint": "introspect", "end_session_endpoint": "signOut",
		"pushed_authorization_request_endpoint": "push", "device_authorization_endpoint": "device", "registration_endpoint": "register",
	} {
		if want := l.doc.BaseURL + l.doc.endpoint(id).Path; found[name] != want {
			t.Errorf("%s is %v, documented as %s", name, found[name], want)
		}
	}
}

func TestSignedResponsesAreAsDocumented(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, changes := range [][]Change{{with("response_mode", "jwt")}, {with("response_mode", "jwt"), with("prompt", "none"), with("scope", "openid student")}} {
		e := l.doc.endpoint("authorize")
		p := l.open(l.alice, l.build(e, "new", e.Example, changes))
		if p.StatusCode == http.StatusOK {
			p = l.submit(p, "action", "allow")
		}
		response := l.response(p)
		if len(response) != 1 {
			t.Errorf("response %v", response)
		}
		fits(t, l.doc, "standard", "SignedResponse", l.part(response.Get("response"), 1))
	}
}

// A provider without device authorization documents none.
func TestDevicesAreDocumentedWhereTheyAre(t *testing.T) {
	t.Parallel()
	i := installation("https://id.example")
	i.Devices, i.RegistersByToken = false, false
	for name, text := range map[string]string{"llms.txt": string(New(i).LLMs()), "openapi.json": string(New(i).OpenAPI())} {
		if strings.Contains(text, "device_authorization") || strings.Contains(text, deviceGrant) || strings.Contains(text, "/oauth/register") {
			t.Errorf("%s has devices, or the registration", name)
		}
	}
}
