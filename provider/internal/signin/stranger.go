package signin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/federation"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Somebody comes from an upstream provider with an identity that no account has. An address
// never connects it to an account by itself: the upstream may have it wrong, or lie, and its
// owner may not be the one who has the account. Nor does an address tell whether it has an
// account, unless the upstream says that it is theirs.

// stranger goes on with an identity that no account has.
func (p *upstreamPages) stranger(w http.ResponseWriter, r *http.Request, page *authflow.Page, back federation.Arrival) error {
	email := back.Who.Email
	key, err := mailbox.EmailKey(email)
	verified := back.Who.EmailVerified
	switch {
	case email == "" || err != nil || !mailbox.HasDot(email):
		if !back.Upstream.SignsUp {
			return p.problem(w, r, ui.UpstreamUnknown)
		}
		return p.problem(w, r, ui.UpstreamNoEmail)
	case !verified && (!back.Upstream.SignsUp || !p.SendsMail()):
		return p.problem(w, r, ui.UpstreamUnknown) // whether or not it has an account
	case !verified:
		return p.mailToStranger(w, r, back, key)
	}
	known, err := p.Accounts.ByEmail(r.Context(), key)
	switch {
	case err != nil:
		return err
	case known.ID != "" && back.Upstream.LinkByEmail && back.Upstream.Vouches(back.Who):
		return p.linkByEmail(w, r, page, back, known)
	case known.ID != "":
		return p.offerConnection(w, r, p.Upstreams.Link(back.Upstream, back.Who, p.Clock()), email, known)
	case !back.Upstream.SignsUp:
		return p.problem(w, r, ui.UpstreamUnknown)
	case back.Upstream.Vouches(back.Who):
		return p.createFrom(w, r, page, back, key)
	case !p.SendsMail():
		return p.problem(w, r, ui.UpstreamUnknown)
	default:
		return p.mailToStranger(w, r, back, key)
	}
}

// createFrom creates the account of somebody whose address is proved, unless there are too many.
func (p *upstreamPages) createFrom(w http.ResponseWriter, r *http.Request, page *authflow.Page, back federation.Arrival, key string) error {
	wait, err := p.Limits.Allow(r.Context(), p.Actions.SignUp, p.MailCaller(r, key, storage.Account{}))
	if err != nil {
		return err
	}
	if wait > 0 {
		return p.throttled(w, r, back.Upstream, wait)
	}
	l := p.Upstreams.Link(back.Upstream, back.Who, p.Clock())
	return p.createLinked(w, r, page, arrival{Link: l, Email: back.Who.Email, At: back.At, Level: back.Upstream.Worth(back.Who)}, back, storage.Proof{})
}

// arrival is what is kept of somebody who has come from an upstream while the address is proved.
type arrival struct {
	Link  storage.Link      `json:"l"`
	Email string            `json:"e"`
	At    time.Time         `json:"a"`
	Level storage.Assurance `json:"v,omitempty"`
	Began int64             `json:"t"`
}

// mailToStranger sends a code to the address of an identity. What comes after says whether it
// has an account, to whoever reads the mailbox.
func (p *upstreamPages) mailToStranger(w http.ResponseWriter, r *http.Request, back federation.Arrival, key string) error {
	ctx := r.Context()
	known, err := p.Accounts.ByEmail(ctx, key)
	if err != nil {
		return err
	}
	wait, err := p.Limits.Allow(ctx, p.Actions.SignUp, p.MailCaller(r, key, known))
	if err != nil {
		return err
	}
	if wait > 0 {
		return p.throttled(w, r, back.Upstream, wait)
	}
	payload, err := json.Marshal(arrival{
		Link: p.Upstreams.Link(back.Upstream, back.Who, p.Clock()), Email: back.Who.Email, At: back.At,
		Level: back.Upstream.Worth(back.Who), Began: p.Clock().Unix(),
	})
	if err != nil {
		return fmt.Errorf("encode arrival: %w", err)
	}
	sealed, rejected, err := p.NewCode(w, r, account.CodeRequest{Purpose: account.ForConnect, Email: back.Who.Email}, payload)
	switch {
	case err != nil:
		return err
	case rejected != nil && rejected.Wait > 0:
		return p.throttled(w, r, back.Upstream, rejected.Wait)
	case rejected != nil:
		return p.problem(w, r, ui.UpstreamEmailUndeliverable)
	}
	p.Site.Redirect(w, p.link(r, codePath, web.CodeParameter, sealed))
	return nil
}

