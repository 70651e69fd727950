package main

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage"
)

const standing = `{"listen": "127.0.0.1:0", "base_url": "http://localhost:8080", "sandbox": {}, "developer": {"operators": ["ada@example.com"]},
	"sample_client": {"listen": "127.0.0.1:0", "base_url": "http://localhost:8081"},
	"clients": [{"client_id": "shop", "dialect": "v3", "redirect_uris": ["https://shop.test/"], "client_secret": "f3b1c9d07a5e42868c1fd0e9b7a3625448de9170"},
		{"client_id": "game", "dialect": "v3", "redirect_uris": ["https://game.test/"], "scopes": ["login", "student"], "policy_uri": "https://game.test/a"}],
	"users": [{"uuid": "ada", "email": "ada@example.com", "password": "quiet-otter-paints-dawn"},
		{"uuid": "bob", "email": "bob@example.com", "password": "amber-kettle-hums-west", "attributes": {"fname": "Bob", "lname": "Doe"},
			"status": [{"group": "student", "verified": true}, {"group": "teacher", "verified": true}]},
		{"uuid": "eve", "email": "eve@example.com"},
		{"email": "cleo@example.com"}]}`

// decisions are what staff and people decide after a start, each with what is recorded of it.
var decisions = map[string]struct {
	decide func(ctx context.Context, p opened) error
	is     func(ctx context.Context, p opened) (any, error)
}{
	"client shop disabled": { // the file does not say so: it is no difference
		func(ctx context.Context, p opened) error { return p.Clients().SetDisabled(ctx, "shop", true, 0) },
		func(ctx context.Context, p opened) (any, error) {
			c, err := p.Rooms().Clients.Listed(ctx, "shop")
			return c.Disabled, err
		},
	},
	"client shop client_secret": {
		func(ctx context.Context, p opened) error {
			_, err := p.Clients().RotateSecret(ctx, "shop", 0, 0)
			return err
		},
		func(ctx context.Context, p opened) (any, error) { return p.Clients().Secret(ctx, "shop") },
	},
	"client game scopes": {
		func(ctx context.Context, p opened) error {
			c, err := p.Rooms().Clients.Listed(ctx, "game")
			if err == nil {
				_, err = p.Rooms().Clients.TakeScopes(ctx, "game", []string{"student"}, c.Revision)
			}
			return err
		},
		func(ctx context.Context, p opened) (any, error) {
			c, err := p.Rooms().Clients.Listed(ctx, "game")
			return c.Scopes, err
		},
	},
	"user ada email": {
		func(ctx context.Context, p opened) error {
			_, err := p.Accounts().Save(ctx, provider.Account{ID: "ada", Email: "ada@elsewhere.example", EmailVerified: true})
			if err == nil {
				_, err = p.Accounts().Save(ctx, provider.Account{ID: "another", Email: "ada@example.com"})
			}
			return err
		},
		func(ctx context.Context, p opened) (any, error) {
			a, err := p.Accounts().Get(ctx, "ada")
			return a.Email, err
		},
	},
	"user bob password": {
		func(ctx context.Context, p opened) error {
			_, err := p.Accounts().Save(ctx, provider.Account{ID: "bob", Email: "bob@example.com", EmailVerified: true, Password: "loud-heron-draws-dusk"})
			return err
		},
		func(ctx context.Context, p opened) (any, error) {
			a, err := p.Accounts().Get(ctx, "bob")
			return a.PasswordChangedAt, err
		},
	},
	"user bob attributes.fname": {
		func(ctx context.Context, p opened) error {
			return p.People().SetAttributes(ctx, "bob", map[string]any{"fname": "Robert"})
		},
		func(ctx context.Context, p opened) (any, error) { return p.Rooms().People.Value(ctx, "bob", "fname") },
	},
	"user bob status.student": {
		func(ctx context.Context, p opened) error {
			return p.People().SetStatus(ctx, "bob", provider.Status{Group: "student", Reason: "altered"})
		},
		func(ctx context.Context, p opened) (any, error) { return p.People().Statuses(ctx, "bob", "student") },
	},
	"user eve": {
		func(ctx context.Context, p opened) error { return p.Accounts().Delete(ctx, "eve") },
		func(ctx context.Context, p opened) (any, error) {
			_, err := p.Accounts().Get(ctx, "eve")
			return errors.Is(err, provider.ErrNoUser), nil
		},
	},
	"user without a uuid email": { // the digest of the address is cut out
		func(ctx context.Context, p opened) error {
			a, err := p.Accounts().GetByEmail(ctx, "cleo@example.com")
			if err == nil {
				_, err = p.Accounts().Save(ctx, provider.Account{ID: a.ID, Email: "cleo@elsewhere.example", EmailVerified: true})
			}
			return err
		},
		func(ctx context.Context, p opened) (any, error) {
			_, err := p.Accounts().GetByEmail(ctx, "cleo@example.com")
			return errors.Is(err, provider.ErrNoUser), nil
		},
	},
}

