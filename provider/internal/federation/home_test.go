package federation

import (
	"errors"
	"testing"
)

func offering(upstreams ...Upstream) *Upstreams { return New(Options{Offered: upstreams}) }

func campus() *Upstreams {
	return offering(
		Upstream{ID: "press", Domains: []string{"press.example"}, Clients: []string{"shop"}},
		Upstream{ID: "campus", Domains: []string{"uni.example", "Bücher.example"}},
		Upstream{ID: "second", Domains: []string{"uni.example", "press.example"}, Clients: []string{"club"}},
		Upstream{ID: "social"},
	)
}

func TestADomainHasOneUpstream(t *testing.T) {
	u := campus()
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
		if got, _, ok := u.Home(c.address, c.client); got.ID != c.want || ok != (c.want != "") {
			t.Errorf("%q of %q belongs to %q, want %q", c.address, c.client, got.ID, c.want)
		}
	}
	if got, _ := u.HomeOf("UNI.example", "any"); got.ID != "campus" {
		t.Errorf("the domain belongs to %q", got.ID)
	}
}

func TestAnyIsOfTheApplication(t *testing.T) {
	only := offering(Upstream{ID: "press", Domains: []string{"press.example"}, Clients: []string{"shop"}}, Upstream{ID: "social"})
	if !only.HasHomes("shop") || only.HasHomes("other") || !only.HasHomes("") {
		t.Errorf("shop %v, other %v, none %v", only.HasHomes("shop"), only.HasHomes("other"), only.HasHomes(""))
	}
	if _, _, ok := offering().Home("ada@uni.example", ""); ok || offering().HasHomes("shop") {
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
		if err := CheckRealm(domain); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", domain, err, want)
		}
	}
	if got, _, ok := offering(Upstream{ID: "thief", Domains: []string{"gmail.com"}}).Home("ada@gmail.com", ""); ok {
		t.Errorf("everybody at gmail.com belongs to %q", got.ID)
	}
}

func FuzzHome(f *testing.F) {
	u := campus()
	f.Add("ada@uni.example", "uni.example")
	f.Fuzz(func(t *testing.T, address, domain string) {
		if once, err := realm(domain); err == nil {
			if twice, err := realm(once); err != nil || twice != once {
				t.Errorf("%q becomes %q, which becomes %q: %v", domain, once, twice, err)
			}
		}
		u.Home(address, "")
	})
}
