package lab

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verifiedclaims"
)

// MilitaryRules and StudentRules are the trust frameworks of the fixture.
const (
	MilitaryRules = "https://rules.test/military"
	StudentRules  = "https://rules.test/student"
)

// Canaries of a verification, which no application may ever see.
const (
	CaseCanary     = "case-7531-canary"
	ReviewerCanary = "reviewer-canary"
	SourceCanary   = "passport-4711-canary"
)

// NewVerified is New with verified_claims about veterans and students, the clients of most tests
// and alice, a veteran by a document, whose verification nobody else may recognize.
func NewVerified(t testing.TB, change ...func(*provider.Config)) *Fixture {
	t.Helper()
	verified := testkit.Must(verifiedclaims.New(verifiedclaims.Config{Frameworks: map[string]string{"military": MilitaryRules, "student": StudentRules}}))(t)
	w := New(t, append([]func(*provider.Config){func(c *provider.Config) { c.VerifiedClaims = verified }}, change...)...).WithClients().WithUsers()
	w.Verify("alice", "military", "document", "Veteran")
	return w
}

// VerifiedAt is when Verify has verified somebody.
func (w *Fixture) VerifiedAt() time.Time { return w.Now().Add(-49 * time.Hour) }

// Verify records a user as verified by a method, by a case that ends in a year.
func (w *Fixture) Verify(userID, group, method string, subgroups ...string) {
	w.T.Helper()
	w.OK(w.People().SetStatus(w.T.Context(), userID, provider.Status{
		Group: group, Subgroups: subgroups, Verified: true, Method: method, VerifiedBy: ReviewerCanary, Source: SourceCanary,
		VerifiedAt: w.VerifiedAt(), ExpiresAt: w.Now().AddDate(1, 0, 0),
	}))
	w.MustExec(`UPDATE statuses SET origin = ?1 WHERE subject = ?2 AND group_name = ?3`, CaseCanary, userID, group)
}

// Verifying is a request for verified_claims about a group, with more about its verification.
func Verifying(group, verification string) string {
	return `{"verification":{"trust_framework":null` + verification + `},"claims":{"group_` + group + `":null}}`
}

// InBoth is the parameter claims with a request for verified_claims in ID token and userinfo.
func InBoth(verified string) string {
	return `{"id_token":{"verified_claims":` + verified + `},"userinfo":{"verified_claims":` + verified + `}}`
}

// Verified exchanges a code, and returns the verified_claims of its ID token and of userinfo as
// JSON; empty for none.
func (b *Browser) Verified(code string) (idToken, userinfo string, tokens map[string]any) {
	b.T.Helper()
	p, tokens := b.Token(Std("code", code)...)
	Granted(b.T, p, tokens)
	idToken, userinfo = b.VerifiedBy(tokens)
	return idToken, userinfo, tokens
}

// VerifiedBy returns the verified_claims of tokens.
func (b *Browser) VerifiedBy(tokens map[string]any) (idToken, userinfo string) {
	b.T.Helper()
	_, claims := JWT(b.T, Member(b.T, tokens, "id_token"))
	return verifiedOf(b.T, claims), verifiedOf(b.T, b.Userinfo(tokens))
}

func verifiedOf(t testing.TB, claims map[string]any) string {
	t.Helper()
	if claims["verified_claims"] == nil {
		return ""
	}
	raw := testkit.Must(json.Marshal(claims["verified_claims"]))(t)
	return string(raw)
}
