package ui

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/ui/internal/uitest"
	"github.com/bonafide-id/bonafide/ui/theme"
)

const securityPage = "https://id.example/account/security"

func sampleMail(kind MailKind, l *Locale) MailView {
	return MailView{
		Kind: kind, Locale: l, Brand: Brand{Name: "Bonafide", HelpURL: "/help", Logo: Picture{URL: "/id/assets/logo.png"}}, BaseURL: "https://id.example/id", Code: codeOf(kind), ValidFor: 10 * time.Minute, Time: fixedNow,
		SignInURL: "https://id.example/signin", SignUpURL: "https://id.example/signup",
		Group: "Student", GroupsURL: "https://id.example/account/groups", InvitationURL: "https://id.example/invitation",
		ReturnURL: "https://id.example/email/return", RecoverURL: "https://id.example/recover", StopURL: "https://id.example/recover/stop", On: fixedNow,
		SecurityURL: securityPage, Left: 7, Upstream: "Google", AppsURL: "https://id.example/account/apps", ExportURL: "https://id.example/account/export", Act: HistoryLocked,
		Application: "River Bikes", ApplicationURL: "https://id.example/application", ReviewsURL: "https://id.example/developer/review",
		ResetURL: "https://id.example/" + strings.Repeat("a-long-path/", 20) + "reset",
	}
}

func codeOf(kind MailKind) string {
	switch kind {
	case MailSignUp, MailVerifyEmail, MailResetPassword, MailRecoveryCode, MailVerificationCode, MailNewEmail, MailOldEmail, MailCallerCode:
		return "012345"
	default:
		return ""
	}
}

