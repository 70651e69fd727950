package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

func sampleMail(kind MailKind, l *Locale) MailView {
	return MailView{
		Kind: kind, Locale: l, Brand: Brand{Name: "Bonafide", Logo: Picture{URL: "/id/assets/logo.png"}, Color: "#0f766e"}, BaseURL: "https://id.example/id", Code: "012345", ValidFor: 10 * time.Minute, Time: fixedNow,
		SignInURL: "https://id.example/signin", SignUpURL: "https://id.example/signup",
		Group: "Student", GroupsURL: "https://id.example/account/groups",
		ResetURL: "https://id.example/" + strings.Repeat("a-long-path/", 20) + "reset",
	}
}

func TestComposeWritesAMail(t *testing.T) {
	want := Mail{
		Kind: MailSignUp, Lang: "en", Code: "012345",
		Subject: "Your code for Bonafide",
		Body: `012345 is your code to create an account at Bonafide.

The code works for 10 minutes.

Enter it on the page where you asked for it, and nowhere else. Nobody from Bonafide will ever ask you for it.

You did not ask for it? Then someone has mistyped an address. Ignore this email and nothing will happen.

If you are ever asked to wait before a code is sent to you, start here instead: https://id.example/signup
`,
	}
	got := Compose(sampleMail(MailSignUp, nil))
	got.HTML = "" // TestMailsSayTheSameAsPages
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mail (-want +got):\n%s", diff)
	}
}

func TestMailsSayWhatTheyAreFor(t *testing.T) {
	long := sampleMail("", nil).ResetURL
	for kind, parts := range map[MailKind][]string{
		MailSignUp:           {"012345", "10"},
		MailVerifyEmail:      {"012345", "10"},
		MailResetPassword:    {"012345", "10"},
		MailAccountExists:    {"https://id.example/signin", long},
		MailNoAccount:        {"https://id.example/signup"},
		MailVerificationDone: {"Student", "https://id.example/account/groups"}, MailVerificationRefused: {"Student", "https://id.example/account/groups"},
		MailPasswordChanged: {long, "14:05"},
	} {
		for _, l := range Locales() {
			m := Compose(sampleMail(kind, l))
			for _, part := range parts {
				if !strings.Contains(m.Body, part) {
					t.Errorf("%s/%s does not contain %q:\n%s", l.Lang, kind, part, m.Body)
				}
			}
			if strings.ContainsAny(m.Subject+m.Body, "{}") || !strings.Contains(m.Subject, "Bonafide") || strings.Contains(m.Subject, "012345") || strings.Contains(m.Subject, "Student") {
				t.Errorf("%s/%s: %q\n%s", l.Lang, kind, m.Subject, m.Body)
			}
		}
	}
}

// A name with a line break would add headers to the mail.
func TestMailSubjectsHaveOneLine(t *testing.T) {
	v := sampleMail(MailSignUp, nil)
	v.Brand.Name = "Bonafide\r\nBcc: everyone@example.com"
	if got := Compose(v).Subject; got != "Your code for Bonafide Bcc: everyone@example.com" {
		t.Errorf("got %q", got)
	}
}

// TestMailsSayTheSameAsPages tests that the page of a mail has every sentence of its text,
// and what it takes to look like the service.
func TestMailsSayTheSameAsPages(t *testing.T) {
	for _, l := range Locales() {
		for kind := range l.text.Mails {
			m := Compose(sampleMail(kind, l))
			doc, err := html.Parse(strings.NewReader(m.HTML))
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(strings.Fields(textOf(doc)), " ")
			for sentence := range strings.SplitSeq(strings.TrimSpace(m.Body), "\n\n") {
				// The code is a block of its own.
				for _, part := range strings.Split(strings.TrimSpace(sentence), "012345") {
					if part = strings.Join(strings.Fields(part), " "); !strings.Contains(said, part) {
						t.Errorf("%s/%s: the page does not say %q:\n%s", l.Lang, kind, part, said)
					}
				}
			}
			for _, part := range []string{
				`lang="` + l.Lang + `" dir="` + l.Dir + `"`, "4px solid #0f766e", `<img src="https://id.example/id/assets/logo.png"`, "color-scheme",
			} {
				if !strings.Contains(m.HTML, part) {
					t.Errorf("%s/%s: the page has no %s", l.Lang, kind, part)
				}
			}
		}
	}
}

// TestMailIsNoPlaceForMarkup tests that a name cannot add anything to the page of a mail.
func TestMailIsNoPlaceForMarkup(t *testing.T) {
	v := sampleMail(MailSignUp, nil)
	v.Brand = Brand{Name: `<img src=x onerror=alert(1)>"`, Color: "red;background:url(//evil.example)", Logo: Picture{URL: `/x" onload="alert(1)`}}
	page := Compose(v).HTML
	for _, part := range []string{"<img src=x", "evil.example", `onload="`} {
		if strings.Contains(page, part) {
			t.Errorf("the page has %s:\n%s", part, page)
		}
	}
}
