package openid_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/openid"
)

// TestBonafide has another Bonafide be the upstream.
func TestBonafide(t *testing.T) {
	t.Parallel()
	up := providertest.New(t, providertest.Config{Client: provider.Client{RedirectURIs: []string{callback}}})
	c := openid.New(openid.Options{Issuer: up.Issuer(), ClientID: up.ClientID, Secret: up.ClientSecret})
	testkit.OK(t, c.Check())
	who := map[string]upstream.Identity{}
	for _, persona := range []string{"student", "veteran"} {
		address, keep, err := c.Start(t.Context(), upstream.Request{
			State: "the-state", Callback: callback, Languages: []string{"de"}, Afresh: true, HTTP: newClient(t, 0), Now: up.Now(),
		})
		testkit.OK(t, err)
		values := up.SignIn(t, address, persona).Query()
		if values.Get("state") != "the-state" {
			t.Errorf("the state is %q", values.Get("state"))
		}
		got := testkit.Must(c.Finish(t.Context(), upstream.Callback{Values: values, Keep: keep, Address: callback, HTTP: newClient(t, 0), Now: up.Now()}))(t)
		if got.Issuer != up.Issuer() || got.Email == "" || !got.EmailVerified || got.Name == "" || got.AuthTime.IsZero() || got.AuthTime.After(up.Now()) {
			t.Errorf("%+v", got)
		}
		who[persona] = got
	}
	if who["student"].Subject == who["veteran"].Subject || who["student"].Name != "Leo Fischer" {
		t.Errorf("%+v", who)
	}
}
