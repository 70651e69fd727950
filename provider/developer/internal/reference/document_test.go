package reference

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// hostile is an installation whose operator has used every character that means
// something to one of the documents.
func hostile() Installation {
	i := installation("https://id.example")
	i.SandboxURL = ""
	i.Name = "A \"B\" `C` | <script>alert(1)</script>\nD"
	i.Scopes = append(i.Scopes, catalogue.Scope{Name: "club:x", Title: "x | y\n# z `q`", Attributes: []string{"cards:x"}})
	i.Attributes = append(i.Attributes, catalogue.Attribute{Handle: "cards:x", Name: "Cards | of <b>", Type: catalogue.Objects, Members: []string{"a b", `c"d`}})
	return i
}

// manual is docs/errors.md.
func manual(t *testing.T) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "errors.md")))(t)
	return string(text)
}

func TestErrorsAreThoseOfTheManual(t *testing.T) {
	t.Parallel()
	d, text := New(installation("https://id.example")), manual(t)
	described := map[string]bool{"The parameter … is not supported.": true}
	for _, e := range d.Endpoints {
		for _, f := range d.errorsOf(e) {
			described[f.Text] = true
		}
		for _, f := range e.Errors {
			described[f.Text] = true
			unsupported := strings.HasSuffix(f.Text, "is not supported.") && strings.HasPrefix(f.Text, "The parameter ")
			if !strings.Contains(text, f.Text) && !unsupported {
				t.Errorf("docs/errors.md does not have %q", f.Text)
			}
		}
	}
	for _, p := range d.Pages {
		described[p.Heading] = true
		if !strings.Contains(text, p.Heading) {
			t.Errorf("docs/errors.md does not have %q", p.Heading)
		}
	}
	described["Not Found"] = true
	described["The scope of the access token is not of one group."] = true // of the interface before v3, which is not in the reference
	text, _, _ = strings.Cut(text, "## When the provider tells")
	quoted := regexp.MustCompile(`“([^”]+)”`).FindAllStringSubmatch(text, -1)
	if len(quoted) < 100 {
		t.Errorf("found %d descriptions in docs/errors.md; has it another form now?", len(quoted))
	}
	for _, one := range quoted {
		if !described[one[1]] {
			t.Errorf("the reference does not have %q", one[1])
		}
	}
}

// An error without an example is one that no request alone brings about: somebody or
// something else has a part in it, or it is told in other words before.
func TestErrorsHaveExamples(t *testing.T) {
	t.Parallel()
	without := []string{
		"The user did not allow it.", "The user is not a verified member of the group.", "The user is not verified yet (verification_pending).", "The user may not use this application.",
		"The user cannot authenticate as the request demands.", "The user may not sign in.", "It is not certain who is signed in.", "The user no longer exists.",
		"The user has to authenticate again, as acr_values and max_age say.",
		"A state with control characters cannot be returned by form_post or in a JWT.", // control characters say nothing on a page
		"This application may not use this grant.", "The request is malformed.", "This application has no scope value that the user could pick.",
		"This response_mode is unknown, or not safe with the response_type.",
		"The responses to this application are signed: name the response_mode jwt.",
		"The account of the persona is locked.", "This application has to push its requests.", "This application has to sign its requests.",
		"The login_hint names a persona that the sandbox does not have for this application.",
		"Ask for exactly one scope value that the user has allowed.", // signed with a key of the reader's own
		"Name resources one by one: their tokens are signed with different algorithms.", "This application is registered for an algorithm that signs no more.",
		"Name only resources that the authorization request has named.", "The access token is for another resource.",
		"Too many attempts with wrong credentials. Please wait.", "Too many requests of this application from one address. Please wait.", unavailable, failed,
		// Proofs are signed with a key of the reader's own.
		"This access token is bound to a key. Send it with the scheme DPoP and a proof.", "This access token is bound to another key than that of the proof.",
		"The DPoP proof is malformed, used, or not for this request, or its key is not accepted.", "This application has to send a DPoP proof.",
		"Send the DPoP proof again, with the nonce of the header DPoP-Nonce.",
		"redirect_uris has an address on a host that the operator has not allowed.", "The body cannot be read.", "Too many registrations. Please wait.",
		// A registration with a token depends on an organization of the dashboard.
		"redirect_uris[0] is on a host that the token is not for.", "The organization has as many applications as it may have.",
		"The owner who made the token has no verified e-mail address.", "Applications begin in the sandbox. Register this one there.",
		"The organization of this token is suspended.", "The application is disabled. Its developers can enable it.",
		"The change leaves out something that the review of the application requires.", "The registration has changed meanwhile. Read it again.",
		// Request objects are fetched where the host allows it.
		"The request_uri is not registered, or there is no request object to read.",
		// An API exchanges the token that somebody calls it with.
		"The parameter subject_token is missing.", "The parameter subject_token_type is missing.", "Only an access token is exchanged, and only for an access token.",
		"Leave out actor_token: the application that asks is the actor.", "The subject_token has been exchanged twice already.",
		"The subject_token is unknown, expired or revoked, or is not for an API of this application.",
		"The subject_token is no user's. Ask for a token of your own with client_credentials.",
		"The subject_token is bound to a key. Send a DPoP proof of a key of your own.",
		"Ask for no more scopes than the subject_token has, the resource understands and this application may ask for.",
		"Name exactly one resource.", "Tokens for your API are not exchanged for tokens for this resource.", "The user was not asked about this resource.",
		// What is wrong is different each time, or depends on what the stream has become.
		"The parameter claims has other verified_claims than OpenID Connect for Identity Assurance section 5 allows: …", "In the request …",
		"The access token lacks the scope …", "There is no such stream.", "The application has a stream.", "The stream was changed meanwhile.", "The stream is disabled.",
		"The operator of this service has switched the stream off.",
		"The operator of this service has to agree to the host of endpoint_url first. Try again later, or poll.",
		"A verification was asked for a moment ago.", "Too many requests. Please wait.", "The body is too large.",
		// Wallets sign a proof with a key of their own, or have a code of an offer.
		"Ask for no more credentials than the user allowed.", "The parameters pre-authorized_code and tx_code are needed.",
		"The parameter authorization_details is no list of at most 8 JSON objects, each of which asks for a credential that there is.",
		"The body is no JSON object with either credential_identifier or credential_configuration_id, and proofs.", "Responses are not encrypted.",
		"The credential_configuration_id is unknown, or the access token is not for it.", "The credential_identifier is unknown, or the access token is not for it.",
		"The proofs are not one proof of the type jwt, signed with ES256 by the public P-256 key in its jwk, made now for this issuer, with a nonce.",
		"The nonce of the proof is unknown, too old or used. Get another one, and make another proof.",
		"The user is no verified member of the group, or not for another day.", "The notification_id is unknown, or the credential has ended.",
		"The body is no JSON object with notification_id and event.", "Send the request as application/json.",
		// Devices have codes.
		"The parameter device_code is missing.", "The user has not decided yet.", "Wait five seconds more before each poll.",
		"The user did not allow it, or no longer does.", "The device code has expired. Ask for another one.", "A device of this application may not ask for this scope.",
	}
	d := New(installation("https://id.example"))
	for _, e := range d.Endpoints {
		for _, f := range append(slices.Clone(e.Errors), d.Everywhere...) {
			if len(f.Example) == 0 && !slices.Contains(without, f.Text) {
				t.Errorf("%s: no example of %q", e.ID, f.Text)
			}
			if f.Remedy == "" {
				t.Errorf("%s: no remedy of %q", e.ID, f.Text)
			}
		}
	}
}

