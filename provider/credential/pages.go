package credential

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/credential"
)

// pages are those on which people put credentials into wallets, and take them back.
type pages struct{ *Service }

// visit is a request for a page by a person who is signed in.
type visit struct{ *provider.Screen }

// mount adds the pages, to which the account then leads.
func (p pages) mount(mux *http.ServeMux) error {
	rooms := p.cfg.Provider.Rooms()
	if err := rooms.Pages.AddAudience(screens.Audience()); err != nil {
		return fmt.Errorf("credential: %w", err)
	}
	handlers := map[string]func(*visit) error{
		"/{$}": onlyLooked(p.showHome), "/add/{group}": onlyLooked(p.showAdd), "/withdraw/{id}": p.atWithdraw,
	}
	if p.anyWallet != nil {
		handlers["/add/{group}/code"] = p.atCode
	}
	for path, h := range handlers {
		mux.Handle(p.base+path, p.cfg.Provider.Pages().Screen(signedIn(h)))
	}
	rooms.Pages.LinkCredentials(p.base+"/", p.Service)
	return nil
}

// signedIn is for people who are signed in; others sign in first.
func signedIn(h func(*visit) error) func(*provider.Screen) error {
	return func(screen *provider.Screen) error {
		if screen.User.UserID == "" {
			screen.SignIn(0)
			return nil
		}
		return h(&visit{screen})
	}
}

// onlyLooked is for pages without a form.
func onlyLooked(h func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		if v.Request.Method == http.MethodPost {
			return provider.ScreenError{Status: http.StatusMethodNotAllowed, Code: ui.ErrorMethod, Err: errors.New("there is no form here")}
		}
		return h(v)
	}
}

func (v *visit) context() context.Context { return v.Request.Context() }

// account is the path of the account.
func (p pages) account() string { return strings.TrimSuffix(p.base, "/vci") + "/account" }

// groups is the page on which people get verified.
func (p pages) groups() string { return p.account() + "/groups" }

// showHome lists the groups that can be added, and what is in wallets.
func (p pages) showHome(v *visit) error {
	view := screens.HomeView{Page: v.Page(), Notice: screens.Notice(v.Room().Notice()), AccountURL: p.account()}
	names := make([]string, len(p.cfg.Kinds))
	for i, k := range p.cfg.Kinds {
		names[i] = k.Group
	}
	statuses, err := p.cfg.Provider.People().Statuses(v.context(), v.User.UserID, names...)
	if err != nil {
		return err
	}
	for i, k := range p.cfg.Kinds {
		view.Groups = append(view.Groups, p.group(view.Locale, k, statuses[i]))
	}
	if view.Proofs, err = p.proofs(v, view.Locale); err != nil {
		return err
	}
	v.Render(http.StatusOK, screens.Home(view))
	return nil
}

// group shows a group, and where to add it or to get verified.
func (p pages) group(l *ui.Locale, k Kind, status provider.Status) screens.Group {
	g := screens.Group{State: p.state(k, status), Until: status.ExpiresAt}
	g.Label, g.Subgroups = p.cfg.Provider.Rooms().Pages.GroupWords(l, k.Group, verifiedSubgroups(status)...)
	switch g.State {
	case screens.StateReady:
		g.URL = p.base + "/add/" + k.Group
	case screens.StatePending:
	default:
		g.URL = p.groups()
	}
	return g
}

// state is where a person stands with a group.
func (p pages) state(k Kind, status provider.Status) screens.State {
	now := p.cfg.Clock()
	switch {
	case status.Verified && k.expiry(now, status.ExpiresAt).After(now):
		return screens.StateReady
	case status.Verified:
		return screens.StateEnding
	case status.Pending:
		return screens.StatePending
	case !status.ExpiresAt.IsZero() && !now.Before(status.ExpiresAt):
		return screens.StateExpired
	default:
		return screens.StateUnverified
	}
}

func verifiedSubgroups(status provider.Status) []string {
	if !status.Verified {
		return nil
	}
	return status.Subgroups
}

// mostOver is how many proofs are shown that are over; those in force are all shown.
const mostOver = 20

// proofs are what was issued to a person, the latest first.
func (p pages) proofs(v *visit, l *ui.Locale) (all []screens.Proof, err error) {
	over := 0
	err = p.each(v.context(), v.User.UserID, func(c storage.Credential) error {
		if !p.isInForce(c) {
			if over++; over > mostOver {
				return nil
			}
		}
		proof, err := p.proof(v, l, c)
		all = append(all, proof)
		return err
	})
	return all, err
}

// endings are the words of screens for the ends of credentials. Of a deletion nobody is left to read.
var endings = map[storage.CredentialEnd]screens.Ending{
	storage.EndedByOwner: screens.EndedByOwner, storage.EndedByWallet: screens.EndedByWallet, storage.EndedByStaff: screens.EndedByStaff,
	storage.EndedByStatus: screens.EndedByStatus, storage.EndedByGrant: screens.EndedByGrant, storage.EndedByAccount: screens.EndedByAccount,
}

// proof shows a credential.
func (p pages) proof(v *visit, l *ui.Locale, c storage.Credential) (screens.Proof, error) {
	proof := screens.Proof{Since: c.IssuedAt, Until: lastDay(c.ExpiresAt), Ended: c.EndedAt, Why: endings[c.End]}
	proof.Label, _ = p.cfg.Provider.Rooms().Pages.GroupWords(l, c.Group)
	switch {
	case p.isInForce(c):
		proof.State, proof.WithdrawURL = screens.ProofActive, p.base+"/withdraw/"+c.ID
	case c.EndedAt.IsZero():
		proof.State = screens.ProofExpired
	default:
		proof.State = screens.ProofEnded
	}
	var err error
	proof.Wallet, err = v.Room().Client(c.ClientID)
	return proof, err
}

// lastDay is in the last day before a midnight at which something ends.
func lastDay(end time.Time) time.Time { return end.Add(-time.Second) }

// each calls f with what was issued to a person, the latest first, until f fails.
func (s *Service) each(ctx context.Context, userID string, f func(storage.Credential) error) error {
	match := storage.CredentialFilter{Subject: userID, Limit: 100}
	for {
		found, err := s.cfg.Store.Credentials(ctx, match)
		if err != nil {
			return fmt.Errorf("read credentials: %w", err)
		}
		for _, c := range found {
			match.BeforeID = c.ID
			if err := f(c); err != nil {
				return err
			}
		}
		if len(found) < match.Limit {
			return nil
		}
	}
}

// isInForce reports whether a credential has neither ended nor expired.
func (s *Service) isInForce(c storage.Credential) bool {
	return c.EndedAt.IsZero() && s.cfg.Clock().Before(c.ExpiresAt)
}

// InForce returns the credentials of a person that are in force, the latest first.
func (s *Service) InForce(ctx context.Context, userID string) (all []storage.Credential, err error) {
	err = s.each(ctx, userID, func(c storage.Credential) error {
		if s.isInForce(c) {
			all = append(all, c)
		}
		return nil
	})
	return all, err
}
