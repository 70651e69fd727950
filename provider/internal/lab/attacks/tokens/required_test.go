package tokens

import (
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAttackWayAroundWhatIsRequired sends a request of an application that has to push or to
// sign its requests by every way that there is.
func TestAttackWayAroundWhatIsRequired(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	for _, c := range []provider.Client{
		{ID: "pushes", Dialect: provider.V3, RequirePushedAuthorizationRequests: true},
		{ID: "signs", Dialect: provider.V3, RequireSignedRequestObject: true, JWKS: lab.PublicKeys(t, "ES256")},
		{ID: "both", Dialect: provider.V3, RequirePushedAuthorizationRequests: true, RequireSignedRequestObject: true, JWKS: lab.PublicKeys(t, "ES256")},
	} {
		c.Secret, c.RedirectURIs = lab.ClientSecret, []string{lab.CallbackURI}
		w.OK(w.Clients().Save(t.Context(), c))
	}
	b, key := w.Alice(), lab.ClientKeys()["ES256"]
	for _, id := range []string{"pushes", "signs", "both"} {
		request := url.Values{"client_id": {id}, "redirect_uri": {lab.CallbackURI}, "response_type": {"code"}, "scope": {"openid military"}, "state": {"xyz"}}
		plain := request.Encode()
		request.Set("scopes", "openid,military,student")
		request.Del("scope")
		ways := map[string]lab.Page{
			"GET":              b.Open("/oauth/authorize?" + plain),
			"POST":             b.Follow(b.Post("/oauth/authorize", request)),
			"group page":       b.Open("/groups?" + request.Encode()),
			"POST group page":  b.Follow(b.Post("/groups", request)),
			"empty ones":       b.Open("/oauth/authorize?request=&request_uri=&" + plain),
			"two objects":      b.Open("/oauth/authorize?request=a&request=b&" + plain),
			"two request_uris": b.Open("/oauth/authorize?request_uri=urn:ietf:params:oauth:request_uri:a&request_uri=b&" + plain),
			"both":             b.Open("/oauth/authorize?request=a&request_uri=b&" + plain),
		}
		object := objectURL(id, key.Sign(t, w.Object(id, "scope", "openid military student")))
		if id == "both" {
			ways["signed and not pushed"] = b.Open(object)
			ways["signed and not pushed, at the group page"] = b.Open(strings.Replace(object, "/oauth/authorize", "/groups", 1))
		}
		for name, p := range ways {
			if answer := lab.Response(t, p); answer.Get("error") != "invalid_request" {
				t.Errorf("%s: %s: %s %v", id, name, p.Status, answer)
			}
		}
		if id != "pushes" {
			p, _ := b.Push("client_id", id)
			lab.Refused(t, p, 400, "invalid_request")
		}
	}
	// What is required and done leads on, through the pages in between.
	uri := b.Pushed("client_id", "both", "request", key.Sign(t, w.Object("both", "scope", "openid military student", "jti", "once", "nbf", w.Now().Unix(),
		"code_challenge", lab.S256, "code_challenge_method", "S256")))
	p := b.Submit(b.Submit(b.Open(lab.PushedURL("both", uri)), "scope", "military"), "action", "allow")
	if answer := lab.Response(t, p); answer.Get("code") == "" || answer.Get("state") != "inside" {
		t.Errorf("answer %v", answer)
	}
}