func TestDocumentsSayTheSame(t *testing.T) {
	t.Parallel()
	d := New(installation("https://id.example"))
	markdown, openAPI := string(d.LLMs()), string(d.OpenAPI())
	for _, e := range d.Endpoints {
		for name, text := range map[string]string{"llms.txt": markdown, "openapi.json": openAPI} {
			if !strings.Contains(text, e.Path) {
				t.Errorf("%s does not have %s", name, e.Path)
			}
			for _, p := range e.Parameters {
				if name == "llms.txt" && !strings.Contains(text, "| "+code(p.Name)) {
					t.Errorf("%s does not have %s", name, p.Name)
				}
			}
		}
	}
	for _, s := range d.Scopes {
		if !strings.Contains(markdown, "| "+code(s.Name)+" | "+s.Title+" |") {
			t.Errorf("llms.txt does not have the scope %s", s.Name)
		}
	}
}

func TestSectionsHaveAnchorsOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen, titles := map[string]bool{}, map[string]bool{}
	var visit func(sections []screens.DocsSection)
	visit = func(sections []screens.DocsSection) {
		for _, s := range sections {
			if s.ID == "" || seen[s.ID] || s.Title == "" || strings.ContainsAny(s.ID, " :") && !strings.Contains(s.ID, "cards") {
				t.Errorf("section %q with the anchor %q", s.Title, s.ID)
			}
			if titles[s.Title] {
				t.Errorf("two sections are called %q", s.Title)
			}
			seen[s.ID], titles[s.Title] = true, true
			for _, table := range s.Tables {
				for _, row := range table.Rows {
					if len(row) != len(table.Columns) {
						t.Errorf("%s: a row of %d cells below %d columns", s.ID, len(row), len(table.Columns))
					}
				}
			}
			visit(s.Parts)
		}
	}
	for _, i := range []Installation{installation("https://id.example"), hostile()} {
		clear(seen)
		clear(titles)
		visit(New(i).Sections())
	}
}

// A title of the operator's must not begin a heading, or a column, in the text that
// language models read.
func TestAttackMarkdownInTheCatalogue(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(string(New(hostile()).LLMs())) {
		if strings.HasPrefix(line, "# z") || strings.HasPrefix(line, "D\n") {
			t.Errorf("the operator's text begins a line: %q", line)
		}
	}
}

func TestDurationsAreInTheLargestUnitThatFits(t *testing.T) {
	t.Parallel()
	l := installation("https://id.example").Lifetimes
	for want, d := range map[string]string{
		"1 minute": duration(l.Code), "5 minutes": duration(l.AccessToken), "7 days": duration(l.RefreshToken), "1 hour": duration(l.Flow),
		"90 seconds": duration(90e9), "0s": duration(0),
	} {
		if d != want {
			t.Errorf("%q, want %q", d, want)
		}
	}
}
