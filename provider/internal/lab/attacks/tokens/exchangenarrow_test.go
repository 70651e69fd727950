package tokens

import (
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAttackExchangeOfANarrowToken exchanges a token with fewer scopes than its grant: no more come
// back, also where none is left.
func TestAttackExchangeOfANarrowToken(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	b := w.Alice()
	refresh := lab.Member(t, tokensFor(b, "agent", allAPIs, tools), "refresh_token")
	p, narrow := b.Redeem("agent", "refresh_token", tools, "refresh_token", refresh, "scope", "tools:run")
	if p.StatusCode != http.StatusOK || narrow["scope"] != "tools:run" {
		t.Fatalf("refresh: %s %s", p.Status, p.Text)
	}
	token := lab.Member(t, narrow, "access_token")
	p, _ = askExchange(b, "tools-api", token, "scope", "files:read")
	lab.Refused(t, p, http.StatusBadRequest, "invalid_scope")
	p, answer := askExchange(b, "tools-api", token)
	if p.StatusCode != http.StatusOK || answer["scope"] != nil && answer["scope"] != "" {
		t.Fatalf("exchange: %s %s", p.Status, p.Text)
	}
	seen := seenBy(b, "files-api", lab.Member(t, answer, "access_token"))
	if seen == nil || seen["scope"] != nil && seen["scope"] != "" {
		t.Errorf("without a scope it is %v", seen)
	}
	repeated := exchanged(b, "tools-api", toolsToken(b), "scope", "files:read files:read files:read files:read")
	if seen := seenBy(b, "files-api", repeated); seen["scope"] != "files:read" {
		t.Errorf("with a scope four times it is %v", seen)
	}
}

// TestAttackExchangeAfterTheAPIWasEnded ends what the client of an API has had: its tokens in
// exchange go, and new ones come.
func TestAttackExchangeAfterTheAPIWasEnded(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	b := w.Alice()
	token := toolsToken(b)
	files := exchanged(b, "tools-api", token)
	plain := exchanged(b, "files-api", files, "resource", lab.PlainURI)
	w.Advance(time.Second)
	row, err := w.Store.Client(t.Context(), "tools-api")
	w.OK(err)
	row.GrantsSince = w.Now()
	w.OK(w.Store.SaveClient(t.Context(), row))
	w.Advance(time.Second)
	if seenBy(b, "files-api", files) != nil || seenBy(b, "plain-api", plain) != nil {
		t.Error("what was exchanged before is in force")
	}
	p, _ := askExchange(b, "files-api", files, "resource", lab.PlainURI)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
	if seenBy(b, "files-api", exchanged(b, "tools-api", token)) == nil {
		t.Error("what is exchanged after it is not in force")
	}
}

// TestAttackTokensOfTwoUsersInExchange tests that an API gets a token for the user of the token that
// it presents, and that what ends for one of them does not end for the other.
func TestAttackTokensOfTwoUsersInExchange(t *testing.T) {
	t.Parallel()
	w := withAPIs(t)
	api := w.NewBrowser()
	ofUser, subject := map[string]string{}, map[string]string{}
	for name, b := range map[string]*lab.Browser{"alice": w.Alice(), "bob": w.Bob()} {
		subject[name] = toolsToken(b)
		ofUser[name] = exchanged(api, "tools-api", subject[name])
	}
	for name, token := range ofUser {
		if seen := seenBy(api, "files-api", token); seen["sub"] != name {
			t.Errorf("the token of %s is %v", name, seen)
		}
	}
	p, _ := askExchange(api, "tools-api", subject["alice"], "sub", "bob", "user", "bob", "login_hint", "bob")
	_, answer := api.JSON(p)
	if seen := seenBy(api, "files-api", lab.Member(t, answer, "access_token")); seen["sub"] != "alice" {
		t.Errorf("with another user's name it is %v", seen)
	}
	w.OK(w.Accounts().SetDisabled(t.Context(), "bob", true))
	w.Advance(time.Second)
	if seenBy(api, "files-api", ofUser["bob"]) != nil || seenBy(api, "files-api", ofUser["alice"]) == nil {
		t.Error("another user's token ended")
	}
}
