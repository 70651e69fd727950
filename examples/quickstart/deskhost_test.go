package main

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider/providertest"
)

var (
	appLink = regexp.MustCompile(`href="([^"]*/signin/enrol/app[^"]*)"`)
	goOn    = regexp.MustCompile(`class="button primary" href="([^"]+)"`)
	appKey  = regexp.MustCompile(`id="key"[^>]*>([^<]+)<`)
)

// appCode is the code that an authenticator app shows now.
func appCode(t *testing.T, page string) string {
	t.Helper()
	found := appKey.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no key for an app:\n%s", page)
	}
	secret := must(base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(found[1], " ", "")))(t)
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, time.Now().Unix()/30)
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[len(sum)-1]&15:])&(1<<31-1)%1_000_000)
}

// The desk at a host of its own: the staff signs in there at the provider, by two factors, and
// nobody else does.
func TestDeskAtItsOwnHost(t *testing.T) {
	folder, public, inner := t.TempDir(), providertest.FreeAddress(t), providertest.FreeAddress(t)
	desk := "http://localhost" + inner[strings.LastIndex(inner, ":"):] // the public process is 127.0.0.1
	text := func(listen, more string) string {
		return fmt.Sprintf(`{"listen": %q, "base_url": "http://%s", "data": %q, "users": [
			{"uuid": "olga", "email": "olga@example.com", "password": %q}, {"uuid": "maria", "email": "maria@example.com", "password": %q}]%s}`,
			listen, public, filepath.Join(folder, "data"), staffPassword, staffPassword, more)
	}
	startService(t, folder, text(public, ""))
	startService(t, folder, text(inner, fmt.Sprintf(`, "desk": {"only": true, "url": %q, "staff": [{"email": "olga@example.com", "roles": ["operator"]}]}`, desk)))
	signsIn := func(name string) *browser.Browser {
		b := browser.New(t)
		b.Open(desk + "/desk/plans")
		if b.URL.Host != public {
			t.Fatalf("a stranger is led to %s", b.URL)
		}
		b.Submit("email", name+"@example.com", "password", staffPassword)
		link := appLink.FindStringSubmatch(b.Body)
		if link == nil {
			t.Fatalf("%s asks for no second factor:\n%s", b.URL, b.Body)
		}
		b.Open(html.UnescapeString(link[1]))
		b.Submit("code", appCode(t, b.Body))
		next := goOn.FindStringSubmatch(b.Body) // behind the recovery codes
		if next == nil {
			t.Fatalf("%s leads no further:\n%s", b.URL, b.Body)
		}
		b.Open(html.UnescapeString(next[1]))
		return b
	}
	telephone := browser.New(t)
	telephone.Open("http://" + public + "/account")
	telephone.Submit("email", "olga@example.com", "password", staffPassword)
	b := signsIn("olga")
	if b.Status != http.StatusOK || b.URL.String() != desk+"/desk/plans" {
		t.Fatalf("%s is led to %s (%d)\n%s", "olga", b.URL, b.Status, b.Body)
	}
	b.Open(desk + "/") // the root leads to the desk, and a page with a power is open for five minutes
	if b.URL.Path != "/desk/" || b.Status != http.StatusOK {
		t.Errorf("the root leads to %s (%d)", b.URL, b.Status)
	}
	if stranger := signsIn("maria"); stranger.Status != http.StatusNotFound || strings.Contains(stranger.Body, "Home") {
		t.Errorf("who does not work there gets %d at %s", stranger.Status, stranger.URL)
	}

	// What is of one host is not at the other.
	for address, status := range map[string]int{
		"http://" + public + "/desk/": http.StatusNotFound, desk + "/account": http.StatusNotFound,
		desk + "/oidc/.well-known/openid-configuration": http.StatusNotFound,
		desk + "/signed-in?code=x&state=y":              http.StatusBadRequest,
		desk + "/signed-in?error=access_denied":         http.StatusBadRequest,
		desk + "/desk/api/v1/people":                    http.StatusNotFound,
	} {
		if got, _ := lead(t, address); got != status {
			t.Errorf("%s: %d", address, got)
		}
	}
	// A link leads to no other host after the sign-in, and no page frames one.
	host := &deskHost{url: &url.URL{Scheme: "http", Host: "desk.test"}}
	for next, want := range map[string]string{
		"/desk/plans?a=b": "/desk/plans?a=b", "https://evil.example/desk/": "/desk/", "//evil.example/desk/": "/desk/", "/\\evil.example": "/desk/", "/desk": "/desk/",
		"/desk/../\\evil.example": "/desk/../\\evil.example", // which browsers make a path of the same host
	} {
		w := httptest.NewRecorder()
		http.Redirect(w, httptest.NewRequest(http.MethodGet, "http://desk.test/signed-in", nil), host.next(next), http.StatusSeeOther)
		if got := w.Header().Get("Location"); got != "http://desk.test"+want {
			t.Errorf("%s leads to %s", next, got)
		}
	}
	// The end of the session in which somebody signed in at the desk is its end at the desk, whatever
	// other sessions they have.
	b.Open(desk + "/desk/plans")
	b.Shows(`href="http://` + public + `/account"`)
	b.Open("http://" + public + "/signout")
	b.Submit()
	if b.Open(desk + "/desk/plans"); b.URL.Host != public {
		t.Errorf("who has signed out is at %s (%d)", b.URL, b.Status)
	}
	telephone.Open("http://" + public + "/account")
	telephone.Shows("olga@example.com")
}

// A desk shares its host with nobody.
func TestHostOfADeskIsItsOwn(t *testing.T) {
	const staffed = `"users": [{"uuid": "u", "email": "a@example.com", "password": "quiet-otter-paints-dawn"}], "desk": {"staff": [{"email": "a@example.com", "roles": ["operator"]}], "url": %q}`
	for address, says := range map[string]string{
		"http://sandbox.localhost":   "desk.url: is at the host of the sandbox",
		"http://shop.localhost:9":    "desk.url: is at the host of the sample client",
		"http://desk.localhost/desk": "",
	} {
		text := fmt.Sprintf(`{"listen": "127.0.0.1:0", "base_url": "http://localhost:8080", "sandbox": {"base_url": "http://sandbox.localhost:8080"},
			"sample_client": {"listen": "127.0.0.1:0", "base_url": "http://shop.localhost:8081"}, `+staffed+`}`, address)
		cfg, err := parseConfig([]byte(text), t.TempDir())
		ok(t, err)
		err = cfg.separate()
		if says != "" && (err == nil || !strings.Contains(err.Error(), says)) || says == "" && err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
