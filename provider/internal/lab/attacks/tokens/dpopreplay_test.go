package tokens

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/databases"
)

// TestAttackReplayedProof presents one proof many times at once, at two processes with one
// database (A15): one of them gets what it is for.
func TestAttackReplayedProof(t *testing.T) {
	t.Parallel()
	databases.OnBoth(t, func(t *testing.T, url string) {
		w := lab.New(t, databases.At(t, url)).WithClients().WithUsers()
		replay(t, w, w.Twin(databases.At(t, url)))
	})
}

func replay(t *testing.T, w, elsewhere *lab.Fixture) {
	t.Helper()
	b := w.Alice()
	owner := b.Prover("ES256")
	tokens := boundTokens(t, owner)
	token := lab.Member(t, tokens, "access_token")
	const times = 50
	there := make([]*lab.Prover, times)
	for i := range there {
		there[i] = owner.At([]*lab.Fixture{w, elsewhere}[i%2])
	}

	proof := owner.Proof(http.MethodGet, lab.UserinfoPath, "ath", lab.Ath(token))
	answers := lab.Race(times, func(i int) lab.Page { return there[i].DataWith(lab.UserinfoPath, token, proof) })
	onlyOne(t, "userinfo", answers, http.StatusUnauthorized)

	// At the token endpoint each has a code of its own.
	codes := make([]string, times)
	for i := range codes {
		codes[i] = b.Allow(lab.Ask()...).Get("code")
	}
	proof = owner.Proof(http.MethodPost, lab.TokenPath)
	answers = lab.Race(times, func(i int) lab.Page {
		answer, _ := there[i].TokenWith([]string{proof}, "code", codes[i])
		return answer
	})
	onlyOne(t, "token", answers, http.StatusBadRequest)
}

// onlyOne demands that one answer is good, and that the others are refused for their proof.
func onlyOne(t *testing.T, what string, answers []lab.Page, refused int) {
	t.Helper()
	good := 0
	for _, answer := range answers {
		if answer.StatusCode == http.StatusOK {
			good++
			continue
		}
		lab.Refused(t, answer, refused, "invalid_dpop_proof")
	}
	if good != 1 {
		t.Errorf("%s: %d of %d presentations of one proof succeed", what, good, len(answers))
	}
}

// TestProofsKeptByTheProcess keeps the proofs for data in memory, and those for tokens in the
// database all the same.
func TestProofsKeptByTheProcess(t *testing.T) {
	t.Parallel()
	inProcess := func(c *provider.Config) { c.DPoP.Replay = "process" }
	w := lab.New(t, inProcess).WithClients().WithUsers()
	elsewhere := w.Twin(inProcess)
	b := w.Alice()
	owner := b.Prover("ES256")
	token := lab.Member(t, boundTokens(t, owner), "access_token")
	proof := owner.Proof(http.MethodGet, lab.UserinfoPath, "ath", lab.Ath(token))
	for _, at := range []*lab.Fixture{w, elsewhere} {
		there := owner.At(at)
		if answer := there.DataWith(lab.UserinfoPath, token, proof); answer.StatusCode != http.StatusOK {
			t.Errorf("first: %s %s", answer.Status, answer.Text)
		}
		lab.Refused(t, there.DataWith(lab.UserinfoPath, token, proof), http.StatusUnauthorized, "invalid_dpop_proof")
	}
	proof = owner.Proof(http.MethodPost, lab.TokenPath)
	if answer, _ := owner.TokenWith([]string{proof}, "code", b.Allow(lab.Ask()...).Get("code")); answer.StatusCode != http.StatusOK {
		t.Errorf("token: %s %s", answer.Status, answer.Text)
	}
	answer, _ := owner.At(elsewhere).TokenWith([]string{proof}, "code", b.Allow(lab.Ask()...).Get("code"))
	lab.Refused(t, answer, http.StatusBadRequest, "invalid_dpop_proof")
}

// diagnosesOfProofs are those of TestDiagnosesOfProofs.
var diagnosesOfProofs = []diagnosis.Name{
	"dpop_proof_missing", "dpop_proof_malformed", "dpop_proof_target_differs", "dpop_key_differs", "dpop_proof_used", "dpop_nonce_needed", "access_token_unbound",
}

// TestDiagnosesOfProofs tells whoever builds an application what was wrong with its proof, and
// never the proof or the token.
func TestDiagnosesOfProofs(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	p, other := w.Alice().Prover("ES256"), w.NewBrowser().Prover("EdDSA")
	token := lab.Member(t, boundTokens(t, p), "access_token")
	bearer := lab.Member(t, w.Alice().StandardTokens(), "access_token")
	used := p.Proof("GET", lab.UserinfoPath, "ath", lab.Ath(token))
	if answer := p.DataWith(lab.UserinfoPath, token, used); answer.StatusCode != http.StatusOK {
		t.Fatalf("data: %s %s", answer.Status, answer.Text)
	}
	seen := w.WatchActivity()
	p.Bearer(lab.UserinfoPath, token)
	p.TokenWith([]string{"marker"}, "code", "x")
	p.Data(lab.UserinfoPath, token, "htm", "POST")
	other.Data(lab.UserinfoPath, token)
	p.DataWith(lab.UserinfoPath, token, used)
	p.Data(lab.UserinfoPath, token, "iat", 1)
	p.Data(lab.UserinfoPath, bearer)
	told := seen.All()
	if len(told) != len(diagnosesOfProofs) {
		t.Fatalf("told %v", told)
	}
	for i, want := range diagnosesOfProofs {
		if told[i].Diagnosis != want || told[i].ClientID != "std" {
			t.Errorf("told %+v, want %s", told[i], want)
		}
	}
	for _, secret := range []string{token, bearer, used} {
		if strings.Contains(fmt.Sprint(told), secret) || strings.Contains(w.Log.String(), secret) {
			t.Error("a token or a proof is told")
		}
	}
}
