package developer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
)

// Trials are what organizations make of the sandbox: personas of their own, faults, a clock
// and an inbox. The sandbox is made with them, and the dashboard then shows them:
//
//	trials := developer.NewTrials(store)
//	sandbox, err := provider.New(ctx, provider.Config{
//		Sandbox: true, Testing: trials.Testing(), Mailer: trials.Mailer(nil), …
//	})
//	…
//	dashboard, err := developer.New(developer.Config{Sandbox: sandbox, Trials: trials, …})
type Trials struct {
	store storage.Developers

	// dashboard shows them; nil before there is one.
	dashboard atomic.Pointer[frame]
}

// NewTrials returns the trials in a store.
func NewTrials(store storage.Developers) *Trials { return &Trials{store: store} }

// Testing returns the personas and faults of organizations' applications, for the sandbox.
// An application without an organization has the default personas.
func (t *Trials) Testing() provider.Testing {
	return provider.Testing{Personas: t.personas, Faults: t.fault}
}

// fault returns an application's requested fault, until it expires.
func (t *Trials) fault(ctx context.Context, clientID string) (sandbox.Fault, error) {
	f, err := t.store.Fault(ctx, clientID)
	if errors.Is(err, storage.ErrNotFound) || err == nil && !t.now().Before(f.ExpiresAt) {
		return "", nil
	}
	return sandbox.Fault(f.Name), err
}

// now is the time of the dashboard, which sets the end of a fault.
func (t *Trials) now() time.Time {
	if d := t.dashboard.Load(); d != nil {
		return d.Clock()
	}
	return time.Now()
}

func (t *Trials) personas(ctx context.Context, clientID string) (sandbox.PersonaSet, error) {
	app, err := t.store.Application(ctx, storage.Sandbox, clientID)
	if errors.Is(err, storage.ErrNotFound) {
		return sandbox.PersonaSet{Personas: sandbox.DefaultPersonas()}, nil
	}
	if err != nil {
		return sandbox.PersonaSet{}, err
	}
	settings, err := t.store.SandboxSettings(ctx, app.OrganizationID)
	if err != nil {
		return sandbox.PersonaSet{}, err
	}
	return personasOf(settings)
}

// personasOf returns the personas of an organization.
func personasOf(s storage.SandboxSettings) (sandbox.PersonaSet, error) {
	set := sandbox.PersonaSet{Realm: s.OrganizationID, Personas: sandbox.DefaultPersonas()}
	if len(s.Personas) == 0 {
		return set, nil
	}
	set.Personas = nil
	if err := json.Unmarshal(s.Personas, &set.Personas); err != nil {
		return sandbox.PersonaSet{}, fmt.Errorf("read personas: %w", err)
	}
	return set, nil
}

// keptMails is how many mails of an organization are kept.
const keptMails = 50

// sealedMail is the kind of mails, as they are kept encrypted.
const sealedMail = "developer sandbox mail"

// keptMail is a mail as it is kept.
type keptMail struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// Mailer returns a Mailer for the sandbox. It keeps every mail to an address that ends in
// @ORGANIZATION.sandbox.test, such as those of an organization's personas, and any that its
// developers make up; members see it in the inbox of the dashboard. Mails to an unknown
// organization are dropped. Others are passed to next, or dropped if that is nil: a sign-up
// with a real address in the sandbox then gets no mail.
func (t *Trials) Mailer(next provider.Mailer) provider.Mailer { return trialMailer{t, next} }

type trialMailer struct {
	*Trials
	next provider.Mailer
}

// Send implements provider.Mailer.
func (m trialMailer) Send(ctx context.Context, mail provider.Mail) error {
	organization, ok := inboxOf(mail.To)
	dashboard := m.dashboard.Load()
	switch {
	case ok && dashboard == nil:
		return errors.New("no dashboard keeps mails yet: developer.New has not been called with these Trials")
	case ok:
		content, err := json.Marshal(keptMail{mail.To, mail.Subject, mail.Text})
		if err != nil {
			return err
		}
		err = m.store.AppendMail(ctx, storage.SandboxMail{
			OrganizationID: organization, At: dashboard.Clock(), Content: dashboard.Provider.Rooms().People.Seal(sealedMail, organization, content),
		}, keptMails)
		if errors.Is(err, storage.ErrNotFound) {
			return nil // an inbox that nobody has: anybody can type its address
		}
		return err
	case m.next != nil:
		return m.next.Send(ctx, mail)
	}
	return nil
}

// inboxOf returns the organization of an address.
func inboxOf(address string) (organization string, ok bool) {
	_, domain, _ := strings.Cut(address, "@")
	return strings.CutSuffix(strings.ToLower(domain), inboxDomain)
}

// inboxDomain is the suffix of organizations' addresses. Nobody can have a mailbox there:
// .test is reserved (RFC 2606).
const inboxDomain = ".sandbox.test"
