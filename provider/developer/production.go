package developer

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// stopped reports whether an operator has stopped an application. Its members cannot enable
// it.
func stopped(a storage.Application) bool {
	return a.Environment == storage.Production && a.Review == storage.ReviewRefused
}

// showAccess shows the state of an application on its way to production, or that an
// operator has stopped it there.
func (d *appPages) showAccess(r *request) error { return d.renderAccess(r, "", http.StatusOK) }

func (d *appPages) renderAccess(r *request, note string, status int, problems ...ui.Problem) error {
	if !d.hasSection(r.app, screens.SectionAccess) {
		return provider.ErrScreenNotFound
	}
	if r.env == storage.Production && !stopped(r.app) {
		return d.renderChanges(r)
	}
	p, err := d.applicationPage(r, screens.SectionAccess)
	if err != nil {
		return err
	}
	kept, err := readDocument(r.app)
	if err != nil {
		return err
	}
	c, err := d.provider(r.env).Clients().Get(r.Request.Context(), r.app.ClientID)
	if err != nil {
		return notFound(err)
	}
	c, left := promoted(r.app, c)
	state, liveURL, err := d.standing(r, kept)
	if err != nil {
		return err
	}
	view := screens.AccessView{
		Page: p, Form: r.Form(problems...), Version: strconv.FormatInt(r.app.Version, 10), Name: r.app.Name,
		Review: screens.Review(state), Since: kept.Review.DecidedAt, Reason: kept.Review.Reason, Note: note,
		Checks: d.drafts.checks(r, c), LeftBehind: left, Stopped: stopped(r.app), LiveURL: liveURL, MayAsk: r.may(developers),
	}
	if state == storage.ReviewAsked {
		view.Since, view.Note = kept.Review.AskedAt, kept.Review.Note
	}
	r.Render(status, screens.Access(view))
	return nil
}

// standing returns the state of an application, and the address of its copy in production.
// If the copy was deleted, the application may request production again.
func (d *appPages) standing(r *request, kept document) (state storage.Review, liveURL string, err error) {
	if r.app.Review != storage.ReviewApproved || !kept.Copied {
		return r.app.Review, "", nil
	}
	_, err = d.Store.Application(r.Request.Context(), storage.Production, kept.Live)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return storage.ReviewNone, "", nil
	case err != nil:
		return "", "", err
	}
	return r.app.Review, d.path("o", r.org.ID, storage.Production, kept.Live), nil
}

// changeAccess requests production, or withdraws the request.
func (d *appPages) changeAccess(r *request) error {
	if !d.Review {
		return provider.ErrScreenNotFound
	}
	version, err := strconv.ParseInt(r.posted(screens.FieldVersion), 10, 64)
	if err != nil {
		return forbidden("a form without the version that it changes")
	}
	kept, err := readDocument(r.app)
	if err != nil {
		return err
	}
	if r.env == storage.Production {
		return d.withdrawChanges(r, version, kept)
	}
	state, _, err := d.standing(r, kept)
	if err != nil {
		return err
	}
	r.app.Version = version
	switch action := r.posted(ui.FieldAction); {
	case action == screens.ActionWithdraw && state == storage.ReviewAsked:
		return d.finishAccess(r, d.saveReview(r, storage.ReviewNone, kept, "production.withdraw"), screens.NoticeRequestWithdrawn)
	case action == screens.ActionAsk && (state == storage.ReviewNone || state == storage.ReviewRefused):
		return d.ask(r, kept)
	}
	return d.finishAccess(r, storage.ErrChanged, "")
}

// maxNote is the maximum length of a note or a reason in characters.
const maxNote = 2000

// ask requests production. The registration is checked again at approval: until then its
// members may change it.
func (d *appPages) ask(r *request, kept document) error {
	note := strings.TrimSpace(strings.ReplaceAll(r.posted(screens.FieldNote), "\r\n", "\n"))
	if utf8.RuneCountInString(note) > maxNote {
		return d.renderAccess(r, note, http.StatusUnprocessableEntity, ui.Problem{Code: ui.NoteTooLong, Field: screens.FieldNote})
	}
	c, err := d.Sandbox.Clients().Get(r.Request.Context(), r.app.ClientID)
	if err != nil {
		return notFound(err)
	}
	of, err := d.drafts.checkBrand(r.Request.Context(), r.User.UserID, "", c.Name, true)
	if err != nil {
		return err
	}
	if len(of) > 0 {
		return d.renderAccess(r, note, http.StatusUnprocessableEntity, of...)
	}
	if c, _ = promoted(r.app, c); !met(d.drafts.checks(r, c)) {
		return d.renderAccess(r, note, http.StatusUnprocessableEntity, ui.Problem{Code: ui.ChecksUnmet})
	}
	kept.Live, kept.Copied = "", false
	kept.Review = review{AskedAt: d.Clock(), AskedBy: r.User.UserID, Note: note}
	err = d.saveReview(r, storage.ReviewAsked, kept, "production.ask")
	if err == nil {
		d.announce()
	}
	return d.finishAccess(r, err, screens.NoticeAsked)
}

