package verification

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"
)

var errPage = errors.New("is neither an https address nor a path of the host")

// HostPage verifies members on a page of the host, or of whomever the host trusts: an
// absolute https address, or a path of the host. The page gets the parameters case, the ID of
// the case, and return_to, where it sends the person in the end.
//
// That somebody comes back proves nothing. The result is what the host tells
// Service.Report, before the person comes back or, with a Wait in the meantime, days later.
// The case is that of the user who is signed in at the page, or none: see Service.Case.
// The verifier has the name "record".
func HostPage(address string) Verifier {
	page, err := parsePage(address)
	return Verifier{
		Name:  "record",
		Title: english("On another page"),
		Asks:  english("You continue on another page and come back here."),
		Takes: 5 * time.Minute,
		Proof: Proof{EvidenceType: "electronic_record", CheckMethod: "data", Level: 1},
		Next: func(_ context.Context, c *Case, event Event) (Result, error) {
			if event.Kind == Due {
				return Wait{}, nil // for Service.Report
			}
			to := *page
			query := to.Query()
			query.Set("case", c.ID)
			query.Set("return_to", c.ReturnURL)
			to.RawQuery = query.Encode()
			return GoTo{URL: to.String()}, nil
		},
		check: func(field string) error {
			if err != nil {
				return wrongField(field+" (HostPage)", "%w", err)
			}
			return nil
		},
	}
}

// parsePage reads the address of a page elsewhere, or a path.
func parsePage(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Opaque != "", u.User != nil, u.Fragment != "", strings.ContainsAny(address, `\ `):
		return nil, errPage
	case u.Scheme == "" && u.Host == "" && strings.HasPrefix(u.Path, "/") && !strings.HasPrefix(u.Path, "//"):
		return u, nil
	case u.Scheme == "https" && u.Hostname() != "":
		return u, nil
	default:
		return nil, errPage
	}
}
