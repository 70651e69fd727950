package grants

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	streamPath = "/ssf/stream"
	statusPath = "/ssf/status"
	verifyPath = "/ssf/verify"
	pollPath   = "/ssf/poll"

	caep = "https://schemas.openid.net/secevent/caep/event-type/"
)

// streams are a provider with streams of events, and two applications that may have one.
type streams struct {
	*lab.Fixture
	*lab.Browser
}

func newStreams(t *testing.T) streams {
	t.Helper()
	w := lab.New(t, lab.AllowPrivate, func(c *provider.Config) { c.Signals = signals.Config{SharedSignals: true} }).WithUsers()
	for _, id := range []string{"rp", "other"} {
		w.OK(w.Clients().Save(t.Context(), provider.Client{
			ID: id, Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, SkipConsent: true,
			GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials"}, Scopes: []string{"openid", "military", "ssf.read", "ssf.manage"},
		}))
	}
	return streams{w.Runs(), w.NewBrowser()}
}

// as sends a request with the token of an application.
func (s streams) as(client, scope, method, address, body string) (lab.Page, map[string]any) {
	s.Browser.T.Helper()
	p := s.Send(method, address, body, "Authorization", "Bearer "+s.MachineToken(client, scope).AccessToken, "Content-Type", "application/json")
	if !strings.HasPrefix(p.Text, "{") {
		return p, nil
	}
	return s.JSON(p)
}

// receiver takes what is pushed.
type receiver struct {
	*httptest.Server
	mu   sync.Mutex
	took []string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		// RFC 8935 section 2.1.
		if h := request.Header; h.Get("Content-Type") != "application/secevent+jwt" || h.Get("Accept") != "application/json" || h.Get("Authorization") != "Bearer of-the-receiver" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.took = append(r.took, string(body))
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(r.Close)
	return r
}

// wait returns the claims of the n-th event, whose signature is good.
func (s streams) wait(t *testing.T, r *receiver, n int) map[string]any {
	t.Helper()
	var token string
	lab.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.took) >= n {
			token = r.took[n-1]
		}
		return token != ""
	})
	return s.verified(t, token)
}

// verified returns the claims of a SET.
func (s streams) verified(t *testing.T, token string) map[string]any {
	t.Helper()
	header, claims := lab.JWT(t, token)
	if header["typ"] != "secevent+jwt" || header["alg"] != "RS256" {
		t.Errorf("header %v", header)
	}
	ctx := oidc.ClientContext(t.Context(), &http.Client{Transport: testkit.OwnConnections(t)})
	if _, err := oidc.NewRemoteKeySet(ctx, s.Server.URL+"/oidc/.well-known/jwks").VerifySignature(ctx, token); err != nil {
		t.Error(err)
	}
	for _, never := range []string{"sub", "exp", "nonce"} {
		if _, has := claims[never]; has {
			t.Errorf("a SET has %s: %v", never, claims)
		}
	}
	if claims["iss"] != s.Server.URL+"/oidc" || claims["aud"] != "rp" || claims["jti"] == "" || claims["iat"] == nil {
		t.Errorf("claims %v", claims)
	}
	return claims
}

