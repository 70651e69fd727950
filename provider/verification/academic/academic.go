// Package academic knows schools and universities by the domains of their mailboxes, of all
// countries:
//
//	verification.EmailDomain(verification.EmailDomainConfig{Institution: academic.Institution})
//
// The list is made from that of JetBrains/swot, without the domains that swot knows to be
// abused. It says that a domain is an institution's, not that whoever has a mailbox there is
// a student: staff and former members often have one as well. It is not complete, and only
// as recent as its Revision; `make academic` makes it anew.
package academic

import (
	_ "embed"
	"strings"

	"github.com/bonafide-id/bonafide/provider/verification"
)

// institutions are lines of a domain, a tab and a name, in the order of domains. Without a
// name the domain does not count, although it is below one that does.
//
//go:embed institutions.txt
var institutions string

// Revision returns the revision of JetBrains/swot that the list is made from, and its date.
func Revision() string {
	line, _, _ := strings.Cut(institutions, "\n")
	return strings.TrimPrefix(line, "# JetBrains/swot ")
}

// Institution returns the institution of a domain, which is in lower case and ASCII; false
// for none. The domain is a listed one, or below it: of those, the nearest decides. That a
// suffix such as edu.cn is for schools alone is not enough: somebody has to be listed.
func Institution(domain string) (verification.Institution, bool) {
	for listed, ok := domain, true; ok; _, listed, ok = strings.Cut(listed, ".") {
		if name, found := find(listed); found {
			return verification.Institution{Name: name, Domain: listed}, name != ""
		}
	}
	return verification.Institution{}, false
}

// find returns the name on the line of a domain.
func find(domain string) (name string, found bool) {
	low, high := strings.IndexByte(institutions, '\n')+1, len(institutions)
	for low < high {
		middle := (low + high) / 2
		begin := max(low, strings.LastIndexByte(institutions[:middle], '\n')+1)
		end := begin + strings.IndexByte(institutions[begin:], '\n')
		listed, name, _ := strings.Cut(institutions[begin:end], "\t")
		switch strings.Compare(domain, listed) {
		case 0:
			return name, true
		case -1:
			high = begin
		default:
			low = end + 1
		}
	}
	return "", false
}
