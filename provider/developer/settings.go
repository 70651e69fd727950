package developer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// showSettings shows the registration of an application.
func (d *appPages) showSettings(r *request) error {
	c, err := d.client(r)
	if err != nil {
		return err
	}
	wanted, err := d.drafts.wanted(r.app, c)
	if err != nil {
		return err
	}
	return d.renderSettings(r, screens.SettingsView{}, c, wanted, http.StatusOK)
}

// renderSettings completes a view with the entered registration, beside the current one.
func (d *appPages) renderSettings(r *request, view screens.SettingsView, now, c provider.Client, status int, problems ...ui.Problem) error {
	p, err := d.applicationPage(r, screens.SectionSettings)
	if err != nil {
		return err
	}
	here := d.path("o", r.org.ID, r.env, r.app.ClientID)
	view.Page, view.Form, view.Version = p, r.Form(problems...), strconv.FormatInt(c.Revision, 10)
	view.MayChange, view.Disabled, view.DeleteURL = r.may(developers), c.Disabled, here+"/delete"
	view.CheckURL = d.path("o", r.org.ID, r.env, "check")
	view.Registration = d.registrationView(r, now, c)
	r.Render(status, screens.Settings(view))
	return nil
}

// registrationView returns the fields of a registration.
func (d *appPages) registrationView(r *request, now, c provider.Client) screens.Registration {
	view := screens.Registration{
		Name: c.Name, Kind: r.app.Kind, Dialect: c.Dialect, Public: c.Public,
		RedirectURIs:           strings.Join(c.RedirectURIs, "\n"),
		PostLogoutRedirectURIs: strings.Join(c.PostLogoutRedirectURIs, "\n"),
		Origins:                strings.Join(c.Origins, "\n"),
		ResponseTypes:          valuesOf(responseTypes, responseTypesOf(c)),
		GrantTypes:             valuesOf(choosableGrants(c), grantTypesOf(c)),
		AuthMethod:             cmp.Or(c.TokenEndpointAuthMethod, authMethodAny),
		UserinfoSigned:         c.UserinfoSignedResponseAlg != "", NoQueryToken: c.NoQueryToken, NoJSONP: c.NoJSONP,
		SignIns: d.forms.signIns(r.env, now), SignIn: signInWord(c.Requires.Assurance), AddsFactors: d.Provider.Rooms().Installation().HasAccounts,
		RequireVerified: c.RequireVerified, PolicyURL: c.PolicyURL, TermsURL: c.TermsURL, InitiateLoginURI: c.InitiateLoginURI,
	}
	if r.Request.Method == http.MethodPost { // as it was typed, so that the lines have their numbers
		view.RedirectURIs = r.posted(screens.FieldRedirectURIs)
		view.PostLogoutRedirectURIs = r.posted(screens.FieldPostLogoutRedirectURIs)
		view.Origins = r.posted(screens.FieldOrigins)
	}
	d.forms.addMore(r, &view, now, c)
	chosen := d.forms.scopesOf(r.env, c)
	for _, s := range d.forms.choosableScopes(r.env, now) {
		view.Scopes = append(view.Scopes, d.forms.scopeView(r, s.Name, slices.Contains(chosen, s.Name), c.Dialect))
	}
	if r.app.Kind != kindMachine {
		for _, s := range d.forms.mayBeOptional(r.env, now) {
			view.OptionalScopes = append(view.OptionalScopes, d.forms.scopeView(r, s, slices.Contains(c.OptionalScopes, s), c.Dialect))
		}
	}
	return view
}

// valuesOf are values, and which of them are chosen.
func valuesOf(values, chosen []string) []screens.Value {
	list := make([]screens.Value, len(values))
	for i, v := range values {
		list[i] = screens.Value{Value: v, Chosen: slices.Contains(chosen, v)}
	}
	return list
}

// changeSettings saves a registration, or disables or enables the application.
func (d *appPages) changeSettings(r *request) error {
	version, err := strconv.ParseInt(r.posted(screens.FieldVersion), 10, 64)
	if err != nil || version <= 0 {
		return forbidden("a form without the version that it changes")
	}
	now, err := d.client(r)
	if err != nil {
		return err
	}
	switch r.posted(ui.FieldAction) {
	case screens.ActionSave:
		return d.saveSettings(r, now, version)
	case screens.ActionDisable:
		return d.setDisabled(r, now, version, true)
	case screens.ActionEnable:
		return d.setDisabled(r, now, version, false)
	}
	return forbidden("no such action")
}

// keepSettings shows the entered values again.
func (d *appPages) keepSettings(r *request) error {
	if r.posted(ui.FieldAction) != screens.ActionSave {
		r.Confirm(stepUp)
		return nil
	}
	version, err := strconv.ParseInt(r.posted(screens.FieldVersion), 10, 64)
	if err != nil {
		return forbidden("a form without the version that it changes")
	}
	now, err := d.client(r)
	if err != nil {
		return err
	}
	before, err := d.drafts.wanted(r.app, now)
	if err != nil {
		return err
	}
	p := d.forms.newPosting(r, before)
	p.all()
	p.check(r.env)
	p.Revision = version
	problems := append([]ui.Problem{{Code: ui.ConfirmFirst}}, p.problems...)
	return d.renderSettings(r, screens.SettingsView{}, now, p.Client, http.StatusForbidden, problems...)
}

