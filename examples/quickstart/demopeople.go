package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// settlers are the people and applications with whom the desk of the quickstart has something to
// do. Nobody signs in as them: nobody has a password of theirs.
type settlers struct {
	opened
	matters storage.Matters
	records storage.Developers
	now     time.Time

	base     string       // the base URL
	pages    http.Handler // all pages below it
	operator user         // the last of the file
}

// demoSubject is where the database keeps which steps were taken, as attributes of a subject that no user
// can be: whom they make are people like others, who may be deleted. demoMade stands for all, demoBegun
// for the first start that takes them.
const demoSubject, demoMade, demoBegun = "the demonstration", "made", "begun"

// once takes a step of the demonstration, unless it was taken. What somebody has deleted or suspended
// meanwhile, and what this service does not offer, is left out.
func once(ctx context.Context, p opened, step string, do func(context.Context) error) error {
	marks, err := p.store.Person(ctx, demoSubject)
	if err != nil || marks.Attributes[step] != nil {
		return err
	}
	err = do(ctx)
	for _, leftOut := range []error{nil, errNotOffered, provider.ErrNoUser, storage.ErrNotFound, storage.ErrOrganizationStopped} {
		if errors.Is(err, leftOut) {
			return mark(ctx, p.store, demoSubject, step, true)
		}
	}
	return fmt.Errorf("%s: %w", step, err)
}

// unlessThere is the error of making what may be there from a step that was interrupted.
func unlessThere(err error) error {
	if errors.Is(err, storage.ErrConflict) || errors.Is(err, storage.ErrChanged) {
		return nil
	}
	return err
}

// demonstrates reports whether there are people, applications and codes to look at.
func (c *config) demonstrates() bool {
	return c.demo || c.Desk != nil && c.Desk.Demo && !c.deskOnly()
}

// demonstrate makes them at the first start, by a service of its own whose mails reach nobody: nobody
// knows yet whom they are about.
func (s *service) demonstrate(ctx context.Context, production opened, pages http.Handler) error {
	if !s.cfg.demonstrates() || s.rehearsing {
		return nil
	}
	if s.demonstrating {
		return settle(ctx, production, &s.cfg.environment, pages)
	}
	marks, err := production.store.Person(ctx, demoSubject)
	if err != nil || marks.Attributes[demoMade] != nil {
		return err
	}
	silent := &service{cfg: s.cfg, log: s.log, demonstrating: true}
	silent.cfg.SMTP = nil
	return errors.Join(silent.build(ctx, servers{main: &http.Server{}, sample: &http.Server{}}, io.Discard), silent.close()) //nolint:gosec // they never serve
}

// settle makes them at the first start; one that was interrupted is carried on. What the staff does to
// them stays.
func settle(ctx context.Context, p opened, e *environment, pages http.Handler) error {
	lock, err := lockFolder(ctx, e.Data)
	if err != nil {
		return err
	}
	defer lock.Close()
	marks, err := p.store.Person(ctx, demoSubject)
	if err != nil || marks.Attributes[demoMade] != nil {
		return err
	}
	if marks.Attributes[demoBegun] == nil {
		made := demoMade // by an earlier program
		if _, err := p.Accounts().Get(ctx, "lena"); errors.Is(err, provider.ErrNoUser) {
			made = demoBegun
		}
		if err := mark(ctx, p.store, demoSubject, made, true); err != nil || made == demoMade {
			return err
		}
	}
	matters, ok1 := p.store.(storage.Matters)
	records, ok2 := p.store.(storage.Developers)
	if !ok1 || !ok2 {
		return errors.New("this database has no place for them")
	}
	s := settlers{opened: p, matters: matters, records: records, now: time.Now(), base: e.BaseURL, pages: pages, operator: e.lastOperator()}
	for _, step := range []struct {
		name string
		take func(context.Context) error
	}{
		{"people", s.people}, {"secure", s.secure}, {"apply", s.apply}, {"applications", s.applications}, {"lock", s.lock},
		{"lock alone", s.lockAlone}, {"uses", s.uses}, {"strangers", s.strangers}, {"propose", s.propose}, {"leave", s.leave},
	} {
		if err := once(ctx, p, step.name, step.take); err != nil {
			return err
		}
	}
	return nil
}

func (s settlers) people(ctx context.Context) error {
	for _, u := range []struct{ id, email, first, last, phone string }{
		{"lena", "lena@example.com", "Lena", "Fischer", "+49 30 5550142"},
		{"pia", "pia@example.com", "Pia", "Rossi", "+39 06 5550 1177"},
		{"mika", "mika@example.com", "Mika", "Virtanen", "+358 9 5550 123"},
		{"jun", "jun@example.com", "Jun", "Chen", "+86 10 5555 0133"},
		{"dora", "dora@example.com", "Dora", "Novak", "+385 1 5550 199"},
	} {
		if _, err := s.Accounts().Save(ctx, provider.Account{ID: u.id, Email: u.email, EmailVerified: u.id != "jun"}); err != nil {
			return err
		}
		if err := s.People().SetAttributes(ctx, u.id, map[string]any{"fname": u.first, "lname": u.last, "phone": u.phone}); err != nil {
			return err
		}
	}
	return nil
}

// settled are the applications: one is stopped, one is not reviewed, and the last one's owner
// is gone.
var settled = []struct {
	id, name, organization string
	unreviewed, stopped    bool
}{
	{id: "city-library", name: "City Library", organization: "library"},
	{id: "reading-club", name: "Reading Club", organization: "library", unreviewed: true},
	{id: "swap-market", name: "Swap Market", organization: "market", stopped: true},
	{id: "bike-tours", name: "Bike Tours", organization: "tours"},
}