func TestStreamThatIsPushed(t *testing.T) {
	t.Parallel()
	s, r := newStreams(t), newReceiver(t)
	// SSF 1.0 sections 7.1 and 7.2: what the transmitter is, at the path of its issuer.
	p, doc := s.JSON(s.Get("/.well-known/ssf-configuration/oidc"))
	wantDoc := map[string]any{
		"spec_version": "1_0", "issuer": s.Server.URL + "/oidc", "jwks_uri": s.Server.URL + "/oidc/.well-known/jwks",
		"delivery_methods_supported": []any{"urn:ietf:rfc:8935", "urn:ietf:rfc:8936"},
		"configuration_endpoint":     s.Server.URL + streamPath, "status_endpoint": s.Server.URL + statusPath, "verification_endpoint": s.Server.URL + verifyPath,
		"authorization_schemes": []any{map[string]any{"spec_urn": "urn:ietf:rfc:6749"}}, "default_subjects": "ALL",
	}
	if diff := cmp.Diff(wantDoc, doc); p.StatusCode != http.StatusOK || diff != "" {
		t.Errorf("%s %s", p.Status, diff)
	}
	asked := `{"delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"` + r.URL + `","authorization_header":"Bearer of-the-receiver"},"events_requested":["` +
		caep + `token-claims-change","` + caep + `session-revoked","urn:other"]}`
	p, got := s.as("rp", "ssf.manage", http.MethodPost, streamPath, asked)
	want := map[string]any{
		"stream_id": "ssf_rp", "iss": s.Server.URL + "/oidc", "aud": "rp", "min_verification_interval": 60.,
		"delivery":         map[string]any{"method": "urn:ietf:rfc:8935", "endpoint_url": r.URL},
		"events_requested": []any{caep + "token-claims-change", caep + "session-revoked", "urn:other"},
		"events_delivered": []any{caep + "session-revoked", caep + "token-claims-change"},
		"events_supported": got["events_supported"],
	}
	if diff := cmp.Diff(want, got); p.StatusCode != http.StatusCreated || diff != "" {
		t.Fatalf("%s %s", p.Status, diff)
	}
	if p, _ := s.as("rp", "ssf.manage", http.MethodPost, streamPath, asked); p.StatusCode != http.StatusConflict {
		t.Errorf("a second stream: %s %s", p.Status, p.Text)
	}

	// Verification: the state is echoed, and another within a minute is too early.
	if p, _ := s.as("rp", "ssf.manage", http.MethodPost, verifyPath, `{"stream_id":"ssf_rp","state":"VGhp"}`); p.StatusCode != http.StatusNoContent {
		t.Fatalf("%s %s", p.Status, p.Text)
	}
	claims := s.wait(t, r, 1)
	verification := map[string]any{"https://schemas.openid.net/secevent/ssf/event-type/verification": map[string]any{"state": "VGhp"}}
	if diff := cmp.Diff(verification, claims["events"]) + cmp.Diff(map[string]any{"format": "opaque", "id": "ssf_rp"}, claims["sub_id"]); diff != "" {
		t.Error(diff)
	}
	if p, _ := s.as("rp", "ssf.manage", http.MethodPost, verifyPath, `{"stream_id":"ssf_rp"}`); p.StatusCode != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" {
		t.Errorf("%s %s", p.Status, p.Text)
	}

	// Only a user of whom the application has a grant, and a group that this covers.
	alice := s.Alice()
	tokens := alice.TokensOf("rp")
	for _, change := range []struct {
		user, group string
		verified    bool
	}{{"bob", "military", true}, {"alice", "student", true}, {"alice", "military", true}} {
		s.OK(s.People().SetStatus(t.Context(), change.user, provider.Status{Group: change.group, Verified: change.verified}))
	}
	statusIn := func(claims map[string]any) (changed map[string]any) {
		changed, _ = claims["events"].(map[string]any)[caep+"token-claims-change"].(map[string]any)
		return changed
	}
	is := func(verified bool) map[string]any {
		return map[string]any{"status": []any{map[string]any{"group": "military", "verified": verified}}}
	}
	if diff := cmp.Diff(is(true), statusIn(s.wait(t, r, 2))["claims"]); diff != "" {
		t.Error(diff)
	}
	s.OK(s.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military"}))
	claims = s.wait(t, r, 3)
	changed, status := statusIn(claims), is(false)
	who := map[string]any{"format": "iss_sub", "iss": s.Server.URL + "/oidc", "sub": "alice"}
	if diff := cmp.Diff(status, changed["claims"]) + cmp.Diff(who, claims["sub_id"]); diff != "" || claims["txn"] == nil || changed["event_timestamp"] == nil {
		t.Errorf("%v %s", claims, diff)
	}

	// The staff pauses the stream, which is told before.
	of, err := s.Signals().List(t.Context(), storage.ReceiverFilter{ClientID: "rp"})
	s.OK(err)
	of[0].State = string(storage.ReceiverPaused)
	_, _, err = s.Signals().Save(t.Context(), of[0])
	s.OK(err)
	updated := map[string]any{"https://schemas.openid.net/secevent/ssf/event-type/stream-updated": map[string]any{"status": "paused"}}
	if diff := cmp.Diff(updated, s.wait(t, r, 4)["events"]); diff != "" {
		t.Error(diff)
	}

	// A SET is neither an access token nor an ID token, nor is one of these a SET.
	set := r.took[1]
	ctx := oidc.ClientContext(t.Context(), &http.Client{Transport: testkit.OwnConnections(t)})
	keys := oidc.NewRemoteKeySet(ctx, s.Server.URL+"/oidc/.well-known/jwks")
	asIDToken := func(token string) error {
		_, err := oidc.NewVerifier(s.Server.URL+"/oidc", keys, &oidc.Config{ClientID: "rp"}).Verify(ctx, token)
		return err
	}
	s.OK(asIDToken(lab.Member(t, tokens, "id_token")))
	if asIDToken(set) == nil {
		t.Error("a library takes a SET for an ID token")
	}
	lab.Refused(t, s.Bearer(lab.UserinfoPath, set), http.StatusUnauthorized, "invalid_token")
	lab.Refused(t, s.Send(http.MethodGet, streamPath, "", "Authorization", "Bearer "+set), http.StatusUnauthorized, "invalid_token")
	if header, _ := lab.JWT(t, lab.Member(t, tokens, "id_token")); header["typ"] == "secevent+jwt" {
		t.Error("an ID token passes for a SET")
	}
}

