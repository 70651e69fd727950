package operations

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// personal is what the database of withUsers and a few more must not tell of anybody.
func personal(t *testing.T, p *provider.Provider) map[string]string {
	t.Helper()
	values := map[string]any{
		"fname": "Canary-Given", "lname": "canary-family", "birthdate": "1977-11-23",
		"previous_addresses": []map[string]string{{"street1": "77 Canary Street", "city": "Canaryville"}},
	}
	ctx := t.Context()
	testkit.Must(p.Accounts().Save(ctx, provider.Account{ID: "carl", Email: "Canary.Carl@Example.com"}))(t)
	testkit.Must(p.Accounts().Save(ctx, provider.Account{ID: "carl", Email: "Canary.Moved@Example.com"}))(t)
	testkit.Must(p.Accounts().Save(ctx, provider.Account{ID: "a-user-of-the-host", Email: "host@example.com"}))(t)
	for _, user := range []string{"carl", "a-user-of-the-host"} {
		testkit.OK(t, p.People().SetAttributes(ctx, user, values))
	}
	return map[string]string{
		"an attribute": "canary-given", "another": "canary-family", "a date of birth": "1977-11-23",
		"a street": "77 canary street", "a town": "canaryville",
		"an address": "canary.carl", "another address": "canary.moved",
	}
}

// checkCanaries reports what of these a place holds, in any letter case.
func checkCanaries(t *testing.T, place, content string, canaries map[string]string) {
	t.Helper()
	content = strings.ToLower(content)
	for name, canary := range canaries {
		if strings.Contains(content, canary) {
			t.Errorf("%s holds %s", place, name)
		}
	}
}

func TestPeopleAtRest(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	canaries := personal(t, w.Provider)
	canaries["alice's address"], canaries["her town"] = "alice@example.com", "fairfax"
	backup := filepath.Join(t.TempDir(), "backup.db")
	testkit.OK(t, w.Store.(*sqlite.Store).Backup(t.Context(), backup))
	files := []string{w.Path, w.Path + "-wal", backup}
	for _, file := range files {
		content := testkit.Must(os.ReadFile(file))(t)
		if len(content) == 0 {
			t.Fatalf("%s is empty", file)
		}
		checkCanaries(t, filepath.Base(file), string(content), canaries)
	}
}

