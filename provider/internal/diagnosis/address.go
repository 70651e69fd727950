package diagnosis

import (
	"strconv"
	"strings"
)

// Address returns an address as it may be shown: without what its query carries, which
// may be a code or a token, and without user name and fragment.
func Address(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	uri, query, hasQuery := strings.Cut(uri, "?")
	if scheme, rest, ok := strings.Cut(uri, "//"); ok {
		authority, path, hasPath := strings.Cut(rest, "/")
		if at := strings.LastIndexByte(authority, '@'); at >= 0 {
			authority = "…" + authority[at:]
		}
		uri = scheme + "//" + authority
		if hasPath {
			uri += "/" + path
		}
	}
	if !hasQuery {
		return uri
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if name, _, ok := strings.Cut(pair, "="); ok {
			pairs[i] = name + "=…"
		} else if pair != "" {
			pairs[i] = "…" // a name without a value may itself be what is secret
		}
	}
	return uri + "?" + strings.Join(pairs, "&")
}

// maxRegistered is how many registered addresses are shown beside one that is none of
// them.
const maxRegistered = 5

// Unregistered describes an address that is not one of those registered: the addresses,
// and where it first differs from the one that it is most like.
func Unregistered(name, sent string, registered []string) map[string]string {
	details := map[string]string{name: Address(sent)}
	if sent == "" {
		delete(details, name)
	}
	var shown []string
	for _, r := range registered[:min(len(registered), maxRegistered)] {
		shown = append(shown, Address(r))
	}
	details["registered"] = strings.Join(shown, " ")
	if like := Nearest(sent, registered); sent != "" && like != "" {
		details["difference"] = Difference(sent, like)
	}
	return details
}

// Nearest returns the registered address that begins most like the one that was sent, or
// "" when there is none.
func Nearest(sent string, registered []string) string {
	most, like := -1, ""
	for _, r := range registered {
		if n := common(sent, r); n > most {
			most, like = n, r
		}
	}
	return like
}

// Apart returns how many bytes two addresses have in common before the part that differs,
// and how many after it.
func Apart(a, b string) (before, after int) {
	before = common(a, b)
	for after < min(len(a), len(b))-before && a[len(a)-1-after] == b[len(b)-1-after] {
		after++
	}
	return before, after
}

// Difference says where an address that was sent first differs from another.
func Difference(sent, registered string) string {
	a, b := Address(sent), Address(registered)
	n := common(a, b)
	switch {
	case a == b:
		return "in what the query or the fragment carries"
	case n == len(a):
		return "ends after " + strconv.Quote(tail(a)) + "; registered goes on with " + strconv.Quote(head(b[n:]))
	case n == len(b):
		return "goes on with " + strconv.Quote(head(a[n:])) + " after " + strconv.Quote(tail(b)) + ", where registered ends"
	case n == 0:
		return "begins with " + strconv.Quote(head(a)) + "; registered begins with " + strconv.Quote(head(b))
	default:
		return "has " + strconv.Quote(head(a[n:])) + " after " + strconv.Quote(tail(a[:n])) + ", where registered has " + strconv.Quote(head(b[n:]))
	}
}

// common returns how many bytes two addresses have in common at their beginning.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

const shownAround = 24 // bytes on either side of a difference

func head(s string) string { return s[:min(len(s), shownAround)] }

func tail(s string) string { return s[max(0, len(s)-shownAround):] }
