package ui

import (
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// The scripts of the screens. No screen needs one to work.
const (
	// scriptScreens is for all of them.
	scriptScreens  = "screens.js"
	scriptFormPost = "form-post.js"
	scriptFedCM    = "fedcm.js"
)

func (p Page) locale() *Locale { return p.Locale.OrEnglish() }

func (p Page) asset(file string) string { return p.AssetPath + AssetName(file) }

// scripts are those that a refusal needs beside that of all screens.
func (v DeniedView) scripts() []string {
	if v.FedCM {
		return []string{AssetName(scriptFedCM)}
	}
	return nil
}

// stylesheets are those that follow the one of all screens.
func (p Page) stylesheets() []string { return p.Theme.Stylesheets(p.ButtonColor) }

// ending returns the files of one kind.
func ending(suffix string, files []string) (all []string) {
	for _, file := range files {
		if strings.HasSuffix(file, suffix) {
			all = append(all, file)
		}
	}
	return all
}

// title names the screen, the application and the service, in this order, for
// the first words are what a row of tabs has room for.
func (p Page) title(screen string) string {
	parts := []string{screen}
	for _, name := range []string{p.Client.Name, p.Brand.Name} {
		if name = Clean(name, MaxName); name != "" && name != screen {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " – ")
}

// nowhere is an address that leads nowhere: the page that it is on.
const nowhere = "#preview"

// previewed is the page as it is shown in a preview: nothing on it can be used, and what
// would lead away leads nowhere.
func (p Page) previewed(s Scheme) Page {
	p.inert, p.scheme = true, s
	for _, picture := range []*Picture{&p.Brand.Logo, &p.Brand.Wordmark, &p.Client.Logo, &p.Client.Wordmark} {
		*picture = picture.In(p.shownIn())
	}
	p.Brand.Links = slices.Clone(p.Brand.Links)
	for i := range p.Brand.Links {
		p.Brand.Links[i].URL = nowhere
	}
	for _, address := range []*string{
		&p.Brand.HomeURL, &p.Brand.TermsURL, &p.Brand.PolicyURL, &p.Brand.HelpURL, &p.Client.TermsURL, &p.Client.PolicyURL,
	} {
		if *address != "" {
			*address = nowhere
		}
	}
	p.Languages = slices.Clone(p.Languages)
	for i := range p.Languages {
		p.Languages[i].URL = nowhere
	}
	return p
}

// links are those at the foot of the page.
func (p Page) links() []Link {
	l := p.locale()
	t := l.text.Common
	var all []Link
	for _, own := range []struct {
		text Message
		url  string
	}{{t.Help, p.Brand.HelpURL}, {t.Policy, p.Brand.PolicyURL}, {t.Terms, p.Brand.TermsURL}} {
		if own.url != "" {
			all = append(all, Link{Label{Text: l.Plain(own.text)}, own.url})
		}
	}
	return append(all, p.Brand.Links...)
}

// shownIn is the scheme of the page, whatever the device is set to. A theme that has but one
// is shown in that one in a preview as well.
func (p Page) shownIn() Scheme {
	if s := p.Theme.Scheme(); s != SchemeAuto {
		return s
	}
	return p.scheme
}

// colorScheme is what the browser is told to draw fields and scroll bars in.
func (p Page) colorScheme() string {
	if s := p.shownIn(); s == SchemeLight || s == SchemeDark {
		return string(s)
	}
	return "light dark"
}

// label is the name of the application, or its host when it has no name that
// can be seen.
func (c Client) label() string {
	if s := Clean(c.Name, MaxName); s != "" {
		return s
	}
	return c.Host
}

// called is what people know the application by: what it calls itself, if it may.
func (c Client) called() string {
	if s := Clean(c.Calls, MaxName); s != "" {
		return s
	}
	return c.label()
}

// doubts are the words about an application that the service has not checked.
func (c Client) doubts(l *Locale) (title, text Message) {
	if c.Unknown {
		return l.text.Common.Unknown, l.text.Common.UnknownText
	}
	return l.text.Common.Unreviewed, l.text.Common.UnreviewedText
}

// Problem returns the first problem of a field.
func (f Form) Problem(field string) (Problem, bool) {
	for _, p := range f.Problems {
		if p.field() == field {
			return p, true
		}
	}
	return Problem{}, false
}

// Short is a form of so few fields that each says itself what is wrong with it: a list
// above them would say the same twice within a hand's breadth.
func (f Form) Short(fields ...string) Form {
	f.told = fields
	return f
}

// listed returns the problems that are said above the form.
func (f Form) listed() []Problem {
	var listed []Problem
	for _, p := range f.Problems {
		if !slices.Contains(f.told, p.field()) {
			listed = append(listed, p)
		}
	}
	return listed
}

// focuses reports whether a field takes the focus: the first wrong one where no list does,
// which has a screen reader say what is wrong with it, once.
func (f Form) focuses(i Input) bool {
	if f.OK() {
		return i.Autofocus && !f.still
	}
	return len(f.listed()) == 0 && f.Problems[0].field() == i.Name
}

// OK reports whether there is nothing to correct.
func (f Form) OK() bool { return len(f.Problems) == 0 }

// away is an address that leads out of the service. It may be of a native
// application and so of any scheme but those that run code or open files in
// the browser. Callers follow registered addresses only; this is the second
// lock.
func away(address string) templ.SafeURL {
	if address == nowhere {
		return nowhere
	}
	scheme, _, ok := strings.Cut(address, ":")
	if !ok {
		return templ.FailedSanitizationURL
	}
	for _, c := range scheme {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789+-.", c) {
			return templ.FailedSanitizationURL
		}
	}
	switch scheme {
	case "", "javascript", "data", "vbscript", "blob", "file", "filesystem", "about", "view-source", "intent":
		return templ.FailedSanitizationURL
	}
	return templ.SafeURL(address)
}

// icon is the picture of a kind of device.
func (k DeviceKind) icon() Icon {
	switch k {
	case DevicePhone:
		return IconPhone
	case DeviceTablet:
		return IconTablet
	default:
		return IconDevice
	}
}

// heading says whether the user has a password already.
func (v PasswordView) heading() Message {
	t := v.locale().text.Password
	if v.First {
		return t.HeadingSet
	}
	return t.Heading
}

// device names the browser of a session.
func (l *Locale) device(s Session) string {
	switch {
	case s.Browser != "" && s.System != "":
		return l.Plain(l.text.Sessions.BrowserOnSystem, With("browser", s.Browser), With("system", s.System))
	case s.Browser != "" || s.System != "":
		return Clean(s.Browser+s.System, MaxName)
	default:
		return l.Plain(l.text.Sessions.Unknown)
	}
}
