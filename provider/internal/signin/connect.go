package signin

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/federation"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// The pages on which the owner of an account connects an identity to it: one asks, the other,
// after a sign-in, does it. connectLife is how long that may take.
const (
	connectPath   = "/signin/connect"
	connectedPath = "/signin/connected"
	connectLife   = 10 * time.Minute
)

// offerConnection leads to the page that asks to sign in to an account in order to connect an
// identity to it. What travels is of this browser, this page and this identity (CVE-2026-9087
// was a proof of the account alone), once, and of the account as it is.
func (p *upstreamPages) offerConnection(w http.ResponseWriter, r *http.Request, l storage.Link, email string, known storage.Account, proved ...account.Right) error {
	sealed, err := p.seal(w, r, forConnect, web.Parameter(r, web.FlowParameter), state{
		AccountID: known.ID, Epoch: known.Epoch, Version: known.FactorsVersion, Email: email,
		Link: l, Nonce: random.Bytes(16), Began: p.Clock().Unix(),
	})
	for _, code := range proved {
		if err == nil {
			err = p.SpendCode(r.Context(), code)
		}
	}
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.link(r, connectPath, web.CodeParameter, sealed))
	return nil
}

// showConnect asks the owner of an account to sign in.
func (p *upstreamPages) showConnect(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	s, err := p.open(r, forConnect, connectLife)
	if err != nil {
		return err
	}
	one, offered := p.Upstreams.ByID(s.Link.Upstream)
	if !offered {
		return p.problem(w, r, ui.UpstreamUnknown)
	}
	agreed, err := p.seal(w, r, forAgreed, web.Parameter(r, web.FlowParameter), s)
	if err != nil {
		return err
	}
	name := s.Link.Name
	if name == s.Email {
		name = ""
	}
	p.Site.RenderFor(w, r, page.Request(), http.StatusOK, screens.Connect(screens.ConnectView{
		Page: p.Site.PageView(r, page.Request()), Upstream: one.Button(""), Name: name, Email: s.Email,
		SignInURL: p.link(r, connectedPath, web.CodeParameter, agreed), CancelURL: p.link(r, "/signin"),
	}))
	return nil
}

// connected connects an identity to the account whose owner has agreed and has signed in, with
// all that the account asks for. Before that it leads to the sign-in, and back.
func (p *upstreamPages) connected(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	s, err := p.open(r, forAgreed, connectLife)
	if err != nil {
		return err
	}
	if _, offered := p.Upstreams.ByID(s.Link.Upstream); !offered {
		return p.problem(w, r, ui.UpstreamUnknown)
	}
	began := time.Unix(s.Began, 0)
	if !clock.Within(p.Clock(), began, connectLife) {
		return expired(errors.New("the connection was left"))
	}
	set, err := p.Store.Authenticators(r.Context(), s.AccountID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("read authenticators: %w", err)
	}
	a := set.Account
	if key, _ := mailbox.EmailKey(s.Email); err != nil || a.EmailKey != key || a.EmailVerified && !s.holds(a) {
		return expired(errors.New("the account has changed since its connection was offered"))
	}
	to := authflow.Return{Address: p.here(r), Requires: assurance.Requirement{MaxAge: authflow.EnrolAge}, Highest: true}
	// Nobody has proved the address of such an account, and who has made its password may be
	// another (pre-hijacking): the reader of the mailbox sets one, with which everything else
	// ends that the account had. Others are as they were when the connection was offered.
	if !a.EmailVerified && (a.Epoch == s.Epoch || a.PasswordChangedAt.Before(began)) {
		return p.proveMailbox(w, r, to)
	}
	user, err := page.User()
	if err != nil {
		return err
	}
	if user != nil && user.UserID != s.AccountID {
		if err := p.leaveAccount(w, r, user); err != nil {
			return err
		}
		user = nil
	}
	ok, err := p.Flows.Suffices(r.Context(), user, to)
	if err != nil {
		return err
	}
	if !ok {
		return p.Flows.SignIn(w, r, user, to)
	}
	on := a.Proof()
	on.Session, on.At = user.Session, p.Clock()
	on.Challenge, on.ChallengeUntil = sha256.Sum256(append([]byte("connection "), s.Nonce...)), began.Add(connectLife+time.Minute)
	err = p.addLink(r, a, s.Link, on)
	if errors.Is(err, storage.ErrConflict) { // another account has connected it meanwhile
		return p.problem(w, r, ui.UpstreamTaken)
	}
	if err != nil {
		return err
	}
	return p.Flows.Continue(w, r, page)
}

