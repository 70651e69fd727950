package flows

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/ui"
)

// toldBy are the names of the consent screen in English, each with the handles and claims
// that tell it. A whole is told by any of its parts, where nothing else is known of it.
var toldBy = map[string][]string{
	"First name": {"fname", "given_name", "name"}, "Last name": {"lname", "family_name", "name"},
	"Full name": {"name", "fname", "lname", "given_name", "family_name"},
	"Nickname":  {"nickname"}, "User name": {"preferred_username"}, "Middle name": {"middle_name"}, "Gender": {"gender"},
	"Profile page": {"profile"}, "Picture": {"picture"}, "Website": {"website"}, "Time zone": {"zoneinfo"}, "Language": {"locale"},
	"Last change": {"updated_at"},
	"Email":       {"email", "email_verified", "preferred_username"}, // who has no user name is called by the address
	"Phone":       {"phone", "phone_number", "phone_number_verified"},
	"Postal code": {"zip", "address"}, "Street": {"street", "address"}, "City": {"city", "address"},
	"State": {"state", "address"}, "Country": {"country", "address"},
	"Address":       {"address", "street", "city", "state", "zip", "country"},
	"Date of birth": {"birthdate"}, "Age": {"age"},
	"COVID vaccine records": {"covid_vaccine_records"}, "Previous addresses": {"previous_addresses"},
	"Unique identifier": {"uuid", "sub"},
}

// groupTitles are the groups that the scopes here release, by name.
var groupTitles = map[string]string{"military": "Military", "student": "Student"}

// ofProtocol are claims that say nothing about the user beyond the sign-in.
var ofProtocol = []string{"iss", "aud", "azp", "exp", "iat", "nbf", "jti", "nonce", "auth_time", "acr", "amr", "at_hash", "c_hash", "sid"}

// words are what a part of the consent screen says is released.
type words struct {
	known, later []string        // names of facts
	verified     map[string]bool // by the title of the group
}

// consentWords are those of a whole screen.
type consentWords struct {
	words
	sentence string
	options  map[string]words // by scope
	ticked   []string
}

// wordsOn reads a consent screen as a person does.
func wordsOn(t *testing.T, p lab.Page) consentWords {
	t.Helper()
	root := testkit.Must(html.Parse(strings.NewReader(p.Text)))(t)
	all := consentWords{options: map[string]words{}}
	for _, option := range parts(root, "div", "option") {
		box := parts(option, "input", "")[0]
		all.options[testkit.Attribute(box, "value")] = wordsIn(option)
		if slices.ContainsFunc(box.Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
			all.ticked = append(all.ticked, testkit.Attribute(box, "value"))
		}
		option.Parent.RemoveChild(option)
	}
	all.words = wordsIn(root)
	for _, sentence := range parts(root, "p", "") {
		if text, _, found := strings.Cut(testkit.Text(sentence), "."); found && strings.Contains(text, " receives ") && sentence.Parent.Data == "main" {
			all.sentence = text
		}
	}
	return all
}

func wordsIn(n *html.Node) words {
	said := words{verified: map[string]bool{}}
	for _, facts := range parts(n, "dl", "facts") {
		for _, row := range parts(facts, "div", "") {
			name := nameOf(parts(row, "dt", "")[0])
			if len(parts(row, "span", "none")) > 0 && strings.Contains(testkit.Text(row), "shared if added later") {
				said.later = append(said.later, name)
			} else {
				said.known = append(said.known, name)
			}
		}
	}
	for _, list := range append(parts(n, "div", "later"), parts(n, "details", "later")...) {
		for _, item := range parts(list, "li", "") {
			said.later = append(said.later, nameOf(item))
		}
	}
	for _, group := range parts(n, "div", "group") {
		title := testkit.Text(parts(group, "h2", "")[0])
		said.verified[title] = slices.ContainsFunc(parts(group, "span", "chip"), func(chip *html.Node) bool { return testkit.Text(chip) == "Verified" })
	}
	return said
}

// nameOf is the text of a name without the mark of what is new.
func nameOf(n *html.Node) string { return strings.TrimSuffix(testkit.Text(n), " New") }

// parts returns the elements within a node, of a class unless it is empty.
func parts(n *html.Node, element, class string) (found []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == element && (class == "" || slices.Contains(strings.Fields(testkit.Attribute(d, "class")), class)) {
			found = append(found, d)
		}
	}
	return found
}