// What people and staff have decided since outlives a start from the same file, also from one in which
// something else has changed. -diff names it, and -apply undoes it.
func TestDecisionsOutliveAStart(t *testing.T) {
	o := operated{t: t, folder: t.TempDir()}
	is := o.decide()
	changed := strings.NewReplacer("https://game.test/a", "https://game.test/b", `"lname": "Doe"`, `"lname": "Roe"`).Replace(standing)
	for _, text := range []string{standing, changed, changed} {
		o.write(text)
		o.stand(o.start(), is)
	}
	s, ctx := o.start(), t.Context()
	game, err := s.providers[0].Clients().Get(ctx, "game")
	if err != nil || game.PolicyURL != "https://game.test/b" {
		t.Errorf("what has changed in the file is not applied: %+v, %v", game, err)
	}
	done := map[string]int{}
	events, err := s.providers[0].Events().List(ctx, provider.EventFilter{Actor: "command:the_config_file"})
	for _, e := range events {
		done[e.Name]++
	}
	want := map[string]int{
		event.AccountCreated: 4, event.ClientCreated: 4, event.AttributesChanged: 2, event.StatusChanged: 2, event.ClientChanged: 1,
	}
	if diff := cmp.Diff(want, done); diff != "" || err != nil {
		t.Errorf("the file has done (-want +got), %v:\n%s", err, diff)
	}
	ok(t, s.stop())
	delete(is, "client shop disabled")
	told := o.differences()
	for name := range is {
		if !told[name] {
			t.Errorf("-diff does not name %s", name)
		}
	}
	if len(told) != len(is) {
		t.Errorf("-diff names %v", told)
	}
	if _, err := o.command("-apply"); err == nil {
		t.Error("the address of somebody else is applied")
	}
	if got := o.differences(); len(got) != 1 || !got["user ada email"] {
		t.Errorf("after -apply, there is %v", got)
	}
	// Who was deleted is made again by that alone, and the file stands where it can.
	s = o.start()
	for id, email := range map[string]string{"ada": "ada@elsewhere.example", "another": "ada@example.com", "eve": "eve@example.com"} {
		if a, err := s.providers[0].Accounts().Get(ctx, id); err != nil || a.Email != email {
			t.Errorf("%s: %+v, %v", id, a, err)
		}
	}
}

// An application that was stopped gets nothing from one more process either.
func TestAnotherProcessStartsNoApplication(t *testing.T) {
	o := operate(t)
	s := o.start()
	token := o.token()
	if !o.accepts(token) {
		t.Fatal("the token is not good to begin with")
	}
	ok(t, s.providers[0].Clients().SetDisabled(t.Context(), "app", true, 0))
	for range 2 {
		if o.accepts(token) {
			t.Error("an application that was stopped reads data")
		}
		ok(t, s.stop())
		s = o.start()
	}
}