func (d *appPages) finishAccess(r *request, err error, done screens.Notice) error {
	here := d.path("o", r.org.ID, r.env, r.app.ClientID, "access")
	if errors.Is(err, storage.ErrChanged) {
		return r.done(here, screens.NoticeSomebodyElse)
	}
	if err != nil {
		return err
	}
	return r.done(here, done)
}

// renderChanges shows the pending changes of a production application.
func (d *appPages) renderChanges(r *request) error {
	p, err := d.applicationPage(r, screens.SectionAccess)
	if err != nil {
		return err
	}
	c, err := d.client(r)
	if err != nil {
		return err
	}
	kept, err := readDocument(r.app)
	if err != nil {
		return err
	}
	wanted, err := d.drafts.wanted(r.app, c)
	if err != nil {
		return err
	}
	view := screens.ChangesView{
		Page: p, Form: r.Form(), Version: strconv.FormatInt(r.app.Version, 10), Name: c.Name,
		Fields: shownFields(append(changesOf(c, wanted), changedList(screens.FieldWebhook, nil, kept.Changes.webhooks())...)), Checks: d.drafts.checks(r, c),
		Reason: kept.Review.Reason, DecidedAt: kept.Review.DecidedAt, MayWithdraw: r.may(developers) && r.app.Review == storage.ReviewAsked,
	}
	if kept.Changes != nil {
		view.Since = kept.Changes.At
	}
	p.WaitingURL = "" // it is this page
	view.Page = p
	r.Render(http.StatusOK, screens.Changes(view))
	return nil
}

// withdrawChanges withdraws the pending changes, unless they have been decided.
func (d *appPages) withdrawChanges(r *request, version int64, kept document) error {
	if r.posted(ui.FieldAction) != screens.ActionWithdraw || r.app.Review != storage.ReviewAsked {
		return d.finishAccess(r, storage.ErrChanged, "")
	}
	r.app.Version, kept.Changes = version, nil
	return d.finishAccess(r, d.saveReview(r, storage.ReviewApproved, kept, "changes.withdraw"), screens.NoticeRequestWithdrawn)
}

// saveReview changes the review state of an application, if it has not changed since it was
// read.
func (d *appPages) saveReview(r *request, state storage.Review, kept document, what string) error {
	a := r.app
	a.Review, a.Document, a.UpdatedAt = state, kept.bytes(), d.Clock()
	return d.recorded(r.Request.Context(), r.does(), what, nil, func(ctx context.Context) error { return d.Store.SaveApplication(ctx, a) })
}

// checks are the requirements for production.
func (d *drafts) checks(r *request, c provider.Client) []screens.Check {
	checks := requirements(r.app.Kind, c)
	for i := range checks {
		checks[i].URL = d.path("o", r.org.ID, r.env, r.app.ClientID, "settings")
		if checks[i].Check == screens.CheckLogo {
			checks[i].URL = d.brandingPath(r)
		}
	}
	return append(checks, screens.Check{Check: screens.CheckContact, Met: len(r.org.Contact) > 0, URL: d.path("o", r.org.ID, "settings")})
}

// requirements are those of its registration.
func requirements(kind string, c provider.Client) []screens.Check {
	if kind == kindMachine { // nobody signs in
		return nil
	}
	native := kind == kindNative
	return []screens.Check{
		{Check: screens.CheckLogo, Met: len(c.Logo) > 0},
		{Check: screens.CheckRedirects, Met: len(c.RedirectURIs) > 0 && areSafe(c.RedirectURIs, native) && areSafe(c.PostLogoutRedirectURIs, native) && areSafe(append(strings.Fields(c.InitiateLoginURI), c.Origins...), false)},
		{Check: screens.CheckTerms, Met: c.TermsURL != ""},
		{Check: screens.CheckPolicy, Met: c.PolicyURL != ""},
	}
}

func met(checks []screens.Check) bool {
	return !slices.ContainsFunc(checks, func(c screens.Check) bool { return !c.Met })
}

func areSafe(uris []string, native bool) bool {
	return !slices.ContainsFunc(uris, func(uri string) bool { return !isSafe(uri, native) })
}

// isSafe reports whether a return address of an application is not on the user's own
// machine. A native application has no other place (RFC 8252 section 7): it may have a
// scheme of its own, or a loopback address.
func isSafe(uri string, native bool) bool {
	u, err := url.Parse(uri)
	return err == nil && (native || u.Scheme == "https" && !isLoopback(u.Hostname()))
}

func isLoopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && (address.Unmap().IsLoopback() || address.IsUnspecified())
}
