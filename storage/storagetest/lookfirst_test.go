package storagetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// lookingFirst is a backend with the mistake that the contests are for: it looks whether
// the condition of a write holds, and writes then, whatever has happened meanwhile.
type lookingFirst struct {
	storage.Roles

	*meeting
}

// meeting lets two contenders meet between the look and the write.
type meeting struct {
	place    chan struct{}
	happened atomic.Bool
}

// wait waits for another contender: for as long as a busy machine may need, until two have met,
// and then for a moment, for one of them is the last. Whoever is in no race is alone.
func (m *meeting) wait() {
	if !isInRace() {
		return
	}
	patience := 10 * time.Second
	if m.happened.Load() {
		patience = 50 * time.Millisecond
	}
	select {
	case m.place <- struct{}{}:
	case <-m.place:
	case <-time.After(patience):
		return
	}
	m.happened.Store(true)
}

// isInRace reports whether the caller is one of the contenders of a race.
func isInRace() bool {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		frame, more := frames.Next()
		if strings.Contains(frame.Function, "/storagetest.race[") {
			return true
		}
		if !more {
			return false
		}
	}
}

// write writes if the condition held: until the store, which holds it in the statement,
// finds what was read again just before.
func (s lookingFirst) write(held bool, otherwise error, write func() error) error {
	if !held {
		return otherwise
	}
	s.wait()
	for {
		if err := write(); !errors.Is(err, otherwise) {
			return err
		}
	}
}

// is reports whether a record was found and is what the caller has read.
func is[T comparable](err error, got, want T) bool { return err == nil && got == want }

func (s lookingFirst) SaveClient(ctx context.Context, c storage.Client) error {
	now, err := s.Client(ctx, c.ID)
	none := errors.Is(err, storage.ErrNotFound) && c.Version == 0
	return s.write(none || is(err, now.Version, c.Version), storage.ErrChanged, func() error {
		now, err := s.Client(ctx, c.ID)
		if c.Version = now.Version; err != nil && !none {
			return nil // deleted meanwhile, and nobody told
		}
		return s.Roles.SaveClient(ctx, c)
	})
}

func (s lookingFirst) DeleteClient(ctx context.Context, id string, version int64) error {
	now, err := s.Client(ctx, id)
	return s.write(is(err, now.Version, version), storage.ErrChanged, func() error {
		now, err := s.Client(ctx, id)
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		return s.Roles.DeleteClient(ctx, id, now.Version)
	})
}

// inEpoch writes to an account that was in an epoch.
func (s lookingFirst) inEpoch(ctx context.Context, id string, epoch int64, write func(epoch int64) error) error {
	now, err := s.Account(ctx, id)
	return s.write(is(err, now.Epoch, epoch), storage.ErrChanged, func() error {
		now, err := s.Account(ctx, id)
		if err != nil {
			return err
		}
		return write(now.Epoch)
	})
}

func (s lookingFirst) SetPassword(ctx context.Context, id string, on storage.Proof, hash string, at time.Time, begin ...storage.Session) error {
	return s.inEpoch(ctx, id, on.Epoch, func(now int64) error {
		return s.Roles.SetPassword(ctx, id, storage.Proof{Epoch: now}, hash, at, begin...)
	})
}

func (s lookingFirst) ChangeEmail(ctx context.Context, c storage.EmailChange) error {
	return s.inEpoch(ctx, c.AccountID, c.On.Epoch, func(now int64) error {
		c.On.Epoch = now
		return s.Roles.ChangeEmail(ctx, c)
	})
}

func (s lookingFirst) ReturnEmail(ctx context.Context, r storage.EmailReturn) (before storage.Account, err error) {
	now, err := s.EmailReturn(ctx, r.AccountID, r.Epoch, r.At)
	return now, s.write(err == nil, storage.ErrNotFound, func() error {
		change := storage.EmailChange{AccountID: r.AccountID, Email: r.Email, EmailKey: r.EmailKey, At: r.At}
		now, err := s.Account(ctx, r.AccountID)
		if err != nil {
			return err
		}
		change.On.Epoch, change.Begin = now.Epoch, storage.Session{Digest: storage.Digest{byte(now.Epoch)}, AccountID: r.AccountID}
		return s.Roles.ChangeEmail(ctx, change)
	})
}

func (s lookingFirst) SetDeletion(ctx context.Context, id string, on storage.Proof, deleteAt, at time.Time) error {
	return s.inEpoch(ctx, id, on.Epoch, func(now int64) error {
		return s.Roles.SetDeletion(ctx, id, storage.Proof{Epoch: now}, deleteAt, at)
	})
}

func (s lookingFirst) SetEmail(ctx context.Context, id, oldKey, email, key string, verified bool) error {
	now, err := s.Account(ctx, id)
	return s.write(is(err, now.EmailKey, oldKey), storage.ErrChanged, func() error {
		now, err := s.Account(ctx, id)
		if err != nil {
			return err
		}
		return s.Roles.SetEmail(ctx, id, now.EmailKey, email, key, verified)
	})
}