// One that cannot be made keeps no other from it, whatever IDs they have, and is made once it can be.
func TestOneThatCannotBeMadeIsMadeLater(t *testing.T) {
	o := operated{t: t, folder: t.TempDir()}
	s, ctx := startService(t, o.folder, `{"listen": "127.0.0.1:0"}`), t.Context()
	id, err := s.providers[0].Accounts().Save(ctx, provider.Account{Email: "bob@example.com"})
	ok(t, errors.Join(err, s.stop()))
	o.write(`{"listen": "127.0.0.1:0", "users": [{"uuid": "bob", "email": "bob@example.com"}, {"uuid": "eve", "email": "eve@example.com"}],
		"clients": [{"client_id": "eve", "dialect": "v3", "redirect_uris": ["https://eve.test/"]}]}`)
	for _, isFree := range []bool{false, true} {
		s = o.start()
		accounts := s.providers[0].Accounts()
		_, bob := accounts.Get(ctx, "bob")
		_, eve := accounts.Get(ctx, "eve")
		_, client := s.providers[0].Clients().Get(ctx, "eve")
		if (bob == nil) != isFree || eve != nil || client != nil {
			t.Errorf("the address is free: %t; %v, %v, %v", isFree, bob, eve, client)
		}
		if isFree { // what was applied of one is remembered, or a start would set the password again
			u := declaredUser{user: user{Account: provider.Account{ID: "ida", Email: "ida@example.com", Password: staffPassword}, Attributes: map[string]any{"none": 1}}}
			d := declaration{opened: s.providers[0]}
			_, failed := d.apply(ctx, u, 9)
			if m, _, err := d.recall(ctx, u.name(d.opened)); failed == nil || err != nil || len(m.Keys) != 2 || m.Keys["password"][0] == "" {
				t.Errorf("%v; remembered is %v, %v", failed, m, err)
			}
		}
		ok(t, errors.Join(accounts.Delete(ctx, id), s.stop()))
	}
}

// So does it in the database of an earlier program, which remembered nothing but the IDs of users.
func TestDecisionsOutliveAnUpgrade(t *testing.T) {
	o := operated{t: t, folder: t.TempDir()}
	is := o.decide()
	delete(is, "user without a uuid email") // nothing tells that it is the same one
	db, err := sql.Open("sqlite3", "file:"+o.path("data/identity.db"))
	ok(t, err)
	_, err = db.ExecContext(t.Context(), `DELETE FROM attributes WHERE subject LIKE 'the config file: %' OR handle = 'adopted'`)
	ok(t, errors.Join(err, db.Close()))
	for range 2 {
		o.stand(o.start(), is)
	}
	if told := o.differences(); len(told) != 1 || !told["user eve"] {
		t.Errorf("-diff names %v", told)
	}
}

// A first start that is killed at any moment is carried on by the next, with its demonstration: whole, and
// without an error. What people and staff do to that stays.
func TestFirstStartThatIsKilled(t *testing.T) {
	o := operated{t: t, folder: t.TempDir()}
	o.write(strings.Replace(ownQuickstart(t), `"desk":{`, `"desk":{"demo":true,`, 1))
	for remembered := 0; remembered <= 20; { // of 26
		p := program(t, "-config", o.path("service.json"))
		ok(t, p.Start())
		for more := remembered + 3; remembered < more && t.Context().Err() == nil; {
			time.Sleep(5 * time.Millisecond) // leaves the processor to whom it waits for
			remembered = o.remembered()
		}
		ok(t, p.Process.Kill())
		_ = p.Wait() // killed
	}
	s := o.startQuietly()
	p, ctx := s.providers[0], t.Context()
	for i, u := range s.cfg.Users {
		person, err := p.People().Get(ctx, u.ID)
		if err != nil || len(person.Attributes) != len(u.Attributes) || len(person.Statuses) != len(u.Status) {
			t.Errorf("users[%d]: %+v, %v", i, person, err)
		}
	}
	marks, err := p.store.Person(ctx, demoSubject)
	if err != nil || len(marks.Attributes) != 14 {
		t.Errorf("of the demonstration there are %v, %v", marks.Attributes, err)
	}
	records := p.store.(storage.Organizations)
	apps, err := p.store.(storage.Developers).Applications(ctx, storage.ApplicationFilter{OrganizationID: sampleOrganization})
	if err != nil || len(apps) != 4 {
		t.Errorf("the sample has %d applications, %v", len(apps), err)
	}
	err = errors.Join(
		records.StopOrganization(ctx, sampleOrganization, storage.Stop{At: time.Now(), Reason: "deceptive", By: "otto"}),
		p.Accounts().Delete(ctx, "lena"), p.Accounts().Delete(ctx, s.cfg.Users[0].ID), p.Accounts().SetDisabled(ctx, "pia", false), s.stop())
	ok(t, err)
	p = o.startQuietly().providers[0]
	if _, err := p.Accounts().Get(ctx, "lena"); !errors.Is(err, provider.ErrNoUser) {
		t.Errorf("who was deleted is made again: %v", err)
	}
	if pia, err := p.Accounts().Get(ctx, "pia"); err != nil || pia.Disabled {
		t.Errorf("who was unlocked is %+v, %v", pia, err)
	}
}

