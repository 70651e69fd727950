package developer

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// pageOfReviews is the number of applications on an operators' page.
const pageOfReviews = 50

// showReviews lists pending reviews, and production applications.
func (d *reviewPages) showReviews(r *request) error {
	p, err := d.page(r)
	if err != nil {
		return err
	}
	view := screens.ReviewsView{Page: p, SearchURL: d.review(r), Search: r.asked(screens.FieldSearch)}
	if d.Sandbox != nil {
		view.Waiting, view.WaitingMoreURL, err = d.listReviews(r, "waiting", storage.ApplicationFilter{Review: storage.ReviewAsked})
		if err != nil {
			return err
		}
	}
	if err := d.addOrganizations(r, &view); err != nil {
		return err
	}
	if view.Ownerless, view.OwnerlessMoreURL, err = d.listOwnerless(r); err != nil {
		return err
	}
	view.Live, view.LiveMoreURL, err = d.listReviews(r, "live", storage.ApplicationFilter{
		Environment: storage.Production, Search: view.Search,
	})
	if err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Reviews(view))
	return nil
}

// listReviews returns a page of applications, and the address of the next. The name of the
// list distinguishes its parameters from the other's.
func (d *reviewPages) listReviews(r *request, list string, match storage.ApplicationFilter) (rows []screens.Reviewed, more string, err error) {
	match.AfterName, match.After, match.Limit = r.asked(list+"_after_name"), r.asked(list+"_after"), pageOfReviews+1
	match.AfterEnvironment = r.asked(list + "_after_environment")
	found, err := d.Store.Applications(r.Request.Context(), match)
	if err != nil {
		return nil, "", err
	}
	if len(found) > pageOfReviews {
		found = found[:pageOfReviews]
		last := found[pageOfReviews-1]
		more = "?" + url.Values{
			screens.FieldSearch: {match.Search}, list + "_after_name": {last.Name}, list + "_after": {last.ClientID},
			list + "_after_environment": {last.Environment},
		}.Encode()
	}
	names := map[string]string{}
	for _, a := range found {
		if a.Deleting {
			continue
		}
		name, known := names[a.OrganizationID]
		if !known {
			o, err := d.Store.Organization(r.Request.Context(), a.OrganizationID)
			if err != nil && !errors.Is(err, storage.ErrNotFound) {
				return nil, "", err
			}
			name, names[a.OrganizationID] = o.Name, o.Name
		}
		row := screens.Reviewed{
			Name: a.Name, Organization: name, URL: d.review(r, a.Environment, a.ClientID), Stopped: stopped(a),
		}
		c, err := d.provider(a.Environment).Clients().Get(r.Request.Context(), a.ClientID)
		if err != nil && !errors.Is(err, provider.ErrNoClient) {
			return nil, "", err
		}
		if len(c.Logo) > 0 {
			row.LogoURL = row.URL + "/" + approvedPictures + "/" + ui.FieldLogo
		}
		if row.Changes = a.Environment == storage.Production; a.Review == storage.ReviewAsked {
			if row.Since, err = d.askedAt(r, a); err != nil {
				return nil, "", err
			}
		}
		rows = append(rows, row)
	}
	return rows, more, nil
}

// askedAt returns the time of an application's pending request; zero if it is gone.
func (d *reviewPages) askedAt(r *request, a storage.Application) (time.Time, error) {
	whole, err := d.Store.Application(r.Request.Context(), a.Environment, a.ClientID)
	if errors.Is(err, storage.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	kept, err := readDocument(whole)
	return kept.askedAt(), err
}

// reviewed is an application under review: the registration, and the one that its
// developers want in its place if it is in production.
type reviewed struct {
	document
	client, wanted provider.Client
}

// reviewed reads the application in the path of an operator.
func (d *reviewPages) reviewed(r *request) (v reviewed, err error) {
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
	if v.client, err = d.provider(r.env).Clients().Get(ctx, r.app.ClientID); err != nil {
		return reviewed{}, notFound(err)
	}
	if v.document, err = readDocument(r.app); err != nil {
		return reviewed{}, err
	}
	if v.wanted, err = d.drafts.wanted(r.app, v.client); err != nil {
		return reviewed{}, err
	}
	v.wanted, _ = promoted(r.app, v.wanted)
	return v, nil
}

// pending are the changes that wait.
func (v reviewed) pending() []storage.ChangedField {
	return append(changesOf(v.client, v.wanted), changedList(screens.FieldWebhook, nil, v.Changes.webhooks())...)
}

// Before a request for review, only its members may see an application of the sandbox.
func (d *reviewPages) isReviewable(a storage.Application) bool {
	return a.Environment == storage.Production || a.Review != storage.ReviewNone
}

func (d *reviewPages) showReview(r *request) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	return d.renderReview(r, v, http.StatusOK)
}

