package selfservice

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showSessions lists the user's browser sessions, this one first.
func (p *Pages) showSessions(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	sessions, err := p.Store.Sessions(r.Context(), user.UserID)
	if err != nil {
		return fmt.Errorf("read sessions: %w", err)
	}
	view := ui.SessionsView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, nil),
		Notice: p.Site.Noticed(r), AccountURL: p.Site.Link("/account"),
	}
	trusted, links, err := p.besideSessions(r, user, sessions)
	if err != nil {
		return err
	}
	now := p.Clock()
	for _, s := range sessions {
		if !now.Before(s.ExpiresAt) || !now.Before(s.IdleUntil) {
			continue
		}
		agent := request.DeviceOf(s.UserAgent)
		shown := ui.Session{
			ID: session.Handle(s), Kind: agent.Kind, Browser: agent.Browser, System: agent.System, Place: placeOf(r, s.Address),
			Current: s.Digest == user.Session, Since: s.CreatedAt, LastUsed: s.LastSeenAt,
			How: how(s.Factors),
		}
		if shown.How == ui.SessionByUpstream {
			shown.Upstream = p.upstreamOf(links, s)
		}
		if shown.Current {
			shown.Trusted = trusted
			view.Sessions = slices.Insert(view.Sessions, 0, shown)
			continue
		}
		view.Sessions = append(view.Sessions, shown)
	}
	p.Site.Render(w, r, http.StatusOK, p.Site.Screens.Sessions(view))
	return nil
}

// besideSessions reports whether the user's second step is left out in this browser, and
// returns the links by which sessions have begun. Both are read only if they matter.
func (p *Pages) besideSessions(r *http.Request, user *authflow.User, sessions []storage.Session) (trusted bool, links []storage.Link, err error) {
	byLink := slices.ContainsFunc(sessions, func(s storage.Session) bool { return how(s.Factors) == ui.SessionByUpstream })
	if !user.Account.SecondStep && !byLink {
		return false, nil, nil
	}
	set, err := p.Store.Authenticators(r.Context(), user.UserID)
	if err != nil {
		return false, nil, fmt.Errorf("read authenticators: %w", err)
	}
	if user.Account.SecondStep {
		_, trusted = p.Trusted(r, set)
	}
	return trusted, set.Links, nil
}

// upstreamOf returns what people call the upstream provider by which a session has begun; empty
// if its link is gone.
func (p *Pages) upstreamOf(links []storage.Link, s storage.Session) string {
	for _, f := range s.Factors {
		for _, l := range links {
			if bytes.Equal(f.Credential, l.Digest[:]) {
				return p.UpstreamTitle(l.Upstream)
			}
		}
	}
	return ""
}

// how says how a user has signed in with these factors; empty if they are not known.
func how(factors []storage.Factor) ui.SessionHow {
	var password, upstream, passkey, other bool
	for _, f := range factors {
		switch f.Method {
		case storage.Password:
			password = true
		case storage.Upstream:
			upstream = true
		case storage.PasskeyVerified:
			passkey = true
		default:
			other = true
		}
	}
	switch {
	case (password || upstream) && (passkey || other), password && upstream:
		return ui.SessionByTwoSteps
	case passkey:
		return ui.SessionByPasskey
	case upstream:
		return ui.SessionByUpstream
	case password:
		return ui.SessionByPassword
	default:
		return ""
	}
}

// placeOf describes a network relative to that of a request.
func placeOf(r *http.Request, network string) ui.Place {
	return ui.Place{Network: network, Here: network != "" && network == request.Network(r.Context())}
}

// endSessions ends one session of the user, or all but this one.
func (p *Pages) endSessions(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	notice := ui.NoticeSessionEnded
	var err error
	if r.PostForm.Get(ui.FieldAction) == ui.ActionOthers {
		notice = ui.NoticeSessionsEnded
		err = p.endOthers(r, user)
	} else {
		_, err = p.EndSession(r.Context(), user.UserID, r.PostForm.Get(ui.FieldSession),
			storage.Event{Name: event.SignedOut, Detail: "on another device"})
	}
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	p.Site.Redirect(w, p.Site.Link("/account/sessions", web.NoticeParameter, p.Site.Notice(w, r, notice)))
	return nil
}

func (p *Pages) endOthers(r *http.Request, user *authflow.User) error {
	_, err := audit.StepIf(r.Context(), p.Audit, func(ctx context.Context) (int, error) {
		return p.Store.EndSessions(ctx, storage.SessionFilter{AccountID: user.UserID, Except: user.Session})
	}, storage.Event{Name: event.SignedOut, Subject: user.UserID, Detail: "on all other devices"})
	return err
}
