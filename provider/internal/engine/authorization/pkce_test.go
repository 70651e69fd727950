package authorization

import (
	"strings"
	"testing"
)

func TestChallenge(t *testing.T) {
	const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // RFC 7636 appendix B
	if !isChallenge(challenge) || !isVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") {
		t.Error("the example of RFC 7636 is refused")
	}
	for _, s := range []string{"", challenge[:42], challenge + "A", challenge + "=", strings.Replace(challenge, "-", "+", 1), challenge[:42] + "N"} {
		if isChallenge(s) {
			t.Errorf("challenge %q is accepted", s)
		}
	}
	for _, s := range []string{"", strings.Repeat("a", 42), strings.Repeat("a", 129), strings.Repeat("a", 42) + "+", strings.Repeat("é", 30)} {
		if isVerifier(s) {
			t.Errorf("verifier %q is accepted", s)
		}
	}
}