// codePath is the page of the code that proves the address of a stranger.
const codePath = "/signin/connect/code"

// showStrangerCode asks for the mailed code.
func (p *upstreamPages) showStrangerCode(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForConnect)
	if err != nil {
		return err
	}
	p.RenderCode(w, r, p.strangerPage(r, page, c), http.StatusOK, p.Site.Noticed(r))
	return nil
}

func (p *upstreamPages) strangerPage(r *http.Request, page *authflow.Page, c account.CodeRequest) account.CodePage {
	return account.CodePage{Request: page.Request(), Code: c, Path: codePath, Back: p.link(r, "/signin")}
}

// strangerCode goes on with somebody who reads the mailbox of the address.
func (p *upstreamPages) strangerCode(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForConnect)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) == ui.ActionResend {
		return p.ResendCode(w, r, p.strangerPage(r, page, c))
	}
	rejected, err := p.UseCode(w, r, c, r.PostForm.Get(ui.FieldCode), func(r *http.Request, code account.Right) error {
		return p.strangerBy(w, r, page, code)
	})
	if rejected != nil {
		p.RenderCode(w, r, p.strangerPage(r, page, c), rejected.Status, "", rejected.Problem)
	}
	return err
}

// strangerBy goes on with somebody whose code was right.
func (p *upstreamPages) strangerBy(w http.ResponseWriter, r *http.Request, page *authflow.Page, code account.Right) error {
	var a arrival
	if err := json.Unmarshal(code.Payload, &a); err != nil {
		return fmt.Errorf("decode arrival: %w", err)
	}
	one, offered := p.Upstreams.ByID(a.Link.Upstream)
	if !offered {
		return p.problem(w, r, ui.UpstreamUnknown)
	}
	key, err := mailbox.EmailKey(a.Email)
	if err != nil {
		return err
	}
	known, err := p.Accounts.ByEmail(r.Context(), key)
	if err != nil {
		return err
	}
	if known.ID != "" {
		return p.offerConnection(w, r, a.Link, a.Email, known, code)
	}
	if !one.SignsUp {
		return p.problem(w, r, ui.UpstreamUnknown)
	}
	return p.createLinked(w, r, page, a, federation.Arrival{Upstream: one}, code.Spend(storage.Proof{}))
}

// createLinked creates an account with a link and signs its owner in. If the address, or the
// identity, got its account in the meantime, its owner can sign in. Who is known only with a
// return of this moment: groups of an identity whose address was mailed to come with the next.
func (p *upstreamPages) createLinked(w http.ResponseWriter, r *http.Request, page *authflow.Page, a arrival, back federation.Arrival, on storage.Proof) error {
	e, err := p.newEntry(r, a.Email, on)
	if err != nil {
		return err
	}
	a.Link.AccountID, a.Link.CreatedAt = e.account.ID, e.account.CreatedAt
	e.upstream, e.signUp.Link = a.Link.Upstream, a.Link
	e = e.by(storage.Factor{Method: storage.Upstream, At: a.At, Since: e.account.CreatedAt, Credential: a.Link.Digest[:], Level: a.Level})
	e.on = onLink(e.on, e.factors)
	if err := p.startSession(w, r, page, e); err != nil {
		return p.orSignIn(w, r, err)
	}
	p.rememberUpstream(w, a.Link.Upstream)
	if back.Who.Subject != "" {
		if err := p.Vouched(r.Context(), e.account.ID, back); err != nil {
			return err
		}
	}
	return p.entered(w, r, page, e)
}
