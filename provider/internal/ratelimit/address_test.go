package ratelimit_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
)

var proxies = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("2001:db8:ffff::/48"),
}

func TestClientAddr(t *testing.T) {
	chain := strings.Repeat("10.0.0.9, ", 15)
	for name, tt := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"no proxy":                                  {"198.51.100.7:4711", nil, "198.51.100.7"},
		"a client that pretends to be a proxy":      {"198.51.100.7:4711", []string{"203.0.113.9"}, "198.51.100.7"},
		"a proxy that says nothing":                 {"10.0.0.1:80", nil, "10.0.0.1"},
		"a proxy that says who":                     {"10.0.0.1:80", []string{"203.0.113.9"}, "203.0.113.9"},
		"a client that names another before itself": {"10.0.0.1:80", []string{"192.0.2.1, 203.0.113.9"}, "203.0.113.9"},
		"a client that names a proxy before itself": {"10.0.0.1:80", []string{"10.0.0.5, 203.0.113.9"}, "203.0.113.9"},
		"two proxies":                               {"10.0.0.1:80", []string{"192.0.2.1, 203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		"two lines":                                 {"10.0.0.1:80", []string{"192.0.2.1", "203.0.113.9,10.0.0.2"}, "203.0.113.9"},
		"only proxies":                              {"10.0.0.1:80", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		"sixteen proxies":                           {"10.0.0.1:80", []string{"203.0.113.9, " + chain[:len(chain)-2]}, "203.0.113.9"},
		"too many proxies":                          {"10.0.0.1:80", []string{"203.0.113.9, " + chain + "10.0.0.8"}, "10.0.0.9"},
		"no address at the end":                     {"10.0.0.1:80", []string{"203.0.113.9, unknown"}, "10.0.0.1"},
		"no address in the middle":                  {"10.0.0.1:80", []string{"203.0.113.9, _hidden, 10.0.0.2"}, "10.0.0.2"},
		"an empty entry":                            {"10.0.0.1:80", []string{"203.0.113.9,,10.0.0.2"}, "10.0.0.2"},
		"an empty header":                           {"10.0.0.1:80", []string{""}, "10.0.0.1"},
		"a name":                                    {"10.0.0.1:80", []string{"localhost"}, "10.0.0.1"},
		"an octal address":                          {"10.0.0.1:80", []string{"0313.0.113.9"}, "10.0.0.1"},
		"an address with a port":                    {"10.0.0.1:80", []string{"203.0.113.9:5555"}, "203.0.113.9"},
		"an IPv6 address with a port":               {"10.0.0.1:80", []string{"[2001:db8::7]:5555"}, "2001:db8::7"},
		"an IPv6 proxy":                             {"[2001:db8:ffff::1]:80", []string{"2001:db8::7"}, "2001:db8::7"},
		"an IPv4-mapped peer":                       {"[::ffff:198.51.100.7]:80", nil, "198.51.100.7"},
		"an IPv4-mapped proxy":                      {"[::ffff:10.0.0.1]:80", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		"a zone":                                    {"[fe80::1%eth0]:80", nil, "fe80::1"},
		"a megabyte":                                {"10.0.0.1:80", []string{strings.Repeat("1", 1<<20)}, "10.0.0.1"},
		"an endless zone":                           {"10.0.0.1:80", []string{"fe80::1%" + strings.Repeat("z", 1<<20)}, "10.0.0.1"},
		"a megabyte of commas":                      {"10.0.0.1:80", []string{strings.Repeat(",", 1<<20)}, "10.0.0.1"},
		"a peer without an address":                 {"@", []string{"203.0.113.9"}, "invalid IP"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{
				"X-Forwarded-For":  tt.forwarded,
				"X-Real-Ip":        {"192.0.2.200"},
				"Forwarded":        {"for=192.0.2.201"},
				"True-Client-Ip":   {"192.0.2.202"},
				"Cf-Connecting-Ip": {"192.0.2.203"},
			}}
			if got := ratelimit.ClientAddr(r, proxies).String(); got != tt.want {
				t.Errorf("ClientAddr = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestNetwork(t *testing.T) {
	for addr, want := range map[string]string{
		"203.0.113.9":            "203.0.113.0/24",
		"::ffff:203.0.113.9":     "203.0.113.0/24",
		"2001:db8:1:2:3:4:5:6":   "2001:db8:1::/48",
		"fe80::1%eth0":           "fe80::/48",
		"2001:db8:ffff:ffff::99": "2001:db8:ffff::/48",
	} {
		if got := ratelimit.Network(netip.MustParseAddr(addr)); got != want {
			t.Errorf("Network(%s) = %q, want %q", addr, got, want)
		}
	}
	if got := ratelimit.Network(netip.Addr{}); got != "" {
		t.Errorf("Network of the zero Addr = %q", got)
	}
}

func FuzzClientAddr(f *testing.F) {
	f.Add("10.0.0.1:80", "203.0.113.9, 10.0.0.2")
	f.Add("[::ffff:10.0.0.1%x]:80", "::ffff:1.2.3.4%y,[fe80::1%z]:1")
	f.Add("", ",,,")
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {forwarded}}}
		addr := ratelimit.ClientAddr(r, proxies)
		if addr.Is4In6() || addr.Zone() != "" {
			t.Errorf("%s is mapped or has a zone", addr)
		}
		if direct := ratelimit.ClientAddr(r, nil); direct != addr && !proxies[0].Contains(direct) && !proxies[1].Contains(direct) {
			t.Errorf("%s is no proxy but was believed: %s", direct, addr)
		}
		// What is written before an address that is not trusted changes nothing.
		r.Header.Set("X-Forwarded-For", forwarded+", 203.0.113.9")
		if got := ratelimit.ClientAddr(r, proxies); proxies[0].Contains(ratelimit.ClientAddr(r, nil)) && got.String() != "203.0.113.9" {
			t.Errorf("behind a proxy: %s, want 203.0.113.9", got)
		}
		_ = ratelimit.Network(addr)
	})
}