func (d *reviewPages) renderReview(r *request, v reviewed, status int, problems ...ui.Problem) error {
	if !d.isReviewable(r.app) {
		return provider.ErrScreenNotFound
	}
	if err := d.team.looked(r, provider.Event{ClientID: r.app.ClientID, Detail: "review in " + r.env}); err != nil {
		return err
	}
	p, err := d.page(r)
	if err != nil {
		return err
	}
	contact := d.team.contact(r.Request.Context(), r.org)
	asked, err := d.newPeople(r).account(v.Review.AskedBy)
	if err != nil {
		return err
	}
	own, err := d.isOwn(r, v)
	if err != nil {
		return err
	}
	inSandbox, waits := r.env == storage.Sandbox, r.app.Review == storage.ReviewAsked
	here := d.review(r, r.env, r.app.ClientID)
	since := v.Decided.since(v.wanted)
	view := screens.ReviewView{
		Page: p, Form: r.Form(problems...), ReviewsURL: d.review(r), Version: v.version(r.app),
		Name: r.app.Name, ClientID: r.app.ClientID, Organization: r.org.Name, OrganizationURL: d.review(r, "organization", r.org.ID), Contact: contact, Kind: r.app.Kind,
		Fields: d.reviewedFields(v.wanted, since), Pictures: v.reviewedPictures(here, since), Compared: v.Decided != nil,
		Live: !inSandbox, Own: own,
		Review: screens.Review(r.app.Review), AskedBy: asked.Email, Note: v.Review.Note, Reason: v.Review.Reason, Entered: r.posted(ui.FieldReason),
		MayApprove: waits && !own, MayRefuse: waits && !own,
		MayFinish: !waits && !own && v.isUnfinished(r.app),
		MayStop:   !inSandbox && (!stopped(r.app) || !v.client.Disabled),
		MayStart:  stopped(r.app) && !own,
	}
	if waits {
		view.NameOfBrand = registration.NameContains(v.wanted.Name, p.Brand.Name)
		if view.NameTaken, err = d.drafts.nameTaken(r, v.wanted); err != nil {
			return err
		}
	}
	if !inSandbox {
		view.Waiting = shownFields(v.pending())
	}
	if inSandbox || waits {
		view.Checks = d.drafts.checks(r, v.wanted)
	}
	if len(v.client.Logo) > 0 {
		view.LogoURL = here + "/" + approvedPictures + "/" + ui.FieldLogo
	}
	r.Render(status, screens.ReviewScreen(view))
	return nil
}

// isOwn reports whether an application is the operator's own: nobody approves their own
// request, or an application of their own organization.
func (d *reviewPages) isOwn(r *request, v reviewed) (bool, error) {
	if v.askedBy(r.User.UserID) {
		return true, nil
	}
	_, err := storage.One(d.Store.Members(r.Request.Context(), r.org.ID, r.User.UserID))
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// isUnfinished reports whether an application is approved but the approval not yet in
// force.
func (v reviewed) isUnfinished(a storage.Application) bool {
	if a.Review != storage.ReviewApproved {
		return false
	}
	if a.Environment == storage.Sandbox {
		return !v.Copied
	}
	return v.Changes != nil
}

// reviewedFields are all nonempty fields of a registration, with their changes.
func (d *reviewPages) reviewedFields(c provider.Client, since map[string]storage.ChangedField) []screens.ReviewedField {
	c.Scopes, c.Resources = d.forms.scopesOf(storage.Production, c), d.forms.resourcesIn(storage.Production, c)
	var shown []screens.ReviewedField
	for _, f := range registeredFields(c) {
		change, differs := since[f.name]
		values := f.values
		if f.value != "" {
			values = []string{f.value}
		}
		if len(values) > 0 || differs {
			shown = append(shown, screens.ReviewedField{Name: f.name, Values: values, Changed: differs, Since: screens.ChangedField(change)})
		}
	}
	return shown
}

// The pictures that an operator compares.
const (
	approvedPictures = "approved"
	wantedPictures   = "wanted"
)

// reviewedPictures are all pictures, and those that they replace.
func (v reviewed) reviewedPictures(here string, since map[string]storage.ChangedField) []screens.ReviewedPicture {
	var shown []screens.ReviewedPicture
	now, wanted := brandOf(v.client), brandOf(v.wanted)
	for _, field := range pictureFields {
		p := screens.ReviewedPicture{Field: field, URL: wanted.pictureURL(here+"/"+wantedPictures, field)}
		if _, p.Changed = since[field]; !bytes.Equal(*now.picture(field), *wanted.picture(field)) {
			p.Changed, p.ApprovedURL = true, now.pictureURL(here+"/"+approvedPictures, field)
		}
		if p.URL != "" || p.Changed {
			shown = append(shown, p)
		}
	}
	return shown
}

// version identifies what an operator has seen: a registration that changes during a review
// is not approved unseen.
func (v reviewed) version(a storage.Application) string {
	return fmt.Sprintf("%d.%d", a.Version, v.client.Revision)
}

// serveReviewPicture serves a picture to operators: the published one, or the proposed one.
func (d *reviewPages) serveReviewPicture(r *request) error {
	v, err := d.reviewed(r)
	if err != nil {
		return err
	}
	shown := brandOf(v.client)
	switch r.value("which") {
	case approvedPictures:
	case wantedPictures:
		shown = brandOf(v.wanted)
	default:
		return provider.ErrScreenNotFound
	}
	content := shown.picture(r.value("picture"))
	if !d.isReviewable(r.app) || content == nil {
		return provider.ErrScreenNotFound
	}
	return servePNG(r, *content)
}
