package web

import (
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// IsLink reports whether s can be the target of a link: an http address, or a path that no
// browser takes for another host. A user name before the host would pass for the host
// (https://good.example@evil.example).
func IsLink(s string) bool {
	u, err := url.Parse(s)
	if err != nil || strings.ContainsAny(s, "\\\t\r\n ") {
		return false
	}
	if u.Scheme == "https" || u.Scheme == "http" {
		return u.Host != "" && u.User == nil && registry.HasPlainPort(u)
	}
	return u.Scheme == "" && u.Host == "" && strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//")
}

// IsWebURL reports whether s is an http address that can be the target of a link.
func IsWebURL(s string) bool { return IsLink(s) && !strings.HasPrefix(s, "/") }

// IsHostPage reports whether parameters such as return_to can be added to the address of a
// host's page.
func IsHostPage(s string) bool {
	u, err := url.Parse(s)
	if err != nil || strings.Contains(s, "#") {
		return false
	}
	query, err := url.ParseQuery(u.RawQuery)
	return err == nil && !query.Has("return_to")
}
