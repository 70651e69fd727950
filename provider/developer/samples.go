package developer

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer/internal/samples"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// The parameters of the page with sample code: the name of a sample, and the index of its
// redirect URI, from 0.
const (
	askedLanguage = "language"
	askedRedirect = "redirect_uri"
)

// showSamples shows programs that sign a user in, with an application's registration filled
// in.
func (d *Dashboard) showSamples(r *request) error {
	p, err := d.applicationPage(r, screens.SectionSamples)
	if err != nil {
		return err
	}
	c, err := d.client(r)
	if err != nil {
		return err
	}
	view := screens.SamplesView{Page: p, Strict: isStrict(c)}
	machine := r.app.Kind == kindMachine
	if len(c.RedirectURIs) == 0 && !machine {
		r.Render(http.StatusOK, screens.Samples(view))
		return nil
	}
	redirect, _ := strconv.Atoi(r.asked(askedRedirect)) // the first, unless another is named
	if redirect < 0 || redirect >= len(c.RedirectURIs) {
		redirect = 0
	}
	in := d.provider(r.env)
	about := in.Installation()
	a := samples.Application{
		ClientID: c.ID, Dialect: c.Dialect, Public: c.Public, Machine: machine, DPoP: c.DPoPBoundAccessTokens, Scopes: c.Scopes,
		BaseURL: about.BaseURL, Brand: about.Name, Code: about.Code, Button: in.Rooms().Pages.ButtonScript(),
	}
	if !machine {
		a.RedirectURI = c.RedirectURIs[redirect]
	}
	if len(a.Scopes) == 0 || c.Dialect != provider.Standard && !machine { // it may ask for all, or asks for one
		a.Scopes = askedFirst(c, d.scopesOf(r.env, c))
	}
	all, err := samples.For(a)
	if err != nil {
		return fmt.Errorf("write samples: %w", err)
	}
	addSample(&view, all, r.asked(askedLanguage), redirect)
	for i, uri := range c.RedirectURIs {
		view.RedirectURIs = append(view.RedirectURIs, screens.SampleChoice{
			Label: uri, URL: samplesURL(r.asked(askedLanguage), i), Current: i == redirect,
		})
	}
	if r.may(developers) {
		view.SecretsURL = d.path("o", r.org.ID, r.env, r.app.ClientID, "secrets")
	}
	r.Render(http.StatusOK, screens.Samples(view))
	return nil
}

// addSample chooses the sample of a language, or the first.
func addSample(view *screens.SamplesView, all []samples.Sample, language string, redirect int) {
	chosen := max(0, slices.IndexFunc(all, func(s samples.Sample) bool { return s.ID == language }))
	for i, s := range all {
		view.Languages = append(view.Languages, screens.SampleChoice{
			Label: s.Title, URL: samplesURL(s.ID, redirect), Current: i == chosen,
		})
	}
	s := all[chosen]
	view.Unproven = s.Unproven
	view.Libraries, view.Run, view.Open, view.Listen = s.Libraries, s.Run, s.Open, s.Listen
	if view.Variable = s.Variable; s.Variable != "" {
		view.Placeholder = samples.Placeholder
	}
	for _, f := range s.Files {
		view.Files = append(view.Files, screens.DocsCode{Caption: f.Name, Text: f.Text})
	}
}

// samplesURL is the page itself with another choice.
func samplesURL(language string, redirect int) string {
	return "?" + url.Values{askedLanguage: {language}, askedRedirect: {strconv.Itoa(redirect)}}.Encode()
}
