package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1" // #nosec G505 -- what authenticator apps use (RFC 6238)
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/desk/plans"
	screens "github.com/bonafide-id/bonafide/ui/verification"
)

// signedIn returns a visitor to a page who has signed in on the way.
func (s settlers) signedIn(ctx context.Context, email, password, path string) (*visitor, error) {
	v := newVisitor(s.base, s.pages)
	if err := v.open(ctx, path); err != nil {
		return nil, err
	}
	err := v.submit(ctx, ui.FieldPassword, ui.FieldEmail, email, ui.FieldPassword, password)
	return v, err
}

// enter has somebody sign in who has no password outside of this visit: it is random.
func (s settlers) enter(ctx context.Context, id, path string) (*visitor, error) {
	a, err := s.Accounts().Get(ctx, id)
	if err != nil {
		return nil, err
	}
	password := base64.RawURLEncoding.EncodeToString(random(24))
	if _, err := s.Accounts().Save(ctx, provider.Account{ID: id, Email: a.Email, EmailVerified: a.EmailVerified, Password: password}); err != nil {
		return nil, err
	}
	return s.signedIn(ctx, a.Email, password, path)
}

// secure has Mika set up an authenticator app and, where the address of the service allows
// passkeys, one of these. Neither is kept anywhere.
func (s settlers) secure(ctx context.Context) error {
	const app, passkeys = "/account/totp", "/account/passkeys"
	v, err := s.enter(ctx, "mika", app)
	if err != nil {
		return err
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.Join(strings.Fields(v.text(isKey)), ""))
	if err != nil || len(secret) == 0 {
		return errors.Join(err, errNotOffered)
	}
	if err := v.submit(ctx, ui.FieldCode, ui.FieldCode, codeAt(secret, time.Now())); err != nil {
		return err
	}
	if err := v.open(ctx, passkeys); err != nil || !strings.HasSuffix(v.at.Path, passkeys) {
		return err
	}
	created, err := newPasskey(v.text(func(n *html.Node) bool { return valueOf(n, "type") == "application/json" }), v.at)
	if err != nil || created == "" {
		return err
	}
	return v.submit(ctx, ui.FieldPasskey, ui.FieldPasskey, created)
}

func isKey(n *html.Node) bool { return valueOf(n, "id") == "key" }

// codeAt is the code of an app (RFC 6238 with the values that all apps have).
func codeAt(secret []byte, at time.Time) string {
	h := hmac.New(sha1.New, secret)
	_ = binary.Write(h, binary.BigEndian, at.Unix()/30)
	sum := h.Sum(nil)
	from := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[from:from+4])&0x7fffffff%1_000_000)
}

// apply has Jun ask to become a student, with a picture of a card on which a reviewer decides.
func (s settlers) apply(ctx context.Context) error {
	if s.cases == nil {
		return nil
	}
	v, err := s.enter(ctx, "jun", "/verification/student")
	if err != nil {
		return err
	}
	const way = "student_card"
	if !slices.ContainsFunc(slices.Collect(v.page.Descendants()), func(n *html.Node) bool { return valueOf(n, "value") == way }) {
		return errNotOffered
	}
	if err := v.submit(ctx, screens.FieldMethod, screens.FieldMethod, way); err != nil {
		return err
	}
	if err := v.upload(ctx, screens.FieldFile, card()); err != nil {
		return err
	}
	return v.press(ctx, "/submit")
}

// card is a picture that could be of one.
func card() []byte {
	picture := image.NewRGBA(image.Rect(0, 0, 856, 540))
	for y := range 540 {
		for x := range 856 {
			shade := color.RGBA{R: 236, G: 240, B: 246, A: 255}
			switch {
			case y < 96:
				shade = color.RGBA{R: 32, G: 74, B: 135, A: 255}
			case x > 48 && x < 268 && y > 150 && y < 440:
				shade = color.RGBA{R: 176, G: 188, B: 204, A: 255}
			case x > 320 && x < 780 && y > 170 && y < 400 && y%60 < 18:
				shade = color.RGBA{R: 90, G: 98, B: 110, A: 255}
			}
			picture.SetRGBA(x, y, shade)
		}
	}
	var file bytes.Buffer
	_ = png.Encode(&file, picture) // into memory
	return file.Bytes()
}

// propose has the last operator of the file, if it has the password, propose to sign out Lena,
// Mika and Jun: another one has to approve it.
func (s settlers) propose(ctx context.Context) error {
	if s.operator.Password == "" {
		return errNotOffered
	}
	by := s.operator
	v, err := s.signedIn(ctx, by.Email, by.Password, "/desk/plans/new?"+url.Values{plans.FieldName: {"end_sessions"}}.Encode())
	if err != nil {
		return err
	}
	err = v.submit(ctx, desk.FieldTargets, desk.FieldTargets, "lena\nmika\njun", plans.FieldReason, "incident",
		plans.FieldNote, "Their devices were in a bag that was stolen at the fair.", ui.FieldAction, plans.ActionCheck)
	if err != nil {
		return err
	}
	if err := v.submit(ctx, plans.FieldShown, ui.FieldAction, plans.ActionPropose); err != nil {
		return err
	}
	if err := v.open(ctx, "/signout"); err != nil {
		return err
	}
	return v.submit(ctx, "csrf")
}