func TestStreamIsManaged(t *testing.T) {
	t.Parallel()
	s := newStreams(t)
	p := s.Send(http.MethodGet, streamPath, "", "Authorization", "Bearer "+s.MachineToken("rp", "ssf.read").AccessToken)
	if p.StatusCode != http.StatusOK || strings.TrimSpace(p.Text) != "[]" {
		t.Errorf("%s %s", p.Status, p.Text)
	}
	p, got := s.as("rp", "ssf.manage", http.MethodPost, streamPath, `{"description":"Shop"}`)
	if delivery := got["delivery"].(map[string]any); p.StatusCode != http.StatusCreated || delivery["endpoint_url"] != s.Server.URL+pollPath {
		t.Fatalf("%s %v", p.Status, got)
	}
	for name, c := range map[string]struct {
		method, address, body string
		status                int
	}{
		"Get":                {http.MethodGet, streamPath + "?stream_id=ssf_rp", "", http.StatusOK},
		"GetUnknown":         {http.MethodGet, streamPath + "?stream_id=x", "", http.StatusNotFound},
		"GetTwice":           {http.MethodGet, streamPath + "?stream_id=ssf_rp&stream_id=ssf_other", "", http.StatusBadRequest},
		"PatchWithoutID":     {http.MethodPatch, streamPath, `{"description":"x"}`, http.StatusBadRequest},
		"PatchOfAnother":     {http.MethodPatch, streamPath, `{"stream_id":"ssf_other"}`, http.StatusNotFound},
		"PatchOfOurs":        {http.MethodPatch, streamPath, `{"stream_id":"ssf_rp","iss":"https://evil.test"}`, http.StatusBadRequest},
		"PatchToMetadata":    {http.MethodPatch, streamPath, `{"stream_id":"ssf_rp","delivery":{"method":"urn:ietf:rfc:8935","endpoint_url":"http://169.254.169.254/"}}`, http.StatusBadRequest},
		"PutNoJSON":          {http.MethodPut, streamPath, `stream_id=ssf_rp`, http.StatusBadRequest},
		"Huge":               {http.MethodPut, streamPath, `{"stream_id":"` + strings.Repeat("x", 70<<10) + `"}`, http.StatusRequestEntityTooLarge},
		"StatusUnknown":      {http.MethodPost, statusPath, `{"stream_id":"ssf_rp","status":"gone"}`, http.StatusBadRequest},
		"StatusWithoutID":    {http.MethodGet, statusPath, "", http.StatusBadRequest},
		"VerifyLong":         {http.MethodPost, verifyPath, `{"stream_id":"ssf_rp","state":"` + strings.Repeat("x", 2000) + `"}`, http.StatusBadRequest},
		"DeleteWithoutID":    {http.MethodDelete, streamPath, "", http.StatusBadRequest},
		"DeleteOfAnother":    {http.MethodDelete, streamPath + "?stream_id=ssf_other", "", http.StatusNotFound},
		"PollTooMany":        {http.MethodPost, pollPath, `{"maxEvents":-1}`, http.StatusBadRequest},
		"MethodThatIsNotHad": {http.MethodGet, verifyPath, "", http.StatusMethodNotAllowed},
	} {
		if p, _ := s.as("rp", "ssf.manage", c.method, c.address, c.body); p.StatusCode != c.status {
			t.Errorf("%s: %s %s, want %d", name, p.Status, p.Text, c.status)
		}
	}

	// Another application does not find it, and reading is not managing.
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if p, _ := s.as("other", "ssf.manage", method, streamPath+"?stream_id=ssf_rp", ""); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s of another's: %s", method, p.Status)
		}
	}
	p, _ = s.as("rp", "ssf.read", http.MethodDelete, streamPath+"?stream_id=ssf_rp", "")
	lab.Refused(t, p, http.StatusForbidden, "insufficient_scope")
	p, _ = s.as("rp", "military", http.MethodGet, streamPath, "")
	lab.Refused(t, p, http.StatusForbidden, "insufficient_scope")
	lab.Refused(t, s.Bearer(streamPath, lab.Member(t, s.Alice().TokensOf("rp"), "access_token")), http.StatusUnauthorized, "invalid_token")
	if p := s.Get(streamPath); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %s", p.Status)
	}
	if p := s.Get(streamPath + "?access_token=" + s.MachineToken("rp", "ssf.read").AccessToken); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("with one in the address: %s", p.Status)
	}

	p, got = s.as("rp", "ssf.manage", http.MethodPost, statusPath, `{"stream_id":"ssf_rp","status":"paused","reason":"Maintenance"}`)
	if want := (map[string]any{"stream_id": "ssf_rp", "status": "paused", "reason": "Maintenance"}); p.StatusCode != http.StatusOK || !cmp.Equal(want, got) {
		t.Errorf("%s %v", p.Status, got)
	}
	if p, got = s.as("rp", "ssf.read", http.MethodGet, statusPath+"?stream_id=ssf_rp", ""); p.StatusCode != http.StatusOK || got["status"] != "paused" {
		t.Errorf("%s %v", p.Status, got)
	}
	if p, _ := s.as("rp", "ssf.manage", http.MethodDelete, streamPath+"?stream_id=ssf_rp", ""); p.StatusCode != http.StatusNoContent {
		t.Errorf("%s %s", p.Status, p.Text)
	}
	if p, _ := s.as("rp", "ssf.manage", http.MethodPost, streamPath, `{}`); p.StatusCode != http.StatusCreated {
		t.Errorf("a stream after one that was deleted: %s %s", p.Status, p.Text)
	}
}

