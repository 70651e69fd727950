package homerealm

import (
	"errors"
	"testing"
)

func campus() Realms {
	return New(
		Realm{Upstream: "press", Domains: []string{"press.example"}, Clients: []string{"shop"}},
		Realm{Upstream: "campus", Domains: []string{"uni.example", "Bücher.example"}},
		Realm{Upstream: "second", Domains: []string{"uni.example", "press.example"}, Clients: []string{"club"}},
		Realm{Upstream: "social"},
	)
}

func TestADomainHasOneUpstream(t *testing.T) {
	realms := campus()
	for _, c := range []struct{ address, client, want string }{
		{"ada@uni.example", "", "campus"},
		{"ADA@UNI.EXAMPLE", "any", "campus"},
		{"nobody-has-this@uni.example", "any", "campus"},
		{"ada@uni.example.", "any", "campus"},
		{"ada@bücher.example", "any", "campus"},
		{"ada@xn--bcher-kva.example", "any", "campus"},
		{"a@b@uni.example", "any", "campus"},
		{"ada@uni.example", "club", "campus"}, // the first counts
		{"ada@press.example", "shop", "press"},
		{"ada@press.example", "club", "second"},
		{"ada@press.example", "other", ""},
		{"ada@press.example", "", "press"},
		{"ada@students.uni.example", "any", ""}, // a subdomain is another
		{"ada@eviluni.example", "any", ""},
		{"ada@uni.example@evil.example", "any", ""},
		{"@uni.example", "any", ""},
		{"uni.example", "any", ""},
		{"ada@", "any", ""},
		{"", "any", ""},
		{"ada@uni.example\x00", "any", ""},
		{"ada@uni.example/", "any", ""},
		{"ada@uni..example", "any", ""},
	} {
		if got := realms.OfAddress(c.address, c.client); got != c.want {
			t.Errorf("%q of %q belongs to %q, want %q", c.address, c.client, got, c.want)
		}
	}
	if got := realms.OfDomain("UNI.example", "any"); got != "campus" {
		t.Errorf("the domain belongs to %q", got)
	}
}

func TestAnyIsOfTheApplication(t *testing.T) {
	only := New(Realm{Upstream: "press", Domains: []string{"press.example"}, Clients: []string{"shop"}}, Realm{Upstream: "social"})
	if !only.Any("shop") || only.Any("other") || !only.Any("") {
		t.Errorf("shop %v, other %v, none %v", only.Any("shop"), only.Any("other"), only.Any(""))
	}
	if (Realms{}).Any("shop") || (Realms{}).OfAddress("ada@uni.example", "") != "" {
		t.Error("there is a realm where there is none")
	}
}

func TestDomainsThatAreNoRealm(t *testing.T) {
	for domain, want := range map[string]error{
		"uni.example": nil, "Bücher.example": nil, "a-b.uni.example": nil,
		"gmail.com": errPublic, "GMAIL.com": errPublic, "gmail.com.": errPublic, "users.noreply.github.com": errPublic,
		"": errDomain, "example": errDomain, "a@uni.example": errDomain, "*.uni.example": errDomain, "uni.example/x": errDomain,
		"-a.example": errDomain, "https://uni.example": errDomain, "uni..example": errDomain, ".uni.example": errDomain,
	} {
		if err := Check(domain); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", domain, err, want)
		}
	}
	if got := New(Realm{Upstream: "thief", Domains: []string{"gmail.com"}}).OfAddress("ada@gmail.com", ""); got != "" {
		t.Errorf("everybody at gmail.com belongs to %q", got)
	}
}

func FuzzOfAddress(f *testing.F) {
	realms := campus()
	f.Add("ada@uni.example", "uni.example")
	f.Fuzz(func(t *testing.T, address, domain string) {
		if once, err := key(domain); err == nil {
			if twice, err := key(once); err != nil || twice != once {
				t.Errorf("%q becomes %q, which becomes %q: %v", domain, once, twice, err)
			}
		}
		realms.OfAddress(address, "")
	})
}
