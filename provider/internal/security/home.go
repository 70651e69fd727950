package security

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/security"
)

// showHome shows how the owner can sign in.
func (p *Pages) showHome(w http.ResponseWriter, r *http.Request, o *owner) error {
	notice, problem := said(security.Notice(p.Site.Noticed(r)))
	form, _ := p.form(w, r, problem)
	a, set := o.set.Account, o.set
	view := security.HomeView{
		Page: p.Site.PageView(r, nil), Form: form, Notice: notice,
		HasPassword: o.has.Password, PasswordChanged: a.PasswordChangedAt, PasswordURL: p.link(passwordPath),
		SecondStep: a.SecondStep, AccountURL: p.link("/account"),
	}
	for _, k := range set.Passkeys {
		id := nameOf(k)
		view.Passkeys = append(view.Passkeys, security.Passkey{
			Name: k.Name, Since: k.CreatedAt, LastUsed: k.LastUsedAt,
			RenameURL: p.link(withCredential(renamePasskeyPath, id)), RemoveURL: p.link(withCredential(removePasskeyPath, id)),
		})
	}
	switch {
	case p.Party == nil:
	case len(set.Passkeys) < passkey.Limit:
		view.AddPasskeyURL = p.link(passkeysPath)
	default:
		view.MaxPasskeys = passkey.Limit
	}
	if p.Apps && o.has.SignsIn() {
		view.AppURL = p.link(appPath)
	}
	if o.has.TOTP {
		view.App, view.RemoveAppURL = &security.App{Since: set.TOTP.CreatedAt, LastUsed: set.TOTP.LastUsedAt}, p.link(removeAppPath)
	}
	if o.has.TOTP || o.has.Passkey {
		view.CodesURL, view.CodesLeft, view.CodesMade = p.link(codesPath), len(set.Recovery.Digests), set.Recovery.CreatedAt
		view.CodesMissing = view.CodesLeft == 0
	}
	if o.hasChoice() {
		view.StepURL = p.link(stepPath)
	}
	view.Links, view.Upstreams = p.links(set)
	view.Devices = p.devices(set)
	var err error
	if view.Signals, err = p.signals(r, o); err != nil {
		return err
	}
	p.Site.Render(w, r, http.StatusOK, security.Home(view))
	return nil
}

// signals tells browsers which passkeys there are, so that they no longer offer others of
// this account. All is from the one reading of the owner: a list that lacks one would make a
// browser hide it for good.
func (p *Pages) signals(r *http.Request, o *owner) (string, error) {
	if p.Party == nil || len(o.set.Account.UserHandle) == 0 {
		return "", nil
	}
	user, err := p.passkeyUser(r, o, o.set.Account.UserHandle)
	if err != nil {
		return "", err
	}
	signals, err := p.Party.SignalUser(user, o.set.Passkeys)
	return string(signals), err
}

// nameOf names a passkey in a page. Its ID is no secret, but this is shorter.
func nameOf(k storage.Passkey) string {
	sum := sha256.Sum256(k.ID)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// devices are the devices of an account that are still trusted.
func (p *Pages) devices(set storage.AuthenticatorSet) []security.Device {
	var devices []security.Device
	for _, d := range set.Devices {
		if !p.Clock().Before(d.ExpiresAt) {
			continue
		}
		agent := request.DeviceOf(d.UserAgent)
		devices = append(devices, security.Device{
			ID: deviceName(d), Kind: agent.Kind, Browser: agent.Browser, System: agent.System, Until: d.ExpiresAt,
		})
	}
	return devices
}

// deviceName names a device in a form. It is no secret: it ends only trust in devices of the
// account that posts it.
func deviceName(d storage.TrustedDevice) string {
	sum := sha256.Sum256(d.Digest[:])
	return hex.EncodeToString(sum[:16])
}

// act does what needs no fresh authentication, because it takes something from whoever might
// have stolen the account: it forgets devices, and stops a recovery.
func (p *Pages) act(w http.ResponseWriter, r *http.Request, o *owner) error {
	switch r.PostForm.Get(ui.FieldAction) {
	case ui.ActionStopRecovery:
		return p.stopRecovery(w, r, o)
	case security.ActionForgetAll:
		return p.forget(w, r, o, storage.Digest{}, security.DevicesForgotten)
	case security.ActionForget:
		for _, d := range o.set.Devices {
			if deviceName(d) == r.PostForm.Get(security.FieldDevice) {
				return p.forget(w, r, o, d.Digest, security.DeviceForgotten)
			}
		}
	}
	return p.again(w, r)
}

func (p *Pages) forget(w http.ResponseWriter, r *http.Request, o *owner, which storage.Digest, n security.Notice) error {
	_, err := audit.StepIf(r.Context(), p.Audit, func(ctx context.Context) (int, error) {
		return p.Store.ForgetDevices(ctx, o.UserID, which)
	}, byUser(event.DevicesForgotten, o.UserID))
	if err != nil {
		return fmt.Errorf("forget devices: %w", err)
	}
	p.home(w, r, n)
	return nil
}
