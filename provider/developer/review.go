package developer

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// pageOfReviews is how many applications a list of an operator shows.
const pageOfReviews = 50

// showReviews lists what waits for an operator, and what is in production.
func (d *Dashboard) showReviews(r *request) error {
	p, err := d.page(r)
	if err != nil {
		return err
	}
	view := ui.DeveloperReviewsView{DeveloperPage: p, SearchURL: d.path("review"), Search: r.asked(ui.FieldSearch)}
	if d.Sandbox != nil {
		view.Waiting, view.WaitingMoreURL, err = d.listReviews(r, "waiting", storage.ApplicationFilter{
			Environment: storage.Sandbox, Review: storage.ReviewAsked,
		})
		if err != nil {
			return err
		}
	}
	view.Live, view.LiveMoreURL, err = d.listReviews(r, "live", storage.ApplicationFilter{
		Environment: storage.Production, Search: view.Search,
	})
	if err != nil {
		return err
	}
	r.Render(http.StatusOK, ui.DeveloperReviews(view))
	return nil
}

// listReviews returns a page of applications, and where the next one is. The name of the
// list tells its parameters from those of the other.
func (d *Dashboard) listReviews(r *request, list string, match storage.ApplicationFilter) (rows []ui.DeveloperReviewed, more string, err error) {
	match.AfterName, match.After, match.Limit = r.asked(list+"_after_name"), r.asked(list+"_after"), pageOfReviews+1
	found, err := d.Store.Applications(r.Request.Context(), match)
	if err != nil {
		return nil, "", err
	}
	if len(found) > pageOfReviews {
		found = found[:pageOfReviews]
		last := found[pageOfReviews-1]
		more = d.path("review") + "?" + url.Values{
			ui.FieldSearch: {match.Search}, list + "_after_name": {last.Name}, list + "_after": {last.ClientID},
		}.Encode()
	}
	names := map[string]string{}
	for _, a := range found {
		name, known := names[a.OrganizationID]
		if !known {
			o, err := d.Store.Organization(r.Request.Context(), a.OrganizationID)
			if err != nil && !errors.Is(err, storage.ErrNotFound) {
				return nil, "", err
			}
			name, names[a.OrganizationID] = o.Name, o.Name
		}
		row := ui.DeveloperReviewed{
			Name: a.Name, Organization: name, URL: d.path("review", a.Environment, a.ClientID), Stopped: stopped(a),
		}
		if a.Review == storage.ReviewAsked {
			if row.Since, err = d.askedAt(r, a); err != nil {
				return nil, "", err
			}
		}
		rows = append(rows, row)
	}
	return rows, more, nil
}

// askedAt returns since when an application of a list waits; zero when it is gone.
func (d *Dashboard) askedAt(r *request, a storage.Application) (time.Time, error) {
	whole, err := d.Store.Application(r.Request.Context(), a.Environment, a.ClientID)
	if errors.Is(err, storage.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	kept, err := readDocument(whole)
	return kept.Review.AskedAt, err
}

// reviewed is an application with what an operator decides on.
type reviewed struct {
	document
	client provider.Client
}

// reviewed reads the application in the path of an operator.
func (d *Dashboard) reviewed(r *request) (v reviewed, err error) {
	ctx := r.Request.Context()
	r.env = r.value("env")
	if d.provider(r.env) == nil {
		return reviewed{}, provider.ErrScreenNotFound
	}
	if r.app, err = d.Store.Application(ctx, r.env, r.value("client")); err != nil {
		return reviewed{}, notFound(err)
	}
	if r.org, err = d.Store.Organization(ctx, r.app.OrganizationID); err != nil {
		return reviewed{}, notFound(err)
	}
	if v.client, err = d.provider(r.env).Client(ctx, r.app.ClientID); err != nil {
		return reviewed{}, notFound(err)
	}
	v.document, err = readDocument(r.app)
	return v, err
}

// Before approval an application of the sandbox is nobody's business but its members'.
func (d *Dashboard) isReviewable(a storage.Application) bool {
	return a.Environment == storage.Production || a.Review != storage.ReviewNone
}

func (d *Dashboard) showReview(r *request) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	return d.renderReview(r, v, http.StatusOK)
}

