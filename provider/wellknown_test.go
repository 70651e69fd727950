package provider_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestWellKnown(t *testing.T) {
	t.Parallel()
	const origins, endpoints, password = "/.well-known/webauthn", "/.well-known/passkey-endpoints", "/.well-known/change-password"
	for name, c := range map[string]struct {
		change func(*provider.Config)
		// want is the address of a redirect, the body, or empty for 404.
		want map[string]string
	}{
		"BelowAPath": {func(c *provider.Config) { c.BaseURL = "https://app.test/id" }, map[string]string{
			password: "https://app.test/id/account/password", origins: "",
			endpoints: `{"enroll":"https://app.test/id/account/passkeys","manage":"https://app.test/id/account/security"}`,
		}},
		"RelatedOrigins": {func(c *provider.Config) {
			c.BaseURL, c.SignIn.Passkeys.Origins = "https://app.test/id", []string{"https://shop.test"}
		}, map[string]string{origins: `{"origins":["https://shop.test"]}`}},
		"AfterAMove": {func(c *provider.Config) {
			c.BaseURL, c.PreviousBaseURLs, c.SignIn.Passkeys.RPID = "https://new.test/id", []string{"https://old.test"}, "old.test"
		}, map[string]string{origins: `{"origins":["https://new.test"]}`}},
		"DomainAbove": {func(c *provider.Config) {
			c.BaseURL, c.SignIn.Passkeys.RPID = "https://id.app.test", "app.test"
		}, map[string]string{origins: ""}},
		"PasskeysOff": {func(c *provider.Config) {
			c.BaseURL, c.SignIn.Passkeys = "https://app.test/id", provider.Passkeys{Off: true, Origins: []string{"https://shop.test"}}
		}, map[string]string{password: "https://app.test/id/account/password", endpoints: "", origins: ""}},
		"UsersOfTheHost": {func(c *provider.Config) {
			c.BaseURL = "https://app.test/id"
			c.Users = provider.Users{
				SignedIn:  func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil },
				SignInURL: "https://app.test/signin", SignOutURL: "https://app.test/signout",
			}
		}, map[string]string{password: "", endpoints: "", origins: ""}},
		"FedCM": {func(c *provider.Config) {
			c.BaseURL, c.FedCM.On = "https://id.app.test/id", true
		}, map[string]string{
			"/.well-known/web-identity": `{"accounts_endpoint":"https://id.app.test/id/fedcm/accounts","login_url":"https://id.app.test/id/fedcm/signin",` +
				`"provider_urls":["https://id.app.test/id/fedcm/config.json"]}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := lab.New(t, c.change).Pages().WellKnown()
			c.want["/.well-known/other"] = ""
			if name != "FedCM" {
				c.want["/.well-known/web-identity"] = ""
			}
			for path, want := range c.want {
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
				got := recorder.Header().Get("Location")
				switch recorder.Code {
				case http.StatusOK:
					got = recorder.Body.String()
					if kind := recorder.Header().Get("Content-Type"); kind != "application/json" {
						t.Errorf("%s is %s", path, kind)
					}
				case http.StatusNotFound:
					got = ""
				}
				if got != want {
					t.Errorf("%s: %d %q, not %q", path, recorder.Code, got, want)
				}
			}
		})
	}
}

func TestWellKnownAtTheRootOfTheHost(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.BaseURL = strings.Replace(c.BaseURL, "127.0.0.1", "localhost", 1)
	})
	for path, want := range map[string]int{
		"/.well-known/passkey-endpoints": http.StatusOK, "/.well-known/webauthn": http.StatusNotFound,
		"/.well-known/change-password": http.StatusSeeOther,
	} {
		recorder := httptest.NewRecorder()
		w.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		if recorder.Code != want {
			t.Errorf("%s: %d, not %d", path, recorder.Code, want)
		}
	}
}
