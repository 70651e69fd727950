package security

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/security"
)

// boundTo is what a challenge of an owner is bound to, beside the browser: the account and
// the session. Only a fresh owner gets one, so its answer need not ask again: creating a
// passkey on another device takes a while.
func boundTo(o *owner) string { return o.UserID + " " + hex.EncodeToString(o.Session[:]) }

// passkeyUser is the owner as an authenticator shows it.
func (p *factorPages) passkeyUser(r *http.Request, o *owner, handle []byte) (passkey.User, error) {
	shown, err := p.Flows.AccountView(r.Context(), o.UserID)
	if err != nil {
		return passkey.User{}, err
	}
	return passkey.User{Handle: handle, Name: o.set.Account.Email, DisplayName: shown.Name}, nil
}

// showAddPasskey asks the browser for a new passkey.
func (p *factorPages) showAddPasskey(w http.ResponseWriter, r *http.Request, o *owner) error {
	return p.renderAddPasskey(w, r, o, "")
}

func (p *factorPages) renderAddPasskey(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error {
	if len(o.set.Passkeys) >= passkey.Limit {
		p.Site.Redirect(w, p.up(r, o))
		return nil
	}
	handle := o.set.Account.UserHandle
	if len(handle) == 0 {
		handle = p.Party.NewHandle()
	}
	user, err := p.passkeyUser(r, o, handle)
	if err != nil {
		return err
	}
	made, sealed, err := p.Challenges.New(w, r, factor.ToCreate, boundTo(o), handle)
	if err != nil {
		return err
	}
	options, err := p.Party.CreateOptions(made.Bytes, user, o.set.Passkeys)
	if err != nil {
		return err
	}
	form, status := p.form(w, r, problem)
	p.Site.RenderFor(w, r, o.page.Request(), status, security.AddPasskey(security.PasskeyView{
		Page: p.Site.PageView(r, o.page.Request()), Form: form, BackURL: p.back(o),
		Prompt: ui.PasskeyPrompt{Options: string(options), Challenge: sealed, Create: true},
	}))
	return nil
}

// addPasskey records the passkey that the browser has created.
func (p *factorPages) addPasskey(w http.ResponseWriter, r *http.Request, o *owner) error {
	made, err := p.Challenges.Open(r, factor.ToCreate, boundTo(o))
	if errors.Is(err, factor.ErrChallenge) {
		if sent, err := p.confirm(w, r, o); sent || err != nil {
			return err
		}
		return p.renderAddPasskey(w, r, o, security.TooLate)
	}
	if err != nil {
		return err
	}
	answer, now := r.PostForm.Get(ui.FieldPasskey), p.Clock()
	if answer == ui.PasskeyExists {
		return p.done(w, r, o, security.PasskeyThere, nil)
	}
	k, err := p.Party.Created(made.Bytes, made.Handle, answer, now)
	if errors.Is(err, passkey.ErrRefused) {
		p.Site.Logger.InfoContext(r.Context(), "passkey not added", slog.String("user", o.UserID), slog.Any("error", err))
		return p.renderAddPasskey(w, r, o, security.PasskeyRefused)
	}
	if err != nil {
		return err
	}
	k.AccountID, k.Name = o.UserID, p.firstName(r, o, k)
	return p.change(w, r, o, change{
		do: func(ctx context.Context, on storage.Proof) error {
			return p.Store.AddPasskey(ctx, k, passkey.Limit, made.Spend(on))
		},
		show: p.renderAddPasskey, event: event.PasskeyAdded, mail: ui.MailPasskeyAdded, notice: security.PasskeyAdded,
		factor: storage.Factor{Method: storage.PasskeyVerified, At: now, Since: now, Credential: k.ID},
	})
}

// firstName names a new passkey, so that the owner tells it from the others.
func (p *factorPages) firstName(r *http.Request, o *owner, k storage.Passkey) string {
	name := cmp.Or(passkey.Label(k.AAGUID, r.UserAgent()), security.Unnamed(p.Site.Locale(r)))
	taken := map[string]bool{}
	for _, other := range o.set.Passkeys {
		taken[other.Name] = true
	}
	numbered := name
	for n := 2; taken[numbered]; n++ {
		numbered = name + " " + strconv.Itoa(n)
	}
	return numbered
}

// ofPasskey answers a page about a passkey of the owner.
type ofPasskey func(w http.ResponseWriter, r *http.Request, o *owner, k storage.Passkey) error

// named passes the passkey that a page is about. One that is gone, or is not the owner's,
// leads back to the others.
func (p *factorPages) named(h ofPasskey) handler {
	return func(w http.ResponseWriter, r *http.Request, o *owner) error {
		for _, k := range o.set.Passkeys {
			if nameOf(k) == web.Parameter(r, security.FieldCredential) {
				return h(w, r, o, k)
			}
		}
		p.Site.Redirect(w, p.link(homePath))
		return nil
	}
}

// showRename asks for the name of a passkey.
func (p *factorPages) showRename(w http.ResponseWriter, r *http.Request, _ *owner, k storage.Passkey) error {
	p.renderRename(w, r, k, k.Name, http.StatusOK)
	return nil
}

func (p *factorPages) renderRename(w http.ResponseWriter, r *http.Request, k storage.Passkey, name string, status int, problems ...ui.Problem) {
	p.Site.Render(w, r, status, security.Rename(security.RenameView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), ID: nameOf(k), Name: name, BackURL: p.link(homePath),
	}))
}

