package verification

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
)

// EmailDomainConfig configures EmailDomain. Domains or Institution is required.
type EmailDomainConfig struct {
	// Name is that of the verifier.
	// Defaults to "email_domain".
	Name string

	// Title and Asks are those of the verifier.
	// Defaults to texts of the screens.
	Title, Asks Text

	// Domains are domains whose mailboxes belong to members, such as "university.example",
	// in Unicode or ASCII. Domains below them count as well, so that none is a top-level domain.
	Domains []string

	// Except are domains below them that do not count.
	Except []string

	// Institution returns the institution whose members have mailboxes at a domain, which is
	// in lower case and ASCII; false for none. It is asked about what Domains do not have.
	// academic.Institution is such a function.
	// Defaults to none.
	Institution func(domain string) (Institution, bool)

	// Alumni accepts addresses below a label that names former members, such as
	// alumni.university.example. A domain of Domains may have such a label itself.
	// Defaults to false.
	Alumni bool

	// Level is that of the Proof. An address proves that somebody reads a mailbox today:
	// people who have left often keep theirs.
	// Defaults to 1.
	Level int
}

// Institution is a school, an employer or an agency.
type Institution struct {
	// Name names it to people.
	Name string

	// Domain is the listed one of which the domain in question is, or is below.
	Domain string

	// Subgroups are those of all its members; nil for none.
	Subgroups []string
}

// EmailDomain verifies members by an e-mail address at the domain of an institution, with a
// one-time code. It need not be the address of the account. Spellings that reach the same
// mailbox are one proof: letter case, and what follows a + before the @.
func EmailDomain(cfg EmailDomainConfig) Verifier {
	e := emailDomain{EmailDomainConfig: cfg}
	err := e.parse()
	return Verifier{
		Name:  cmp.Or(cfg.Name, "email_domain"),
		Title: orText(cfg.Title, "With an email address of the institution"),
		Asks:  orText(cfg.Asks, "You get a code by email and enter it here."),
		Takes: time.Minute,
		Keeps: english("The domain of the address, and a digest from which the address cannot be read."),
		Proof: Proof{EvidenceType: "electronic_record", CheckMethod: "auth", Level: cmp.Or(cfg.Level, 1)},
		Next:  e.next,
		check: func(field string) error { return within(field, err) },
		mails: true,
	}
}

type emailDomain struct {
	EmailDomainConfig
	domains, except []string // as they are in DNS
}

func (e *emailDomain) parse() (err error) {
	if len(e.Domains) == 0 && e.Institution == nil {
		return wrongField("Domains", "is missing, and so is Institution")
	}
	if e.domains, err = parseDomains("Domains", e.Domains); err != nil {
		return err
	}
	for i, domain := range e.domains {
		if !strings.Contains(domain, ".") {
			return wrongField(fmt.Sprintf("Domains[%d]", i), "%q is a top-level domain, at which anybody gets an address", e.Domains[i])
		}
	}
	e.except, err = parseDomains("Except", e.Except)
	return err
}

func parseDomains(field string, all []string) ([]string, error) {
	parsed := make([]string, len(all))
	for i, domain := range all {
		var err error
		if parsed[i], err = mailbox.ParseDomain(domain); err != nil {
			return nil, wrongField(fmt.Sprintf("%s[%d]", field, i), "%w", err)
		}
	}
	return parsed, nil
}

const emailField = "email"

func (e emailDomain) ask(problem Reason) Result {
	f := Field{
		Name: emailField, Kind: "email", Autocomplete: "email",
		Label: english("Email address"), Hint: english("The one that the institution gave you."),
	}
	if n := len(e.Domains); e.Institution == nil && n > 0 && n <= fewDomains {
		f.Hint, f.Example = english("It ends in:"), strings.Join(e.Domains, ", ") // what is below counts as well
	}
	return Ask{Problem: problem, Fields: []Field{f}}
}

// fewDomains are as many as people read.
const fewDomains = 3

// next mails a code to an address of an institution: at first to that of the account, if it is one,
// which proves nothing yet, as it may be an old one. The address is looked at again when
// the code is entered: what was confirmed counts, not what was asked for.
func (e emailDomain) next(_ context.Context, c *Case, event Event) (Result, error) {
	switch event.Kind {
	case Begun:
		box, _, problem := e.examine(c.Email)
		if problem != "" || c.Attempt > 1 {
			return e.ask(""), nil
		}
		return SendCode{Address: box.String()}, nil
	case Answered:
		box, _, problem := e.examine(strings.TrimSpace(event.Form[emailField]))
		if problem != "" {
			return e.ask(problem), nil
		}
		return SendCode{Address: box.String()}, nil
	case Confirmed:
		box, institution, problem := e.examine(event.Address)
		if problem != "" {
			return e.ask(problem), nil
		}
		return Accept{
			Subgroups: institution.Subgroups,
			Source:    institution.Name,
			Proved:    []Fact{{Kind: "email", Value: box.Fingerprint()}},
		}, nil
	default:
		return e.ask(""), nil
	}
}

// examine returns the mailbox and its institution, or why the address does not count.
func (e emailDomain) examine(address string) (mailbox.Address, Institution, Reason) {
	box, err := mailbox.Parse(address)
	if err != nil {
		return mailbox.Address{}, Institution{}, ReasonIncomplete
	}
	institution, ok := e.find(box.Domain)
	switch {
	case !ok || slices.ContainsFunc(e.except, func(d string) bool { return mailbox.IsWithin(box.Domain, d) }):
		return mailbox.Address{}, Institution{}, ReasonOtherDomain
	case !e.Alumni && isOfAlumni(box.Domain, institution.Domain):
		return mailbox.Address{}, Institution{}, ReasonNotCurrent
	default:
		return box, institution, ""
	}
}

// find returns the institution of the longest listed domain.
func (e emailDomain) find(domain string) (Institution, bool) {
	longest := ""
	for _, listed := range e.domains {
		if mailbox.IsWithin(domain, listed) && len(listed) > len(longest) {
			longest = listed
		}
	}
	if longest != "" {
		return Institution{Name: longest, Domain: longest}, true
	}
	if e.Institution == nil {
		return Institution{}, false
	}
	return e.Institution(domain)
}

// isOfAlumni reports whether a label below the listed domain names former members. In
// Spanish, Catalan and Portuguese alumnos, alumnes and alunos are the present ones.
func isOfAlumni(domain, listed string) bool {
	if mailbox.IsWithin(domain, listed) {
		domain = strings.TrimSuffix(domain, listed)
	}
	for part := range strings.FieldsFuncSeq(domain, func(r rune) bool { return r == '.' || r == '-' }) {
		if part == "alum" || part == "alums" || part == "alumnus" || part == "alumna" || part == "alumnae" ||
			strings.HasPrefix(part, "alumni") {
			return true
		}
	}
	return false
}
