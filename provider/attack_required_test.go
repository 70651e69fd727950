package provider_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// TestAttackWayAroundWhatIsRequired sends a request of an application that has to push or to
// sign its requests by every way that there is.
func TestAttackWayAroundWhatIsRequired(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	for _, c := range []provider.Client{
		{ID: "pushes", RequirePushedAuthorizationRequests: true},
		{ID: "signs", RequireSignedRequestObject: true, JWKS: publicKeys(t, "ES256")},
		{ID: "both", RequirePushedAuthorizationRequests: true, RequireSignedRequestObject: true, JWKS: publicKeys(t, "ES256")},
	} {
		c.Secret, c.RedirectURIs = clientSecret, []string{callbackURI}
		w.ok(w.SaveClient(t.Context(), c))
	}
	b, key := w.alice(), clientKeys()["ES256"]
	for _, id := range []string{"pushes", "signs", "both"} {
		request := url.Values{"client_id": {id}, "redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"openid military"}, "state": {"xyz"}}
		plain := request.Encode()
		request.Set("scopes", "openid,military,student")
		request.Del("scope")
		ways := map[string]page{
			"GET":              b.open("/oauth/authorize?" + plain),
			"POST":             b.follow(b.post("/oauth/authorize", request)),
			"group page":       b.open("/groups?" + request.Encode()),
			"POST group page":  b.follow(b.post("/groups", request)),
			"empty ones":       b.open("/oauth/authorize?request=&request_uri=&" + plain),
			"two objects":      b.open("/oauth/authorize?request=a&request=b&" + plain),
			"two request_uris": b.open("/oauth/authorize?request_uri=urn:ietf:params:oauth:request_uri:a&request_uri=b&" + plain),
			"both":             b.open("/oauth/authorize?request=a&request_uri=b&" + plain),
		}
		object := objectURL(id, key.sign(t, w.object(id, "scope", "openid military student")))
		if id == "both" {
			ways["signed and not pushed"] = b.open(object)
			ways["signed and not pushed, at the group page"] = b.open(strings.Replace(object, "/oauth/authorize", "/groups", 1))
		}
		for name, p := range ways {
			if answer := response(t, p); answer.Get("error") != "invalid_request" {
				t.Errorf("%s: %s: %s %v", id, name, p.Status, answer)
			}
		}
		if id != "pushes" {
			p, _ := b.push("client_id", id)
			refused(t, p, 400, "invalid_request")
		}
	}
	// What is required and done leads on, through the pages in between.
	uri := b.pushed("client_id", "both", "request", key.sign(t, w.object("both", "scope", "openid military student", "jti", "once", "nbf", w.now().Unix(),
		"code_challenge", s256, "code_challenge_method", "S256")))
	p := b.submit(b.submit(b.open(pushedURL("both", uri)), "scope", "military"), "action", "allow")
	if answer := response(t, p); answer.Get("code") == "" || answer.Get("state") != "inside" {
		t.Errorf("answer %v", answer)
	}
}
