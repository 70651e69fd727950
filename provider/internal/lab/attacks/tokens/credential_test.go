package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/credential"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// refusedCredential demands an error of an endpoint for wallets.
func refusedCredential(t *testing.T, p lab.Page, body map[string]any, status int, code string) {
	t.Helper()
	if p.StatusCode != status || body["error"] != code || p.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s, want %d %s", p.StatusCode, p.Text, status, code)
	}
}

// TestCredential holds what a credential says, and what it does not.
func TestCredential(t *testing.T) {
	t.Parallel()
	w := lab.NewWallets(t)
	k := w.Of(w.Alice())
	text, notification := k.Issued()
	header, seen, disclosable := lab.OpenCredential(t, text)
	if header["typ"] != "dc+sd-jwt" || header["alg"] != "ES256" || header["kid"] == nil || len(header) != 3 {
		t.Errorf("header %v", header)
	}
	const day = 24 * time.Hour
	today := w.Now().UTC().Truncate(day)
	list, _ := seen["status"].(map[string]any)
	digests, _ := seen["_sd"].([]any)
	if len(digests) != 6 {
		t.Errorf("digests %v", digests)
	}
	want := map[string]any{
		"iss": w.Issuer(), "vct": w.Server.URL + "/vci/types/military", "iat": float64(today.Unix()), "exp": float64(today.Add(30 * day).Unix()),
		"cnf": map[string]any{"jwk": k.PublicKey()}, "status": list, "_sd": digests, "_sd_alg": "sha-256",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("everybody sees (-want +got):\n%s", diff)
	}
	told := map[string]any{
		"subgroups": []any{"Veteran"}, "verified_at": w.VerifiedAt().UTC().Format(time.DateOnly), "valid_until": w.Now().AddDate(1, 0, 0).UTC().Format(time.DateOnly),
	}
	if diff := cmp.Diff(told, disclosable); diff != "" {
		t.Errorf("the holder can disclose (-want +got):\n%s", diff)
	}
	status, _ := list["status_list"].(map[string]any)
	if at, ok := status["idx"].(float64); !ok || at < 0 || at >= storage.CredentialPlaces || !strings.HasPrefix(status["uri"].(string), w.Server.URL+"/vci/status/") {
		t.Errorf("status %v", list)
	}
	for _, secret := range []string{text, notification, k.Token} {
		if strings.Contains(w.Log.String(), secret) || strings.Contains(w.Dump(), secret) {
			t.Errorf("log or database have %.40s", secret)
		}
	}
	again, _ := k.Issued()
	_, other, _ := lab.OpenCredential(t, again)
	if cmp.Equal(other["status"], seen["status"]) || cmp.Equal(other["_sd"], seen["_sd"]) {
		t.Error("two credentials can be told to be of one person")
	}
	for _, canary := range []string{lab.CaseCanary, lab.ReviewerCanary, lab.SourceCanary, "alice", "std"} {
		if raw, err := json.Marshal([]any{seen, disclosable}); err != nil || strings.Contains(string(raw), canary) {
			t.Errorf("a credential has %s", canary)
		}
	}
}

