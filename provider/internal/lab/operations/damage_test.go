package operations

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// One damaged row of any table is a matter of its owner: lists, a new process, the background work
// and everybody else go on, and the log tells of it once somebody meets it.
func TestOneDamagedRow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		damage string
		tells  string
	}{
		"Registration":       {`UPDATE clients SET registration = '{"name": 7}' WHERE id = 'v3'`, "client=v3"},
		"SecretOfAClient":    {`UPDATE clients SET registration = json_set(registration, '$.secrets[0].sealed', 'AAAA') WHERE id = 'v3'`, "v3"},
		"AddressOfAnAccount": {`UPDATE accounts SET email = 'AAAA' WHERE id = 'bob'`, "bob"},
		"AttributeOfAPerson": {`UPDATE attributes SET sealed_value = 'AAAA' WHERE subject = 'bob'`, "bob"},
		"App":                {`UPDATE totp SET sealed_secret = x'00' WHERE account_id = 'bob'`, "bob"},
		"RecoveryCodes":      {`UPDATE recovery_code_sets SET sealed_salt = x'00' WHERE account_id = 'bob'`, "bob"},
		"NameOfALink":        {`UPDATE links SET sealed_name = 'AAAA' WHERE account_id = 'bob'`, "bob"},
		"ScopesOfAConsent":   {`UPDATE consents SET scopes = '{' WHERE subject = 'bob'`, "consent"},
		"MethodsOfASession":  {`UPDATE sessions SET amr = '{' WHERE account_id = 'bob'`, "session"},
		"ScopesOfAGrant":     {`UPDATE grants SET scopes = '{' WHERE subject = 'bob'`, "token"},
		"SubgroupsOfAStatus": {`UPDATE statuses SET subgroups = '{' WHERE subject = 'bob'`, "subgroups"},
		"Picture":            {`UPDATE images SET bytes = x'00'`, "picture"},
		"LooksOfAPicture":    {`UPDATE images SET silhouette = x'00'`, "picture"},
		"MethodsOfAGrant":    {`UPDATE grants SET amr = '{' WHERE subject = 'bob'`, "token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sweeps := &lab.Sweeps{}
			w := lab.New(t, func(c *provider.Config) { sweeps.Store = c.Store; c.Store = sweeps }).WithClients().WithUsers()
			w.OK(w.People().SetAttributes(t.Context(), "bob", map[string]any{"fname": "Bob"}))
			w.AddLink("bob", "former", "Bob there")
			w.OK(w.People().SetStatus(t.Context(), "bob", provider.Status{Group: "student", Verified: true, Subgroups: []string{"University"}}))
			c := testkit.Must(w.Clients().Get(t.Context(), "v3"))(w.T)
			c.Logo = lab.Square(t, 0)
			w.OK(w.Clients().Save(t.Context(), c))
			bob, alice := w.Bob(), w.Alice()
			response := bob.Allow("client_id", "v3")
			app, _ := w.AddApp("bob")
			w.MustExec(tt.damage)
			w.Rooms().People.Refresh("bob")
			at := len(w.Log.String())

			clients := testkit.Must(w.Clients().List(t.Context(), "", 100))(w.T)
			accounts := testkit.Must(w.Accounts().List(t.Context(), "", 100))(w.T)
			if len(clients) < 2 || len(accounts) != 2 {
				t.Errorf("%d clients, %d accounts", len(clients), len(accounts))
			}
			w.Twin().Alice().Open(lab.AuthorizeURL("client_id", "v3"))
			alice.Attributes(t)
			w.Until(func() bool { return sweeps.N.Load() > 0 })

			for _, page := range []string{"/account", "/account/security", "/account/apps"} {
				bob.Open(page)
			}
			bob.Token("client_id", "v3", "code", response.Get("code"))
			if c, err := w.Clients().Get(t.Context(), "v3"); strings.Contains(name, "Picture") {
				w.OK(err)
				c.Name = "Another"
				w.OK(w.Clients().Save(t.Context(), c))
			}
			other := w.NewBrowser()
			if p := other.Attempt("bob@example.com", lab.BobPass); p.StatusCode < http.StatusBadRequest {
				p = other.Follow(p)
				if strings.Contains(p.Text, "code") {
					other.SubmitOnce(p, "code", app.Code())
				}
			}
			_, _ = w.People().Get(t.Context(), "bob")
			told := false
			for _, line := range w.Lines(at, tt.tells) {
				told = told || strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN")
			}
			if !told {
				t.Errorf("the log does not tell: %s", w.Log.String()[at:])
			}
		})
	}
}
