package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showSessions lists the browsers in which the user is signed in.
func (p *Provider) showSessions(w http.ResponseWriter, r *http.Request) error {
	current, account, ok, err := p.sessions.Current(r.Context(), r)
	if err != nil {
		return err
	}
	if !ok {
		p.redirect(w, p.link("/signin"))
		return nil
	}
	sessions, err := p.cfg.Store.Sessions(r.Context(), account.ID)
	if err != nil {
		return fmt.Errorf("read sessions: %w", err)
	}
	view := ui.SessionsView{
		Page: p.pageView(r, nil), Form: p.flowForm(w, r, nil),
		Notice: ui.Notice(r.URL.Query().Get(noticeParameter)), AccountURL: p.link("/account"),
	}
	now := p.cfg.Clock()
	for _, s := range sessions {
		if !now.Before(s.ExpiresAt) || !now.Before(s.IdleUntil) {
			continue
		}
		browser, system := device(s.UserAgent)
		view.Sessions = append(view.Sessions, ui.Session{
			ID: sessionName(s), Browser: browser, System: system,
			Current: s.Digest == current.Digest, Since: s.CreatedAt, LastUsed: s.LastSeenAt,
		})
	}
	p.render(w, r, http.StatusOK, ui.Sessions(view))
	return nil
}

// sessionName names a session in a form. It is no secret: it ends only sessions of
// the account that posts it.
func sessionName(s storage.Session) string {
	sum := sha256.Sum256(s.Digest[:])
	return hex.EncodeToString(sum[:16])
}

// sessionsAction ends one session of the user, or all but this one.
func (p *Provider) sessionsAction(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	current, account, ok, err := p.sessions.Current(ctx, r)
	if err != nil {
		return err
	}
	if !ok {
		p.redirect(w, p.link("/signin"))
		return nil
	}
	notice, ended, detail := ui.NoticeSessionEnded, 0, "on another device"
	if r.PostForm.Get(ui.FieldAction) == ui.ActionOthers {
		notice, detail = ui.NoticeSessionsEnded, "on all other devices"
		ended, err = p.cfg.Store.EndSessions(ctx, storage.SessionFilter{AccountID: account.ID, Except: current.Digest})
	} else {
		ended, err = p.endNamedSession(r, account.ID, r.PostForm.Get(ui.FieldSession))
	}
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	if ended > 0 {
		p.record(ctx, Event{Name: EventSignedOut, UserID: account.ID, Detail: detail})
	}
	p.redirect(w, p.link("/account/sessions", noticeParameter, string(notice)))
	return nil
}

func (p *Provider) endNamedSession(r *http.Request, accountID, name string) (ended int, err error) {
	sessions, err := p.cfg.Store.Sessions(r.Context(), accountID)
	if err != nil {
		return 0, err
	}
	for _, s := range sessions {
		if sessionName(s) == name {
			return 1, p.cfg.Store.EndSession(r.Context(), s.Digest)
		}
	}
	return 0, nil
}

// device names browser and system of a User-Agent header, as far as people need to
// recognize their own. The order matters: browsers name those that they resemble.
func device(userAgent string) (browser, system string) {
	find := func(names [][2]string) string {
		for _, n := range names {
			if strings.Contains(userAgent, n[0]) {
				return n[1]
			}
		}
		return ""
	}
	return find([][2]string{
			{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"},
			{"Firefox/", "Firefox"}, {"FxiOS", "Firefox"}, {"CriOS", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		}), find([][2]string{
			{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
			{"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
		})
}