func TestComposeWritesAMail(t *testing.T) {
	want := Mail{
		Kind: MailSignUp, Lang: "en", Code: "012345",
		Subject: "Your code for Bonafide",
		Body: `Your code to create an account at Bonafide is 012345

This code expires in 10 minutes.

Enter it only on the page where you asked for it. Nobody from Bonafide will ever ask you for it.

Didn’t request this? Someone may have mistyped their address. You can ignore this email.

Asked to wait before we send a code? Start here instead: https://id.example/signup
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
		MailAccountLocked:    {"Bonafide"},
		MailVerificationDone: {"Student", "https://id.example/account/groups"}, MailVerificationRefused: {"Student", "https://id.example/account/groups"},
		MailVerificationCode:    {"012345", "10"},
		MailVerificationStarted: {long, "14:05"}, MailVerificationNews: {"https://id.example/signin"},
		MailVerificationUnfinished: {"https://id.example/signin", "2026"}, MailVerificationEnding: {"https://id.example/signin", "2026"},
		MailPasswordChanged: {long, "14:05"},
		MailPasskeyAdded:    {securityPage, "14:05"}, MailPasskeyRemoved: {securityPage, "14:05"},
		MailTOTPAdded: {securityPage, "14:05"}, MailTOTPRemoved: {securityPage, "14:05"},
		MailSecondStepOn: {securityPage, "14:05"}, MailSecondStepOff: {securityPage, "14:05"},
		MailRecoveryCodesMade: {securityPage, "14:05"}, MailPasswordRemoved: {securityPage, "14:05"},
		MailEmailReturn:     {"https://id.example/email/return", "14:05"},
		MailEmailReturned:   {"14:05"},
		MailRecoveryCode:    {"012345", "10", "https://id.example/recover"},
		MailRecoveryStarted: {"https://id.example/recover", "https://id.example/recover/stop", "14:05"}, MailRecoveryStopped: {"https://id.example/recover", "14:05"},
		MailRecoveryApproved: {"https://id.example/recover", "https://id.example/recover/stop", "14:05"}, MailRecovered: {"https://id.example/signin", "14:05"},
		MailRecoveryCodeUsed: {securityPage, "14:05", "7"},
		MailAppGuessed:       {securityPage, "14:05"}, MailAppBarred: {securityPage, "https://id.example/recover", "14:05"},
		MailNewBrowser:          {long, "14:05"},
		MailAuthenticatorsReset: {"https://id.example/signin", "14:05"},
		MailCallerCode:          {"012345", "10"},
		MailResetOffered:        {long}, MailExportOffered: {"https://id.example/account/export"},
		MailStaffActed: {"https://id.example/signin", "14:05"}, MailStaffLocked: {"14:05", "https://id.example/help"},
	} {
		for _, l := range Locales() {
			m := Compose(sampleMail(kind, l))
			for _, part := range parts {
				if !strings.Contains(m.Body, part) {
					t.Errorf("%s/%s does not contain %q:\n%s", l.Lang, kind, part, m.Body)
				}
			}
			if strings.ContainsAny(m.Subject+m.Body, "{}") || (kind == MailStaffLocked || kind == MailAccountLocked) && strings.Contains(m.Body, "/signin") || !strings.Contains(m.Subject, "Bonafide") || strings.Contains(m.Subject, "012345") || strings.Contains(m.Subject, "Student") {
				t.Errorf("%s/%s: %q\n%s", l.Lang, kind, m.Subject, m.Body)
			}
		}
	}
}

// TestMailsAboutCasesNameNoGroup tests that a mail about a case is not about what it is:
// whoever reads along learns neither the group nor the result.
func TestMailsAboutCasesNameNoGroup(t *testing.T) {
	for _, l := range Locales() {
		for _, kind := range []MailKind{
			MailVerificationCode, MailVerificationStarted, MailVerificationNews, MailVerificationUnfinished, MailVerificationEnding,
		} {
			if m := Compose(sampleMail(kind, l)); m.Body == "" || strings.Contains(m.Subject+m.Body+m.HTML, "Student") {
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
// and leads where its addresses do.
func TestMailsSayTheSameAsPages(t *testing.T) {
	for _, l := range Locales() {
		for kind := range l.OrEnglish().text.Mails {
			m := Compose(sampleMail(kind, l))
			doc, err := html.Parse(strings.NewReader(m.HTML))
			ok(t, err)
			said := strings.Join(strings.Fields(uitest.TextOf(doc)), " ")
			for _, address := range addresses.FindAllString(m.Body, -1) {
				if !strings.Contains(m.HTML, `href="`+address+`"`) {
					t.Errorf("%s/%s: nothing leads to %s", l.Lang, kind, address)
				}
			}
			for _, part := range addresses.Split(strings.ReplaceAll(m.Body, "\n\n", " https:// "), -1) {
				for words := range strings.SplitSeq(part, "012345") { // the code is a block of its own
					if words = strings.Join(strings.Fields(words), " "); !strings.Contains(said, words) {
						t.Errorf("%s/%s: the page does not say %q:\n%s", l.Lang, kind, words, said)
					}
				}
			}
			for _, part := range []string{
				`lang="` + l.Lang + `" dir="` + l.Dir + `"`, `<img src="https://id.example/id/assets/logo.png"`, "color-scheme",
			} {
				if !strings.Contains(m.HTML, part) {
					t.Errorf("%s/%s: the page has no %s", l.Lang, kind, part)
				}
			}
		}
	}
}

var addresses = regexp.MustCompile(`https://\S*`)

// TestMailsLeadWithOneThing tests that a mail is headed by what it is about, and that one
// thing stands out: the code, or else where to go on.
func TestMailsLeadWithOneThing(t *testing.T) {
	for _, l := range Locales() {
		for kind := range l.OrEnglish().text.Mails {
			m := Compose(sampleMail(kind, l))
			doc, err := html.Parse(strings.NewReader(m.HTML))
			ok(t, err)
			headings := uitest.Elements(doc, "h1")
			if len(headings) != 1 || uitest.TextOf(headings[0]) != m.Subject {
				t.Errorf("%s/%s: the heading is not %q", l.Lang, kind, m.Subject)
			}
			var leads []string
			for _, n := range uitest.Elements(doc) {
				class := uitest.Attr(n, "class")
				if class != "code" && class != "button" {
					continue
				}
				leads = append(leads, class)
				if words := strings.TrimSpace(uitest.TextOf(n)); words == "" || strings.Contains(words, "://") {
					t.Errorf("%s/%s: %s says %q", l.Lang, kind, n.Data, words)
				}
			}
			var want []string
			switch {
			case m.Code != "":
				want = []string{"code"}
			case strings.Contains(m.Body, "https://"):
				want = []string{"button"}
			}
			if !slices.Equal(leads, want) {
				t.Errorf("%s/%s: what stands out is %q, want %q", l.Lang, kind, leads, want)
			}
			if first, _, _ := strings.Cut(m.Body, "\n"); m.Code != "" && !strings.HasSuffix(first, m.Code) {
				t.Errorf("%s/%s: nothing says whose code it is before the code: %q", l.Lang, kind, first)
			}
		}
	}
}

// TestMailsNameTheApplicationToItsOwners tests that the mails about an application name it,
// and that no other does, whatever it is told.
func TestMailsNameTheApplicationToItsOwners(t *testing.T) {
	for _, l := range Locales() {
		for kind := range l.OrEnglish().text.Mails {
			m := Compose(sampleMail(kind, l))
			about := strings.HasPrefix(string(kind), "application_") || strings.HasPrefix(string(kind), "changes_") || strings.HasPrefix(string(kind), "organization_")
			device := strings.HasPrefix(string(kind), "device_") // whose user has to know it, and nobody who reads the subject
			if subject, body := strings.Contains(m.Subject, "River Bikes"), strings.Contains(m.Body, "River Bikes"); subject != about || body != (about || device) {
				t.Errorf("%s/%s: the application is named in the subject: %v, in the mail: %v\n%s\n%s", l.Lang, kind, subject, body, m.Subject, m.Body)
			}
		}
	}
}

func TestMailsHaveTheLooksOfTheTheme(t *testing.T) {
	plum, err := theme.New(theme.Config{ButtonColor: "#6b2a63", Theme: theme.Tokens{
		Light: theme.Palette{Page: "#faf5f0", Text: "#2b1a28"}, Dark: theme.Palette{Page: "#1a1018"}, Radius: "3px",
	}})
	ok(t, err)
	light, dark := plum.Colors()
	v := sampleMail(MailAccountExists, nil)
	v.Theme = plum
	page := Compose(v).HTML
	for _, part := range []string{
		"background:#faf5f0;color:#2b1a28", "border-radius:5px", "border-radius:3px", "background:#6b2a63;color:#ffffff", "color:" + light.Link,
		"background: #1a1018 !important", "color: " + dark.Link + " !important", `content="light dark"`,
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the mail has no %s:\n%s", part, page)
		}
	}
	always, err := theme.New(theme.Config{Scheme: SchemeDark})
	ok(t, err)
	if v.Theme = always; !strings.Contains(Compose(v).HTML, `content="dark"`) || strings.Contains(Compose(v).HTML, "#f3f4f6") {
		t.Error("a mail of a service that is always dark is light")
	}
}

// TestMailsMatchGoldenFiles has one with a code, one with a button and a link, and one to
// the owners of an application.
func TestMailsMatchGoldenFiles(t *testing.T) {
	for _, kind := range []MailKind{MailSignUp, MailAccountExists, MailApplicationApproved} {
		m := Compose(sampleMail(kind, nil))
		uitest.GoldenFile(t, "mail-"+strings.ReplaceAll(string(kind), "_", "-"), []byte(m.HTML))
	}
}

// TestMailIsNoPlaceForMarkup tests that a name cannot add anything to the page of a mail.
func TestMailIsNoPlaceForMarkup(t *testing.T) {
	v := sampleMail(MailSignUp, nil)
	v.Kind, v.Application, v.ApplicationURL = MailApplicationApproved, `<img src=x>`, `https://evil.example/" onload="x`
	v.Brand = Brand{Name: `<img src=x onerror=alert(1)>"`, Logo: Picture{URL: `/x" onload="alert(1)`}}
	page := Compose(v).HTML
	for _, part := range []string{"<img src=x", `onload="`} {
		if strings.Contains(page, part) {
			t.Errorf("the page has %s:\n%s", part, page)
		}
	}
}
