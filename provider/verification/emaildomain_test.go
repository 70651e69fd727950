package verification

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func stanford(t *testing.T, change func(*EmailDomainConfig)) Verifier {
	t.Helper()
	cfg := EmailDomainConfig{
		Domains: []string{"Stanford.edu", "bücher.example"}, Except: []string{"guests.stanford.edu"},
		Institution: func(domain string) (Institution, bool) {
			if mailbox.IsWithin(domain, "strath.ac.uk") {
				return Institution{Name: "University of Strathclyde", Domain: "strath.ac.uk", Subgroups: []string{"University"}}, true
			}
			return Institution{}, false
		},
	}
	if change != nil {
		change(&cfg)
	}
	v := EmailDomain(cfg)
	testkit.OK(t, v.check("Rule"))
	return v
}

func next(t *testing.T, v Verifier, c *Case, e Event) Result {
	t.Helper()
	result := testkit.Must(v.Next(t.Context(), c, e))(t)
	return result
}

// TestAttackEmailTricks writes addresses that look as if they were of an institution, and
// one mailbox in many spellings.
func TestAttackEmailTricks(t *testing.T) {
	t.Parallel()
	v := stanford(t, nil)
	for address, want := range map[string]string{
		"ada@stanford.edu":          "ada@stanford.edu",
		" ada@stanford.edu\t":       "ada@stanford.edu",
		"ada@cs.stanford.edu":       "ada@cs.stanford.edu",
		"Ada.Lovelace@STANFORD.Edu": "ada.lovelace@stanford.edu",
		"ADA@stanford.edu":          "ada@stanford.edu",
		"ada+1@stanford.edu":        "ada@stanford.edu",
		"ada+1+2@stanford.edu":      "ada@stanford.edu",
		"ADA+x@Stanford.EDU":        "ada@stanford.edu",
		"josé@stanford.edu":         "josé@stanford.edu",
		"jose\u0301@stanford.edu":   "josé@stanford.edu",
		"ada@stanford。edu":          "ada@stanford.edu", // ideographic full stop: DNS and mail read it as a dot
		"ada@ｓｔａｎｆｏｒｄ．ｅｄｕ":          "ada@stanford.edu",
		"ada@bücher.example":        "ada@xn--bcher-kva.example",
		"ada@BÜCHER.example":        "ada@xn--bcher-kva.example",
		"ada@XN--BCHER-KVA.example": "ada@xn--bcher-kva.example",
		"ada@cs.strath.ac.uk":       "ada@cs.strath.ac.uk",

		"x@evil.edu.attacker.com":                         "",
		"x@stanford.edu.attacker.com":                     "",
		"x@stanford.edu。attacker.com":                     "",
		"x@evilstanford.edu":                              "",
		"x@evil-stanford.edu":                             "",
		"x@stanford.education":                            "",
		"x@edu":                                           "",
		"x@ac.uk":                                         "",
		"x@evilstrath.ac.uk":                              "",
		"x@stаnford.edu":                                  "", // Cyrillic a
		"x@xn--stnford-2fg.edu":                           "", // the same in ASCII
		"x@bucher.example":                                "",
		"x@stanford.edu.":                                 "",
		"x@.stanford.edu":                                 "",
		"x@-.stanford.edu":                                "",
		"x@evil..stanford.edu":                            "",
		"x@evil_host.stanford.edu":                        "",
		"x@attacker.com@stanford.edu":                     "",
		"x@stanford.edu@attacker.com":                     "",
		`"x@attacker.com"@stanford.edu`:                   "",
		`"x"@stanford.edu`:                                "",
		`x\@attacker.com@stanford.edu`:                    "",
		"x(attacker.com)@stanford.edu":                    "",
		"x@stanford.edu(@attacker.com)":                   "",
		"x@attacker.com(@stanford.edu)":                   "",
		"x%attacker.com@stanford.edu":                     "", // once relayed to attacker.com
		"attacker.com!x@stanford.edu":                     "",
		"<x@stanford.edu>":                                "",
		"Ada <x@stanford.edu>":                            "",
		"x@attacker.com,y@stanford.edu":                   "",
		"x@attacker.com;y@stanford.edu":                   "",
		"x@attacker.com y@stanford.edu":                   "",
		"x@stanford.edu\nBcc: y@attacker.co":              "",
		"x@[stanford.edu]":                                "",
		"x@[192.0.2.1]":                                   "",
		"x@192.0.2.1":                                     "",
		"x@stanford.edu:25":                               "",
		"x@attacker.com#stanford.edu":                     "",
		"x@attacker.com/.stanford.edu":                    "",
		"x@attacker.com?.stanford.edu":                    "",
		"x@attacker.com\x00.stanford.edu":                 "",
		"x@attacker.com%00.stanford.edu":                  "",
		"x\u200b@stanford.edu":                            "", // invisible
		"x\u202e@stanford.edu":                            "",
		"ﬁ@stanford.edu":                                  "", // a ligature: fi's fingerprint
		"ａｄａ@stanford.edu":                                "",
		"\u212aay@stanford.edu":                           "", // the Kelvin sign: kay's fingerprint
		"+1@stanford.edu":                                 "",
		".x@stanford.edu":                                 "",
		"x.@stanford.edu":                                 "",
		"x..y@stanford.edu":                               "",
		"@stanford.edu":                                   "",
		"stanford.edu":                                    "",
		"":                                                "",
		"x@":                                              "",
		"\xff@stanford.edu":                               "",
		"x@\xff.stanford.edu":                             "",
		"x@guests.stanford.edu":                           "",
		"x@lab.guests.stanford.edu":                       "",
		"x@alumni.stanford.edu":                           "",
		"x@cs.alumni.stanford.edu":                        "",
		"x@alum.stanford.edu":                             "",
		"x@mba-alumni.stanford.edu":                       "",
		"x@alumni2020.stanford.edu":                       "",
		"x@alumni.strath.ac.uk":                           "",
		strings.Repeat("a", 65) + "@stanford.edu":         "",
		"x@" + strings.Repeat("a", 64) + ".stanford.edu":  "",
		"x@" + strings.Repeat("a.", 150) + "stanford.edu": "",
		"x@" + strings.TrimSuffix(strings.Repeat("attacker.", 28), ".") + ".com\r\n.stanford.edu": "",
	} {
		asked, confirmed := next(t, v, &Case{}, Event{Kind: Answered, Form: map[string]string{"email": address}}), ""
		if send, ok := asked.(SendCode); ok {
			accepted, ok := next(t, v, &Case{}, Event{Kind: Confirmed, Address: send.Address}).(Accept)
			if !ok {
				t.Errorf("%q: a code goes to %q, and is not accepted", address, send.Address)
				continue
			}
			confirmed = accepted.Proved[0].Value
		} else if asked.(Ask).Problem == "" {
			t.Errorf("%q: refused without a reason", address)
		}
		if confirmed != want {
			t.Errorf("%q proves %q, want %q", address, confirmed, want)
		}
		// That of the account gets the code at once, and once: a second try asks for another.
		for attempt, mailed := range map[int]bool{1: want != "", 2: false} {
			begun := next(t, v, &Case{Email: strings.TrimSpace(address), Attempt: attempt}, Event{Kind: Begun})
			if _, ok := begun.(SendCode); ok != mailed {
				t.Errorf("%q as that of the account, attempt %d: %#v", address, attempt, begun)
			}
		}
		// Whatever was asked for, what was confirmed is looked at.
		if _, ok := next(t, v, &Case{}, Event{Kind: Confirmed, Address: strings.TrimSpace(address)}).(Accept); ok != (want != "") {
			t.Errorf("%q confirmed: accepted is %t", address, ok)
		}
	}
}

