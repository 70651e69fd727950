package security

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/federation"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/security"
)

// removeLinkPath is the page that disconnects an identity, and connectPath the one that leads to
// an upstream in order to connect one; no upstream has the ID remove.
const removeLinkPath = "/account/connections/remove"

func connectPath(id string) string { return "/account/connections/" + id }

// linkRoutes adds the routes of identities at upstream providers.
func (p *linkPages) linkRoutes(add func(path string, show, act handler)) {
	add(removeLinkPath, p.fresh(p.ofLink(p.showRemoveLink)), p.fresh(p.ofLink(p.removeLink)))
	for _, one := range p.Upstreams.Offered {
		add(connectPath(one.ID), p.fresh(p.toHome), p.fresh(p.connectTo(one)))
	}
}

// toHome leads to the buttons: nothing goes to an upstream without a form.
func (p *linkPages) toHome(w http.ResponseWriter, _ *http.Request, _ *owner) error {
	p.Site.Redirect(w, p.link(homePath))
	return nil
}

// links are the identities of the owner, and the upstreams that can be connected.
func (p *linkPages) links(set storage.AuthenticatorSet) ([]security.Link, []ui.UpstreamButton) {
	var links []security.Link
	for _, l := range set.Links {
		one, offered := p.Upstreams.ByID(l.Upstream)
		if !offered {
			one = federation.Upstream{Title: l.Upstream}
		}
		links = append(links, security.Link{
			Upstream: one.Button(""), Name: l.Name, Ended: !offered, Since: l.CreatedAt, LastUsed: l.LastUsedAt,
			RemoveURL: p.Site.Link(removeLinkPath, security.FieldLink, linkName(l)),
		})
	}
	var others []ui.UpstreamButton
	connected := p.Upstreams.Of(set.Links)
	for _, one := range p.Upstreams.For("") {
		if len(set.Links) < federation.Limit && !slices.ContainsFunc(connected, func(u federation.Upstream) bool { return u.ID == one.ID }) {
			others = append(others, one.Button(p.link(connectPath(one.ID))))
		}
	}
	return links, others
}

// linkName names a link in a page. It is no secret: it stands only for links of the account
// whose owner posts it.
func linkName(l storage.Link) string { return base64.RawURLEncoding.EncodeToString(l.Digest[:12]) }

// connectTo sends the owner to an upstream, with an identity of which to come back.
func (p *linkPages) connectTo(one federation.Upstream) handler {
	return func(w http.ResponseWriter, r *http.Request, o *owner) error {
		a := o.set.Account
		address, err := p.Upstreams.Start(w, r, one, federation.Attempt{
			Purpose: federation.ToConnect, AccountID: a.ID, Epoch: a.Epoch, Version: a.FactorsVersion, Session: o.Session,
		}, federation.Hints{})
		if err != nil {
			p.logUpstream(r, one, err)
			p.home(w, r, security.Notice(security.LinkUnavailable))
			return nil
		}
		p.Site.Redirect(w, address)
		return nil
	}
}

func (p *linkPages) logUpstream(r *http.Request, one federation.Upstream, err error) {
	p.Site.Logger.WarnContext(r.Context(), "upstream provider has authenticated nobody", slog.String("upstream", one.ID), slog.Any("error", err))
}

