package developer

import (
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// addressFields are the fields with one address a line, and their validations.
var addressFields = map[string]func(*provider.Provider, string) error{
	screens.FieldRedirectURIs:           validateRedirectURI,
	screens.FieldPostLogoutRedirectURIs: validateRedirectURI,
	screens.FieldOrigins:                func(p *provider.Provider, origin string) error { return p.Rooms().Clients.ValidateOrigin(origin) },
}

func validateRedirectURI(p *provider.Provider, uri string) error {
	return p.Rooms().Clients.ValidateRedirectURI(uri)
}

// checkField validates an address field while the user types.
func (d *forms) checkField(r *request) error {
	field, value := r.asked("field"), r.asked("value")
	if addressFields[field] == nil {
		return provider.ErrScreenNotFound
	}
	said := ""
	if addresses, problems := addressesIn(d.provider(r.env), field, value); len(addresses)+len(problems) > 0 {
		said = screens.Checked(r.Page(), problems)
	}
	r.Writer.Header().Set("Content-Type", "text/plain; charset=utf-8")
	r.Writer.Header().Set("Cache-Control", "no-store")
	r.Writer.Header().Set("X-Content-Type-Options", "nosniff") // the text has what was typed
	_, _ = r.Writer.Write([]byte(said))                        // a reader who is gone needs no answer
	return nil
}

// addressesIn returns the addresses of a field, each once, and the problems that the
// provider of their application has with them.
func addressesIn(p *provider.Provider, field, value string) (addresses []string, problems []ui.Problem) {
	for i, address := range strings.Split(value, "\n") {
		address = strings.TrimSpace(address)
		if address == "" || slices.Contains(addresses, address) {
			continue
		}
		addresses = append(addresses, address)
		if err := addressFields[field](p, address); err != nil {
			problems = append(problems, addressProblem(p, field, i+1, address, err))
		}
	}
	return addresses, problems
}

// addressProblem is the advice for an address that the provider refuses.
func addressProblem(p *provider.Provider, field string, line int, address string, err error) ui.Problem {
	if field == screens.FieldOrigins {
		return ui.Problem{Code: ui.OriginInvalid, Field: field, Line: line}
	}
	for _, r := range repairs {
		if p.Rooms().Clients.ValidateRedirectURI(r.repair(address)) == nil {
			return ui.Problem{Code: r.code, Field: field, Line: line}
		}
	}
	return ui.Problem{Text: "This address " + err.Error() + ".", Field: field, Line: line}
}

// repairs are the usual mistakes with their repairs: an address has a mistake if its repair
// makes the provider accept it.
var repairs = []struct {
	code   ui.ProblemCode
	repair func(string) string
}{
	{ui.AddressPlain, func(s string) string {
		if rest, ok := strings.CutPrefix(s, "http://"); ok {
			return "https://" + rest
		}
		return ""
	}},
	{ui.AddressRelative, func(s string) string { return "https://" + strings.TrimLeft(s, "/") }},
	{ui.AddressFragment, func(s string) string {
		before, _, _ := strings.Cut(s, "#")
		return before
	}},
	{ui.AddressWildcard, func(s string) string { return strings.ReplaceAll(s, "*", "x") }},
	{ui.AddressUser, func(s string) string {
		u, err := url.Parse(s)
		if err != nil || u.User == nil {
			return ""
		}
		u.User = nil
		return u.String()
	}},
	{ui.AddressSpace, func(s string) string {
		return strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' {
				return 'x'
			}
			return r
		}, s)
	}},
}

// originsOf returns the web origins of pages at these addresses.
func originsOf(p *provider.Provider, addresses []string) []string {
	var origins []string
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" {
			continue
		}
		host := strings.ToLower(u.Host)
		host = strings.TrimSuffix(host, map[string]string{"https": ":443", "http": ":80"}[u.Scheme])
		origin := u.Scheme + "://" + host
		if p.Rooms().Clients.ValidateOrigin(origin) == nil && !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	return origins
}
