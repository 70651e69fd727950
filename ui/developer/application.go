package developer

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
)

// kindMachine is an application at which nobody signs in.
const kindMachine = "machine"

// kinds are what an application can be.
func (v RegisterView) kinds() []ui.Option {
	t := textOf(v.locale()).Application
	return options(v.locale(), t.Kinds, v.Kinds, v.Kind)
}

// dialects are what an application can speak, the one to begin with first.
func (v RegisterView) dialects() []ui.Option {
	t := textOf(v.locale()).Application
	return options(v.locale(), t.Dialects, []string{"standard", "v3"}, v.Dialect)
}

// programs are those that can be chosen, the developer's own code first.
func (v RegisterView) programs() []ui.Option {
	all := []ui.Option{{Label: v.locale().Plain(textOf(v.locale()).Application.OwnCode), Chosen: v.Program.ID == ""}}
	for _, p := range v.Programs {
		all = append(all, ui.Option{Value: p.ID, Label: p.Title, Chosen: p.ID == v.Program.ID})
	}
	return all
}

// hidden names the program that was chosen.
func (v RegisterView) hidden() []ui.Field {
	if v.Program.ID == "" {
		return nil
	}
	return []ui.Field{{Name: FieldProgram, Value: v.Program.ID}}
}

// authMethods are how an application sends its secret; the first one is either.
func (v SettingsView) authMethods() []ui.Option {
	t := textOf(v.locale()).Application
	return options(v.locale(), t.AuthMethods, []string{"any", "client_secret_basic", "client_secret_post", "private_key_jwt"}, v.AuthMethod)
}

// signIns are those that an application can require.
func (v SettingsView) signIns() []ui.Option {
	t := textOf(v.locale()).Application
	return options(v.locale(), t.SignIns, v.SignIns, v.SignIn)
}

// profiles are those that an application can follow, none first.
func (v SettingsView) profiles() []ui.Option {
	t := textOf(v.locale()).Application
	return options(v.locale(), t.Profiles, append([]string{NoProfile}, v.Profiles...), v.Profile)
}

// describedBy are the IDs of what is said about a field.
func describedBy(f ui.Form, field string) string {
	if _, wrong := f.Problem(field); wrong {
		return field + "-hint " + field + "-problem"
	}
	return field + "-hint"
}

// ProfileProblem is what a profile demands of a field that says otherwise. That of
// [FieldProfile] is what the service cannot do.
func ProfileProblem(p ui.Page, field string) ui.Problem {
	key := "on"
	switch field {
	case FieldAuthMethod:
		key = "auth"
	case ui.FieldResponseTypes:
		key = "code"
	case FieldAccessTokenFormat, FieldDevices:
		key = "off"
	case FieldAuthSigningAlg, FieldRequestSigningAlg, FieldIDTokenAlg, FieldUserinfoAlg, FieldResponseAlg:
		key = "alg"
	case ui.FieldJWKS:
		key = "key"
	case FieldProfile:
		key = "profile"
	}
	l := p.Locale.OrEnglish()
	return ui.Problem{Field: field, Text: l.Plain(textOf(l).Application.ProfileProblems[key])}
}

// DevicesProblem says which applications have no devices.
func DevicesProblem(p ui.Page) ui.Problem {
	l := p.Locale.OrEnglish()
	return ui.Problem{Field: FieldDevices, Text: l.Plain(textOf(l).Application.DevicesNot)}
}

// moreFields are those of the part of the settings that is closed.
var moreFields = []string{
	FieldProfile, FieldDevices, FieldLeanIDTokens, FieldIDTokenAlg, FieldUserinfoAlg, FieldResponseAlg, FieldAccessTokenFormat, FieldDPoPBound, ui.FieldResources, ui.FieldBackchannelLogoutURI, FieldBackchannelSession, FieldAuthMethod, ui.FieldJWKS, ui.FieldJWKSURI,
	FieldAuthSigningAlg, FieldRequirePushed, FieldRequirePKCE, FieldRequireSigned, FieldRequestSigningAlg,
}

// moreIsOpen reports whether something is wrong in the part of the settings that is closed.
func (v SettingsView) moreIsOpen() bool {
	return slices.ContainsFunc(moreFields, func(field string) bool {
		_, wrong := v.Problem(field)
		return wrong
	})
}

// algs are the algorithms that can sign, any of them first.
func (v SettingsView) algs(chosen string) []ui.Option {
	all := []ui.Option{{Value: AnyAlg, Label: v.locale().Plain(textOf(v.locale()).Application.AnyAlg), Chosen: chosen == AnyAlg}}
	for _, alg := range v.Algs {
		all = append(all, ui.Option{Value: alg, Label: alg, Chosen: alg == chosen})
	}
	return all
}

// signingAlgs are the algorithms of the provider, RS256 first.
func (v SettingsView) signingAlgs(chosen string) []ui.Option {
	var all []ui.Option
	for _, alg := range v.SigningAlgs {
		all = append(all, ui.Option{Value: alg, Label: alg, Chosen: alg == chosen})
	}
	return all
}

