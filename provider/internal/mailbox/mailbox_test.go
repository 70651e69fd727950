package mailbox

import (
	"net/mail"
	"strings"
	"testing"
)

// FuzzParse tests that what is read as an address of an institution is one for the mail
// server as well, and that its fingerprint has one spelling.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"ada@stanford.edu", "A+b@cs.Stanford.EDU", "x@stanford。edu", "é@bücher.example", `"a"@stanford.edu`, "a@b@stanford.edu",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		box, err := Parse(address)
		if err != nil {
			return
		}
		sent := box.String()
		if parsed, err := mail.ParseAddress(sent); err != nil || parsed.Address != sent {
			t.Errorf("%q is sent to %q, which mail reads as %v (%v)", address, sent, parsed, err)
		}
		if again, err := Parse(sent); err != nil || again != box {
			t.Errorf("%q is sent to %q, which is read as %v (%v)", address, sent, again, err)
		}
		print, err := Parse(box.Fingerprint())
		if err != nil || print.Fingerprint() != box.Fingerprint() || print.Domain != box.Domain {
			t.Errorf("%q has the fingerprint %q, and that %q (%v)", address, box.Fingerprint(), print.Fingerprint(), err)
		}
		if strings.ContainsAny(box.Fingerprint(), "+ABCDEFGHIJKLMNOPQRSTUVWXYZ") || strings.Count(box.Fingerprint(), "@") != 1 {
			t.Errorf("%q has the fingerprint %q", address, box.Fingerprint())
		}
		labels := strings.Split(box.Domain, ".")
		ours := len(labels) > 1 && labels[len(labels)-2] == "stanford" && labels[len(labels)-1] == "edu"
		if IsWithin(box.Domain, "stanford.edu") != ours {
			t.Errorf("%q is taken for one of stanford.edu", address)
		}
	})
}