// with adds what the boxes say that are ticked.
func (c consentWords) with(ticked []string) words {
	sum := words{known: slices.Clone(c.known), later: slices.Clone(c.later), verified: maps.Clone(c.verified)}
	for _, scope := range ticked {
		sum.known = append(sum.known, c.options[scope].known...)
		sum.later = append(sum.later, c.options[scope].later...)
		maps.Copy(sum.verified, c.options[scope].verified)
	}
	return sum
}

var moreItems = regexp.MustCompile(`(\d+) more items?, listed below`)

// sentenceSays demands that the sentence names each row and each status, or counts it, and
// nothing else.
func (c consentWords) sentenceSays(t *testing.T, asked string) {
	t.Helper()
	english := ui.MatchLocale("en", "")
	named, unnamed := 0, 0
	for name := range toldBy {
		is := slices.Contains(c.known, name) || slices.Contains(c.later, name) && strings.Contains(c.sentence, "records")
		switch said := strings.Contains(c.sentence+" ", english.Phrase(name).Text); {
		case said && !is:
			t.Errorf("%s: the sentence says %s, and no row does: %s", asked, name, c.sentence)
		case said:
			named++
		case slices.Contains(c.known, name):
			unnamed++
		}
	}
	more := 0
	if n := moreItems.FindStringSubmatch(c.sentence); n != nil {
		more, _ = strconv.Atoi(n[1])
	}
	if unnamed != more {
		t.Errorf("%s: the sentence leaves out %d of %d rows, and counts %d: %s", asked, unnamed, named+unnamed, more, c.sentence)
	}
	for _, title := range groupTitles {
		if _, shown := c.verified[title]; shown != strings.Contains(c.sentence, english.Phrase(title).Text) {
			t.Errorf("%s: %s is on the screen: %v: %s", asked, title, shown, c.sentence)
		}
	}
}

// answered demands that an answer tells what was said, nothing more and nothing less.
func (said words) answered(t testing.TB, asked string, facts map[string]any, statuses []any) {
	t.Helper()
	told := map[string]bool{}
	for handle := range facts {
		name := func(name string) bool { return slices.Contains(toldBy[name], handle) }
		if i := slices.IndexFunc(said.known, name); i < 0 {
			t.Errorf("%s: %s is told, and the screen does not say so: %v", asked, handle, said.known)
		}
		for _, row := range said.known {
			told[row] = told[row] || name(row)
		}
	}
	for _, row := range said.known {
		if !told[row] {
			t.Errorf("%s: the screen says %s, and it is not told: %v", asked, row, slices.Collect(maps.Keys(facts)))
		}
	}
	answered := map[string]bool{}
	for _, s := range statuses {
		status := s.(map[string]any)
		answered[groupTitles[lab.Member(t, status, "group")]] = status["verified"] == true
	}
	if !maps.Equal(said.verified, answered) {
		t.Errorf("%s: the screen says %v, answered %v", asked, said.verified, answered)
	}
}

// people are a person who is not verified, one whose verification has ended, one of whom
// nothing is known, and one who is verified in both groups.
func people(w *lab.Fixture) map[string]*lab.Browser {
	w.T.Helper()
	browsers := map[string]*lab.Browser{}
	for name, of := range map[string]struct {
		facts    map[string]any
		statuses []provider.Status
	}{
		"unverified": {map[string]any{"fname": "Una", "lname": "Verre", "zip": "22030"}, nil},
		"lapsed": {map[string]any{"fname": "Lars", "phone": "+1 703 555 0142", "birthdate": "1990-04-02"}, []provider.Status{
			{Group: "military", Subgroups: []string{"Veteran"}, Verified: true, ExpiresAt: w.Now().Add(time.Minute)},
		}},
		"unknown": {nil, []provider.Status{{Group: "student", Pending: true}}},
		"both": {map[string]any{
			"fname": "Bo", "lname": "Thomsen", "nickname": "Bo", "zip": "22030", "phone": "+1 703 555 0143", "street": "1 Main St", "city": "Fairfax",
			"state": "VA", "country": "US", "birthdate": "1990-04-02", "locale": "da", "updated_at": 1700000000,
			"covid_vaccine_records": []map[string]string{{"brand": "Comirnaty", "date": "2021-05-14T10:30:00-04:00", "type": "first dose"}},
		}, []provider.Status{
			{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}, {Group: "student", Subgroups: []string{"University"}, Verified: true},
		}},
	} {
		address := name + "@example.com"
		w.AddAccount(provider.Account{ID: name, Email: address, EmailVerified: name == "both", Password: lab.OldPassword})
		if of.facts != nil {
			w.OK(w.People().SetAttributes(w.T.Context(), name, of.facts))
		}
		for _, s := range of.statuses {
			w.OK(w.People().SetStatus(w.T.Context(), name, s))
		}
		browsers[name] = w.NewBrowser()
	}
	w.Advance(2 * time.Minute)
	for name, b := range browsers {
		b.SignIn(name+"@example.com", lab.OldPassword)
	}
	return browsers
}

