package upstream_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/upstream"
)

// portal is the sign-in that a host has already. It sends people back with what it says of
// them, and a code of authentication (HMAC) over that.
type portal struct {
	address string
	key     []byte
}

// Start sends somebody to the portal, with a value that only this attempt knows.
func (p portal) Start(_ context.Context, r upstream.Request) (address string, keep []byte, err error) {
	once := rand.Text()
	return p.address + "?" + url.Values{"state": {r.State}, "return_to": {r.Callback}, "once": {once}}.Encode(), []byte(once), nil
}

// Finish believes what has the code of this attempt. An ID of the portal never becomes
// somebody else's; an address may.
func (p portal) Finish(_ context.Context, c upstream.Callback) (upstream.Identity, error) {
	said := url.Values{"id": c.Values["id"], "email": c.Values["email"], "once": {string(c.Keep)}}
	if len(c.Keep) == 0 || !hmac.Equal([]byte(p.sign(said)), []byte(c.Values.Get("mac"))) {
		return upstream.Identity{}, errors.New("portal: the response is not of this attempt")
	}
	return upstream.Identity{
		Issuer: p.address, Subject: said.Get("id"), Email: said.Get("email"), EmailVerified: true, AuthTime: c.Now,
	}, nil
}

func (p portal) sign(said url.Values) string {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(said.Encode()))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// A connector of a host's own.
func ExampleConnector() {
	ctx := context.Background()
	p := portal{address: "https://portal.corp.example/sign-in", key: []byte("32 bytes that both of them know.")}
	address, keep, err := p.Start(ctx, upstream.Request{State: "sealed", Callback: "https://id.example/signin/with/portal/callback"})
	if err != nil {
		fmt.Println(err)
		return
	}

	// At the portal, Ada signs in.
	asked, _ := url.Parse(address)
	said := url.Values{"id": {"e-1815"}, "email": {"ada@corp.example"}, "once": {asked.Query().Get("once")}}
	said.Set("mac", p.sign(said))

	who, err := p.Finish(ctx, upstream.Callback{Values: said, Keep: keep, Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	fmt.Println(who.Issuer, who.Subject, who.Email, err)

	said.Set("id", "e-1")
	_, err = p.Finish(ctx, upstream.Callback{Values: said, Keep: keep})
	fmt.Println(err)
	// Output:
	// https://portal.corp.example/sign-in e-1815 ada@corp.example <nil>
	// portal: the response is not of this attempt
}
