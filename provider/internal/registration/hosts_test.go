package registration_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/registration"
)

func TestPatterns(t *testing.T) {
	for _, pattern := range []string{"app.example", "*.app.example", "localhost"} {
		if !registration.IsHostPattern(pattern) {
			t.Errorf("%q is no pattern", pattern)
		}
	}
	for _, pattern := range []string{"", "*", "*.", "App.example", "app.example:443", "https://app.example", "app.example/a", "a*.example", "*.*.example", "a@app.example", "app example"} {
		if registration.IsHostPattern(pattern) {
			t.Errorf("%q is a pattern", pattern)
		}
	}
	patterns := []string{"app.example", "*.sub.example"}
	for host, want := range map[string]bool{
		"app.example": true, "x.app.example": false, "xapp.example": false, "sub.example": false, ".sub.example": false,
		"a.sub.example": true, "a.b.sub.example": true, "asub.example": false, "": false,
	} {
		if got := registration.MatchesHost(patterns, host); got != want {
			t.Errorf("%q matches: %v", host, got)
		}
	}
	if got := registration.ReversedHost("com.example.app"); got != "app.example.com" {
		t.Error(got)
	}
}