// TestCredentialIsRefused has requests that get nothing; none is recorded.
func TestCredentialIsRefused(t *testing.T) {
	t.Parallel()
	w := lab.NewWallets(t)
	k := w.Of(w.Alice())
	good := func() string { return k.KeyProof(k.Nonce()) }
	type members = map[string]any
	for name, c := range map[string]struct {
		code string
		body any
	}{
		"NoBody":                   {"invalid_credential_request", nil},
		"AList":                    {"invalid_credential_request", []string{}},
		"NoName":                   {"invalid_credential_request", lab.CredentialRequest(good(), "credential_configuration_id", nil)},
		"BothNames":                {"invalid_credential_request", lab.CredentialRequest(good(), "credential_identifier", "military")},
		"NameOfAnotherType":        {"invalid_credential_request", lab.CredentialRequest(good(), "credential_configuration_id", []string{"military"})},
		"UnknownConfiguration":     {"unknown_credential_configuration", lab.CredentialRequest(good(), "credential_configuration_id", "teacher")},
		"ConfigurationNotAllowed":  {"unknown_credential_configuration", lab.CredentialRequest(good(), "credential_configuration_id", "student")},
		"UnknownIdentifier":        {"unknown_credential_identifier", lab.CredentialRequest(good(), "credential_configuration_id", nil, "credential_identifier", "teacher")},
		"IdentifierNotAllowed":     {"unknown_credential_identifier", lab.CredentialRequest(good(), "credential_configuration_id", nil, "credential_identifier", "student")},
		"Encrypted":                {"invalid_encryption_parameters", lab.CredentialRequest(good(), "credential_response_encryption", members{"enc": "A256GCM"})},
		"NoProofs":                 {"invalid_proof", lab.CredentialRequest("", "proofs", nil)},
		"NoProof":                  {"invalid_proof", lab.CredentialRequest("", "proofs", members{"jwt": []string{}})},
		"OlderProof":               {"invalid_proof", lab.CredentialRequest("", "proofs", nil, "proof", members{"proof_type": "jwt", "jwt": good()})},
		"ProofOfAnotherType":       {"invalid_proof", lab.CredentialRequest("", "proofs", members{"attestation": []string{good()}})},
		"ProofsOfTwoTypes":         {"invalid_proof", lab.CredentialRequest("", "proofs", members{"jwt": []string{good()}, "di_vp": []string{}})},
		"TwoProofs":                {"invalid_proof", lab.CredentialRequest("", "proofs", members{"jwt": []string{good(), good()}})},
		"ProofAsText":              {"invalid_proof", lab.CredentialRequest("", "proofs", members{"jwt": good()})},
		"ProofNull":                {"invalid_proof", lab.CredentialRequest("", "proofs", members{"jwt": []any{nil}})},
		"ProofForAnother":          {"invalid_proof", lab.CredentialRequest(k.KeyProof(k.Nonce(), "aud", "https://other.test"))},
		"ProofOfAnotherClient":     {"invalid_proof", lab.CredentialRequest(k.KeyProof(k.Nonce(), "iss", "std2"))},
		"ProofWithoutNonce":        {"invalid_proof", lab.CredentialRequest(k.KeyProof("", "nonce", nil))},
		"ProofWithAnAttestation":   {"invalid_proof", lab.CredentialRequest(k.SignProof(members{"key_attestation": "a.b.c"}, members{"aud": w.Issuer(), "iat": w.Now().Unix(), "nonce": k.Nonce()}))},
		"NonceOfNobody":            {"invalid_nonce", lab.CredentialRequest(k.KeyProof("AAAA"))},
		"NonceOfSomethingElse":     {"invalid_nonce", lab.CredentialRequest(k.KeyProof(k.Token))},
		"ResponseEncryptionNoName": {"invalid_credential_request", members{"credential_response_encryption": members{}}},
	} {
		t.Run(name, func(t *testing.T) {
			p, body := k.Post(lab.CredentialPath, c.body)
			refusedCredential(t, p, body, http.StatusBadRequest, c.code)
		})
	}
	send := func(body string, header ...string) (lab.Page, map[string]any) {
		return k.JSON(k.Send(http.MethodPost, lab.CredentialPath, body, append([]string{"Authorization", "Bearer " + k.Token}, header...)...))
	}
	t.Run("AnotherMediaType", func(t *testing.T) {
		p, body := send("a=b", "Content-Type", "application/x-www-form-urlencoded")
		refusedCredential(t, p, body, http.StatusUnsupportedMediaType, "invalid_credential_request")
	})
	t.Run("TooLarge", func(t *testing.T) {
		p, body := send(`{"a":"`+strings.Repeat("x", 16<<10)+`"}`, "Content-Type", "application/json")
		refusedCredential(t, p, body, http.StatusRequestEntityTooLarge, "invalid_credential_request")
	})
	t.Run("AnotherMethod", func(t *testing.T) {
		p, body := k.JSON(k.Get(lab.CredentialPath))
		refusedCredential(t, p, body, http.StatusMethodNotAllowed, "invalid_request")
	})
	t.Run("OldNonce", func(t *testing.T) {
		nonce := k.Nonce()
		w.Advance(5 * time.Minute)
		later := w.Of(w.Alice()) // the token has expired as well
		p, body := later.Post(lab.CredentialPath, lab.CredentialRequest(later.KeyProof(nonce)))
		refusedCredential(t, p, body, http.StatusBadRequest, "invalid_nonce")
	})
	if n := w.Count("credentials"); n != 0 {
		t.Errorf("%d credentials are recorded", n)
	}
}