func TestPeopleAtRestInPostgres(t *testing.T) {
	t.Parallel()
	url := pgtest.Shared(t).Schema(t)
	store := testkit.Must(postgres.Open(t.Context(), url))(t)
	p := testkit.Must(provider.New(t.Context(), provider.Config{BaseURL: "https://id.test", Secret: lab.Secret(t), Store: store}))(t)
	defer p.Close()
	canaries := personal(t, p)
	conn := testkit.Must(pgx.Connect(t.Context(), url))(t)
	defer conn.Close(t.Context())
	rows, _ := conn.Query(t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`)
	tables := testkit.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	found := 0
	for _, table := range tables {
		rows, _ := conn.Query(t.Context(), `SELECT t::text FROM `+pgx.Identifier{table}.Sanitize()+` t`)
		content := testkit.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
		found += len(content)
		checkCanaries(t, "table "+table, strings.Join(content, "\n"), canaries)
	}
	if found < 12 {
		t.Errorf("%d rows in %v: they are not all looked at", found, tables)
	}
}

// reopen returns the error of a provider on the same database.
func reopen(w *lab.Fixture, change ...func(*provider.Config)) error {
	w.T.Helper()
	store := testkit.Must(sqlite.Open(w.T.Context(), w.Path))(w.T)
	cfg := provider.Config{BaseURL: w.Server.URL, Secret: lab.Secret(w.T), Store: store}
	for _, c := range change {
		c(&cfg)
	}
	p, err := provider.New(w.T.Context(), cfg)
	if err == nil {
		return p.Close()
	}
	return errors.Join(err, store.Close())
}

func TestNewRefusesADatabase(t *testing.T) {
	t.Parallel()
	moved := func(c *provider.Config) { c.BaseURL = "https://elsewhere.test" }
	for name, tc := range map[string]struct {
		prepare func(w *lab.Fixture)
		change  func(*provider.Config)
		want    []string
	}{
		"OfAnotherSecret": {change: secrets(otherSecret()), want: []string{"Config.Secret", "nothing has been changed"}},
		"OfAnotherIssuer": {change: moved, want: []string{"Config.BaseURL", "https://elsewhere.test/oidc", "http://127.0.0.1:", "previous base URLs"}},
		"OfAnotherIssuerThanThatBefore": {change: func(c *provider.Config) {
			moved(c)
			c.PreviousBaseURLs = []string{"https://third.test"}
		}, want: []string{"previous base URLs"}},
		"WithoutItsDataKey": {prepare: func(w *lab.Fixture) { w.MustExec(`DELETE FROM installation`) },
			change: func(*provider.Config) {}, want: []string{"table installation"}},
		"WithADamagedDataKey": {prepare: func(w *lab.Fixture) { w.MustExec(`UPDATE installation SET data_keys = zeroblob(80)`) },
			change: func(*provider.Config) {}, want: []string{"Config.Secret"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t).WithUsers()
			if tc.prepare != nil {
				tc.prepare(w)
			}
			before, _ := w.Store.Installation(t.Context())
			keys, err := w.Store.Keys(t.Context())
			testkit.OK(t, err)
			err = reopen(w, tc.change)
			if err == nil {
				t.Fatal("it is taken")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("err = %v; want %q in it", err, want)
				}
			}
			after, _ := w.Store.Installation(t.Context())
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("installation (-before +after):\n%s", diff)
			}
			if now, err := w.Store.Keys(t.Context()); err != nil || len(now) != len(keys) {
				t.Errorf("signing keys %d, before %d; %v", len(now), len(keys), err)
			}
		})
	}
}

// TestNewRefusesAnotherRelyingPartyID: with another ID all passkeys would be useless.
func TestNewRefusesAnotherRelyingPartyID(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	at := func(base, rpID string, previous ...string) func(*provider.Config) {
		return func(c *provider.Config) {
			c.BaseURL, c.PreviousBaseURLs = base, []string{w.Server.URL, "http://localhost:1", "https://one.test", "https://two.test"}
			c.SignIn.Passkeys.RPID, c.SignIn.Passkeys.PreviousRPIDs = rpID, previous
		}
	}
	for _, step := range []struct {
		name     string
		change   func(*provider.Config)
		refused  bool
		recorded string
	}{
		{"an address has no passkeys", func(*provider.Config) {}, false, ""},
		{"a machine for development", at("http://localhost:1", ""), false, "localhost"},
		{"the first domain", at("https://one.test", ""), false, "one.test"},
		{"the same again", at("https://one.test", ""), false, "one.test"},
		{"a move that would lose them", at("https://two.test", ""), true, "one.test"},
		{"a move to development", at("http://localhost:1", ""), true, "one.test"},
		{"a move that keeps them", at("https://two.test", "one.test"), false, "one.test"},
		{"passkeys are off", func(c *provider.Config) {
			at("https://two.test", "")(c)
			c.SignIn.Passkeys.Off = true
		}, false, "one.test"},
		{"a move that gives up others", at("https://two.test", "", "three.test"), true, "one.test"},
		{"a move that gives them up", at("https://two.test", "", "one.test"), false, "two.test"},
		{"from then on", at("https://two.test", ""), false, "two.test"},
	} {
		err := reopen(w, step.change)
		if refused := err != nil; refused != step.refused || refused && !strings.Contains(err.Error(), "Config.SignIn.Passkeys.RPID") {
			t.Errorf("%s: %v", step.name, err)
		}
		if i, err := w.Store.Installation(t.Context()); err != nil || i.RPID != step.recorded {
			t.Errorf("%s: recorded is %q, %v", step.name, i.RPID, err)
		}
	}
}

func TestAProviderMoves(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	moved := func(c *provider.Config) {
		c.BaseURL, c.PreviousBaseURLs = "https://elsewhere.test", []string{"https://third.test", w.Server.URL}
	}
	testkit.OK(t, reopen(w, moved))
	testkit.OK(t, reopen(w, moved)) // again
	if err := reopen(w, func(c *provider.Config) { c.BaseURL = "https://elsewhere.test" }); err != nil {
		t.Error(err)
	}
	if err := reopen(w); err == nil {
		t.Error("the database is still one of the former issuer")
	}
}

func TestAPortOfDevelopmentChanges(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	if err := reopen(w, func(c *provider.Config) { c.BaseURL = "http://localhost:1" }); err != nil {
		t.Error(err)
	}
}

func TestManyProcessesMakeOneDataKey(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/identity.db"
	const n = 8
	providers, stores := make([]*provider.Provider, n), make([]storage.Store, n)
	for i := range stores { // the first makes the file
		store := testkit.Must(sqlite.Open(t.Context(), path))(t)
		stores[i] = store
	}
	var all sync.WaitGroup
	for i := range providers {
		all.Go(func() {
			p, err := provider.New(t.Context(), provider.Config{BaseURL: "https://id.test", Secret: lab.Secret(t), Store: stores[i]})
			if err != nil {
				t.Error(err)
				return
			}
			providers[i] = p
			t.Cleanup(func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			})
			_, err = p.Accounts().Save(t.Context(), provider.Account{ID: fmt.Sprint("user", i), Email: fmt.Sprintf("user%d@example.com", i)})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, p := range providers {
		for j := range providers {
			if p == nil {
				continue
			}
			// Found by its address, whoever has recorded it.
			id, err := p.Accounts().Save(t.Context(), provider.Account{Email: fmt.Sprintf("USER%d@example.com", j)})
			if err != nil || id != fmt.Sprint("user", j) {
				t.Errorf("provider %d finds user %d as %q, %v", i, j, id, err)
			}
		}
	}
}

// What is written into the database, and not by the provider, is not believed.
func TestRowsCannotBeExchanged(t *testing.T) {
	t.Parallel()
	for name, exchange := range map[string]func(w *lab.Fixture){
		"AttributesOfTwoPeople": func(w *lab.Fixture) {
			w.OK(w.People().SetAttributes(w.T.Context(), "bob", map[string]any{"fname": "Bob"}))
			w.MustExec(`UPDATE attributes SET sealed_value = (SELECT sealed_value FROM attributes WHERE subject = 'bob') WHERE subject = 'alice' AND handle = 'fname'`)
		},
		"AttributesOfOne": func(w *lab.Fixture) {
			w.MustExec(`UPDATE attributes SET sealed_value = (SELECT sealed_value FROM attributes WHERE subject = 'alice' AND handle = 'lname') WHERE subject = 'alice' AND handle = 'fname'`)
		},
		"AnAttributeInClear": func(w *lab.Fixture) {
			w.MustExec(`UPDATE attributes SET sealed_value = '"Mallory"' WHERE subject = 'alice' AND handle = 'fname'`)
		},
		"AddressesOfTwoPeople": func(w *lab.Fixture) {
			w.MustExec(`UPDATE accounts SET email = (SELECT email FROM accounts WHERE id = 'bob') WHERE id = 'alice'`)
		},
		"AnAddressInClear": func(w *lab.Fixture) {
			w.MustExec(`UPDATE accounts SET email = 'mallory@example.com' WHERE id = 'alice'`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t).WithClients().WithUsers()
			token := w.Alice().Allow("scope", "openid military", "response_type", "token").Get("access_token")
			exchange(w)
			w.Advance(2e9)
			b := w.NewBrowser()
			if p := b.Bearer(lab.AttributesPath, token); p.StatusCode != 500 || strings.Contains(p.Text, "Mallory") || strings.Contains(p.Text, "Bob") {
				t.Errorf("attributes: %s %s", p.Status, p.Text)
			}
		})
	}
	t.Run("KeysOfTwoAddresses", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		bob := testkit.Must(w.Store.Account(t.Context(), "bob"))(w.T)
		w.MustExec(`UPDATE accounts SET email_digest = 'x' WHERE id = 'bob'`)
		w.MustExec(`UPDATE accounts SET email_digest = ?1 WHERE id = 'alice'`, bob.EmailKey)
		// Whoever asks for a code for bob's address is not given alice's account.
		b := w.NewBrowser()
		before := w.Mails.Count()
		if p := b.Submit(b.Open("/reset"), "email", "bob@example.com"); p.StatusCode != 500 || w.Mails.Count() > before {
			t.Errorf("%s, %d mails", p.Status, w.Mails.Count()-before)
		}
	})
}
