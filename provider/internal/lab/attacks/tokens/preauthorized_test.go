package tokens

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/credential"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	grantPreAuthorized = "urn:ietf:params:oauth:grant-type:pre-authorized_code"
	addByCode          = "/vci/add/military/code"
)

// anyWallets is a provider whose users can let any wallet have a credential.
func anyWallets(t *testing.T) *lab.Wallets {
	t.Helper()
	w := lab.NewWallets(t, func(c *credential.Config) { c.AnyWallet = "any" })
	w.OK(w.Clients().Save(t.Context(), anyWallet()))
	return w
}

// anyWallet is the client that stands for all wallets.
func anyWallet() provider.Client {
	return provider.Client{ID: "any", Name: "Any wallet app", Dialect: provider.Standard, Public: true, GrantTypes: []string{grantPreAuthorized}}
}

// offered is an offer on the screen of a user, whose form shows the digits.
type offered struct {
	user *lab.Browser
	page lab.Page
	path string
}

var (
	drawnOffer  = regexp.MustCompile(`href="openid-credential-offer://\?credential_offer_uri=([^"]+)"`)
	shownDigits = regexp.MustCompile(`<code[^>]*>(\d{6})</code>`)
)

// offer has a user make an offer.
func offer(b *lab.Browser) *offered {
	b.T.Helper()
	p := b.Submit(b.Get("/vci/add/military"))
	link := drawnOffer.FindStringSubmatch(p.Text)
	if p.StatusCode != http.StatusOK || link == nil || !strings.Contains(p.Header.Get("Cache-Control"), "no-store, no-transform") {
		b.T.Fatalf("%s %v\n%s", p.Status, p.Header, p.Text)
	}
	address, err := url.QueryUnescape(link[1])
	b.Fixture.OK(err)
	at, err := url.Parse(address)
	b.Fixture.OK(err)
	return &offered{b, p, at.Path}
}

// take returns the code that a wallet gets.
func (o *offered) take() string {
	o.user.T.Helper()
	wallet := o.user.Fixture.NewBrowser()
	p, body := wallet.JSON(wallet.Get(o.path))
	grants, _ := body["grants"].(map[string]any)
	grant, _ := grants[grantPreAuthorized].(map[string]any)
	if p.StatusCode != http.StatusOK || p.Header.Get("Cache-Control") != "no-store" || grant == nil {
		o.user.T.Fatalf("%s %v %s", p.Status, p.Header, p.Text)
	}
	return lab.Member(o.user.T, grant, "pre-authorized_code")
}

// press shows the digits; empty if the page has none.
func (o *offered) press() (p lab.Page, digits string) {
	o.user.T.Helper()
	p = o.user.Submit(o.page)
	if found := shownDigits.FindStringSubmatch(p.Text); found != nil {
		digits = found[1]
	}
	return p, digits
}

// granted returns a code with its digits.
func (o *offered) granted() (code, digits string) {
	o.user.T.Helper()
	code = o.take()
	p, digits := o.press()
	if digits == "" {
		o.user.T.Fatalf("%s\n%s", p.Status, p.Text)
	}
	return code, digits
}

// redeem exchanges a code, as a wallet that nobody has registered.
func redeem(w *lab.Wallets, code, digits string, pairs ...string) (lab.Page, map[string]any) {
	b := w.NewBrowser()
	return b.JSON(b.Post(lab.TokenPath, lab.Form(append([]string{"grant_type", grantPreAuthorized, "pre-authorized_code", code, "tx_code", digits}, pairs...)...)))
}

// unredeemed demands that a code gets nothing.
func unredeemed(t *testing.T, w *lab.Wallets, code, digits, want string, pairs ...string) {
	t.Helper()
	if p, body := redeem(w, code, digits, pairs...); p.StatusCode != http.StatusBadRequest || body["error"] != want || body["access_token"] != nil {
		t.Errorf("%d %s, want %s", p.StatusCode, p.Text, want)
	}
}

// other returns digits that are not these.
func other(digits string) string {
	return strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, digits)
}

