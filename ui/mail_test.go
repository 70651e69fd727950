package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sampleMail(kind MailKind, l *Locale) MailView {
	return MailView{
		Kind: kind, Locale: l, Brand: "Bonafide", Code: "012345", ValidFor: 10 * time.Minute, Time: fixedNow,
		SignInURL: "https://id.example/signin", SignUpURL: "https://id.example/signup",
		Group: "Student", GroupsURL: "https://id.example/account/groups",
		ResetURL: "https://id.example/" + strings.Repeat("a-long-path/", 20) + "reset",
	}
}

func TestComposeWritesAMail(t *testing.T) {
	want := Mail{
		Subject: "Your code for Bonafide",
		Body: `012345 is your code to create an account at Bonafide.

The code works for 10 minutes.

Enter it on the page where you asked for it, and nowhere else. Nobody from Bonafide will ever ask you for it.

You did not ask for it? Then someone has mistyped an address. Ignore this email and nothing will happen.

If you are ever asked to wait before a code is sent to you, start here instead: https://id.example/signup
`,
	}
	if diff := cmp.Diff(want, Compose(sampleMail(MailSignUp, nil))); diff != "" {
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
	v.Brand = "Bonafide\r\nBcc: everyone@example.com"
	if got := Compose(v).Subject; got != "Your code for Bonafide Bcc: everyone@example.com" {
		t.Errorf("got %q", got)
	}
}
