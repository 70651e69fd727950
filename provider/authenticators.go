package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// ErrNoRecovery means that no recovery of the account is running.
var ErrNoRecovery = errors.New("provider: no recovery of this account is running")

// RecordedAuthenticators is what an embedded account has beside its password, without
// secrets.
type RecordedAuthenticators struct {
	// Passkeys are the earliest first.
	Passkeys []RecordedPasskey `json:"passkeys"`

	// Links are the earliest first.
	Links []RecordedLink `json:"links"`

	// AppSince is when an authenticator app was added; zero for none.
	AppSince time.Time `json:"app_since,omitzero"`

	// RecoveryCodes is the number of unspent recovery codes.
	RecoveryCodes int `json:"recovery_codes"`

	// SecondStep reports that the password alone does not sign in.
	SecondStep bool `json:"second_step"`

	// TrustedDevices is the number of browsers in which the second step is left out.
	TrustedDevices int `json:"trusted_devices"`

	// Recovery is the recovery that is running; nil for none.
	Recovery *RunningRecovery `json:"recovery,omitempty"`
}

// RecordedLink is an identity at an upstream provider with which the owner of an account signs
// in. LastUsedAt is zero for never.
type RecordedLink struct {
	// Upstream is the ID of the Upstream, and Title what people call it: its ID again if it is
	// no longer among Config.Upstreams, and signs nobody in.
	Upstream string `json:"upstream"`
	Title    string `json:"title"`

	// Name is what the owner is called there: an address or a name.
	Name       string    `json:"name"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// RecordedPasskey is a passkey of an account. LastUsedAt is zero for never.
type RecordedPasskey struct {
	Name       string    `json:"name"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// RunningRecovery is the wait of somebody who reads the mailbox of an account and has lost
// its passkeys and app, or says so.
type RunningRecovery struct {
	StartedAt time.Time `json:"started_at"`

	// ReadyAt is when it can be finished, EndsAt when it is too late.
	ReadyAt time.Time `json:"ready_at"`
	EndsAt  time.Time `json:"ends_at"`

	// ApprovedAt is when the host has ended the wait; zero if it has not.
	ApprovedAt time.Time `json:"approved_at,omitzero"`
}

// Authenticators returns what an account has beside its password. ErrNoUser if there is no
// account.
func (p Accounts) Authenticators(ctx context.Context, id string) (RecordedAuthenticators, error) {
	set, err := p.authenticators(ctx, id)
	if err != nil {
		return RecordedAuthenticators{}, err
	}
	now := p.cfg.Clock()
	recorded := RecordedAuthenticators{
		Passkeys: make([]RecordedPasskey, len(set.Passkeys)), Links: make([]RecordedLink, len(set.Links)), RecoveryCodes: len(set.Recovery.Digests), SecondStep: set.Account.SecondStep,
	}
	for i, l := range set.Links {
		recorded.Links[i] = RecordedLink{l.Upstream, p.upstreamTitle(l.Upstream), l.Name, l.CreatedAt, l.LastUsedAt}
	}
	for i, k := range set.Passkeys {
		recorded.Passkeys[i] = RecordedPasskey{k.Name, k.CreatedAt, k.LastUsedAt}
	}
	if len(set.TOTP.Secret) > 0 {
		recorded.AppSince = set.TOTP.CreatedAt
	}
	for _, d := range set.Devices {
		if clock.InForce(now, d.CreatedAt, d.ExpiresAt) {
			recorded.TrustedDevices++
		}
	}
	if run := set.Running; run.AccountID != "" && now.Before(run.EndsAt) {
		recorded.Recovery = &RunningRecovery{run.StartedAt, run.ReadyAt, run.EndsAt, run.ApprovedAt}
	}
	return recorded, nil
}

func (p Accounts) authenticators(ctx context.Context, id string) (storage.AuthenticatorSet, error) {
	set, err := p.store.Authenticators(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.AuthenticatorSet{}, ErrNoUser
	}
	if err != nil {
		return storage.AuthenticatorSet{}, fmt.Errorf("provider: read authenticators: %w", err)
	}
	return set, nil
}

// ResetAuthenticators removes the passkeys, the links to upstream providers, the authenticator
// app, the recovery codes and the trusted devices of an account, and ends its sessions and
// grants, and the memberships for which these providers vouch. The password stays, if there is
// one; the mailbox alone is enough for a new one.
// Whoever asks for it must have proved to the host who they are: it gives the account to the
// reader of its mailbox. The owner is told by mail. ErrNoUser if there is no account.
func (p Accounts) ResetAuthenticators(ctx context.Context, id string) error {
	set, err := p.authenticators(ctx, id)
	if err != nil {
		return err
	}
	err = p.audit.Step(ctx, func(ctx context.Context) error {
		return p.store.ResetAuthenticators(ctx, id, p.cfg.Clock())
	}, storage.Event{Name: event.AuthenticatorsReset, Subject: id})
	if errors.Is(err, storage.ErrNotFound) {
		return ErrNoUser
	}
	if err != nil {
		return fmt.Errorf("provider: reset authenticators: %w", err)
	}
	p.pages.TellRecovery(ctx, set.Account, ui.MailView{Kind: ui.MailAuthenticatorsReset}, storage.Recovery{})
	return nil
}

// ApproveRecovery ends the wait of the recovery of an account that is running: whoever reads
// the mailbox can choose a new password now, which removes everything else that the account
// has. Whoever asks for it must have proved to the host who they are. The owner is told by
// mail, and can still stop it. ErrNoRecovery if none is running, ErrNoUser if there is no
// account.
func (p Accounts) ApproveRecovery(ctx context.Context, id string) error {
	set, err := p.authenticators(ctx, id)
	if err != nil {
		return err
	}
	err = p.audit.Step(ctx, func(ctx context.Context) error {
		return p.store.ApproveRecovery(ctx, id, p.cfg.Clock())
	}, storage.Event{Name: event.RecoveryApproved, Subject: id})
	if errors.Is(err, storage.ErrNotFound) {
		return ErrNoRecovery
	}
	if err != nil {
		return fmt.Errorf("provider: approve recovery: %w", err)
	}
	p.pages.TellRecovery(ctx, set.Account, ui.MailView{Kind: ui.MailRecoveryApproved, On: set.Running.EndsAt}, set.Running)
	return nil
}
