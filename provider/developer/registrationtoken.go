package developer

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// maxTokenHosts is the maximum number of hosts of a registration token.
const maxTokenHosts = 20

// registersByToken reports whether programs register applications of an environment with a token:
// where developers register them themselves.
func (d *appPages) registersByToken(env string) bool {
	return d.mayRegister(env) && d.provider(env).Rooms().Installation().RegistersByToken
}

// showTokens lists the registration tokens of an organization in an environment.
func (d *appPages) showTokens(r *request) error {
	return d.renderTokens(r, screens.RegistrationTokensView{Count: screens.TokenCounts[0], Days: screens.TokenDays[0]}, http.StatusOK)
}

func (d *appPages) renderTokens(r *request, view screens.RegistrationTokensView, status int, problems ...ui.Problem) error {
	view, err := d.tokensView(r, view, problems...)
	if err == nil {
		r.Render(status, screens.RegistrationTokens(view))
	}
	return err
}

// tokensView completes a view with the entered values.
func (d *appPages) tokensView(r *request, view screens.RegistrationTokensView, problems ...ui.Problem) (screens.RegistrationTokensView, error) {
	if !d.registersByToken(r.env) {
		return view, provider.ErrScreenNotFound
	}
	p, err := d.organizationPage(r, screens.SectionApplications)
	if err != nil {
		return view, err
	}
	view.Page = d.inEnvironment(p, r.env, d.path("o", r.org.ID, storage.Sandbox), d.path("o", r.org.ID, storage.Production))
	view.Form, view.MayMake = r.Form(problems...), !r.suspended()
	view.Endpoint = d.provider(r.env).Rooms().Installation().BaseURL + registrationPath
	tokens, err := d.Store.RegistrationTokens(r.Request.Context(), storage.TokenFilter{OrganizationID: r.org.ID, Now: d.Clock()})
	if err != nil {
		return view, err
	}
	people := d.newPeople(r)
	for _, t := range tokens {
		if t.Environment != r.env {
			continue
		}
		by, err := people.account(t.MadeBy)
		if err != nil {
			return view, err
		}
		view.Tokens = append(view.Tokens, screens.RegistrationToken{
			ID: hex.EncodeToString(t.Digest[:]), Name: t.Name, Hosts: t.Hosts, Left: t.Remaining, By: by.Email, Expires: t.ExpiresAt,
		})
	}
	return view, nil
}

// registrationPath is that of the registration endpoint.
const registrationPath = "/oauth/register"

// changeTokens makes a registration token, or revokes one.
func (d *appPages) changeTokens(r *request) error {
	switch r.posted(ui.FieldAction) {
	case screens.ActionMake:
		return d.makeToken(r)
	case ui.ActionEnd:
		return d.revokeToken(r)
	}
	return forbidden("no such action")
}

// makeToken makes a registration token and shows it, once: nothing that fails afterwards keeps the
// page from being drawn.
func (d *appPages) makeToken(r *request) error {
	view, t, problems := d.postedToken(r)
	if !slices.Contains(screens.TokenCounts, view.Count) || !slices.Contains(screens.TokenDays, view.Days) {
		return forbidden("a number that is not offered")
	}
	if r.env == storage.Production {
		address, err := d.Provider.Rooms().People.VerifiedEmail(r.Request.Context(), r.User.UserID)
		if err != nil {
			return err
		}
		if address == "" {
			problems = append(problems, ui.Problem{Code: ui.EmailUnverified})
		}
	}
	if len(problems) > 0 {
		return d.renderTokens(r, view, http.StatusUnprocessableEntity, problems...)
	}
	token := rand.Text()
	t.Digest = sha256.Sum256([]byte(token))
	empty := screens.RegistrationTokensView{New: token, Count: screens.TokenCounts[0], Days: screens.TokenDays[0]}
	shown, err := d.tokensView(r, empty)
	if err != nil {
		return err
	}
	fields := append(append(changed(ui.FieldName, "", t.Name), changedList(screens.FieldHosts, nil, t.Hosts)...),
		append(changed(screens.FieldCount, "", strconv.Itoa(t.Remaining)), changed("expires", "", t.ExpiresAt.UTC().Format(time.RFC3339))...)...)
	err = d.recorded(r.Request.Context(), r.does(), "token.create", fields, func(ctx context.Context) error {
		return d.Store.CreateRegistrationToken(ctx, t, d.Quotas.RegistrationTokens)
	})
	if errors.Is(err, storage.ErrLimit) {
		return d.renderTokens(r, view, http.StatusTooManyRequests, ui.Problem{Code: ui.TooMany, Count: d.Quotas.RegistrationTokens})
	}
	if err != nil {
		return notFound(err)
	}
	if now, err := d.tokensView(r, empty); err == nil { // else as it was
		shown = now
	}
	r.Room().RenderSecret(http.StatusOK, screens.RegistrationTokens(shown))
	return nil
}

// postedToken returns the entered token, as it is shown again and as it is recorded, and its
// problems.
func (d *appPages) postedToken(r *request) (view screens.RegistrationTokensView, t storage.RegistrationToken, problems []ui.Problem) {
	view.Name, view.Hosts = strings.TrimSpace(r.posted(ui.FieldName)), r.posted(screens.FieldHosts)
	view.Count, _ = strconv.Atoi(r.posted(screens.FieldCount)) // anything else is not offered
	view.Days, _ = strconv.Atoi(r.posted(screens.FieldDays))
	if problem, wrong := checkName(view.Name); wrong {
		problems = append(problems, problem)
	}
	now := d.Clock()
	t = storage.RegistrationToken{
		OrganizationID: r.org.ID, Environment: r.env, Name: view.Name, Remaining: view.Count,
		MadeBy: r.User.UserID, CreatedAt: now, ExpiresAt: now.AddDate(0, 0, view.Days),
	}
	for i, host := range strings.Split(view.Hosts, "\n") {
		switch host = strings.TrimSpace(host); {
		case host == "" || slices.Contains(t.Hosts, host):
		case !registration.IsHostPattern(host) || len(host) > maxHost || len(t.Hosts) == maxTokenHosts:
			problems = append(problems, ui.Problem{Code: ui.HostInvalid, Field: screens.FieldHosts, Line: i + 1})
		default:
			t.Hosts = append(t.Hosts, host)
		}
	}
	return view, t, problems
}

// maxHost is the maximum length of the name of a host (RFC 1035 section 2.3.4), with *. before it.
const maxHost = 255

// revokeToken ends a registration token. What it has registered stays.
func (d *appPages) revokeToken(r *request) error {
	var token storage.Digest
	if n, err := hex.Decode(token[:], []byte(r.posted(screens.FieldToken))); err != nil || n != len(token) {
		return forbidden("no identifier of a token")
	}
	t, err := storage.One(d.Store.RegistrationTokens(r.Request.Context(), storage.TokenFilter{Token: token}))
	if errors.Is(err, storage.ErrNotFound) || err == nil && t.OrganizationID != r.org.ID {
		return r.done(d.path("o", r.org.ID, r.env, "tokens"), screens.NoticeTokenRevoked)
	}
	if err == nil {
		err = d.recorded(r.Request.Context(), r.does(), "token.revoke", changed(ui.FieldName, t.Name, ""), func(ctx context.Context) error {
			return d.Store.RemoveRegistrationToken(ctx, r.org.ID, token)
		})
	}
	if err != nil {
		return err
	}
	return r.done(d.path("o", r.org.ID, r.env, "tokens"), screens.NoticeTokenRevoked)
}