// options are values with their labels, of which one is chosen: the first where none is.
func options(l *ui.Locale, labels map[string]labelText, values []string, chosen string) []ui.Option {
	var all []ui.Option
	for _, value := range values {
		all = append(all, ui.Option{Value: value, Label: l.Plain(labels[value].Label), Text: l.Plain(labels[value].Text)})
	}
	if len(all) > 0 {
		all[max(0, slices.Index(values, chosen))].Chosen = true
	}
	return all
}

// choices are values with their labels, of which any are chosen.
func choices(l *ui.Locale, labels map[string]labelText, values []Value) []ui.Option {
	var all []ui.Option
	for _, v := range values {
		t, ok := labels[v.Value]
		o := ui.Option{Value: FieldValue(v.Value), Label: v.Value, Chosen: v.Chosen}
		if ok {
			o.Label, o.Text = l.Plain(t.Label), l.Plain(t.Text)
		}
		all = append(all, o)
	}
	return all
}

// scopeOptions are the scopes that an application may ask for.
func scopeOptions(scopes []Scope) []ui.Option {
	var all []ui.Option
	for _, s := range scopes {
		title := s.Title
		if ui.Clean(title.Text, ui.MaxName) == "" {
			title = ui.Label{Text: s.Name, Lang: ui.Undetermined}
		}
		all = append(all, ui.Option{Value: s.Name, Title: title, Text: s.Name, Note: s.Text, Chosen: s.Chosen})
	}
	return all
}

// FieldValue returns the end of the name of a field that stands for one of several values.
func FieldValue(value string) string { return strings.ReplaceAll(value, " ", "-") }

// kindLabel names what an application is.
func kindLabel(l *ui.Locale, kind string) string {
	if t, ok := textOf(l).Application.Kinds[kind]; ok {
		return l.Plain(t.Label)
	}
	return ui.Clean(kind, ui.MaxName)
}

// dialectLabel names what an application speaks.
func dialectLabel(l *ui.Locale, dialect string) string {
	if t, ok := textOf(l).Application.Dialects[dialect]; ok {
		return l.Plain(t.Label)
	}
	return ui.Clean(dialect, ui.MaxName)
}

// Checked is what is said about a field while it is typed: what is wrong with it,
// a line each, or that all of it is right.
func Checked(p ui.Page, problems []ui.Problem) string {
	l := p.Locale.OrEnglish()
	if len(problems) == 0 {
		return l.Plain(textOf(l).Application.AddressesRight)
	}
	var lines []string
	for _, problem := range problems {
		lines = append(lines, l.Problem(problem))
	}
	return strings.Join(lines, "\n")
}

// checkURL is where a field asks whether it is right.
func checkURL(address, field string) string {
	if address == "" {
		return ""
	}
	return address + "?field=" + field
}

// fieldLabel names a field of a registration.
func fieldLabel(l *ui.Locale, field string) string {
	switch field {
	case FieldAuthMethod:
		return l.Plain(textOf(l).Application.AuthMethod)
	case FieldProfile:
		return l.Plain(textOf(l).Application.Profile)
	case FieldWebhook:
		return l.Plain(textOf(l).Webhooks.Heading)
	case FieldNames:
		return l.Plain(textOf(l).Webhooks.Events)
	case FieldDescription:
		return l.Plain(textOf(l).Webhooks.Description)
	}
	if t, ok := textOf(l).Application.Fields[field]; ok {
		return l.Plain(t.Label)
	}
	switch {
	case isPictureField(field):
		return pictureLabel(l, field)
	case field == "button_color":
		return l.Plain(textOf(l).Branding.Color)
	}
	return ui.Clean(field, ui.MaxName)
}

// isDeep reports whether a page lies behind the first one of an application, and has the switch
// that says where it is.
func (p Page) isDeep() bool {
	return p.SandboxURL != "" && len(p.Sections) > 0 && !p.Sections[0].Current
}

// nextTry names the trial: production has no personas.
func (v OverviewView) nextTry() labelText {
	t := textOf(v.locale())
	next := t.Application.NextTry
	if v.Environment != Sandbox {
		next.Label = t.Common.SectionNames[SectionTry]
	}
	return next
}

// fewRows is how many rows of a list are seen at a glance.
const fewRows = 9

// isSearched reports whether a list has a search field.
func isSearched(rows int, entered, moreURL string) bool {
	return rows > fewRows || entered != "" || moreURL != ""
}

// scripts are those of the page that not every page has.
func (v SamplesView) scripts() []string {
	if v.Button == nil {
		return nil
	}
	return []string{scriptButton}
}

// options are the values of an attribute in words.
func (c ButtonChoice) options(l *ui.Locale) []ui.Option {
	t := textOf(l).Samples
	options := make([]ui.Option, len(c.Values))
	for i, value := range c.Values {
		o := ui.Option{Value: value, Label: l.Plain(t.Looks[c.Name+"-"+value]), Chosen: value == c.Chosen}
		if at := slices.IndexFunc(ui.Locales(), func(l *ui.Locale) bool { return l.Lang == value }); at >= 0 && c.Name == "lang" {
			o.Label = ui.Locales()[at].Name
		}
		options[i] = o
	}
	return options
}

// attributes are those of the span.
func (b *ButtonView) attributes() templ.Attributes {
	all := templ.Attributes{"data-client-id": b.ClientID, "data-start": b.StartURL}
	for _, c := range b.Choices {
		if c.Chosen != "" {
			all["data-"+c.Name] = c.Chosen
		}
	}
	return all
}