// Connect connects the identity with which an owner has come back from an upstream, or says what
// has failed. The owner had authenticated before leaving, and the write rests on that session
// and on the account as it was then.
func (p *linkPages) Connect(w http.ResponseWriter, r *http.Request, page *authflow.Page, back federation.Arrival, failed error) error {
	user, err := page.User()
	if err != nil {
		return err
	}
	a := back.Attempt
	if user == nil || user.UserID != a.AccountID || user.Session != a.Session {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: errors.New("another user is signed in")}
	}
	if failed != nil {
		return p.notConnected(w, r, failed)
	}
	now := p.Clock()
	l := p.Upstreams.Link(back.Upstream, back.Who, now)
	l.AccountID = user.UserID
	on := storage.Proof{Epoch: a.Epoch, FactorsVersion: a.Version, Session: user.Session, At: now}
	err = p.Audit.Step(r.Context(), func(ctx context.Context) error { return p.Store.AddLink(ctx, l, federation.Limit, on) },
		storage.Event{Name: event.LinkAdded, Subject: user.UserID, Detail: "upstream " + l.Upstream})
	switch {
	case errors.Is(err, storage.ErrConflict):
		p.home(w, r, security.Notice(security.LinkTaken))
		return nil
	case errors.Is(err, storage.ErrLimit):
		p.home(w, r, security.Notice(security.LinkFull))
		return nil
	case errors.Is(err, storage.ErrChanged), ended(err):
		p.home(w, r, security.Notice(security.Meanwhile))
		return nil
	case err != nil:
		return fmt.Errorf("add link: %w", err)
	}
	p.NoticeMail(r, user.Account, ui.MailView{Kind: ui.MailLinkAdded, Upstream: back.Upstream.Title})
	if err := p.Vouched(r.Context(), user.UserID, back); err != nil {
		return err
	}
	p.home(w, r, security.LinkAdded)
	return nil
}

// notConnected says why somebody has come back from an upstream as nobody.
func (p *linkPages) notConnected(w http.ResponseWriter, r *http.Request, failed error) error {
	problem := security.LinkUnavailable
	if errors.Is(failed, upstream.ErrDenied) {
		problem = security.LinkRefused
	}
	p.home(w, r, security.Notice(problem))
	return nil
}

// said returns what has happened on another page: a notice, or a problem with an upstream.
func said(n security.Notice) (security.Notice, security.Problem) {
	switch problem := security.Problem(n); problem {
	case security.LinkRefused, security.LinkUnavailable, security.LinkTaken, security.LinkFull, security.Meanwhile:
		return "", problem
	default:
		return n, ""
	}
}

// ofLink passes the link that a page is about. One that is gone, or is not the owner's, leads
// back to the others.
func (p *linkPages) ofLink(h func(w http.ResponseWriter, r *http.Request, o *owner, l storage.Link) error) handler {
	return func(w http.ResponseWriter, r *http.Request, o *owner) error {
		for _, l := range o.set.Links {
			if linkName(l) == web.Parameter(r, security.FieldLink) {
				return h(w, r, o, l)
			}
		}
		return p.toHome(w, r, o)
	}
}

// showRemoveLink asks whether to disconnect an identity.
func (p *linkPages) showRemoveLink(w http.ResponseWriter, r *http.Request, o *owner, l storage.Link) error {
	return p.renderRemoveLink(w, r, o, l, "")
}

func (p *linkPages) renderRemoveLink(w http.ResponseWriter, r *http.Request, _ *owner, l storage.Link, problem security.Problem) error {
	form, status := p.form(w, r, problem)
	one, offered := p.Upstreams.ByID(l.Upstream)
	if !offered {
		one = federation.Upstream{Title: l.Upstream}
	}
	p.Site.Render(w, r, status, security.RemoveLink(security.RemoveLinkView{
		Page: p.Site.PageView(r, nil), Form: form, ID: linkName(l), Upstream: one.Button(""), Name: l.Name, BackURL: p.link(homePath),
	}))
	return nil
}

// removeLink disconnects an identity, and ends the other sessions that it has begun. Links of
// upstreams that are no longer offered are no way in, which the store cannot know.
func (p *linkPages) removeLink(w http.ResponseWriter, r *http.Request, o *owner, l storage.Link) error {
	show := func(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error {
		return p.renderRemoveLink(w, r, o, l, problem)
	}
	left := 0
	for _, other := range p.Upstreams.Usable(o.set.Links) {
		if other.Digest != l.Digest {
			left++
		}
	}
	if left == 0 && o.has.Link && !o.has.Password && !o.has.Passkey {
		return show(w, r, o, security.LastWayIn)
	}
	return p.change(w, r, o, change{
		do: func(ctx context.Context, on storage.Proof) error {
			return p.Store.RemoveLink(ctx, o.UserID, l.Digest, on, on.At)
		},
		show: show, event: event.LinkRemoved, mail: ui.MailLinkRemoved, notice: security.LinkRemoved, upstream: l.Upstream,
	})
}