// TestCredentialNeedsItsToken has access tokens that are for something else.
func TestCredentialNeedsItsToken(t *testing.T) {
	t.Parallel()
	w := lab.NewWallets(t)
	alice := w.Alice()
	k := w.Of(alice)
	body, err := json.Marshal(lab.CredentialRequest(k.KeyProof(k.Nonce())))
	w.OK(err)
	send := func(path string, header ...string) lab.Page {
		return k.Send(http.MethodPost, path, string(body), append([]string{"Content-Type", "application/json"}, header...)...)
	}
	other := lab.Member(t, alice.StandardTokens(), "access_token")
	prover := alice.Prover("ES256")
	code := alice.Allow(lab.Std("scope", lab.OfVeterans)...).Get("code")
	p, bound := prover.Proven("code", code)
	boundToken := lab.Granted(t, p, bound)
	for name, c := range map[string]struct {
		page   lab.Page
		status int
		told   string
	}{
		"None":           {send(lab.CredentialPath), 401, "Bearer"},
		"InTheQuery":     {send(lab.CredentialPath + "?access_token=" + k.Token), 401, "Bearer"},
		"Twice":          {send(lab.CredentialPath, "Authorization", "Bearer "+k.Token, "Authorization", "Bearer "+k.Token), 400, ""},
		"Unknown":        {send(lab.CredentialPath, "Authorization", "Bearer x"), 401, "invalid_token"},
		"OfOtherScope":   {send(lab.CredentialPath, "Authorization", "Bearer "+other), 403, "insufficient_scope"},
		"BoundAsBearer":  {send(lab.CredentialPath, "Authorization", "Bearer "+boundToken), 401, "invalid_token"},
		"WithoutItsKey":  {send(lab.CredentialPath, "Authorization", "DPoP "+boundToken), 401, "invalid_dpop_proof"},
		"OfAnotherPath":  {send(lab.CredentialPath, "Authorization", "DPoP "+boundToken, "DPoP", prover.Proof(http.MethodPost, lab.NoncePath, "ath", lab.Ath(boundToken))), 401, "invalid_dpop_proof"},
		"AtNotification": {send(lab.NotificationPath, "Authorization", "Bearer "+other), 403, "insufficient_scope"},
	} {
		if c.page.StatusCode != c.status || !strings.Contains(strings.Join(c.page.Header.Values("WWW-Authenticate"), " "), c.told) {
			t.Errorf("%s: %d %v %s", name, c.page.StatusCode, c.page.Header.Values("WWW-Authenticate"), c.page.Text)
		}
	}
	if n := w.Count("credentials"); n != 0 {
		t.Errorf("%d credentials are recorded", n)
	}
	proof := prover.Proof(http.MethodPost, lab.CredentialPath, "ath", lab.Ath(boundToken))
	for _, want := range []int{http.StatusOK, http.StatusUnauthorized} { // a proof is good once
		if p := send(lab.CredentialPath, "Authorization", "DPoP "+boundToken, "DPoP", proof); p.StatusCode != want {
			t.Errorf("%d %s, want %d", p.StatusCode, p.Text, want)
		}
	}
}