// answers demands of all answers that a token response leads to what was said.
func answersAs(b *lab.Browser, asked string, said words, tokens map[string]any) {
	b.T.Helper()
	access := lab.Member(b.T, tokens, "access_token")
	p, body := b.JSON(b.Bearer(lab.AttributesPath, access))
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("%s: %s %s", asked, p.Status, p.Text)
	}
	facts := map[string]any{}
	for _, a := range body["attributes"].([]any) {
		attribute := a.(map[string]any)
		facts[lab.Member(b.T, attribute, "handle")] = attribute["value"]
	}
	statuses, _ := body["status"].([]any)
	id, ok := tokens["id_token"].(string)
	if !ok {
		said.answered(b.T, asked+", attributes", facts, statuses)
		return
	}
	if _, ok := facts["uuid"]; !ok {
		facts["uuid"] = "" // the claim sub says it
	}
	said.answered(b.T, asked+", attributes", facts, statuses)
	_, claims := lab.JWT(b.T, id)
	said.claimed(b.T, asked+", ID token", claims)
	userinfo := b.Bearer(lab.UserinfoPath, access).Text
	if unquoted, err := strconv.Unquote(userinfo); err == nil { // as v3 answers
		_, claims = lab.JWT(b.T, unquoted)
	} else {
		claims = b.Userinfo(tokens)
	}
	said.claimed(b.T, asked+", userinfo", claims)
}

// claimed is answered for claims, of which sub stands for the user.
func (said words) claimed(t testing.TB, asked string, claims map[string]any) {
	t.Helper()
	facts := maps.Clone(claims)
	statuses, _ := facts["status"].([]any)
	delete(facts, "status")
	maps.DeleteFunc(facts, func(name string, _ any) bool { return slices.Contains(ofProtocol, name) })
	said.answered(t, asked, facts, statuses)
}

// TestConsentScreenSaysWhatIsReleasedInWords walks scopes, people and boxes in both dialects,
// and compares the sentence, the rows, the groups and the ticked boxes with every answer.
func TestConsentScreenSaysWhatIsReleasedInWords(t *testing.T) {
	t.Parallel()
	t.Run("Standard", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t, lab.Unlimited).WithClients()
		people := people(w)
		for _, request := range []struct {
			scope    string
			optional []string
		}{
			{"openid profile email military", nil},
			{"openid email phone military student", []string{"phone", "student"}},
			{"openid identity", nil},
			{"openid military address profile identity", []string{"address", "profile", "identity"}},
			{"openid login student", []string{"login"}},
		} {
			w.LetLeaveOut(request.optional...)
			for who, b := range people {
				var before []string
				for _, ticked := range lab.Subsets(request.optional) {
					asked := fmt.Sprintf("%s, %s, ticked %v", who, request.scope, ticked)
					p, _ := b.Asked("scope", request.scope, "prompt", "consent")
					screen := wordsOn(t, p)
					screen.sentenceSays(t, asked)
					if before != nil && !slices.Equal(screen.ticked, before) {
						t.Errorf("%s: ticked are %v, allowed before was %v", asked, screen.ticked, before)
					}
					answersAs(b, asked, screen.with(ticked), b.Exchanged(b.AllowOnly(p, ticked...)))
					before = append([]string{}, ticked...)
				}
			}
		}
	})
	t.Run("V3", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t, lab.Unlimited).WithClients()
		for who, b := range people(w) {
			for _, scope := range []string{"military", "student", "identity", "login", "openid military", "openid identity", "openid email", "openid profile"} {
				asked := fmt.Sprintf("%s, %s", who, scope)
				p := b.Open(lab.AuthorizeURL("scope", scope, "prompt", "consent"))
				screen := wordsOn(t, p)
				screen.sentenceSays(t, asked)
				_, tokens := b.Token("code", lab.Response(t, b.AllowOnly(p)).Get("code"))
				answersAs(b, asked, screen.with(nil), tokens)
			}
		}
	})
}
