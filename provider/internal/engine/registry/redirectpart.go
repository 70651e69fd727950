package registry

import (
	"net/url"
	"strings"
)

// DifferingPart says in which part an address that was sent first differs from the one that
// is meant. It repeats nothing of either.
func DifferingPart(sent, meant string) string {
	if sent == "" {
		return "it is missing"
	}
	if strings.EqualFold(sent, meant) {
		return "only upper and lower case differ"
	}
	a, err := url.Parse(sent)
	b, meantErr := url.Parse(meant)
	switch {
	case err != nil || meantErr != nil || a.Host == "" && a.Opaque == "" && a.Path == sent:
		return "it is no absolute address"
	case a.Scheme != b.Scheme:
		return "the scheme differs"
	case a.Hostname() != b.Hostname():
		return "the host differs"
	case a.Port() != b.Port():
		return "the port differs"
	case a.Path != b.Path && strings.TrimSuffix(a.Path, "/") == strings.TrimSuffix(b.Path, "/"):
		return "the slash at the end of the path differs"
	case a.Path != b.Path:
		return "the path differs"
	case a.RawQuery != b.RawQuery:
		return "the query differs"
	default:
		return "it is encoded in another way"
	}
}