// TestNonceIsUsedOnce has many ask at once with one proof.
func TestNonceIsUsedOnce(t *testing.T) {
	t.Parallel()
	w := lab.NewWallets(t)
	k := w.Of(w.Alice())
	request := lab.CredentialRequest(k.KeyProof(k.Nonce()))
	answers := lab.Race(8, func(int) string {
		p, body := k.Post(lab.CredentialPath, request)
		if p.StatusCode == http.StatusOK {
			return "ok"
		}
		told, _ := body["error"].(string)
		return told
	})
	slices.Sort(answers)
	if want := append(slices.Repeat([]string{"invalid_nonce"}, 7), "ok"); !slices.Equal(answers, want) {
		t.Errorf("%q", answers)
	}
	if n := w.Count("credentials"); n != 1 {
		t.Errorf("%d credentials of one nonce", n)
	}
}

// TestCredentialNeedsTheStatusNow has statuses of which none is issued.
func TestCredentialNeedsTheStatusNow(t *testing.T) {
	t.Parallel()
	w := lab.NewWallets(t)
	k := w.Of(w.Alice())
	for name, s := range map[string]provider.Status{
		"NotVerified": {}, "Pending": {Pending: true},
		"Over":          {Verified: true, ExpiresAt: w.Now().Add(-time.Hour)},
		"UnderADayLeft": {Verified: true, ExpiresAt: w.Now().Add(23 * time.Hour)},
	} {
		s.Group = "military"
		w.OK(w.People().SetStatus(t.Context(), "alice", s))
		p, body := k.Post(lab.CredentialPath, lab.CredentialRequest(k.KeyProof(k.Nonce())))
		if refusedCredential(t, p, body, http.StatusBadRequest, "credential_request_denied"); t.Failed() {
			t.Fatal(name)
		}
	}
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Verified: true, ExpiresAt: w.Now().Add(60 * time.Hour)}))
	text, _ := k.Issued()
	_, seen, disclosable := lab.OpenCredential(t, text)
	end := time.Unix(int64(seen["exp"].(float64)), 0)
	if end.After(w.Now().Add(60*time.Hour)) || !end.After(w.Now()) || !end.Equal(end.Truncate(24*time.Hour)) {
		t.Errorf("it ends at %v", end)
	}
	if _, has := disclosable["subgroups"]; has {
		t.Errorf("it has subgroups that there are none: %v", disclosable)
	}
	if n := w.Count("credentials"); n != 1 {
		t.Errorf("%d credentials are recorded", n)
	}
}

// failing is a store of which one method fails.
type failing struct {
	credential.Store

	mu    sync.Mutex
	down  string
	taken int // places that somebody else takes first
}

func (s *failing) fails(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down == method {
		return storage.ErrUnavailable
	}
	return nil
}

func (s *failing) UseID(ctx context.Context, digest storage.Digest, expiresAt, now time.Time) error {
	return errors.Join(s.fails("UseID"), s.Store.UseID(ctx, digest, expiresAt, now))
}

func (s *failing) OpenList(ctx context.Context, most int, at time.Time) (int64, error) {
	list, err := s.Store.OpenList(ctx, most, at)
	return list, errors.Join(s.fails("OpenList"), err)
}

func (s *failing) SaveCredential(ctx context.Context, c storage.Credential) error {
	if err := s.fails("SaveCredential"); err != nil {
		return err
	}
	if s.mu.Lock(); s.taken > 0 {
		defer s.mu.Unlock()
		s.taken--
		return storage.ErrConflict
	}
	s.mu.Unlock()
	return s.Store.SaveCredential(ctx, c)
}

// TestCredentialOfAFailingStore holds that nobody has what is not recorded.
func TestCredentialOfAFailingStore(t *testing.T) {
	t.Parallel()
	store := &failing{}
	w := lab.NewWallets(t, func(c *credential.Config) { store.Store, c.Store = c.Store, store })
	k := w.Of(w.Alice())
	for _, method := range []string{"OpenList", "UseID", "SaveCredential"} {
		store.mu.Lock()
		store.down = method
		store.mu.Unlock()
		p, body := k.Post(lab.CredentialPath, lab.CredentialRequest(k.KeyProof(k.Nonce())))
		if refusedCredential(t, p, body, http.StatusServiceUnavailable, "temporarily_unavailable"); p.Header.Get("Retry-After") == "" || body["credentials"] != nil {
			t.Errorf("%s: %v", method, body)
		}
	}
	if n := w.Count("credentials"); n != 0 {
		t.Errorf("%d credentials are recorded", n)
	}
	store.mu.Lock()
	store.down, store.taken = "", 20 // of a list that is half full another one is free soon
	store.mu.Unlock()
	k.Issued()
}

