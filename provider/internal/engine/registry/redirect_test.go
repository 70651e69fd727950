package registry

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// fuzzedURIs are those of an application in the fuzz tests.
var fuzzedURIs = []string{
	"https://rp.test/cb", "https://rp.test/cb?x=1", "http://127.0.0.1/cb", "http://[::1]:8080/cb", "http://localhost:3000/cb", "com.example.app:/cb",
}

// FuzzMatchRedirectURI holds the one promise of redirect matching: what matches is
// byte for byte what is registered, or a loopback address that differs in its port
// only.
func FuzzMatchRedirectURI(f *testing.F) {
	for _, uri := range fuzzedURIs {
		f.Add(uri)
	}
	for _, uri := range []string{
		"https://rp.test/cb/", "HTTPS://rp.test/cb", "https://rp.test@evil.test/cb", "https://rp.test\\@evil.test/cb", "http://127.0.0.1:99999/cb", "http://127.0.0.1:/cb",
		"http://127.0.0.1:1@evil.test/cb", "http://[::1]:1/cb", "http://[::1%25lo]:1/cb", "http://[0:0:0:0:0:0:0:1]/cb", "http://127.0.0.1:80:80/cb", "com.example.app:/cb#", "javascript:alert(1)",
	} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		if !(Addresses{}).Matches(&Client{Client: storage.Client{RedirectURIs: fuzzedURIs}}, sent) || slices.Contains(fuzzedURIs, sent) {
			return
		}
		for _, loopback := range []struct{ before, after string }{{"http://127.0.0.1", "/cb"}, {"http://[::1]", "/cb"}} {
			port, ok := strings.CutPrefix(sent, loopback.before)
			port, end := strings.CutSuffix(port, loopback.after)
			if ok && end && strings.Trim(port, "0123456789") == strings.Repeat(":", min(len(port), 1)) {
				return
			}
		}
		t.Errorf("%q matches", sent)
	})
}

// FuzzValidateRedirectURI holds that whatever can be registered leads to the host
// that it names, and carries nothing of a response.
func FuzzValidateRedirectURI(f *testing.F) {
	for _, uri := range append([]string{"https://rp.test/cb?code=1", "https://u@rp.test/", "a.b:x", "http://localhost.evil.test/", "https://rp.test/%zz", "https://%80"}, fuzzedURIs...) {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if (Addresses{}).ValidateRedirectURI(uri) != nil {
			return
		}
		u, err := url.Parse(uri)
		if err != nil || strings.ContainsAny(uri, "\\#*\"<> \t\r\n") || u.User != nil {
			t.Fatalf("%q is accepted: %v", uri, err)
		}
		switch u.Scheme {
		case "https":
			if !strings.HasPrefix(uri, "https://"+u.Host) || u.Hostname() == "" {
				t.Errorf("%q leads to %q", uri, u.Host)
			}
		case "http":
			if !strings.HasPrefix(uri, "http://"+u.Host) || !IsLoopback(u.Hostname()) {
				t.Errorf("%q leads to %q", uri, u.Host)
			}
		default:
			if !strings.Contains(u.Scheme, ".") {
				t.Errorf("%q has the scheme %q", uri, u.Scheme)
			}
		}
		for _, name := range responseParameters {
			if u.Query().Has(name) {
				t.Errorf("%q carries %s", uri, name)
			}
		}
	})
}
