package registry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDialects(t *testing.T) {
	v3, ok1 := DialectNamed(DialectV3)
	standard, ok2 := DialectNamed(DialectStandard)
	if !ok1 || !ok2 {
		t.Fatal("a dialect is missing")
	}
	for _, name := range []string{"", "V3"} {
		if _, ok := DialectNamed(name); ok {
			t.Errorf("%q is a dialect that nobody has named", name)
		}
	}
	want := []Dialect{
		{Name: "v3", LifetimesAsStrings: true, SingleScope: true, V3Attributes: true, ResponseTypes: []string{"code", "token", "id_token", "code id_token", "code token", "code id_token token"}, UserinfoAsString: true, UserinfoWithoutOpenID: true, JSONP: true,
			TokenInQuery: true, AlwaysRefreshToken: true, GrantsUnknown: true, RedirectURIRequired: true, StateInRedirectURI: true, JSONRequests: true},
		{Name: "standard", ResponseTypes: []string{"code"}, NonceRequired: true, ClaimsParameter: true, EmailVerified: true, JWTAccessTokens: true, OptionalScopes: true, DPoP: true, Devices: true, Exchanges: true, Credentials: true, SignedResponses: true, IgnoresScopes: true},
	}
	if diff := cmp.Diff(want, []Dialect{v3, standard}); diff != "" {
		t.Errorf("dialects (-want +got):\n%s", diff)
	}
}