// TestCredentialsAreBounded holds that a wallet cannot have any number of rows written.
func TestCredentialsAreBounded(t *testing.T) {
	t.Parallel()
	w := lab.NewWallets(t)
	k := w.Of(w.Alice())
	for range 60 {
		p, _ := k.Post(lab.CredentialPath, lab.CredentialRequest(k.KeyProof(k.Nonce())))
		if p.StatusCode == http.StatusTooManyRequests {
			if wait, err := strconv.Atoi(p.Header.Get("Retry-After")); err != nil || wait < 1 {
				t.Errorf("Retry-After %q", p.Header.Get("Retry-After"))
			}
			return
		}
	}
	t.Error("60 credentials at once")
}

func TestNotification(t *testing.T) {
	t.Parallel()
	w := lab.NewWallets(t)
	k := w.Of(w.Alice())
	_, notification := k.Issued()
	w.OK(w.People().SetStatus(t.Context(), "bob", provider.Status{Group: "military", Verified: true}))
	foreign := w.Of(w.Bob())
	code := k.Allow("client_id", "pub", "scope", lab.OfVeterans, "code_challenge", lab.S256, "code_challenge_method", "S256").Get("code")
	p, tokens := k.Browser.Token("client_id", "pub", "client_secret", "", "code", code, "code_verifier", lab.Verifier)
	second := &lab.Wallet{Browser: k.Browser, Key: k.Key, Token: lab.Granted(t, p, tokens)}
	note := func(k *lab.Wallet, id, event any) (lab.Page, map[string]any) {
		return k.Post(lab.NotificationPath, map[string]any{"notification_id": id, "event": event, "event_description": "Because."})
	}
	for name, c := range map[string]struct {
		wallet    *lab.Wallet
		id, event any
		code      string
	}{
		"Unknown":     {k, "x", "credential_accepted", "invalid_notification_id"},
		"OfAnother":   {foreign, notification, "credential_deleted", "invalid_notification_id"},
		"OfItsUser":   {second, notification, "credential_deleted", "invalid_notification_id"}, // who has another wallet
		"OtherEvent":  {k, notification, "credential_lost", "invalid_notification_request"},
		"NoEvent":     {k, notification, nil, "invalid_notification_request"},
		"NoID":        {k, nil, "credential_accepted", "invalid_notification_request"},
		"IDOfAnother": {k, []string{notification}, "credential_accepted", "invalid_notification_request"},
	} {
		t.Run(name, func(t *testing.T) {
			p, body := note(c.wallet, c.id, c.event)
			refusedCredential(t, p, body, http.StatusBadRequest, c.code)
		})
	}
	row := func() storage.Credential {
		all, err := w.Store.(storage.Credentials).Credentials(t.Context(), storage.CredentialFilter{Subject: "alice"})
		if err != nil || len(all) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		return all[0]
	}
	for range 2 { // the same twice is no error
		if p, _ := note(k, notification, "credential_accepted"); p.StatusCode != http.StatusNoContent || row().AcceptedAt.IsZero() || !row().EndedAt.IsZero() {
			t.Errorf("accepted: %s %+v", p.Status, row())
		}
	}
	for range 2 {
		if p, _ := note(k, notification, "credential_deleted"); p.StatusCode != http.StatusNoContent || row().End != storage.EndedByWallet {
			t.Errorf("deleted: %s %+v", p.Status, row())
		}
	}
	p, body := note(k, notification, "credential_accepted")
	refusedCredential(t, p, body, http.StatusBadRequest, "invalid_notification_id")
}

