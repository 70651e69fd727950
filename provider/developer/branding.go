package developer

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
	"github.com/bonafide-id/bonafide/ui/theme"
)

// branding is the brand of an application with its state.
type branding struct {
	document
	client    provider.Client
	published brand

	// wanted is the registration with its pending changes.
	wanted provider.Client
}

func (d *brandPages) branding(r *request) (branding, error) {
	kept, err := readDocument(r.app)
	if err != nil {
		return branding{}, err
	}
	c, err := d.provider(r.env).Clients().Get(r.Request.Context(), r.app.ClientID)
	if err != nil {
		return branding{}, notFound(err)
	}
	wanted, err := d.drafts.wanted(r.app, c)
	return branding{kept, c, brandOf(c), wanted}, err
}

// current returns the draft, or the published brand without one.
func (b branding) current() brand {
	if b.Draft != nil {
		return *b.Draft
	}
	return b.published
}

// showBranding shows the look of an application.
func (d *brandPages) showBranding(r *request) error {
	b, err := d.branding(r)
	if err != nil {
		return err
	}
	return d.renderBranding(r, b, b.current().Color, http.StatusOK)
}

func (d *brandPages) renderBranding(r *request, b branding, color string, status int, problems ...ui.Problem) error {
	p, err := d.applicationPage(r, screens.SectionBranding)
	if err != nil {
		return err
	}
	here := d.brandingPath(r)
	view := screens.BrandingView{
		Page: p, Form: r.Form(problems...), Version: strconv.FormatInt(r.app.Version, 10),
		Name: r.app.Name, Color: color, Draft: b.Draft.differs(b.published),
		MayChange: r.may(developers), MayUndo: b.Previous.differs(b.published),
		Pictures: b.current().pictures(here),
	}
	if contrast, err := p.Theme.Contrast(color); err == nil {
		view.Contrast = contrast
	}
	view.Previews = previews(here)
	r.Render(status, screens.Branding(view))
	return nil
}

func (d *frame) brandingPath(r *request) string {
	return d.path("o", r.org.ID, r.env, r.app.ClientID, "branding")
}

// changeBranding keeps a draft, publishes it, or reverts to the former brand.
func (d *brandPages) changeBranding(r *request) error {
	version, err := strconv.ParseInt(r.posted(screens.FieldVersion), 10, 64)
	if err != nil {
		return forbidden("a form without the version that it changes")
	}
	r.app.Version = version
	b, err := d.branding(r)
	if err != nil {
		return err
	}
	switch r.posted(ui.FieldAction) {
	case screens.ActionDiscard:
		b.Draft = nil
		return d.finishBranding(r, b, d.saveBranding(r, b, b.published), screens.NoticeDiscarded)
	case screens.ActionUndo:
		if !b.Previous.differs(b.published) {
			return d.finishBranding(r, b, storage.ErrChanged, "")
		}
		b.Draft = b.Previous
		return d.publish(r, b, "branding.undo", screens.NoticeUndone)
	}
	chosen, problems, err := postedBrand(r, b.current())
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return d.renderBranding(r, b, r.posted(ui.FieldColor), http.StatusUnprocessableEntity, problems...)
	}
	b.Draft = &chosen
	if r.posted(ui.FieldAction) == screens.ActionPublish {
		return d.publish(r, b, "branding.publish", screens.NoticePublished)
	}
	return d.finishBranding(r, b, d.saveBranding(r, b, b.published), screens.NoticeDraftSaved)
}

// finishBranding redirects to the page with a notice.
func (d *brandPages) finishBranding(r *request, b branding, err error, done screens.Notice) error {
	var wrong *provider.FieldError
	switch {
	case errors.Is(err, storage.ErrChanged), errors.Is(err, provider.ErrChanged):
		return r.done(d.brandingPath(r), screens.NoticeSomebodyElse)
	case errors.Is(err, storage.ErrLimit):
		return d.renderBranding(r, b, r.posted(ui.FieldColor), http.StatusUnprocessableEntity, ui.Problem{Code: ui.PicturesFull})
	case errors.As(err, &wrong): // something else of the registration, which the settings show
		return d.renderBranding(r, b, b.current().Color, http.StatusUnprocessableEntity, ui.Problem{Text: wrong.Error()})
	case err != nil:
		return err
	}
	return r.done(d.brandingPath(r), done)
}

// saveBranding keeps the draft. shown is the published brand afterwards.
func (d *brandPages) saveBranding(r *request, b branding, shown brand) error {
	a := r.app
	a.Document, a.UpdatedAt = b.document.bytes(), d.Clock()
	a.PictureBytes = b.Draft.bytes() + b.Previous.bytes() + shown.bytes()
	return d.Store.SaveApplication(r.Request.Context(), a, d.Quotas.PictureBytes)
}

// publish publishes the draft, or submits it for review. The draft is saved first: of two
// members who publish at once one gets an error, and the former brand can be restored even
// after an interruption. The draft stays, and equals the published brand.
func (d *brandPages) publish(r *request, b branding, act string, done screens.Notice) error {
	wanted := brandedClient(b.wanted, *b.Draft)
	if d.forms.vouched(r.env, b.client) {
		if problems := needed(r.app.Kind, b.client, wanted); len(problems) > 0 {
			return d.renderBranding(r, b, b.Draft.Color, http.StatusUnprocessableEntity, problems...)
		}
	}
	if b.Draft.differs(b.published) {
		b.Previous = &b.published
	}
	err := d.saveBranding(r, b, *b.Draft)
	if err == nil && (b.Draft.differs(b.published) || b.Draft.differs(brandOf(b.wanted))) {
		var waits bool
		if _, waits, err = d.drafts.save(r.Request.Context(), r.does(), act, b.client, wanted); waits {
			done = screens.NoticeChangesWait
		}
	}
	return d.finishBranding(r, b, err, done)
}

// postedBrand returns the chosen brand and its problems.
func postedBrand(r *request, current brand) (chosen brand, problems []ui.Problem, err error) {
	chosen = current
	chosen.Color = strings.ToLower(strings.TrimSpace(r.posted(ui.FieldColor)))
	if problems, err = chosen.choosePictures(r); err != nil {
		return brand{}, nil, err
	}
	if _, err := theme.ParseColor(chosen.Color); chosen.Color != "" && err != nil {
		problems = append(problems, ui.Problem{Code: ui.ColorInvalid})
	}
	return chosen, problems, nil
}

// hostOf returns the host of a redirect URI, or the scheme of an app.
func hostOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	if u.Scheme == "http" || u.Scheme == "https" {
		return u.Host
	}
	return u.Scheme
}
