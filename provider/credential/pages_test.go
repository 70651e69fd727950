package credential_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v3"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/credential"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// pages is a provider with a service of two kinds, behind real HTTP; alice is in one of the groups.
type pages struct {
	*lab.Fixture
	*credential.Service
	alice *lab.Browser
}

func newPages(t *testing.T) *pages {
	t.Helper()
	kinds := credential.Kinds{{Group: "military"}, {Group: "student", Provenance: true}}
	w := lab.New(t, func(c *provider.Config) { c.Credentials = kinds }).WithClients().WithUsers()
	service, err := credential.New(t.Context(), credential.Config{Provider: w.Provider, Store: w.Store.(credential.Store), Kinds: kinds, Clock: w.Now})
	w.OK(err)
	mux := http.NewServeMux()
	mux.Handle("/vci/", service)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	w.OK(w.Clients().Save(t.Context(), provider.Client{
		ID: "wallet", Name: "River Wallet", Dialect: provider.Standard, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI},
	}))
	return &pages{w, service, w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)}
}

// issue has the wallet of a user get a credential, as often as said.
func (w *pages) issue(b *lab.Browser, times int) {
	w.T.Helper()
	token, _ := b.TokensOf("wallet", "scope", "credential:military")["access_token"].(string)
	ask := func(path, token string, body any) map[string]any {
		raw, err := json.Marshal(body)
		w.OK(err)
		r, err := http.NewRequestWithContext(w.T.Context(), http.MethodPost, b.Absolute(path), strings.NewReader(string(raw)))
		w.OK(err)
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		p, answer := b.JSON(b.Do(r))
		if p.StatusCode != http.StatusOK {
			w.T.Fatalf("%s: %s %s", path, p.Status, p.Text)
		}
		return answer
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: lab.ClientKeys()["ES256"].Private},
		(&jose.SignerOptions{EmbedJWK: true}).WithType("openid4vci-proof+jwt"))
	w.OK(err)
	for range times {
		proof := lab.SignedBy(w.T, signer, map[string]any{
			"aud": w.Rooms().Installation().Issuer, "iat": w.Now().Unix(), "nonce": ask("/vci/nonce", "", nil)["c_nonce"],
		})
		ask("/vci/credential", token, map[string]any{"credential_configuration_id": "military", "proofs": map[string]any{"jwt": []string{proof}}})
	}
}