// TestDocumentsForWallets holds what wallets find before anybody has signed in.
func TestDocumentsForWallets(t *testing.T) {
	t.Parallel()
	w := lab.NewWallets(t)
	b, base := w.NewBrowser(), w.Server.URL+"/vci"
	read := func(path string) map[string]any {
		p, document := b.JSON(b.Get(path))
		if p.StatusCode != http.StatusOK || p.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.HasPrefix(p.Header.Get("Cache-Control"), "public, max-age=") ||
			p.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %v", path, p.Status, p.Header)
		}
		return document
	}
	issuer := read("/.well-known/openid-credential-issuer/oidc")
	for name, want := range map[string]any{
		"credential_issuer": w.Issuer(), "credential_endpoint": base + "/credential", "nonce_endpoint": base + "/nonce", "notification_endpoint": base + "/notification",
		"authorization_servers": nil, "batch_credential_issuance": nil, "credential_response_encryption": nil, "deferred_credential_endpoint": nil,
	} {
		if issuer[name] != want {
			t.Errorf("%s is %v, want %v", name, issuer[name], want)
		}
	}
	kinds, _ := issuer["credential_configurations_supported"].(map[string]any)
	military, _ := kinds["military"].(map[string]any)
	if len(kinds) != 2 || military["format"] != "dc+sd-jwt" || military["vct"] != base+"/types/military" || military["scope"] != lab.OfVeterans {
		t.Errorf("configurations %v", kinds)
	}
	if strings.Contains(b.Get("/.well-known/openid-credential-issuer/oidc").Text, "null") {
		t.Error("a member of the metadata is null, which wallets refuse")
	}
	offer := read("/vci/offers/military")
	want := map[string]any{"credential_issuer": w.Issuer(), "credential_configuration_ids": []any{"military"}, "grants": map[string]any{"authorization_code": map[string]any{}}}
	if diff := cmp.Diff(want, offer); diff != "" {
		t.Errorf("offer (-want +got):\n%s", diff)
	}
	for _, path := range []string{"/vci/offers/teacher", "/vci/offers/", "/vci/nothing", "/vci/types/teacher"} {
		if p := b.Get(path); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, p.Status)
		}
	}
	if p := b.Send(http.MethodOptions, lab.CredentialPath, "", "Origin", "https://wallet.test", "Access-Control-Request-Method", "POST"); p.StatusCode != http.StatusNoContent ||
		p.Header.Get("Access-Control-Allow-Origin") != "*" || p.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("preflight: %s %v", p.Status, p.Header)
	}
}

// TestIssuingRacesWithTheEnd holds that of a credential whose ground has ended at the same moment
// none stays in force: whichever of the two writes is first.
func TestIssuingRacesWithTheEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *lab.Wallets) error{
		"Revoke":   func(w *lab.Wallets) error { return w.People().Revoke(t.Context(), "alice") },
		"Delete":   func(w *lab.Wallets) error { return w.Accounts().Delete(t.Context(), "alice") },
		"Lock":     func(w *lab.Wallets) error { return w.Accounts().SetDisabled(t.Context(), "alice", true) },
		"Withdraw": func(w *lab.Wallets) error { return w.People().DeleteStatus(t.Context(), "alice", "military") },
		"Consent": func(w *lab.Wallets) error {
			return w.Store.RevokeConsent(t.Context(), "alice", "std", w.Now())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.NewWallets(t)
			k := w.Of(w.Alice())
			requests := make([]map[string]any, 6)
			for i := range requests {
				requests[i] = lab.CredentialRequest(k.KeyProof(k.Nonce()))
			}
			lab.Race(len(requests)+1, func(i int) error {
				if i == len(requests) {
					if err := end(w); err != nil {
						t.Error(err)
					}
					return nil
				}
				k.Post(lab.CredentialPath, requests[i])
				return nil
			})
			w.Advance(time.Minute)
			w.Until(func() bool { return w.Exec(`UPDATE credentials SET place = place WHERE ended_at IS NULL`) == 0 })
		})
	}
}
