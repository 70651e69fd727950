package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider/catalogue"
)

// In the sandbox whoever starts a case chooses how it goes on, and the site sees it.
func TestCaseOfTheSandbox(t *testing.T) {
	s := sharedQuickstart(t)
	b := browser.New(t)
	start := func() {
		b.Open(s.cfg.SampleClient.BaseURL + "/start/v3-oauth?service=sandbox&scope=student")
	}
	start()
	b.Submit("email", "tess@example.com", "password", tessPassword)
	b.Submit("action", "verify", "group", "student")
	b.Shows("With your institution’s email address")
	b.Submit("method", "university_address")
	b.Submit("answer_email", "tess@university.example.evil.test")
	b.Hides("Check your email")
	b.Submit("answer_email", "tess@university.example")
	b.Shows("Check your email")
	b.Press("Decline")
	b.Shows("Start again")
	b.Open(s.cfg.Sandbox.BaseURL + "/verification/student")
	b.Submit("method", "university_address")
	b.Press("Approve")
	b.Shows("You’re verified")
	start()
	b.Submit("action", "allow")
	b.Shows("✓ verified")
}

// Whoever asks for a group at the sample site can become a member of it, by a code that is printed at
// each start, and nobody gets a mail about the people who are there to be looked at.
func TestEveryGroupHasAWay(t *testing.T) {
	folder := t.TempDir()
	var codes []string
	for range 2 {
		cfg := must(parseConfig([]byte(ownQuickstart(t)), folder))(t)
		cfg.demo = true
		s := startConfig(t, cfg)
		var out strings.Builder
		s.service.introduce(&out)
		for _, g := range catalogue.DefaultGroups() {
			line := regexp.MustCompile(`(?m)^ +` + g.Name + ` +you@\S+\.example +([0-9A-Z-]{19})$`).FindStringSubmatch(out.String())
			if line == nil {
				t.Fatalf("%s has no way:\n%s", g.Name, out.String())
			}
			codes = append(codes, line[1])
		}
		out.Reset()
		s.service.cfg.BaseURL = "https://id.example.com"
		if s.service.tellWays(t.Context(), &out); out.Len() > 0 {
			t.Errorf("codes are printed into the log of a service that others reach:\n%s", out.String())
		}
		if printed := s.out.String(); strings.Contains(printed, "--- mail to") {
			t.Errorf("mails are printed before anybody came:\n%s", printed)
		}
		_ = s.stop() // its error is that of the test
	}
	if n := len(codes) / 2; !slices.Equal(codes[:n], codes[n:]) {
		t.Errorf("the codes of the second start are others: %q", codes)
	}
}

// A method is called as the file says, by group.
func TestMethodHasTheWordsOfTheFile(t *testing.T) {
	var m method
	err := json.Unmarshal([]byte(`{"title": {"text": "By card"}, "hint": {"text": "Your card"}, "invitation": {}}`), &m)
	v, wrong := m.verifier("card")
	if err != nil || wrong != nil || v.Title.English != "By card" || v.Asks.English != "Your card" {
		t.Errorf("%+v, %v, %v", v, err, wrong)
	}
}

// A policy that cannot be meant stops the service with the place in the file.
func TestVerificationIsChecked(t *testing.T) {
	for _, c := range []struct{ verification, says string }{
		{`{"policies": [{"group": "student", "rule": "x"}]}`, `"x" is none of the verifiers`},
		{`{"verifiers": {"x": {}}, "policies": []}`, "verification.verifiers.x: needs exactly one of"},
		{`{"verifiers": {"x": {"email_domain": {"domain": ["a.example"]}}}}`, `unknown key "verification.verifiers.x.email_domain.domain"`},
	} {
		cfg, err := parseConfig([]byte(`{"listen": "127.0.0.1:0", "verification": `+c.verification+`}`), t.TempDir())
		if err == nil {
			cfg.Data = t.TempDir() + "/data"
			var s *service
			if s, err = open(t.Context(), cfg, io.Discard, slog.New(slog.DiscardHandler)); err == nil {
				t.Errorf("%s is accepted (%v)", c.verification, s.close())
				continue
			}
		}
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.verification, err)
		}
	}
}
