package tokens

import (
	"net/http"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAttackBoundTokenInExchange tries to make a bearer's token of a bound one.
func TestAttackBoundTokenInExchange(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	b := w.Alice()
	owner, api := b.Prover("ES256"), w.NewBrowser().Prover("EdDSA")
	code := b.Allow("client_id", "agent", "scope", "openid tools:run files:read", "resource", lab.ToolsURI, "audience", lab.FilesURI).Get("code")
	p, tokens := owner.Proven("client_id", "agent", "code", code, "resource", lab.ToolsURI)
	if p.StatusCode != http.StatusOK || tokens["token_type"] != "DPoP" {
		t.Fatalf("token: %s %s", p.Status, p.Text)
	}
	token := lab.Member(t, tokens, "access_token")
	form := exchangeForm("tools-api", token)
	stolen := owner.Proof(http.MethodGet, "/mcp", "ath", lab.Ath(token)) // as the caller sent it to the API
	for name, proofs := range map[string][]string{
		"without a proof":   nil,
		"with the caller's": {stolen},
		"with two":          {api.Proof("POST", lab.TokenPath), api.Proof("POST", lab.TokenPath)},
		"for another path":  {api.Proof("POST", lab.IntrospectPath)},
	} {
		p := api.PostWith(lab.TokenPath, form, proofs...)
		if p.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s %s", name, p.Status, p.Text)
			continue
		}
		lab.Refused(t, p, http.StatusBadRequest, "invalid_dpop_proof")
	}
	proof := api.Proof("POST", lab.TokenPath)
	p, answer := api.JSON(api.PostWith(lab.TokenPath, form, proof))
	if p.StatusCode != http.StatusOK || answer["token_type"] != "DPoP" {
		t.Fatalf("exchange: %s %s", p.Status, p.Text)
	}
	files := lab.Member(t, answer, "access_token")
	seen := seenBy(b, "files-api", files)
	if cnf, _ := seen["cnf"].(map[string]any); cnf["jkt"] != api.JKT() || seen["token_type"] != "DPoP" {
		t.Errorf("introspection %v", seen)
	}
	lab.Refused(t, api.PostWith(lab.TokenPath, form, proof), http.StatusBadRequest, "invalid_dpop_proof") // again
	next := exchangeForm("files-api", files, "resource", lab.PlainURI)
	lab.Refused(t, b.Post(lab.TokenPath, next), http.StatusBadRequest, "invalid_dpop_proof")

	// A bearer's token becomes bound where a proof comes with the request.
	bearer := exchangeForm("tools-api", toolsToken(b))
	if p, answer := api.JSON(api.PostWith(lab.TokenPath, bearer, api.Proof("POST", lab.TokenPath))); answer["token_type"] != "DPoP" {
		t.Errorf("with a proof: %s %s", p.Status, p.Text)
	}
}