// here is the address of the page of a request, to be shown again.
func (p *upstreamPages) here(r *http.Request) string {
	return p.link(r, web.PathOf(r), web.CodeParameter, web.Parameter(r, web.CodeParameter))
}

// proveMailbox leads to the page that sets a new password by a mailed code, and from there
// through the sign-in back.
func (p *upstreamPages) proveMailbox(w http.ResponseWriter, r *http.Request, to authflow.Return) error {
	if !p.SendsMail() {
		return p.problem(w, r, ui.UpstreamUnknown)
	}
	sealed, err := p.Flows.SealReturn(w, r, to)
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link("/reset", web.FlowParameter, sealed))
	return nil
}

// leaveAccount signs the user of another account out, so that the owner of this one can sign in.
func (p *upstreamPages) leaveAccount(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	return p.Audit.Step(r.Context(), func(ctx context.Context) error { return p.Sessions.End(ctx, w, r) },
		storage.Event{Name: event.SignedOut, Subject: user.UserID, Detail: "to change the account"})
}

// addLink connects an identity to an account, on a proof that spends what was agreed to.
func (p *upstreamPages) addLink(r *http.Request, a storage.Account, l storage.Link, on storage.Proof) error {
	l.AccountID, l.CreatedAt = a.ID, p.Clock()
	err := p.Audit.Step(r.Context(), func(ctx context.Context) error { return p.Store.AddLink(ctx, l, federation.Limit, on) },
		storage.Event{Name: event.LinkAdded, Subject: a.ID, Detail: "upstream " + l.Upstream})
	switch {
	case isRefused(err), errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrLimit):
		return expired(err)
	case err != nil:
		return fmt.Errorf("add link: %w", err)
	}
	p.NoticeMail(r, a, ui.MailView{Kind: ui.MailLinkAdded, Upstream: p.Upstreams.Title(l.Upstream)})
	return nil
}

// linkByEmail connects an identity to the account with its address, where the host has allowed
// it, and signs its owner in: if the upstream gives out that address, the account's owner has
// proved it here, and nothing but a password protects the account. In every other case its
// owner has to sign in.
func (p *upstreamPages) linkByEmail(w http.ResponseWriter, r *http.Request, page *authflow.Page, back federation.Arrival, known storage.Account) error {
	set, err := p.Store.Authenticators(r.Context(), known.ID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("read authenticators: %w", err)
	}
	a, l := set.Account, p.Upstreams.Link(back.Upstream, back.Who, p.Clock())
	has := assurance.Of(set)
	if err != nil || !a.EmailVerified || a.Disabled || !a.DeleteAt.IsZero() || a.EmailKey != known.EmailKey || a.SecondStep || has.Passkey || has.TOTP {
		return p.offerConnection(w, r, l, back.Who.Email, known)
	}
	on := a.Proof()
	on.At = p.Clock()
	if err := p.addLink(r, a, l, on); err != nil {
		return err
	}
	a.FactorsVersion++ // which the link has begun
	l.AccountID = a.ID
	return p.enterBy(w, r, page, back, l, a)
}

// connecting is what a sign-in is for that was begun in order to connect an identity.
func (p *frame) connecting(r *http.Request, page *authflow.Page) ui.Connecting {
	if page.Return == nil {
		return ui.Connecting{}
	}
	to, err := url.Parse(page.Return.Address)
	if err != nil || !strings.HasSuffix(to.Path, connectedPath) {
		return ui.Connecting{}
	}
	query := to.Query()
	s, err := p.openFor(r, forAgreed, connectLife, query.Get(web.CodeParameter), query.Get(web.FlowParameter))
	if err != nil {
		return ui.Connecting{}
	}
	return ui.Connecting{
		Upstream: p.Upstreams.Title(s.Link.Upstream), CancelURL: p.Site.Link("/signin", web.FlowParameter, query.Get(web.FlowParameter)),
	}
}
