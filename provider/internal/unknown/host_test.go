package unknown

import (
	"strings"
	"testing"
)

// TestReadHost tests that a host has one spelling, and that none of many owners is denied.
func TestReadHost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"app.example": "app.example", " APP.Example. ": "app.example", "https://app.example:8443/cb?x#y": "app.example", "app.example:443": "app.example",
		"bücher.example": "xn--bcher-kva.example", "XN--BCHER-KVA.example": "xn--bcher-kva.example", "ａpp.example": "app.example", "203.0.113.7": "203.0.113.7",
		"[2001:db8::1]": "2001:db8::1", "2001:DB8:0:0::1": "2001:db8::1", "who.github.io": "who.github.io", "github.io": "github.io",
		"my_App.example": "my_app.example", "v2--app.example": "v2--app.example", "-app.example": "-app.example", "xn--a.example": "xn--a.example",
		"7.113": "", "0x7f.1": "", "2130706433": "", "app.0xff": "", strings.Repeat("a.", 125) + "test": "",
		"": "", "com": "", "co.uk": "", "localhost": "", "127.0.0.1": "", "::1": "", "app.localhost": "", "*.app.example": "", "a b.example": "",
		"app..example": "", "no host.example": "", "app.example%00": "", "a\u202eb.example": "", "app\u3002example": "app.example", "https://": "", "https://user@app.example/": "", "\x00.example": "", "app.example/path": "",
	} {
		got, err := (&Policy{}).ReadHost(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"localhost", "127.0.0.1", "mcp"} {
		if got, err := (&Policy{AllowPrivate: true}).ReadHost(text); got != text || err != nil {
			t.Errorf("on private networks %q is %q, %v", text, got, err)
		}
	}
}

func TestStanding(t *testing.T) {
	t.Parallel()
	on := Policy{Documents: true, Register: RegisterOpen, Deny: []string{"bad.example"}, Trusted: []string{"*.good.example"}}
	narrow, documents := Policy{Documents: true, Allow: []string{"app.example"}}, Policy{Documents: true}
	for _, c := range []struct {
		policy Policy
		host   string
		want   Standing
	}{
		{on, "app.example", Admitted}, {on, "bad.example", Refused}, {on, "a.good.example", Trusted}, {on, "localhost", Admitted},
		{narrow, "app.example", Admitted}, {narrow, "b.app.example", Refused}, {documents, "localhost", Off}, {Policy{}, "app.example", Off},
	} {
		if got := c.policy.Standing(c.host); got != c.want {
			t.Errorf("%s: %s, want %s", c.host, got, c.want)
		}
	}
}