// TestPreAuthorized goes the way of a wallet that nobody has registered.
func TestPreAuthorized(t *testing.T) {
	t.Parallel()
	w := anyWallets(t)
	alice := w.Alice()
	_, metadata := alice.JSON(alice.Get(lab.DiscoveryPath))
	if grants, _ := metadata["grant_types_supported"].([]any); !slices.Contains(grants, any(grantPreAuthorized)) || metadata["pre-authorized_grant_anonymous_access_supported"] != true {
		t.Errorf("metadata %v", metadata)
	}
	o := offer(alice)
	p, body := alice.JSON(alice.Get(o.path))
	code := body["grants"].(map[string]any)[grantPreAuthorized].(map[string]any)["pre-authorized_code"].(string)
	want := map[string]any{"credential_issuer": w.Issuer(), "credential_configuration_ids": []any{"military"}, "grants": map[string]any{
		grantPreAuthorized: map[string]any{"pre-authorized_code": code, "tx_code": map[string]any{"input_mode": "numeric", "length": float64(6)}},
	}}
	if diff := cmp.Diff(want, body); diff != "" || p.Header.Get("Access-Control-Allow-Origin") != "*" || p.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("offer %v (-want +got):\n%s", p.Header, diff)
	}
	mails := w.Mails.Count()
	p, digits := o.press()
	if again, same := o.press(); digits == "" || same != digits || again.StatusCode != http.StatusOK {
		t.Fatalf("%q, then %q\n%s", digits, same, p.Text)
	}
	if told := w.Mails.Since(mails); len(told) != 1 || !strings.Contains(told[0].Text, "Any wallet app") {
		t.Errorf("mails %+v", told)
	}
	for name, pairs := range map[string][]string{
		"Nameless": nil, "Named": {"client_id", "any"}, "NamedByItself": {"client_id", "did:key:z6Mk"}, "ForTheIssuer": {"resource", w.Issuer()},
		"InDetail": {"authorization_details", `[{"type":"openid_credential","credential_configuration_id":"military"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			code, digits := offer(alice).granted()
			p, tokens := redeem(w, code, digits, pairs...)
			k := &lab.Wallet{Browser: w.NewBrowser(), Key: lab.NewWalletKey(t), Token: lab.Granted(t, p, tokens)}
			if tokens["scope"] != lab.OfVeterans || tokens["refresh_token"] != nil || (tokens["authorization_details"] != nil) != (name == "InDetail") {
				t.Errorf("tokens %v", tokens)
			}
			text, _ := k.Issued()
			for _, secret := range []string{code, digits, k.Token, text} {
				if strings.Contains(w.Log.String(), secret) || len(secret) > 6 && strings.Contains(w.Dump(), secret) {
					t.Errorf("log or database have %s", secret)
				}
			}
		})
	}
	if strings.Contains(w.Dump(), code) || strings.Contains(w.Log.String(), o.path[len("/vci/offers/"):]) || strings.Contains(w.Dump(), o.path[len("/vci/offers/"):]) ||
		strings.Contains(o.page.Text, code) || strings.Contains(o.page.Text, digits) || strings.Contains(p.Text, code) {
		t.Error("code or digits are where they should not be")
	}
	if p := alice.Get("/vci/"); !strings.Contains(p.Text, "Any wallet app") {
		t.Errorf("%s", p.Text)
	}
	if all, err := w.Service.InForce(t.Context(), "alice"); err != nil || len(all) != 5 || all[0].ClientID != "any" {
		t.Errorf("%+v, %v", all, err)
	}
	alice.Submit(alice.Open("/account/apps/remove?client_id=any"))
	w.Advance(time.Minute)
	w.Until(func() bool { return w.Exec(`UPDATE credentials SET place = place WHERE ended_at IS NULL`) == 0 })
}

// TestAttackPhotographedOffer has others see the screen: whoever is faster has a code, and nobody has digits.
func TestAttackPhotographedOffer(t *testing.T) {
	t.Parallel()
	w := anyWallets(t)
	alice, thief := w.Alice(), w.NewBrowser()
	o := offer(alice)
	if p := thief.Send(http.MethodHead, o.path, ""); p.StatusCode == http.StatusOK {
		t.Errorf("HEAD is answered %s", p.Status)
	}
	p, digits := o.press()
	if p.StatusCode != http.StatusUnprocessableEntity || digits != "" || !strings.Contains(p.Text, "No app has scanned the code yet.") || !strings.Contains(p.Text, "openid-credential-offer") {
		t.Errorf("before a wallet has the code: %s %q\n%s", p.Status, digits, p.Text)
	}
	code := o.take()
	for range 2 {
		if p, body := thief.JSON(thief.Get(o.path)); p.StatusCode != http.StatusGone || body["grants"] != nil || p.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("fetched again: %s %s", p.Status, p.Text)
		}
	}
	unredeemed(t, w, code, "123456", "invalid_grant") // nobody has pressed
	if n := w.Count("grants"); n != 0 {
		t.Errorf("%d grants of an offer that nobody has allowed", n)
	}
	contested := offer(alice)
	won := lab.Race(8, func(int) int { return w.NewBrowser().Get(contested.path).StatusCode })
	slices.Sort(won)
	if wanted := append([]int{http.StatusOK}, slices.Repeat([]int{http.StatusGone}, 7)...); !slices.Equal(won, wanted) {
		t.Errorf("one offer at once: %v", won)
	}
}

// TestAttackOfferOfAnother has somebody press for an offer of somebody else.
func TestAttackOfferOfAnother(t *testing.T) {
	t.Parallel()
	w := anyWallets(t)
	w.OK(w.People().SetStatus(t.Context(), "bob", provider.Status{Group: "military", Verified: true}))
	o, bob := offer(w.Alice()), w.Bob()
	own := offer(bob)
	code := o.take()
	own.take()
	_, fields := o.page.Form(t)
	for name, sealed := range map[string]string{"OfAlice": fields.Get("offer"), "MadeUp": "AAAA"} {
		if p := bob.Submit(own.page, "offer", sealed); shownDigits.MatchString(p.Text) || !strings.Contains(p.Text, "That one-time code has expired.") {
			t.Errorf("%s: %s\n%s", name, p.Status, p.Text)
		}
	}
	_, digits := own.press()
	unredeemed(t, w, code, digits, "invalid_grant")
	if p := w.NewBrowser().Post(addByCode, fields); p.StatusCode == http.StatusOK {
		t.Errorf("a browser without the form: %s", p.Status)
	}
}

// TestAttackGuessedDigits has whoever has the code guess.
func TestAttackGuessedDigits(t *testing.T) {
	t.Parallel()
	w := anyWallets(t)
	alice := w.Alice()
	for name, guess := range map[string]func(code, wrong string){
		"OneByOne": func(code, wrong string) {
			for range 5 {
				unredeemed(t, w, code, wrong, "invalid_grant")
			}
		},
		"AtOnce": func(code, wrong string) {
			lab.Race(12, func(int) int { p, _ := redeem(w, code, wrong); return p.StatusCode })
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, digits := offer(alice).granted()
			guess(code, other(digits))
			unredeemed(t, w, code, digits, "invalid_grant")
		})
	}
	code, digits := offer(alice).granted()
	for range 4 {
		unredeemed(t, w, code, other(digits), "invalid_grant")
	}
	p, tokens := redeem(w, code, digits)
	lab.Granted(t, p, tokens)
}

// TestAttackCodeTwice presents a code with its digits again: what came of it ends, as one of two has stolen them.
func TestAttackCodeTwice(t *testing.T) {
	t.Parallel()
	w := anyWallets(t)
	code, digits := offer(w.Alice()).granted()
	p, tokens := redeem(w, code, digits)
	k := &lab.Wallet{Browser: w.NewBrowser(), Key: lab.NewWalletKey(t), Token: lab.Granted(t, p, tokens)}
	k.Issued()
	unredeemed(t, w, code, digits, "invalid_grant")
	w.Advance(time.Second)
	if p, _ := k.Post(lab.CredentialPath, lab.CredentialRequest(k.KeyProof(k.Nonce()))); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("%s %s", p.Status, p.Text)
	}
	code, digits = offer(w.Alice()).granted()
	answers := lab.Race(8, func(int) int { p, _ := redeem(w, code, digits); return p.StatusCode })
	if won := len(slices.DeleteFunc(answers, func(status int) bool { return status != http.StatusOK })); won > 1 {
		t.Errorf("%d tokens of one code", won)
	}
}

// TestPreAuthorizedIsRefused has requests that get nothing.
func TestPreAuthorizedIsRefused(t *testing.T) {
	t.Parallel()
	w := anyWallets(t)
	code, digits := offer(w.Alice()).granted()
	b := w.NewBrowser()
	p, body := b.JSON(b.Post(lab.TokenPath, lab.Form("grant_type", "authorization_code", "code", code, "client_id", "pub", "redirect_uri", lab.CallbackURI, "code_verifier", lab.Verifier)))
	if p.StatusCode != http.StatusBadRequest || body["error"] != "invalid_grant" {
		t.Errorf("as a code of the authorization endpoint: %d %s", p.StatusCode, p.Text)
	}
	for name, c := range map[string]struct {
		want  string
		pairs []string
	}{
		"NoDigits":      {"invalid_request", []string{"pre-authorized_code", code}},
		"EmptyDigits":   {"invalid_request", []string{"pre-authorized_code", code, "tx_code", ""}},
		"NoCode":        {"invalid_request", []string{"tx_code", digits}},
		"OtherCode":     {"invalid_grant", []string{"pre-authorized_code", code + "x", "tx_code", digits}},
		"OtherClient":   {"unauthorized_client", []string{"pre-authorized_code", code, "tx_code", digits, "client_id", "std", "client_secret", lab.ClientSecret}},
		"WrongSecret":   {"invalid_client", []string{"pre-authorized_code", code, "tx_code", digits, "client_id", "std", "client_secret", "wrong"}},
		"OtherResource": {"invalid_target", []string{"pre-authorized_code", code, "tx_code", digits, "resource", "https://api.test"}},
		"OtherDetail": {"invalid_authorization_details", []string{"pre-authorized_code", code, "tx_code", digits,
			"authorization_details", `[{"type":"openid_credential","credential_configuration_id":"student"}]`}},
	} {
		if p, body := b.JSON(b.Post(lab.TokenPath, lab.Form(append([]string{"grant_type", grantPreAuthorized}, c.pairs...)...))); body["error"] != c.want || body["access_token"] != nil {
			t.Errorf("%s: %d %s, want %s", name, p.StatusCode, p.Text, c.want)
		}
	}
	p, body = redeem(w, code, digits)
	lab.Granted(t, p, body)
}

// TestPreAuthorizedExpires holds how long an offer, and then its code, is good.
func TestPreAuthorizedExpires(t *testing.T) {
	t.Parallel()
	w := anyWallets(t)
	late, pressedLate, redeemedLate := offer(w.Alice()), offer(w.Alice()), offer(w.Alice())
	pressedLate.take()
	code, digits := redeemedLate.granted()
	w.Advance(5 * time.Minute)
	if p := w.NewBrowser().Get(late.path); p.StatusCode != http.StatusGone {
		t.Errorf("fetched too late: %s", p.Status)
	}
	if p, digits := pressedLate.press(); digits != "" || !strings.Contains(p.Text, "That one-time code has expired.") {
		t.Errorf("pressed too late: %s %q", p.Status, digits)
	}
	unredeemed(t, w, code, digits, "invalid_grant")
}

// TestPreAuthorizedEnds has what a code rests on end before it is redeemed.
func TestPreAuthorizedEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *lab.Wallets, alice *lab.Browser){
		"Locked":  func(w *lab.Wallets, _ *lab.Browser) { w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", true)) },
		"Deleted": func(w *lab.Wallets, _ *lab.Browser) { w.OK(w.Accounts().Delete(w.T.Context(), "alice")) },
		"Revoked": func(w *lab.Wallets, _ *lab.Browser) { w.OK(w.People().Revoke(w.T.Context(), "alice")) },
		"Status": func(w *lab.Wallets, _ *lab.Browser) {
			w.OK(w.People().DeleteStatus(w.T.Context(), "alice", "military"))
		},
		"Removed": func(_ *lab.Wallets, alice *lab.Browser) {
			alice.Submit(alice.Open("/account/apps/remove?client_id=any"))
		},
		"GrantTaken": func(w *lab.Wallets, _ *lab.Browser) {
			c := anyWallet()
			c.GrantTypes, c.RedirectURIs = nil, []string{lab.CallbackURI}
			w.OK(w.Clients().Save(w.T.Context(), c))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := anyWallets(t)
			alice := w.Alice()
			waiting := offer(alice)
			waiting.take()
			code, digits := offer(alice).granted()
			end(w, alice)
			w.Advance(2 * time.Second)
			switch p, tokens := redeem(w, code, digits); {
			case name == "Status": // as in the other way a token is good for other groups, and its credential is denied
				k := &lab.Wallet{Browser: w.NewBrowser(), Key: lab.NewWalletKey(t), Token: lab.Granted(t, p, tokens)}
				p, body := k.Post(lab.CredentialPath, lab.CredentialRequest(k.KeyProof(k.Nonce())))
				refusedCredential(t, p, body, http.StatusBadRequest, "credential_request_denied")
			case p.StatusCode == http.StatusOK:
				t.Errorf("tokens %v", tokens)
			}
			if _, digits := waiting.press(); digits != "" && name != "Revoked" && name != "Removed" { // which end what was, and no more
				t.Error("a wallet is allowed what nobody can have")
			}
		})
	}
}

// TestOffersAreBounded holds that a user cannot have any number of rows written.
func TestOffersAreBounded(t *testing.T) {
	t.Parallel()
	w := anyWallets(t)
	alice := w.Alice()
	add := alice.Get("/vci/add/military")
	for range 30 {
		if p := alice.Submit(add); p.StatusCode == http.StatusTooManyRequests {
			if p.Header.Get("Retry-After") == "" || drawnOffer.MatchString(p.Text) && strings.Contains(p.Text, "one-time code works") {
				t.Errorf("%v\n%s", p.Header, p.Text)
			}
			return
		}
	}
	t.Error("30 offers at once")
}

// TestAnyWalletIsNoneAtFirst holds what a provider has where the host names no such client, or one that may not.
func TestAnyWalletIsNoneAtFirst(t *testing.T) {
	t.Parallel()
	t.Run("Off", func(t *testing.T) {
		w := lab.NewWallets(t)
		b := w.Alice()
		_, metadata := b.JSON(b.Get(lab.DiscoveryPath))
		if grants, _ := metadata["grant_types_supported"].([]any); slices.Contains(grants, any(grantPreAuthorized)) || metadata["pre-authorized_grant_anonymous_access_supported"] != nil {
			t.Errorf("metadata %v", metadata)
		}
		unredeemed(t, w, "code", "123456", "unsupported_grant_type")
		for _, path := range []string{addByCode, "/vci/offers/" + strings.Repeat("a", 43)} {
			if p := b.Get(path); p.StatusCode != http.StatusNotFound {
				t.Errorf("%s: %s", path, p.Status)
			}
		}
		if p := b.Get("/vci/add/military"); strings.Contains(p.Text, `method="post"`) || !strings.Contains(p.Text, "Not every wallet app is accepted") {
			t.Error(p.Text)
		}
	})
	for name, change := range map[string]func(*provider.Client){
		"Unregistered": func(c *provider.Client) { c.ID = "another" },
		"Disabled":     func(c *provider.Client) { c.Disabled = true },
		"OtherScope":   func(c *provider.Client) { c.Scopes = []string{"openid"} },
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.NewWallets(t, func(c *credential.Config) { c.AnyWallet = "any" })
			c := anyWallet()
			change(&c)
			w.OK(w.Clients().Save(t.Context(), c))
			alice := w.Alice()
			if p := alice.Get("/vci/add/military"); strings.Contains(p.Text, `method="post"`) || !strings.Contains(w.Log.String(), "Config.AnyWallet") {
				t.Errorf("%s\n%s", p.Text, w.Log.String())
			}
			_, fields := alice.Get("/account/language").Form(t)
			if p := alice.Post(addByCode, fields); p.StatusCode != http.StatusNotFound {
				t.Errorf("%s", p.Status)
			}
			if n := w.Count("device_codes"); n != 0 {
				t.Errorf("%d offers", n)
			}
		})
	}
	w := lab.New(t).WithClients()
	for name, change := range map[string]func(*provider.Client){
		"Confidential": func(c *provider.Client) { c.Public, c.Secret = false, lab.ClientSecret },
		"OtherDialect": func(c *provider.Client) { c.Dialect = provider.V3 },
	} {
		c := anyWallet()
		change(&c)
		if err := w.Clients().Save(t.Context(), c); err == nil {
			t.Errorf("%s: registered", name)
		}
	}
}

// TestWalletsAreInTheLog holds that who builds a wallet sees its requests.
func TestWalletsAreInTheLog(t *testing.T) {
	t.Parallel()
	w := lab.NewWallets(t)
	k := w.Of(w.Alice())
	seen := w.WatchActivity()
	_, notification := k.Issued()
	k.Post(lab.CredentialPath, lab.CredentialRequest(""))
	k.Post(lab.NotificationPath, map[string]any{"notification_id": notification, "event": "credential_accepted"})
	k.Post(lab.NotificationPath, map[string]any{"notification_id": "x", "event": "credential_accepted"})
	w.RevokeAll()
	k.Post(lab.CredentialPath, nil)
	var got []string
	for _, a := range seen.All() {
		if a.Event == "wallet" {
			got = append(got, strings.TrimSpace(strings.Join([]string{a.ClientID, a.UserID, a.Outcome, a.Error}, " ")))
		}
	}
	want := []string{
		"std alice ok", "std alice error invalid_proof", "std alice ok", "std alice error invalid_notification_id", "std alice error invalid_token",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all, err := w.Store.(storage.Credentials).Credentials(t.Context(), storage.CredentialFilter{Subject: "alice"}); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}