func (s lookingFirst) ReplaceAttribute(ctx context.Context, subject, handle string, old, value json.RawMessage, find storage.Digest) error {
	now, err := s.Person(ctx, subject)
	return s.write(is(err, string(now.Attributes[handle]), string(old)), storage.ErrChanged, func() error {
		return s.SetAttributes(ctx, subject, map[string]json.RawMessage{handle: value}, map[string]storage.Digest{handle: find})
	})
}

func (s lookingFirst) SetStatus(ctx context.Context, subject string, status storage.Status, replaced int64, on ...storage.PersonBasis) error {
	now, err := s.Person(ctx, subject)
	revision := storage.NoStatus
	for _, recorded := range now.Statuses {
		if recorded.Group == status.Group {
			revision = recorded.Revision
		}
	}
	return s.write(replaced == storage.AnyRevision || is(err, revision, replaced), storage.ErrChanged, func() error {
		return s.Roles.SetStatus(ctx, subject, status, storage.AnyRevision, on...)
	})
}

func (s lookingFirst) SaveConsent(ctx context.Context, c storage.Consent, on storage.ConsentBasis) error {
	now, err := s.Consent(ctx, c.Subject, c.ClientID)
	none := errors.Is(err, storage.ErrNotFound) && on.Replaced.IsZero()
	return s.write(none || is(err, now.Decision, on.Replaced), storage.ErrChanged, func() error {
		now, err := s.Consent(ctx, c.Subject, c.ClientID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		on.Replaced = now.Decision
		return s.Roles.SaveConsent(ctx, c, on)
	})
}

func (s lookingFirst) SaveInstallation(ctx context.Context, old, i storage.Installation) error {
	if old.Issuer == "" {
		return s.Roles.SaveInstallation(ctx, old, i)
	}
	now, err := s.Installation(ctx)
	held := is(err, now.Issuer, old.Issuer) && bytes.Equal(now.DataKeys, old.DataKeys)
	return s.write(held, storage.ErrChanged, func() error {
		now, err := s.Installation(ctx)
		if err != nil {
			return err
		}
		return s.Roles.SaveInstallation(ctx, now, i)
	})
}

func (s lookingFirst) sealedKey(ctx context.Context, generation int64) []byte {
	keys, err := s.Keys(ctx)
	for _, k := range keys {
		if err == nil && k.Generation == generation {
			return k.Sealed
		}
	}
	return nil
}

func (s lookingFirst) ResealKey(ctx context.Context, generation int64, before, sealed []byte) error {
	return s.write(bytes.Equal(s.sealedKey(ctx, generation), before), storage.ErrNotFound, func() error {
		return s.Roles.ResealKey(ctx, generation, s.sealedKey(ctx, generation), sealed)
	})
}

func (s lookingFirst) SaveOrganization(ctx context.Context, o storage.Organization) error {
	now, err := s.Organization(ctx, o.ID)
	return s.write(is(err, now.Version, o.Version), storage.ErrChanged, func() error {
		now, err := s.Organization(ctx, o.ID)
		o.Version = now.Version
		return errors.Join(err, s.Roles.SaveOrganization(ctx, o))
	})
}

func (s lookingFirst) SaveApplication(ctx context.Context, a storage.Application, most ...int64) error {
	now, err := s.Application(ctx, a.Environment, a.ClientID)
	return s.write(is(err, now.Version, a.Version), storage.ErrChanged, func() error {
		now, err := s.Application(ctx, a.Environment, a.ClientID)
		a.Version = now.Version
		return errors.Join(err, s.Roles.SaveApplication(ctx, a, most...))
	})
}

func (s lookingFirst) StopOrganization(ctx context.Context, id string, stop storage.Stop) error {
	now, err := s.Organization(ctx, id)
	return s.write(err == nil && now.Stopped.At.IsZero(), storage.ErrChanged, func() error {
		now, err := s.Organization(ctx, id)
		if err == nil && !now.Stopped.At.IsZero() {
			err = s.Roles.StartOrganization(ctx, id, now.Stopped.At, "nobody")
		}
		return errors.Join(err, s.Roles.StopOrganization(ctx, id, stop))
	})
}

func (s lookingFirst) MarkApplication(ctx context.Context, environment, clientID string, m storage.ApplicationMark) error {
	if m.Deleting {
		return s.Roles.MarkApplication(ctx, environment, clientID, m)
	}
	now, err := s.Application(ctx, environment, clientID)
	return s.write(is(err, now.Halt, m.From), storage.ErrChanged, func() error {
		now, err := s.Application(ctx, environment, clientID)
		return errors.Join(err, s.Roles.MarkApplication(ctx, environment, clientID, storage.ApplicationMark{From: now.Halt, To: m.To}))
	})
}

func (s lookingFirst) SaveSandboxSettings(ctx context.Context, settings storage.SandboxSettings) error {
	now, err := s.SandboxSettings(ctx, settings.OrganizationID)
	return s.write(is(err, now.Version, settings.Version), storage.ErrChanged, func() error {
		now, err := s.SandboxSettings(ctx, settings.OrganizationID)
		settings.Version = now.Version
		return errors.Join(err, s.Roles.SaveSandboxSettings(ctx, settings))
	})
}

func (s lookingFirst) MoveCase(ctx context.Context, m storage.CaseMove, on storage.PersonBasis) (moved storage.Case, err error) {
	now, err := s.Case(ctx, m.Case.ID)
	return moved, s.write(is(err, now.Version, m.Case.Version), storage.ErrChanged, func() error {
		now, err := s.Case(ctx, m.Case.ID)
		if err != nil || now.State.IsFinal() {
			return err // written over it, as it were
		}
		m.Case.Version = now.Version
		moved, err = s.Roles.MoveCase(ctx, m, on)
		return err
	})
}

func (s lookingFirst) PostponeCase(ctx context.Context, id string, version int64, next time.Time, content []byte) error {
	now, err := s.Case(ctx, id)
	return s.write(is(err, now.Version, version), storage.ErrChanged, func() error {
		now, err := s.Case(ctx, id)
		if err != nil {
			return err
		}
		return s.Roles.PostponeCase(ctx, id, now.Version, next, content)
	})
}

func (s lookingFirst) SwapRoster(ctx context.Context, r storage.Roster, replaced int64) error {
	now, err := s.Roster(ctx, r.Name)
	return s.write(is(err, now.Generation, replaced), storage.ErrChanged, func() error {
		now, err := s.Roster(ctx, r.Name)
		if err != nil {
			return err
		}
		return s.Roles.SwapRoster(ctx, r, now.Generation)
	})
}

// contests are those that such a backend loses, by the function that runs them.
var contests = map[string][]string{
	"Run": {
		"RegistrationOfAVersion", "NewRegistration", "EndOfARegistration", "PasswordOfAnEpoch", "AddressOfAnEpoch", "ReturnOfAnAddress",
		"AddressInPlaceOfAnother", "DeletionOfAnEpoch", "WhatEndsAnEpoch", "AttributeInPlaceOfAnother",
		"StatusOfARevision", "FirstStatus", "FirstConsent", "ConsentInPlaceOfAnother", "InstallationInPlaceOfAnother", "KeySealedAnew",
		"SignInByAStepOfAnApp", "SignInByARecoveryCode", "ChangeOfAVersion", "RemovalOfTheLastTwoPasskeys", "EndOfARecovery", "CallerCode",
	},
	"RunVerification": {"Approval", "DecisionAgainstWithdrawal", "ExpiryAgainstApproval", "PostponementOfAContent", "RosterInPlaceOfAnother"},
	"RunDevelopers":   {"OrganizationOfAVersion", "ApplicationOfAVersion", "Stop", "Halt", "SettingsOfAVersion", "FirstSettings"},
	"RunDesk":         {"PlanApproval", "PlanTarget", "SignOff"},
}

// TestStoreThatLooksFirstIsNoticed runs the contests on such a backend in a process of
// their own, where they fail.
func TestStoreThatLooksFirstIsNoticed(t *testing.T) {
	const inside = "STORAGETEST_LOOKS_FIRST"
	if os.Getenv(inside) != "" {
		t.Run("Run", func(t *testing.T) {
			storagetest.Run(t, func(t *testing.T) func() storage.Store {
				open := openLookingFirst(t)
				return func() storage.Store { return open() }
			})
		})
		t.Run("RunDevelopers", func(t *testing.T) {
			storagetest.RunDevelopers(t, func(t *testing.T) func() storagetest.DeveloperStore {
				open := openLookingFirst(t)
				return func() storagetest.DeveloperStore { return open() }
			})
		})
		t.Run("RunDesk", func(t *testing.T) {
			storagetest.RunDesk(t, func(t *testing.T) func() storagetest.DeskStore {
				open := openLookingFirst(t)
				return func() storagetest.DeskStore { return open() }
			})
		})
		t.Run("RunVerification", func(t *testing.T) {
			storagetest.RunVerification(t, func(t *testing.T) func() storagetest.VerificationStore {
				open := openLookingFirst(t)
				return func() storagetest.VerificationStore { return open() }
			})
		})
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Two rounds, since contenders meet in each.
	cmd := exec.CommandContext(t.Context(), program, "-contract.rounds=2", "-test.run=^"+t.Name()+"$/^/^Races$/HasOneWinner$")
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		t.Fatalf("the contests ended with %v:\n%s", err, out)
	}
	for run, names := range contests {
		for _, name := range names {
			if !strings.Contains(string(out), "--- FAIL: "+t.Name()+"/"+run+"/Races/"+name+"HasOneWinner") {
				t.Errorf("%s/%s does not notice a store that looks first and then writes", run, name)
			}
		}
	}
	if t.Failed() {
		t.Logf("the contests said:\n%s", out)
	}
}

var emptyFile = storagetest.Copies(func(path string) error {
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	return store.Close()
})

func openLookingFirst(t *testing.T) func() lookingFirst {
	path, met := emptyFile(t), &meeting{place: make(chan struct{})}
	return func() lookingFirst {
		store, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return lookingFirst{store, met}
	}
}