// maxName is the greatest length of the name of a passkey, in characters.
const maxName = ui.MaxName

// rename names a passkey. It decides nothing, and needs no fresh authentication.
func (p *factorPages) rename(w http.ResponseWriter, r *http.Request, o *owner, k storage.Passkey) error {
	name := strings.TrimSpace(r.PostForm.Get(ui.FieldName))
	if name == "" || ui.Clean(name, maxName) != name {
		code := ui.NameInvalid
		if name == "" {
			code = ui.NameMissing
		}
		p.renderRename(w, r, k, ui.Clean(name, maxName), http.StatusUnprocessableEntity, ui.Problem{Code: code})
		return nil
	}
	err := p.Store.RenamePasskey(r.Context(), o.UserID, k.ID, name)
	if err != nil && !errors.Is(err, storage.ErrNotFound) { // removed meanwhile
		return fmt.Errorf("rename passkey: %w", err)
	}
	p.home(w, r, security.PasskeyRenamed)
	return nil
}

// showRemovePasskey asks whether to remove a passkey.
func (p *factorPages) showRemovePasskey(w http.ResponseWriter, r *http.Request, o *owner, k storage.Passkey) error {
	return p.renderRemovePasskey(w, r, o, k, "")
}

func (p *factorPages) renderRemovePasskey(w http.ResponseWriter, r *http.Request, _ *owner, k storage.Passkey, problem security.Problem) error {
	form, status := p.form(w, r, problem)
	p.Site.Render(w, r, status, security.RemovePasskey(security.RemovePasskeyView{
		Page: p.Site.PageView(r, nil), Form: form, ID: nameOf(k), Name: k.Name, BackURL: p.link(homePath),
	}))
	return nil
}

// removePasskey removes a passkey, and ends the other sessions that it has begun. Links of
// upstreams that are no longer offered are no way in, which the store cannot know.
func (p *factorPages) removePasskey(w http.ResponseWriter, r *http.Request, o *owner, k storage.Passkey) error {
	if !o.has.SignsIn() && len(o.set.Passkeys) == 1 {
		return p.renderRemovePasskey(w, r, o, k, security.LastWayIn)
	}
	return p.change(w, r, o, change{
		do: func(ctx context.Context, on storage.Proof) error {
			return p.Store.RemovePasskey(ctx, o.UserID, k.ID, on)
		},
		show: func(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error {
			return p.renderRemovePasskey(w, r, o, k, problem)
		},
		event: event.PasskeyRemoved, mail: ui.MailPasskeyRemoved, notice: security.PasskeyRemoved,
	})
}