// demonstrated is a folder in which the demonstration has been, at ports of its own.
func demonstrated(t *testing.T) (operated, *running) {
	t.Helper()
	o := operated{t: t, folder: t.TempDir()}
	text := strings.Replace(ownQuickstart(t), `"desk":{`, `"desk":{"demo":true,`, 1)
	for strings.Contains(text, `"127.0.0.1:0"`) {
		text = strings.Replace(text, `"127.0.0.1:0"`, strconv.Quote(providertest.FreeAddress(t)), 1)
	}
	o.write(text)
	s := o.startQuietly()
	ok(t, s.stop())
	return o, s
}

// TestABackupOpensOnAnotherMachine restores a backup as docs/operate.md has it, with the evidence, without
// it, and with another value in the place of its key.
func TestABackupOpensOnAnotherMachine(t *testing.T) {
	o, _ := demonstrated(t)
	o.must("-backup", o.path("backup"))
	for name, c := range map[string]struct {
		damage func(operated) error
		opens  bool
	}{
		"Whole":           {func(operated) error { return nil }, true},
		"WithoutEvidence": {func(r operated) error { return os.RemoveAll(r.path("data/evidence")) }, false},
		"WithWrongKeys": {func(r operated) error {
			r.exec("data/identity.db", `UPDATE evidence SET sealed_key = (SELECT content FROM cases WHERE content IS NOT NULL LIMIT 1) WHERE sealed_key IS NOT NULL`)
			return nil
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := operated{t: t, folder: t.TempDir()}
			r.write(o.content("service.json"))
			err := errors.Join(os.CopyFS(r.path("data"), os.DirFS(o.path("backup"))), os.CopyFS(r.path("data/evidence"), os.DirFS(o.path("data/evidence"))),
				os.Chmod(r.path("data/evidence"), 0o700))
			for _, secret := range []string{"data/secret", "data/sandbox/secret"} {
				err = errors.Join(err, os.WriteFile(r.path(secret), []byte(o.content(secret)), 0o600))
			}
			ok(t, errors.Join(err, c.damage(r)))
			cfg := must(loadConfig(r.path("service.json")))(t)
			var said output
			s := must(open(t.Context(), cfg, io.Discard, slog.New(slog.NewTextHandler(&said, nil))))(t)
			defer func() { _ = s.close() }()
			cases := s.providers[0].cases
			by := storage.Reviewer{ID: "somebody", Subject: "somebody", Senior: true}
			opened := 0
			for range 9 { // until there is no other with a file
				taken := must(cases.Take(t.Context(), by, "", time.Now().Add(time.Hour)))(t)
				files, err := cases.Evidence(t.Context(), taken.ID)
				if err != nil && c.opens {
					t.Fatal(err)
				}
				for _, f := range files {
					_, content, err := cases.OpenEvidence(t.Context(), by, taken.ID, f.ID)
					if err == nil {
						_, err = io.Copy(io.Discard, content)
						_ = content.Close()
					}
					if (err == nil) != c.opens {
						t.Errorf("evidence opens: %v", err)
					}
					opened++
				}
			}
			if opened == 0 {
				t.Error("there is no evidence")
			}
		})
	}
}

// TestRotationAndEndThatAreKilled kills a service while it encrypts everything under the next data
// key, and a command and a service while they end what was issued before a moment.
func TestRotationAndEndThatAreKilled(t *testing.T) {
	o, s := demonstrated(t)
	const database, upTo = "data/identity.db", ` FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n)`
	o.exec(database, `INSERT INTO attributes (subject, handle, sealed_value) SELECT 'p' || i, 'fname', (SELECT sealed_value FROM attributes WHERE sealed_value LIKE '"sealed%' LIMIT 1)`+upTo)
	o.exec(database, `INSERT INTO sessions (digest, account_id, user_agent, address, created_at, expires_at, idle_until)
		SELECT randomblob(32), (SELECT id FROM accounts LIMIT 1), '', '', i, 4000000000000000, 4000000000000000`+upTo)
	o.must("-rotate-data-key")
	killedAt := func(count func() int, limits []int, args ...string) {
		for _, limit := range limits {
			p := program(t, append([]string{"-config", o.path("service.json")}, args...)...)
			ok(t, p.Start())
			for deadline := time.Now().Add(2 * time.Minute); count() > limit; {
				if time.Now().After(deadline) {
					t.Fatalf("%d are left", count())
				}
				time.Sleep(10 * time.Millisecond) // as above
			}
			ok(t, p.Process.Kill())
			_ = p.Wait() // killed
		}
	}
	sealed := o.columns(database)
	killedAt(func() int { return o.number(database, sealed) }, []int{4900, 2500, 0})
	sessions := func() int { return o.number(database, `SELECT count(*) FROM sessions`) }
	killedAt(sessions, []int{4000}, "-revoke-before", time.Now().UTC().Format(time.RFC3339))
	killedAt(sessions, []int{2000, 0})
	p := o.startQuietly().providers[0]
	for i, u := range s.cfg.Users {
		if person, err := p.People().Get(t.Context(), u.ID); err != nil || len(person.Attributes) != len(u.Attributes) {
			t.Errorf("users[%d]: %+v, %v", i, person, err)
		}
	}
}

