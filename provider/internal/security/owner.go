package security

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/security"
)

// read reads what the account of a user has. Passkeys of another relying party are shown, and
// sign nobody in.
func (p *frame) read(ctx context.Context, user *authflow.User, page *authflow.Page) (*owner, error) {
	set, err := p.Store.Authenticators(ctx, user.UserID)
	if errors.Is(err, storage.ErrNotFound) { // deleted since its session was read
		return nil, &web.PageError{Status: http.StatusForbidden, Code: ui.ErrorUser, Cause: err}
	}
	if err != nil {
		return nil, fmt.Errorf("read authenticators: %w", err)
	}
	usable := set
	usable.Passkeys, usable.Links = p.Party.Usable(set.Passkeys), p.Upstreams.Usable(set.Links)
	return &owner{user, set, assurance.Of(usable), page}, nil
}

// change is one change of the ways to sign in.
type change struct {
	// do makes it in one write, on a proof.
	do func(ctx context.Context, on storage.Proof) error

	// show shows its page again, with a problem.
	show func(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error

	// event, mail and notice tell of it.
	event  string
	mail   ui.MailKind
	notice security.Notice

	// upstream is the ID of the upstream provider that it is about; empty for none.
	upstream string

	// factor is what the owner has proved to have by it, or zero. codes are new recovery
	// codes, which are shown once.
	factor storage.Factor
	codes  []string
}

// change makes a change, and says so.
func (p *frame) change(w http.ResponseWriter, r *http.Request, o *owner, c change) error {
	told := byUser(c.event, o.UserID)
	if c.upstream != "" {
		told.Detail = "upstream " + c.upstream
	}
	err := p.Audit.Step(r.Context(), func(ctx context.Context) error { return c.do(ctx, p.proof(o)) }, told)
	switch problem := refusal(err); {
	case problem != "":
		return c.show(w, r, o, problem)
	case ended(err):
		return p.again(w, r)
	case err != nil:
		return fmt.Errorf("%s: %w", c.event, err)
	}
	p.NoticeMail(r, o.set.Account, ui.MailView{Kind: c.mail, Upstream: p.Upstreams.Title(c.upstream)})
	if c.factor.Method != "" {
		p.raise(w, r, o, c.factor)
	}
	return p.done(w, r, o, c.notice, c.codes)
}

// refusal returns the problem of a write that the store has refused, or "".
func refusal(err error) security.Problem {
	switch {
	case errors.Is(err, storage.ErrChanged):
		return security.Meanwhile
	case errors.Is(err, storage.ErrLast):
		return security.LastWayIn
	case errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrLimit):
		return security.PasskeyRefused
	default:
		return ""
	}
}

// ended reports whether a write was refused because the session, or the account, has ended.
func ended(err error) bool {
	return errors.Is(err, storage.ErrProof) || errors.Is(err, storage.ErrNotFound)
}

// again shows the page anew, which finds what has become of the owner.
func (p *frame) again(w http.ResponseWriter, r *http.Request) error {
	p.Site.Redirect(w, p.here(r))
	return nil
}

// done leads on after a change: to new recovery codes, if any, and then to where the owner
// has come from.
func (p *frame) done(w http.ResponseWriter, r *http.Request, o *owner, n security.Notice, codes []string) error {
	switch {
	case len(codes) > 0:
		next, err := p.next(w, r, o)
		if err != nil {
			return err
		}
		return p.showNewCodes(w, r, o, codes, n, next)
	case o.inFlow():
		return p.Flows.Continue(w, r, o.page)
	default:
		p.home(w, r, n)
		return nil
	}
}

// inFlow reports whether the page was opened in order to go on elsewhere.
func (o *owner) inFlow() bool { return o.page.Flow != nil || o.page.Return != nil }

// next is the address to go on to.
func (p *frame) next(w http.ResponseWriter, r *http.Request, o *owner) (string, error) {
	if o.inFlow() {
		return p.Flows.NextURL(w, r, o.page)
	}
	return p.link(homePath), nil
}

// up is the address of the page above this one.
func (p *frame) up(r *http.Request, o *owner) string {
	if o.inFlow() {
		return p.link(enrolPath, web.FlowParameter, web.Parameter(r, web.FlowParameter))
	}
	return p.link(homePath)
}

// back is where a page leads back to; in a flow nowhere.
func (p *frame) back(o *owner) string {
	if o.inFlow() {
		return ""
	}
	return p.link(homePath)
}

// raise adds a factor to the session of its owner: adding it was a proof of it. The change
// has begun the next version of the account's factors. If something else has happened
// meanwhile, or the store fails, the session stays as it is, and the next page asks for what is
// missing: the factor is there, and its recovery codes are shown now or never.
func (p *frame) raise(w http.ResponseWriter, r *http.Request, o *owner, f storage.Factor) {
	if len(o.Factors) == 0 { // of before factors were recorded: another would hide the password
		return
	}
	a := authflow.Authentication(r, o.set.Account, assurance.With(o.Factors, f)...)
	a.On.FactorsVersion++
	a.On.Session, a.On.At = o.Session, f.At
	if err := p.Flows.BeginSession(w, r, o.page, a); err != nil && !errors.Is(err, storage.ErrChanged) && !ended(err) {
		p.Site.Logger.WarnContext(r.Context(), "session could not get a new factor", slog.Any("error", err))
	}
}

// byUser is the event of a change of the owner's.
func byUser(name, id string) storage.Event {
	return storage.Event{Name: name, Subject: id, Detail: "by the user"}
}

// TellPasskey tells the owner of an account by mail that a passkey was added elsewhere.
func (p *frame) TellPasskey(r *http.Request, a storage.Account) {
	p.NoticeMail(r, a, ui.MailView{Kind: ui.MailPasskeyAdded})
}
