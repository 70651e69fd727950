package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWebIdentityIsAtTheRegistrableDomain(t *testing.T) {
	for base, want := range map[string]string{
		"https://id.example.com":        "https://example.com/.well-known/web-identity",
		"https://example.com:8443/id":   "https://example.com/.well-known/web-identity",
		"https://id.a.example.co.uk":    "https://example.co.uk/.well-known/web-identity",
		"https://shop.github.io":        "https://shop.github.io/.well-known/web-identity",
		"http://localhost:8080/sandbox": "http://localhost:8080/.well-known/web-identity",
		"http://id.app.localhost:8080":  "http://id.app.localhost:8080/.well-known/web-identity",
	} {
		if got := webIdentityOf(base); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}

func TestWebIdentityThatBrowsersWouldNotFind(t *testing.T) {
	const base = "https://id.example.com"
	answers := map[string]struct {
		status     int
		body, want string
	}{
		"/good":    {http.StatusOK, `{"provider_urls": ["https://id.example.com/fedcm/config.json"]}`, ""},
		"/another": {http.StatusOK, `{"provider_urls": ["https://other.example/fedcm.json"]}`, "names"},
		"/page":    {http.StatusOK, `<!DOCTYPE html>`, "no such document"},
		"/gone":    {http.StatusNotFound, ``, "404"},
		"/moved":   {http.StatusFound, ``, "302"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Dest") != "webidentity" {
			t.Error("does not ask as a browser does")
		}
		w.Header().Set("Location", "/good")
		w.WriteHeader(answers[r.URL.Path].status)
		_, _ = w.Write([]byte(answers[r.URL.Path].body))
	}))
	defer server.Close()
	for path, a := range answers {
		err := findWebIdentity(t.Context(), server.URL+path, base)
		if (err == nil) != (a.want == "") || err != nil && !strings.Contains(err.Error(), a.want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestOneProviderOfADomainHasFedCM(t *testing.T) {
	got := refusal(t, t.TempDir(), `{"listen": "127.0.0.1:0", "base_url": "http://localhost:8080", "fedcm": {"on": true}, "sandbox": {"fedcm": {"on": true}}}`)
	if !strings.Contains(got, "sandbox.fedcm: browsers know one provider") {
		t.Error(got)
	}
	// A sandbox alone has the document beside its path, at the root of the host.
	cfg := must(parseConfig([]byte(`{"listen": "127.0.0.1:0", "sandbox": {"fedcm": {"on": true}}}`), t.TempDir()))(t)
	s := must(open(t.Context(), cfg, &output{}, testLog(t)))(t)
	defer func() { ok(t, s.close()) }()
	recorder := httptest.NewRecorder()
	s.sites[0].server.Handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, webIdentity, nil))
	if body := recorder.Body.String(); !strings.Contains(body, `/sandbox/fedcm/config.json"]`) {
		t.Errorf("%d %s", recorder.Code, body)
	}
}
