package frame

import (
	"strings"
	"unicode/utf8"
)

// dots stand for what is not shown. How many there are says nothing.
const dots = "•••"

// MaskEmail returns an address of which little can be read: a•••@e•••.org. What is no address
// is masked as a whole.
func MaskEmail(address string) string {
	local, domain, ok := strings.Cut(address, "@")
	if !ok || local == "" {
		return Mask(address)
	}
	host, top := domain, ""
	if i := strings.LastIndexByte(domain, '.'); i > 0 {
		host, top = domain[:i], domain[i:]
	}
	return first(local) + dots + "@" + first(host) + dots + top
}

// Mask returns dots for any value, and nothing for none.
func Mask(value string) string {
	if value == "" {
		return ""
	}
	return dots
}

func first(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError {
		return ""
	}
	return s[:size]
}