// inForce are the IDs of the credentials of a user, the latest first.
func (w *pages) inForce(userID string) (ids []string) {
	w.T.Helper()
	all, err := w.InForce(w.T.Context(), userID)
	w.OK(err)
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

var offerLink = regexp.MustCompile(`href="(openid-credential-offer://[^"]+)"`)

func TestPages(t *testing.T) {
	t.Parallel()
	w := newPages(t)
	is := func(p lab.Page, status int, says ...string) {
		t.Helper()
		if p.StatusCode != status {
			t.Errorf("answered %s\n%s", p.Status, p.Text)
		}
		for _, sentence := range says {
			if !strings.Contains(p.Text, sentence) {
				t.Errorf("the page does not say %q:\n%s", sentence, p.Text)
			}
		}
	}
	t.Run("AccountLeadsThere", func(t *testing.T) {
		is(w.alice.Get("/account"), http.StatusOK, `href="/vci/"`)
		if p := lab.New(t).WithUsers().NewBrowser().SignIn("alice@example.com", lab.AlicePass).Get("/account"); strings.Contains(p.Text, "/vci/") {
			t.Error("an account leads to a wallet that nobody has switched on")
		}
	})
	t.Run("StrangersSignInFirst", func(t *testing.T) {
		for _, path := range []string{"/vci/", "/vci/add/military", "/vci/withdraw/x"} {
			if p := w.NewBrowser().Get(path); p.StatusCode != http.StatusSeeOther || !strings.Contains(p.Header.Get("Location"), "/signin") {
				t.Errorf("%s is answered %s %q", path, p.Status, p.Header.Get("Location"))
			}
		}
	})
	t.Run("OfferWhatIsVerified", func(t *testing.T) {
		p := w.alice.Get("/vci/add/military")
		is(p, http.StatusOK, `class="symbol"`, "What others see when you show it")
		link := offerLink.FindStringSubmatch(p.Text)
		if link == nil {
			t.Fatalf("no link for a wallet:\n%s", p.Text)
		}
		offer, err := url.Parse(strings.ReplaceAll(link[1], "&amp;", "&"))
		w.OK(err)
		at, err := url.Parse(offer.Query().Get("credential_offer_uri"))
		w.OK(err)
		is(w.NewBrowser().Get(at.Path), http.StatusOK, `"credential_configuration_ids":["military"]`)
	})
	t.Run("OfferNothingElse", func(t *testing.T) {
		for path, says := range map[string]string{"/vci/add/student": "You’re not verified in this group yet."} {
			p := w.alice.Get(path)
			is(p, http.StatusOK, says, `href="/account/groups"`)
			if strings.Contains(p.Text, `class="symbol"`) || offerLink.MatchString(p.Text) {
				t.Errorf("%s offers what is not verified", path)
			}
		}
		is(w.alice.Get("/vci/add/teacher"), http.StatusNotFound)
	})
	t.Run("SayWhereSomebodyStands", func(t *testing.T) {
		for _, test := range []struct {
			status provider.Status
			says   string
		}{
			{provider.Status{Group: "student", Verified: true, ExpiresAt: w.Now().Add(23 * time.Hour)}, "Your status ends within a day."},
			{provider.Status{Group: "student", Verified: true, ExpiresAt: w.Now().Add(-time.Hour)}, "Your status has expired."},
			{provider.Status{Group: "student", Pending: true}, "Your verification is in progress."},
			{provider.Status{Group: "student", Verified: true, ExpiresAt: w.Now().Add(90 * 24 * time.Hour)}, "how you were verified, and who vouched for it"},
		} {
			w.OK(w.People().SetStatus(t.Context(), "bob", test.status))
			bob := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
			is(bob.Get("/vci/add/student"), http.StatusOK, test.says)
			is(bob.Get("/vci/"), http.StatusOK, "Student")
		}
	})
	t.Run("HaveNoOtherForms", func(t *testing.T) {
		for _, path := range []string{"/vci/", "/vci/add/military"} {
			form := w.alice.Get("/account/language")
			_, fields := form.Form(t)
			is(w.alice.Post(path, fields), http.StatusMethodNotAllowed)
		}
	})
}

func TestWithdrawal(t *testing.T) {
	t.Parallel()
	w := newPages(t)
	w.issue(w.alice, 2)
	ids := w.inForce("alice")
	if len(ids) != 2 {
		t.Fatalf("%d credentials in force", len(ids))
	}
	path := "/vci/withdraw/" + ids[0]
	t.Run("IsOfOnesOwn", func(t *testing.T) {
		bob := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		_, fields := bob.Get("/account/language").Form(t)
		for _, p := range []lab.Page{bob.Get(path), bob.Post(path, fields), w.alice.Get("/vci/withdraw/nothing")} {
			if p.StatusCode != http.StatusNotFound {
				t.Errorf("answered %s\n%s", p.Status, p.Text)
			}
		}
	})
	t.Run("TakesTheFormOfThisBrowser", func(t *testing.T) {
		if p := w.alice.Post(path, url.Values{}); p.StatusCode != http.StatusForbidden {
			t.Errorf("answered %s", p.Status)
		}
	})
	t.Run("AsksFirst", func(t *testing.T) {
		p := w.alice.Get(path)
		if !strings.Contains(p.Text, "Withdraw this proof?") || !strings.Contains(p.Text, "River Wallet") {
			t.Errorf("%s\n%s", p.Status, p.Text)
		}
		if got := w.inForce("alice"); len(got) != 2 {
			t.Errorf("looking has ended %d", 2-len(got))
		}
	})
	t.Run("EndsThatOne", func(t *testing.T) {
		p := w.alice.Follow(w.alice.Submit(w.alice.Get(path)))
		if !strings.Contains(p.Text, "The proof is withdrawn.") || !strings.Contains(p.Text, "You withdrew it.") {
			t.Errorf("%s\n%s", p.Status, p.Text)
		}
		if got := w.inForce("alice"); len(got) != 1 || got[0] != ids[1] {
			t.Errorf("in force are %v of %v", got, ids)
		}
		found, err := w.Store.(storage.Credentials).Credentials(t.Context(), storage.CredentialFilter{ID: ids[0]})
		w.OK(err)
		if len(found) != 1 || found[0].End != storage.EndedByOwner {
			t.Errorf("recorded is %+v", found)
		}
	})
	t.Run("IsDoneOnce", func(t *testing.T) {
		if p := w.alice.Get(path); p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != "/vci/" {
			t.Errorf("answered %s %q", p.Status, p.Header.Get("Location"))
		}
	})
}