func (d *appPages) saveSettings(r *request, now provider.Client, version int64) error {
	before, err := d.drafts.wanted(r.app, now)
	if err != nil {
		return err
	}
	p := d.forms.newPosting(r, before)
	p.all()
	p.check(r.env)
	p.checkVouched(now)
	if r.env == storage.Production {
		of, err := d.drafts.checkBrand(r.Request.Context(), r.User.UserID, before.Name, p.Name, d.forms.vouched(r.env, now))
		if err != nil {
			return err
		}
		p.wrong(of...)
	}
	if p.Revision = version; version != now.Revision {
		return d.renderChanged(r, now, p.Client)
	}
	if len(p.problems) > 0 {
		return d.renderSettings(r, screens.SettingsView{}, now, p.Client, http.StatusUnprocessableEntity, p.problems...)
	}
	served, waits, err := d.drafts.save(r.Request.Context(), r.does(), "application.change", now, p.Client)
	if errors.Is(err, provider.ErrChanged) {
		if now, err = d.client(r); err != nil {
			return err
		}
		return d.renderChanged(r, now, p.Client)
	}
	if err != nil {
		return err
	}
	if movesData(before, p.Client) {
		d.warnOwners(r.Request.Context(), r.does(), ui.MailAddressesChanged)
	}
	r.app = d.named(r.Request.Context(), r.app, served.Name)
	notice := savedNotice(now, served)
	if waits && notice == screens.NoticeSaved {
		notice = screens.NoticeChangesWait
	}
	return r.done(d.path("o", r.org.ID, r.env, r.app.ClientID, "settings"), notice)
}

// savedNotice says what was saved, and its effect on the secret.
func savedNotice(before, after provider.Client) screens.Notice {
	switch by, was := signsWithKey(after), signsWithKey(before); {
	case by && !was:
		return screens.NoticeSecretsGone
	case was && !by:
		return screens.NoticeSecretMade
	default:
		return screens.NoticeSaved
	}
}

// movesData reports whether a change sends personal data elsewhere, or lets another party
// pose as the application.
func movesData(before, after provider.Client) bool {
	return !bytes.Equal(before.JWKS, after.JWKS) || before.JWKSURI != after.JWKSURI ||
		before.BackchannelLogoutURI != after.BackchannelLogoutURI || signsWithKey(before) != signsWithKey(after) ||
		!slices.Equal(before.RedirectURIs, after.RedirectURIs) ||
		!slices.Equal(before.PostLogoutRedirectURIs, after.PostLogoutRedirectURIs) ||
		!slices.Equal(before.Origins, after.Origins)
}

// renderChanged shows the entered values beside a concurrent change. Its form replaces
// that: its sender has seen it.
func (d *appPages) renderChanged(r *request, now, entered provider.Client) error {
	entered.Revision, entered.Disabled = now.Revision, now.Disabled
	view := screens.SettingsView{}
	view.There = shownFields(bounded(differences(now, entered)))
	return d.renderSettings(r, view, now, entered, http.StatusConflict, ui.Problem{Code: ui.ChangedMeanwhile})
}

// named returns an application with the name of its client, which it has for lists and searches. If
// that cannot be saved, whoever reads the two next does so.
func (d *frame) named(ctx context.Context, a storage.Application, name string) storage.Application {
	if a.Name == name || a.Deleting {
		return a
	}
	err := d.editApplication(ctx, a, func(now *storage.Application, _ *document) { now.Name = name })
	if err == nil {
		var now storage.Application
		if now, err = d.Store.Application(ctx, a.Environment, a.ClientID); err == nil {
			return now
		}
	}
	d.Logger.WarnContext(ctx, "the name of an application could not be saved yet", slog.String("client", a.ClientID), slog.Any("error", err))
	a.Name = name
	return a
}

// setDisabled disables or enables an application.
func (d *appPages) setDisabled(r *request, c provider.Client, version int64, disabled bool) error {
	here := d.path("o", r.org.ID, r.env, r.app.ClientID, "settings")
	act, notice := "application.enable", screens.NoticeEnabled
	if disabled {
		act, notice = "application.disable", screens.NoticeDisabled
	}
	if !disabled && stopped(r.app) {
		r.Redirect(d.path("o", r.org.ID, r.env, r.app.ClientID, "access")) // which says why
		return nil
	}
	if c.Disabled == disabled {
		return r.done(here, notice)
	}
	c.Revision, c.Disabled = version, disabled
	err := d.registered(r.Request.Context(), r.does(), act, nil, func(ctx context.Context) error {
		return d.provider(r.env).Clients().Save(ctx, c)
	})
	if errors.Is(err, provider.ErrChanged) {
		return r.done(here, screens.NoticeSomebodyElse)
	}
	if err != nil {
		return err
	}
	return r.done(here, notice)
}
