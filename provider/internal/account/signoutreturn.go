package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// signedOutParameter carries the destination of a browser after the host has signed its
// user out. It is sealed: the host's page sends users only to this provider, and needs to
// know no application.
const signedOutParameter = "signed_out"

func (p signOuts) sealSignedOutPurpose() string { return "signed out " + p.Site.Issuer }

// sealedSignedOut is the content of signedOutParameter: Back is URI with the state, and
// UserID the user who was signed in, in this session of the host's.
type sealedSignedOut struct {
	ClientID, URI, Back string
	UserID              string
	Session             storage.Digest

	// At is when it was sealed, in microseconds since 1970.
	At int64
}

// signedOutReturn is the address that continues a sealed return, which needs no escaping.
func (p signOuts) signedOutReturn(sealed string) string {
	return p.Site.BaseURL + "/signout?" + signedOutParameter + "=" + sealed
}

// sealSignedOut returns the return_to for the host's sign-out page.
func (p signOuts) sealSignedOut(s signOutRequest, user *authflow.User) (string, error) {
	plain, err := json.Marshal(sealedSignedOut{
		ClientID: s.client.ID, URI: s.uri, Back: s.back, UserID: user.UserID, Session: authflow.HostSession(user.UserID, user.SessionID), At: p.Clock().UnixMicro(),
	})
	if err != nil {
		return "", fmt.Errorf("encode return: %w", err)
	}
	return p.signedOutReturn(p.Site.Secrets.SealString(p.sealSignedOutPurpose(), plain)), nil
}

// returnFromHost continues to the application after the host has signed its user out. It
// looks the address up again: the registration may have changed since.
func (p signOuts) returnFromHost(w http.ResponseWriter, r *http.Request, page *authflow.Page, sealed string) error {
	plain, err := p.Site.Secrets.OpenString(p.sealSignedOutPurpose(), sealed)
	if err != nil {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	var s sealedSignedOut
	if err := json.Unmarshal(plain, &s); err != nil {
		return fmt.Errorf("decode return: %w", err)
	}
	if !clock.Within(p.Clock(), time.UnixMicro(s.At), p.FlowLife) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired}
	}
	user, err := page.User()
	if err != nil {
		return err
	}
	// The host may have asked the user, who declined.
	if user == nil || user.UserID != s.UserID || authflow.HostSession(user.UserID, user.SessionID) != s.Session {
		if err := p.endHostSessions(r, s.UserID, s.Session); err != nil {
			return err
		}
	}
	client, err := p.Engine.Client(r.Context(), s.ClientID)
	if err != nil && !errors.Is(err, registry.ErrNoClient) {
		return err
	}
	if err != nil || !slices.Contains(client.PostLogoutRedirectURIs, s.URI) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRedirect}
	}
	p.goBack(w, r, signOutRequest{client: client, uri: s.URI, back: s.Back}, true)
	return nil
}

// goBack sends the browser to the application that asked to sign out.
func (p signOuts) goBack(w http.ResponseWriter, r *http.Request, s signOutRequest, afterForm bool) {
	p.Activity.Succeeded(r.Context(), activity.SignOut, activity.Party{ClientID: s.client.ID, UserID: s.hint.Subject})
	p.Site.Leave(w, r, s.back, afterForm, func() ui.Page {
		page := p.Site.PageView(r, nil)
		page.Client = p.Site.ClientView(r.Context(), s.client, s.back)
		return page
	})
}