func TestStreamThatIsFetched(t *testing.T) {
	t.Parallel()
	s := newStreams(t)
	s.as("rp", "ssf.manage", http.MethodPost, streamPath, `{}`)
	s.Alice().TokensOf("rp")
	poll := func(body string) map[string]any {
		t.Helper()
		p, got := s.as("rp", "ssf.read", http.MethodPost, pollPath, body)
		if p.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", p.Status, p.Text)
		}
		return got
	}
	ids := func(got map[string]any) (all []string) {
		for id, token := range got["sets"].(map[string]any) {
			if claims := s.verified(t, token.(string)); claims["jti"] != id {
				t.Errorf("%s is %v", id, claims["jti"])
			}
			all = append(all, id)
		}
		return all
	}
	if got := poll(`{"maxEvents":10,"returnImmediately":true}`); len(ids(got)) > 0 || got["moreAvailable"] != false {
		t.Errorf("%v", got)
	}
	for _, verified := range []bool{false, true, false} {
		s.OK(s.People().SetStatus(t.Context(), "alice", provider.Status{Group: "military", Verified: verified}))
	}
	lab.Eventually(t, func() bool { return len(ids(poll(``))) == 3 })
	first := poll(`{"maxEvents":2}`)
	if len(ids(first)) != 2 || first["moreAvailable"] != true {
		t.Errorf("%v", first)
	}
	if got := poll(`{"maxEvents":0}`); len(ids(got)) > 0 || got["moreAvailable"] != true {
		t.Errorf("%v", got)
	}
	all := ids(poll(``))
	got := poll(`{"ack":["` + all[0] + `","unknown"],"setErrs":{"` + all[1] + `":{"err":"jwtAud","description":"not ours"}}}`)
	if left := ids(got); len(left) != 1 || left[0] != all[2] {
		t.Errorf("left are %v of %v", left, all)
	}
	s.as("rp", "ssf.manage", http.MethodPost, statusPath, `{"stream_id":"ssf_rp","status":"paused"}`)
	if got := poll(``); len(ids(got)) > 0 {
		t.Error("a stream that is paused tells", got)
	}
	s.as("rp", "ssf.manage", http.MethodPost, statusPath, `{"stream_id":"ssf_rp","status":"enabled"}`)

	// The staff disables it: that is told, and nothing else.
	of, err := s.Signals().List(t.Context(), storage.ReceiverFilter{ClientID: "rp"})
	s.OK(err)
	of[0].State = string(storage.ReceiverDisabled)
	_, _, err = s.Signals().Save(t.Context(), of[0])
	s.OK(err)
	got = poll(``)
	for _, token := range got["sets"].(map[string]any) {
		_, claims := lab.JWT(t, token.(string))
		updated := map[string]any{"https://schemas.openid.net/secevent/ssf/event-type/stream-updated": map[string]any{"status": "disabled"}}
		if diff := cmp.Diff(updated, claims["events"]); diff != "" {
			t.Error(diff)
		}
	}
	told := ids(got)
	if len(told) != 1 {
		t.Fatalf("%v", got)
	}
	poll(`{"ack":["` + told[0] + `"]}`)
	p, _ := s.as("other", "ssf.read", http.MethodPost, pollPath, `{"ack":["`+all[2]+`"]}`)
	if p.StatusCode != http.StatusNotFound {
		t.Errorf("by who has no stream: %s %s", p.Status, p.Text)
	}
	s.as("rp", "ssf.manage", http.MethodPost, statusPath, `{"stream_id":"ssf_rp","status":"enabled"}`)
	if left := ids(poll(``)); len(left) != 1 {
		t.Errorf("left are %v", left)
	}
}