func (s settlers) applications(ctx context.Context) error {
	for _, o := range []struct{ id, name, owner string }{{"library", "City Library Association", "pia"}, {"market", "Swap Market Ltd", "mika"}, {"tours", "Bike Tours", "dora"}} {
		err := s.records.CreateOrganization(ctx, storage.Organization{ID: o.id, Name: o.name, CreatedAt: s.now},
			storage.Member{OrganizationID: o.id, UserID: o.owner, Role: storage.RoleOwner, JoinedAt: s.now}, 1<<20)
		if err := unlessThere(err); err != nil {
			return err
		}
	}
	for _, a := range settled {
		err := s.Clients().Save(ctx, provider.Client{
			ID: a.id, Name: a.name, Dialect: provider.Standard, RedirectURIs: []string{"https://" + a.id + ".example/callback"},
			Unreviewed: a.unreviewed, Disabled: a.stopped,
		})
		if err != nil {
			return err
		}
		err = s.records.CreateApplication(ctx, storage.Application{
			Environment: storage.Production, ClientID: a.id, OrganizationID: a.organization, Name: a.name, Kind: "web",
			CreatedBy: "pia", CreatedAt: s.now, UpdatedAt: s.now,
		}, 1<<20)
		if err := unlessThere(err); err != nil {
			return err
		}
	}
	return nil
}

// lock has Sam look at Lena, whose password somebody guesses at, and lock her.
func (s settlers) lock(ctx context.Context) error {
	if lena, err := s.Accounts().Get(ctx, "lena"); err != nil || lena.Disabled {
		return err
	}
	for range 6 {
		s.Rooms().Events.Note(ctx, provider.Event{Name: event.SignInFailed, UserID: "lena", Detail: "password"})
	}
	const sam, staff = "staff:sam", "sam"
	m := storage.Matter{
		ID: newMatterID(s.now), Staff: staff, Role: "support", Subject: "lena", Reason: "caller", Ticket: "4711",
		OpenedAt: s.now, EndsAt: s.now.Add(time.Minute),
	}
	opening := provider.By(ctx, storage.Actor{Name: sam, Matter: m.ID})
	err := s.Rooms().Events.WriteWith(opening, func(ctx context.Context) error { return s.matters.OpenMatter(ctx, m) },
		provider.Event{Name: event.MatterOpened, UserID: m.Subject, Detail: m.Reason})
	if err != nil {
		return err
	}
	within := provider.By(ctx, storage.Actor{
		Name: sam, Matter: m.ID, On: storage.DeedBasis{Matter: m.ID, Staff: staff, Subject: m.Subject, At: time.Now()},
	})
	if err := s.Events().Record(within, provider.Event{Name: event.SupportLooked, UserID: m.Subject, Detail: "history"}); err != nil {
		return err
	}
	return s.Accounts().SetDisabled(within, m.Subject, true)
}

// lockAlone has Otto lock Pia, who works at the library, by himself: another operator has to sign
// that off.
func (s settlers) lockAlone(ctx context.Context) error {
	if pia, err := s.Accounts().Get(ctx, "pia"); err != nil || pia.Disabled {
		return err
	}
	b := storage.Break{ID: newMatterID(s.now), Staff: "otto", Action: "lock", Target: "pia", At: s.now}
	b.Sentence = s.Rooms().People.Seal("break", b.ID, []byte("Her telephone was stolen, and nobody else is here tonight."))
	return s.Accounts().SetDisabled(provider.By(ctx, storage.Actor{Name: "staff:otto", Break: &b}), "pia", true)
}

// uses has Mika signed in to every application, in several browsers.
func (s settlers) uses(ctx context.Context) error {
	a, err := s.store.Account(ctx, "mika")
	if err != nil {
		return err
	}
	var session storage.Digest
	for i, agent := range []string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15",
		"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
		"Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36",
	} {
		began := s.now.Add(-time.Duration(i*i*7+1) * time.Hour)
		session = storage.Digest(random(32))
		err := s.store.CreateSession(ctx, storage.Session{
			Digest: session, AccountID: a.ID, AuthTime: began, AMR: []string{"pwd"}, UserAgent: agent,
			Address: []string{"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"}[i%3], CreatedAt: began, LastSeenAt: began.Add(time.Hour),
			ExpiresAt: s.now.AddDate(0, 0, 30), IdleUntil: s.now.AddDate(0, 0, 14),
		}, storage.Proof{Epoch: a.Epoch, FactorsVersion: a.FactorsVersion, At: began}, storage.Digest{})
		if err != nil {
			return err
		}
		s.Rooms().Events.Note(ctx, provider.Event{Name: event.SignedIn, UserID: a.ID, Detail: "password"})
	}
	for i, app := range settled {
		err := unlessThere(s.store.SaveConsent(ctx, storage.Consent{
			Subject: a.ID, ClientID: app.id, Scopes: []string{"openid", "profile"}, Attributes: []string{"fname", "lname", "email"}, ClientName: app.name,
			RedirectHosts: []string{app.id + ".example"}, Decision: storage.Digest(random(32)),
			CreatedAt: s.now.AddDate(0, -i-1, 0), DecidedAt: s.now.AddDate(0, -i, -3), LastUsedAt: s.now.AddDate(0, 0, -i),
		}, storage.ConsentBasis{Session: session}))
		if err != nil {
			return err
		}
		s.Rooms().Events.Note(ctx, provider.Event{Name: event.Consent, UserID: a.ID, ClientID: app.id})
	}
	return nil
}

// leave deletes Dora, whose organization has no owner then.
func (s settlers) leave(ctx context.Context) error { return s.Accounts().Delete(ctx, "dora") }

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}