func (d *Dashboard) renderReview(r *request, v reviewed, status int, problems ...ui.Problem) error {
	if !d.isReviewable(r.app) {
		return provider.ErrScreenNotFound
	}
	p, err := d.page(r)
	if err != nil {
		return err
	}
	contact, err := d.contact(r.org)
	if err != nil {
		return err
	}
	asked, err := d.newPeople(r).account(v.Review.AskedBy)
	if err != nil {
		return err
	}
	inSandbox := r.env == storage.Sandbox
	view := ui.DeveloperReviewView{
		DeveloperPage: p, Form: r.Form(problems...), ReviewsURL: d.path("review"), Version: v.version(r.app),
		Name: r.app.Name, ClientID: r.app.ClientID, Organization: r.org.Name, Contact: contact, Kind: r.app.Kind,
		RedirectURIs: v.client.RedirectURIs, Scopes: v.client.Scopes, TermsURL: v.client.TermsURL, PolicyURL: v.client.PolicyURL,
		Resources: d.resourcesIn(storage.Production, v.client),
		Review:    ui.DeveloperReview(r.app.Review), AskedBy: asked.Email, Note: v.Review.Note, Reason: v.Review.Reason, Entered: r.posted(ui.FieldReason),
		MayApprove: inSandbox && r.app.Review == storage.ReviewAsked,
		MayFinish:  inSandbox && r.app.Review == storage.ReviewApproved && !v.Copied,
		MayStop:    !inSandbox && (!stopped(r.app) || !v.client.Disabled),
		MayStart:   stopped(r.app),
	}
	if inSandbox {
		view.Checks = d.checks(r, v.client)
	}
	if len(v.client.Logo) > 0 {
		view.LogoURL = d.path("review", r.env, r.app.ClientID, "logo")
	}
	r.Render(status, ui.DeveloperReviewScreen(view))
	return nil
}

// version is what an operator has seen: a registration that its members change while
// somebody reviews it is not approved unseen.
func (v reviewed) version(a storage.Application) string {
	return fmt.Sprintf("%d.%d", a.Version, v.client.Revision)
}

// serveReviewLogo serves the logo that is registered.
func (d *Dashboard) serveReviewLogo(r *request) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	if !d.isReviewable(r.app) {
		return provider.ErrScreenNotFound
	}
	return servePNG(r, v.client.Logo)
}

// decide does what an operator has decided.
func (d *Dashboard) decide(r *request) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	version, _, _ := strings.Cut(r.posted(ui.FieldVersion), ".")
	seen, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return forbidden("a form without the version that it changes")
	}
	unseen := r.posted(ui.FieldVersion) != v.version(r.app)
	inSandbox, waits := r.env == storage.Sandbox, r.app.Review == storage.ReviewAsked
	r.app.Version = seen
	switch r.posted(ui.FieldAction) {
	case ui.ActionApprove:
		if inSandbox && !unseen && (waits || r.app.Review == storage.ReviewApproved && !v.Copied) {
			return d.approve(r, v)
		}
	case ui.ActionRefuse:
		if inSandbox && waits {
			return d.withReason(r, v, d.refuse)
		}
	case ui.ActionStop:
		if !inSandbox {
			return d.withReason(r, v, d.stop)
		}
	case ui.ActionStart:
		if stopped(r.app) {
			return d.start(r, v)
		}
	}
	return d.finishReview(r, storage.ErrChanged, "")
}

// keepDecision shows the reason that was entered again, beside what there is to decide on by
// now.
func (d *Dashboard) keepDecision(r *request) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	return d.renderReview(r, v, http.StatusForbidden, ui.Problem{Code: ui.ConfirmFirst})
}

// withReason makes a decision that those who bear it read a reason for.
func (d *Dashboard) withReason(r *request, v reviewed, decide func(*request, reviewed) error) error {
	reason := strings.TrimSpace(strings.ReplaceAll(r.posted(ui.FieldReason), "\r\n", "\n"))
	switch {
	case reason == "":
		return d.renderReview(r, v, http.StatusUnprocessableEntity, ui.Problem{Code: ui.ReasonMissing})
	case utf8.RuneCountInString(reason) > maxNote:
		return d.renderReview(r, v, http.StatusUnprocessableEntity, ui.Problem{Code: ui.NoteTooLong, Field: ui.FieldReason})
	}
	v.Review.Reason, v.Review.DecidedAt = reason, d.Clock()
	return decide(r, v)
}

func (d *Dashboard) refuse(r *request, v reviewed) error {
	err := d.saveReview(r, storage.ReviewRefused, v.document)
	if err == nil {
		d.record(r, "production.refuse", changed("reason", "", v.Review.Reason))
		d.tellOwners(r, ui.MailApplicationRefused, d.path("o", r.org.ID, r.env, r.app.ClientID, "access"))
	}
	return d.finishReview(r, err, ui.DeveloperRefused)
}

// finishReview leads back to the application with what has been done.
func (d *Dashboard) finishReview(r *request, err error, done ui.DeveloperNotice) error {
	here := d.path("review", r.env, r.app.ClientID)
	if errors.Is(err, storage.ErrChanged) {
		return r.done(here, ui.DeveloperSomebodyElse)
	}
	if err != nil {
		return err
	}
	return r.done(here, done)
}