func TestEmailDomain(t *testing.T) {
	t.Parallel()
	t.Run("SaysWhichInstitution", func(t *testing.T) {
		t.Parallel()
		got := next(t, stanford(t, nil), &Case{}, Event{Kind: Confirmed, Address: "Ada+x@cs.strath.ac.uk"})
		if diff := cmp.Diff(Accept{
			Subgroups: []string{"University"}, Source: "University of Strathclyde",
			Proved: []Fact{{"email", "ada@cs.strath.ac.uk"}},
		}, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("SaysTheDomainsWhereTheyAreFew", func(t *testing.T) {
		t.Parallel()
		few := next(t, EmailDomain(EmailDomainConfig{Domains: []string{"army.example", "navy.example"}}), &Case{}, Event{Kind: Begun}).(Ask).Fields[0]
		if few.Hint.English != "It ends in:" || few.Example != "army.example, navy.example" {
			t.Errorf("%+v", few)
		}
		if many := next(t, stanford(t, nil), &Case{}, Event{Kind: Begun}).(Ask).Fields[0]; many.Example != "" {
			t.Errorf("%+v", many)
		}
	})
	t.Run("SaysWhatIsWrong", func(t *testing.T) {
		t.Parallel()
		for address, want := range map[string]Reason{
			"": ReasonIncomplete, "ada": ReasonIncomplete, "ada@gmail.com": ReasonOtherDomain,
			"ada@guests.stanford.edu": ReasonOtherDomain, "ada@alumni.stanford.edu": ReasonNotCurrent,
		} {
			asked := next(t, stanford(t, nil), &Case{}, Event{Kind: Answered, Form: map[string]string{"email": address}}).(Ask)
			if asked.Problem != want || !want.CanRetry() {
				t.Errorf("%q: %s, want %s", address, asked.Problem, want)
			}
		}
		if asked := next(t, stanford(t, nil), &Case{}, Event{Kind: Begun}).(Ask); asked.Problem != "" || len(asked.Fields) != 1 {
			t.Errorf("begins with %+v", asked)
		}
	})
	t.Run("AcceptsAlumniOnRequest", func(t *testing.T) {
		t.Parallel()
		for name, v := range map[string]Verifier{
			"All":    stanford(t, func(c *EmailDomainConfig) { c.Alumni = true }),
			"Listed": stanford(t, func(c *EmailDomainConfig) { c.Domains = append(c.Domains, "alumni.stanford.edu") }),
		} {
			if _, ok := next(t, v, &Case{}, Event{Kind: Confirmed, Address: "ada@alumni.stanford.edu"}).(Accept); !ok {
				t.Errorf("%s: refuses an alumna", name)
			}
		}
	})
	t.Run("TakesStudentsForStudents", func(t *testing.T) {
		t.Parallel()
		for _, label := range []string{"alumnos", "alumnes", "alunos", "aluminium", "students"} {
			if _, ok := next(t, stanford(t, nil), &Case{}, Event{Kind: Confirmed, Address: "ada@" + label + ".stanford.edu"}).(Accept); !ok {
				t.Errorf("%s.stanford.edu is taken for former members", label)
			}
		}
	})
	t.Run("NeedsAMailer", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t)
		cfg := o.Config
		cfg.Policies, cfg.Mailer = Policies{{Group: "student", Rule: By(stanford(t, nil))}}, nil
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), `Mailer: is missing; verifier "email_domain" sends codes`) {
			t.Errorf("%v", err)
		}
	})
	t.Run("NamesTheWrongField", func(t *testing.T) {
		t.Parallel()
		for _, test := range []struct {
			cfg  EmailDomainConfig
			want string
		}{
			{EmailDomainConfig{}, "Rule.Domains: is missing, and so is Institution"},
			{EmailDomainConfig{Domains: []string{"a.example", "COM"}}, "Rule.Domains[1]: \"COM\" is a top-level domain, at which anybody gets an address"},
			{EmailDomainConfig{Domains: []string{"a.example", "@b.example"}}, "Rule.Domains[1]: is not a domain name"},
			{EmailDomainConfig{Domains: []string{"*.edu"}}, "Rule.Domains[0]: is not a domain name"},
			{EmailDomainConfig{Domains: []string{"a.example"}, Except: []string{""}}, "Rule.Except[0]: is not a domain name"},
		} {
			if err := EmailDomain(test.cfg).check("Rule"); err == nil || err.Error() != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		}
	})
}