// columns is a query for how many values there are anywhere under the first data key.
func (o operated) columns(database string) string {
	o.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+o.path(database)+"?mode=ro")
	ok(o.t, err)
	defer db.Close()
	var query string
	err = db.QueryRowContext(o.t.Context(), `SELECT 'SELECT ' || group_concat('(SELECT count(*) FROM ' || t.name || ' WHERE CAST(' || c.name || ' AS TEXT) GLOB ''*sealed2:1:*'')', ' + ')
		FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'`).Scan(&query)
	ok(o.t, err)
	return query
}

// number is the result of a query on a database that others write to.
func (o operated) number(database, query string) (n int) {
	o.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+o.path(database)+"?mode=ro")
	ok(o.t, err)
	defer db.Close()
	ok(o.t, db.QueryRowContext(o.t.Context(), query).Scan(&n))
	return n
}

// remembered is how much of its file a service has noted as done.
func (o operated) remembered() (n int) {
	db, err := sql.Open("sqlite3", "file:"+o.path("data/identity.db")+"?mode=ro")
	if err == nil {
		_ = db.QueryRowContext(o.t.Context(), `SELECT count(*) FROM attributes WHERE subject LIKE 'the %'`).Scan(&n) // it may be in the making
		_ = db.Close()
	}
	return n
}

// startQuietly is start, without an error in the log.
func (o operated) startQuietly() *running {
	o.t.Helper()
	cfg, err := loadConfig(o.path("service.json"))
	ok(o.t, err)
	var said output
	s, err := open(o.t.Context(), cfg, io.Discard, slog.New(slog.NewTextHandler(&said, nil)))
	ok(o.t, err)
	if strings.Contains(said.String(), "level=ERROR") {
		o.t.Errorf("the log says %s", &said)
	}
	return &running{service: s, stop: s.close}
}

// decide starts a service, has everything decided, and returns what is recorded.
func (o operated) decide() map[string]any {
	o.t.Helper()
	o.write(standing)
	s, ctx := o.start(), o.t.Context()
	is := map[string]any{}
	for name, d := range decisions {
		err := d.decide(ctx, s.providers[0])
		if err == nil {
			is[name], err = d.is(ctx, s.providers[0])
		}
		if err != nil {
			o.t.Fatalf("%s: %v", name, err)
		}
	}
	o.stand(s, is)
	return is
}

// stand stops a service that was started, where everything decided has to be as it was.
func (o operated) stand(s *running, is map[string]any) {
	o.t.Helper()
	for name := range is {
		now, err := decisions[name].is(o.t.Context(), s.providers[0])
		if diff := cmp.Diff(is[name], now); diff != "" || err != nil {
			o.t.Errorf("%s (-decided +now), %v:\n%s", name, err, diff)
		}
	}
	ok(o.t, s.stop())
}

// differences are what -diff says of production.
func (o operated) differences() map[string]bool {
	o.t.Helper()
	names := map[string]bool{}
	for line := range strings.Lines(o.must("-diff")) {
		name := strings.TrimPrefix(strings.TrimSpace(line), o.path("data")+": ")
		if words := strings.Fields(name); strings.HasPrefix(name, "user without a uuid ") {
			name = strings.Join(append(words[:4:4], words[5:]...), " ")
		}
		names[name] = true
	}
	return names
}

func (o operated) write(text string) {
	o.t.Helper()
	ok(o.t, os.WriteFile(o.path("service.json"), []byte(text), 0o600))
}
