package selfservice

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// exportedSignIn is how the user can sign in beside the password: that and since when, and
// nothing that helps to.
type exportedSignIn struct {
	SecondStep     bool              `json:"second_step"`
	Passkeys       []exportedPasskey `json:"passkeys"`
	Links          []exportedLink    `json:"connected_accounts"`
	App            *exportedApp      `json:"authenticator_app,omitempty"`
	RecoveryCodes  *exportedCodes    `json:"recovery_codes,omitempty"`
	TrustedDevices []exportedDevice  `json:"trusted_devices"`
	Recovery       *exportedRecovery `json:"recovery,omitempty"`
}

type exportedPasskey struct {
	Name       string    `json:"name"`
	Domain     string    `json:"domain"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

type exportedApp struct {
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

type exportedLink struct {
	Upstream   string    `json:"upstream"`
	Issuer     string    `json:"issuer"`
	Subject    string    `json:"subject"`
	Name       string    `json:"name,omitempty"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

type exportedCodes struct {
	Left      int       `json:"left"`
	CreatedAt time.Time `json:"created_at"`
}

type exportedDevice struct {
	UserAgent string    `json:"user_agent"`
	Network   string    `json:"network"`
	TrustedAt time.Time `json:"trusted_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

type exportedRecovery struct {
	StartedAt time.Time `json:"started_at"`
	ReadyAt   time.Time `json:"ready_at"`
}

// exportSignIn returns how a user can sign in.
func (p *dataPages) exportSignIn(ctx context.Context, userID string) (exportedSignIn, error) {
	set, err := p.Store.Authenticators(ctx, userID)
	if err != nil {
		return exportedSignIn{}, fmt.Errorf("read authenticators: %w", err)
	}
	return signInOf(set), nil
}

func signInOf(set storage.AuthenticatorSet) exportedSignIn {
	all := exportedSignIn{SecondStep: set.Account.SecondStep}
	for _, k := range set.Passkeys {
		all.Passkeys = append(all.Passkeys, exportedPasskey{k.Name, k.RPID, k.CreatedAt, k.LastUsedAt})
	}
	for _, l := range set.Links {
		all.Links = append(all.Links, exportedLink{l.Upstream, l.Issuer, l.Subject, l.Name, l.CreatedAt, l.LastUsedAt})
	}
	if len(set.TOTP.Secret) > 0 {
		all.App = &exportedApp{set.TOTP.CreatedAt, set.TOTP.LastUsedAt}
	}
	if !set.Recovery.CreatedAt.IsZero() {
		all.RecoveryCodes = &exportedCodes{len(set.Recovery.Digests), set.Recovery.CreatedAt}
	}
	for _, d := range set.Devices {
		all.TrustedDevices = append(all.TrustedDevices, exportedDevice{d.UserAgent, d.Address, d.CreatedAt, d.ExpiresAt})
	}
	if set.Running.AccountID != "" {
		all.Recovery = &exportedRecovery{set.Running.StartedAt, set.Running.ReadyAt}
	}
	return all
}
