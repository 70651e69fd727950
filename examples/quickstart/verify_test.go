package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
)

// startUnverified runs the quickstart without a policy, so that its demo verifiers are asked.
func startUnverified(t *testing.T) *running {
	t.Helper()
	cfg := must(parseConfig([]byte(ownQuickstart(t)), t.TempDir()))(t)
	cfg.Verification, cfg.Sandbox.Verification = nil, nil
	return startConfig(t, cfg)
}

func TestDemoVerifiersApproveRefuseOrStayPending(t *testing.T) {
	s := startUnverified(t)
	b := browser.New(t)
	verify := func(scope, result, says string) {
		b.Open(s.cfg.SampleClient.BaseURL + "/start/v3-oauth?service=sandbox&scope=" + scope)
		if strings.HasSuffix(b.URL.Path, "/signin") {
			b.Submit("email", "tess@example.com", "password", tessPassword)
		}
		b.Submit("action", "verify", "group", scope)
		b.Shows("Demo verification: " + scope)
		b.Submit("result", result)
		b.Shows(says)
	}
	verify("nurse", "pending", "In review")
	verify("government", "refuse", "Not approved")
	b.Open(s.cfg.Sandbox.BaseURL + "/account/groups")
	b.Shows("We couldn’t read the document.")
	verify("government", "approve", "Your status is verified.")
}

func TestDemoVerifiersSendNobodyElsewhere(t *testing.T) {
	s := startUnverified(t)
	b := browser.New(t)
	b.Open(s.cfg.Sandbox.BaseURL + "/signin")
	b.Submit("email", "tess@example.com", "password", tessPassword)
	for _, returnTo := range []string{"", "https://evil.test/", s.cfg.Sandbox.BaseURL + "/verify/return?flow=x"} {
		b.Open(s.cfg.Sandbox.BaseURL + "/demo/verify?" + url.Values{"group": {"nurse"}, "return_to": {returnTo}}.Encode())
		if b.Status != http.StatusNotFound {
			t.Errorf("%q: %d\n%s", returnTo, b.Status, b.Body)
		}
	}
}

// In production nobody is verified by saying so.
func TestDemoVerifiersAreNotForAFileOfSomebodysOwn(t *testing.T) {
	s := startService(t, t.TempDir(), `{"listen": "127.0.0.1:0", "sandbox": {},
		"users": [{"uuid": "ada", "email": "ada@example.com", "password": "quiet-otter-paints-dawn"}]}`)
	if status, _ := lead(t, s.cfg.BaseURL+"/demo/verify"); status != http.StatusNotFound {
		t.Errorf("the page answers %d", status)
	}
	b := browser.New(t)
	b.Open(s.cfg.BaseURL + "/signin")
	b.Submit("email", "ada@example.com", "password", "quiet-otter-paints-dawn")
	b.Open(s.cfg.BaseURL + "/account/groups")
	if b.Status != http.StatusOK || strings.Contains(b.Body, `value="verify"`) {
		t.Errorf("%d\n%s", b.Status, b.Body)
	}
}
