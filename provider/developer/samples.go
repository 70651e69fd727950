package developer

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/developer/internal/samples"
	"github.com/bonafide-id/bonafide/ui"
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
func (d *appPages) showSamples(r *request) error {
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
	about := in.Rooms().Installation()
	a := samples.Application{
		ClientID: c.ID, Dialect: c.Dialect, Public: c.Public, Machine: machine, DPoP: c.DPoPBoundAccessTokens, Scopes: c.Scopes,
		BaseURL: about.BaseURL, Brand: about.Name, Code: about.Code, Button: in.Rooms().Pages.ButtonScript(),
		Look: lookOf(r.asked),
	}
	if !machine {
		a.RedirectURI = c.RedirectURIs[redirect]
	}
	if len(a.Scopes) == 0 || c.Dialect != provider.Standard && !machine { // it may ask for all, or asks for one
		a.Scopes = askedFirst(c, d.forms.scopesOf(r.env, c))
	}
	all, err := samples.For(a)
	if err != nil {
		return fmt.Errorf("write samples: %w", err)
	}
	programs, err := samples.ForPrograms(a, r.app.Kind)
	if err != nil {
		return fmt.Errorf("write programs: %w", err)
	}
	shown := addSample(&view, all, programs, r.asked(askedLanguage), redirect)
	view.Lacks = lacks(shown.Needs, c)
	if shown.ID == samples.Button {
		view.Button = &screens.ButtonView{
			ClientID: c.ID, Script: d.Provider.Rooms().Pages.ButtonScript().URL, StartURL: d.path("o", r.org.ID, r.env, r.app.ClientID, "try"),
			Choices: looks(r.asked), Hidden: []ui.Field{{Name: askedLanguage, Value: shown.ID}, {Name: askedRedirect, Value: strconv.Itoa(redirect)}},
		}
	}
	for i, uri := range c.RedirectURIs {
		view.RedirectURIs = append(view.RedirectURIs, screens.SampleChoice{
			Label: uri, URL: samplesURL(r.asked(askedLanguage), i), Current: i == redirect,
		})
	}
	if r.may(developers) {
		view.SecretsURL = d.path("o", r.org.ID, r.env, r.app.ClientID, "secrets")
	}
	r.Room().RenderWithButton(http.StatusOK, screens.Samples(view))
	return nil
}

// looks are what can be chosen of the button: its attributes without data-, each with the values that
// it takes. An empty one stands for the default. asked has what was chosen.
func looks(asked func(string) string) []screens.ButtonChoice {
	languages := []string{""}
	for _, l := range ui.Locales() {
		languages = append(languages, l.Lang)
	}
	all := []screens.ButtonChoice{
		{Name: "type", Values: []string{"", "signin", "signup", "continue"}},
		{Name: "size", Values: []string{"small", "", "large"}},
		{Name: "shape", Values: []string{"", "icon"}},
		{Name: "theme", Values: []string{"", "light", "dark", "auto", "outline"}},
		{Name: "lang", Values: languages},
	}
	for i, c := range all {
		if chosen := asked(c.Name); slices.Contains(c.Values, chosen) {
			all[i].Chosen = chosen
		}
	}
	return all
}

// lookOf are the attributes that were chosen.
func lookOf(asked func(string) string) (look []samples.Attribute) {
	for _, c := range looks(asked) {
		if c.Chosen != "" {
			look = append(look, samples.Attribute{Name: c.Name, Value: c.Chosen})
		}
	}
	return look
}

// addSample chooses a sample or a program, or the first sample, and returns it.
func addSample(view *screens.SamplesView, all, programs []samples.Sample, id string, redirect int) samples.Sample {
	named := func(s samples.Sample) bool { return s.ID == id }
	chosen := all[0]
	for _, of := range [][]samples.Sample{all, programs} {
		if i := slices.IndexFunc(of, named); i >= 0 {
			chosen = of[i]
		}
	}
	choices := func(of []samples.Sample) (choices []screens.SampleChoice) {
		for _, s := range of {
			choices = append(choices, screens.SampleChoice{Label: s.Title, URL: samplesURL(s.ID, redirect), Current: s.ID == chosen.ID})
		}
		return choices
	}
	view.Languages, view.Programs = choices(all), choices(programs)
	view.Title, view.Unproven = chosen.Title, chosen.Unproven
	view.Libraries, view.Run, view.Open, view.Listen = chosen.Libraries, chosen.Run, chosen.Open, chosen.Listen
	if view.Variable = chosen.Variable; chosen.Variable != "" || chosen.Secret {
		view.Placeholder = samples.Placeholder
	}
	for _, f := range chosen.Files {
		view.Files = append(view.Files, screens.DocsCode{Caption: f.Name, Text: f.Text})
	}
	return chosen
}

// samplesURL is the page itself with another choice.
func samplesURL(language string, redirect int) string {
	return "?" + url.Values{askedLanguage: {language}, askedRedirect: {strconv.Itoa(redirect)}}.Encode()
}
