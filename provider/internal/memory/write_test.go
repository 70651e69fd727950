package memory_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// names are those of the records of one process in the test.
type names struct {
	client, user          string
	code, access, session storage.Digest
	grant                 storage.GrantID
}

func namesOf(name string) names {
	digest := func(of string) storage.Digest { return sha256.Sum256([]byte(of + " of " + name)) }
	n := names{client: "client-" + name, user: "user-" + name, code: digest("code"), access: digest("access token"), session: digest("session")}
	of := digest("grant")
	copy(n.grant[:], of[:])
	return n
}

// fill stores the records that are read.
func (n names) fill(ctx context.Context, s storage.Store) error {
	grant := storage.Grant{
		ID: n.grant, Flow: storage.Digest(sha256.Sum256([]byte(n.user))), ClientID: n.client, Subject: n.user,
		Scopes: []string{"military"}, CreatedAt: t0, ExpiresAt: t0.Add(time.Hour),
	}
	token := func(kind storage.TokenKind, digest storage.Digest) storage.Token {
		return storage.Token{Digest: digest, Kind: kind, GrantID: n.grant, CreatedAt: t0, ExpiresAt: t0.Add(time.Minute)}
	}
	for _, write := range []func() error{
		func() error {
			return s.SaveClient(ctx, storage.Client{ID: n.client, Dialect: "standard", CreatedAt: t0})
		},
		func() error { return s.CreateAccount(ctx, n.account()) },
		func() error { return s.CreateSession(ctx, n.signedIn(n.session), storage.Proof{}, storage.Digest{}) },
		func() error { return s.SaveConsent(ctx, n.allowed(1), storage.ConsentBasis{}) },
		func() error {
			return s.SetAttributes(ctx, n.user, map[string]json.RawMessage{"fname": json.RawMessage(`"Ann"`)}, nil)
		},
		func() error {
			return s.SetStatus(ctx, n.user, storage.Status{Group: "military", Verified: true, ExpiresAt: t0.Add(time.Hour)}, storage.NoStatus)
		},
		func() error {
			return s.CreateGrant(ctx, grant, storage.Basis{}, token(storage.AuthorizationCode, n.code), token(storage.AccessToken, n.access))
		},
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func (n names) account() storage.Account {
	return storage.Account{ID: n.user, Email: n.user, EmailKey: n.user, EmailVerified: true, PasswordHash: "hash", CreatedAt: t0}
}

func (n names) signedIn(digest storage.Digest) storage.Session {
	return storage.Session{Digest: digest, AccountID: n.user, AuthTime: t0, CreatedAt: t0, LastSeenAt: t0, ExpiresAt: t0.Add(time.Hour), IdleUntil: t0.Add(time.Minute)}
}

// another is the digest of a session beside that of the names.
func (n names) another() storage.Digest { return sha256.Sum256(n.session[:]) }

// allowed is a decision with this number.
func (n names) allowed(number byte) storage.Consent {
	return storage.Consent{
		Subject: n.user, ClientID: n.client, Scopes: []string{"military"}, Decision: storage.Digest{number},
		CreatedAt: t0, DecidedAt: t0, LastUsedAt: t0,
	}
}

// write is a write that changes cached data.
type write struct {
	before func(ctx context.Context, s storage.Store, n names) error // nil for nothing
	do     func(ctx context.Context, s storage.Store, n names) error
}

// t0 is when the tests take place.
var t0 = time.Date(2026, time.March, 14, 15, 9, 26, 0, time.UTC)

var writes = map[string]write{
	"SaveClient": {do: func(ctx context.Context, s storage.Store, n names) error {
		c, _ := s.Client(context.WithoutCancel(ctx), n.client)
		c.Disabled = true
		return s.SaveClient(ctx, c)
	}},
	"DenyHost": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.DenyHost(ctx, storage.HostDenial{Host: n.client, At: t0})
	}},
	"DeleteClient": {do: func(ctx context.Context, s storage.Store, n names) error {
		c, _ := s.Client(context.WithoutCancel(ctx), n.client)
		return s.DeleteClient(ctx, n.client, c.Version)
	}},
	"Exchange": {do: func(ctx context.Context, s storage.Store, n names) error { return s.Exchange(ctx, n.code, t0) }},
	"RevokeGrants": {do: func(ctx context.Context, s storage.Store, n names) error {
		_, err := s.RevokeGrants(ctx, storage.GrantFilter{ID: n.grant}, t0)
		return err
	}},
	"EndGrants": {do: func(ctx context.Context, s storage.Store, n names) error {
		_, err := s.EndGrants(ctx, []storage.GrantID{n.grant}, t0)
		return err
	}},
	"RemoveGrants": {do: func(ctx context.Context, s storage.Store, n names) error {
		_, err := s.RemoveGrants(ctx, []storage.GrantID{n.grant})
		return err
	}},
	"CreateAccount": {
		before: func(ctx context.Context, s storage.Store, n names) error {
			_, err := s.DeleteAccount(ctx, n.user, "someone", nil)
			for left := err == nil; left && err == nil; {
				left, err = s.RemoveDeparted(ctx, storage.Departed{Subject: n.user}, nil)
			}
			return err
		},
		do: func(ctx context.Context, s storage.Store, n names) error { return s.CreateAccount(ctx, n.account()) },
	},
	"SetEmail": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.SetEmail(ctx, n.user, n.user, "new-"+n.user, "new-"+n.user, true)
	}},
	"VerifyEmail": {
		before: func(ctx context.Context, s storage.Store, n names) error {
			return s.SetEmail(ctx, n.user, n.user, n.user, n.user, false)
		},
		do: func(ctx context.Context, s storage.Store, n names) error {
			return s.VerifyEmail(ctx, n.user, storage.Proof{Epoch: 1})
		},
	},
	"ChangeEmail": {do: changeEmail},
	"ReturnEmail": {before: changeEmail, do: func(ctx context.Context, s storage.Store, n names) error {
		_, err := s.ReturnEmail(ctx, storage.EmailReturn{AccountID: n.user, Epoch: 1, Email: n.user, EmailKey: n.user, At: t0})
		return err
	}},
	"SetLanguage": {do: func(ctx context.Context, s storage.Store, n names) error { return s.SetLanguage(ctx, n.user, "de") }},
	"SetPassword": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.SetPassword(ctx, n.user, storage.Proof{}, "new", t0)
	}},
	"Rehash":      {do: func(ctx context.Context, s storage.Store, n names) error { return s.Rehash(ctx, n.user, "hash", "new") }},
	"SetDisabled": {do: func(ctx context.Context, s storage.Store, n names) error { return s.SetDisabled(ctx, n.user, true, t0) }},
	"EndIssued":   {do: func(ctx context.Context, s storage.Store, n names) error { return s.EndIssued(ctx, n.user, t0) }},
	"DeleteAccount": {do: func(ctx context.Context, s storage.Store, n names) error {
		_, err := s.DeleteAccount(ctx, n.user, "someone", nil)
		return err
	}},
	"SetDeletion": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.SetDeletion(ctx, n.user, storage.Proof{}, t0.Add(time.Hour), t0)
	}},
	"DeleteAccount/Due": {
		before: func(ctx context.Context, s storage.Store, n names) error {
			return s.SetDeletion(ctx, n.user, storage.Proof{}, t0.Add(-time.Hour), t0)
		},
		do: func(ctx context.Context, s storage.Store, n names) error {
			_, err := s.DeleteAccount(ctx, n.user, "someone", nil, t0)
			return err
		},
	},
	"AddPasskey": {do: addPasskey},
	"AddLink":    {do: addLink},
	"RemoveLink": {before: addLink, do: func(ctx context.Context, s storage.Store, n names) error {
		return s.RemoveLink(ctx, n.user, sha256.Sum256([]byte(n.user)), n.on(1), t0)
	}},
	"RemoveLink/Vouched": {before: addVouched, do: func(ctx context.Context, s storage.Store, n names) error {
		return s.RemoveLink(ctx, n.user, sha256.Sum256([]byte(n.user)), n.on(1), t0)
	}},
	"SetPassword/Vouched": {before: addVouched, do: func(ctx context.Context, s storage.Store, n names) error {
		return s.SetPassword(ctx, n.user, n.on(1), "new", t0)
	}},
	"ResetAuthenticators/Vouched": {before: addVouched, do: func(ctx context.Context, s storage.Store, n names) error {
		return s.ResetAuthenticators(ctx, n.user, t0)
	}},
	"FinishRecovery/Vouched": {
		before: func(ctx context.Context, s storage.Store, n names) error {
			if err := addVouched(ctx, s, n); err != nil {
				return err
			}
			return s.BeginRecovery(ctx, storage.Recovery{AccountID: n.user, StartedAt: t0, ReadyAt: t0, EndsAt: t0.Add(time.Hour)}, 0)
		},
		do: func(ctx context.Context, s storage.Store, n names) error {
			return s.FinishRecovery(ctx, storage.RecoveryFinish{AccountID: n.user, PasswordHash: "new", At: t0, On: n.on(1)})
		},
	},
	"RemovePasskey": {before: addPasskey, do: func(ctx context.Context, s storage.Store, n names) error {
		return s.RemovePasskey(ctx, n.user, []byte(n.user), n.on(1))
	}},
	"SetTOTP": {do: setTOTP},
	"RemoveTOTP": {before: setTOTP, do: func(ctx context.Context, s storage.Store, n names) error {
		return s.RemoveTOTP(ctx, n.user, n.on(1))
	}},
	"SetRecoveryCodes": {before: setTOTP, do: func(ctx context.Context, s storage.Store, n names) error {
		return s.SetRecoveryCodes(ctx, n.user, storage.RecoveryCodes{Salt: []byte("salt"), CreatedAt: t0}, n.on(1))
	}},
	"SetSecondStep": {before: addPasskey, do: func(ctx context.Context, s storage.Store, n names) error {
		return s.SetSecondStep(ctx, n.user, true, n.on(1))
	}},
	"RemovePassword": {before: addPasskey, do: func(ctx context.Context, s storage.Store, n names) error {
		return s.RemovePassword(ctx, n.user, n.on(1))
	}},
	"ResetAuthenticators": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.ResetAuthenticators(ctx, n.user, t0)
	}},
	"FinishRecovery": {
		before: func(ctx context.Context, s storage.Store, n names) error {
			return s.BeginRecovery(ctx, storage.Recovery{AccountID: n.user, StartedAt: t0, ReadyAt: t0, EndsAt: t0.Add(time.Hour)}, 0)
		},
		do: func(ctx context.Context, s storage.Store, n names) error {
			return s.FinishRecovery(ctx, storage.RecoveryFinish{AccountID: n.user, PasswordHash: "new", At: t0, On: n.on(0)})
		},
	},
	"SetAttributes": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.SetAttributes(ctx, n.user, map[string]json.RawMessage{"fname": json.RawMessage(`"Bea"`)}, nil)
	}},
	"SetOwnAttributes": {do: func(ctx context.Context, s storage.Store, n names) error {
		after := t0.Add(2 * time.Hour) // when nothing is verified any more
		return s.SetOwnAttributes(ctx, n.user, 0, map[string]json.RawMessage{"fname": json.RawMessage(`"Bea"`)}, nil, after)
	}},
	"ReplaceAttribute": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.ReplaceAttribute(ctx, n.user, "fname", json.RawMessage(`"Ann"`), json.RawMessage(`"Bea"`), storage.Digest{})
	}},
	"SetStatus": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.SetStatus(ctx, n.user, storage.Status{Group: "teacher"}, storage.AnyRevision)
	}},
	"RemoveStatus": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.RemoveStatus(ctx, n.user, "military")
	}},
	"CreateSession": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.CreateSession(ctx, n.signedIn(n.another()), storage.Proof{}, n.session)
	}},
	"TouchSession": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.TouchSession(ctx, n.session, t0.Add(time.Minute), t0.Add(time.Hour))
	}},
	"EndSessions/One": {do: func(ctx context.Context, s storage.Store, n names) error {
		_, err := s.EndSessions(ctx, storage.SessionFilter{Digest: n.session})
		return err
	}},
	"EndSessions": {do: func(ctx context.Context, s storage.Store, n names) error {
		_, err := s.EndSessions(ctx, storage.SessionFilter{AccountID: n.user})
		return err
	}},
	"RemoveSessions": {do: func(ctx context.Context, s storage.Store, n names) error {
		_, err := s.RemoveSessions(ctx, []storage.Digest{n.session})
		return err
	}},
	"SaveConsent/Use": {do: func(ctx context.Context, s storage.Store, n names) error {
		c := n.allowed(2)
		c.DecidedAt = time.Time{}
		return s.SaveConsent(ctx, c, storage.ConsentBasis{Replaced: n.allowed(1).Decision})
	}},
	"SaveConsent/OfLess": {do: func(ctx context.Context, s storage.Store, n names) error {
		c := n.allowed(2)
		c.Scopes = nil // which ends the grant
		return s.SaveConsent(ctx, c, storage.ConsentBasis{Replaced: n.allowed(1).Decision})
	}},
	"RevokeConsent": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.RevokeConsent(ctx, n.user, n.client, t0)
	}},
	"RemoveConsents": {do: func(ctx context.Context, s storage.Store, n names) error {
		_, err := s.RemoveConsents(ctx, []storage.ConsentID{{Subject: n.user, ClientID: n.client}}, t0)
		return err
	}},
	"Elapse": {do: func(ctx context.Context, s storage.Store, n names) error {
		return s.Elapse(ctx, storage.Elapsed{ClientIDs: []string{n.client}, UserPrefix: n.user, By: time.Hour})
	}},
}

func changeEmail(ctx context.Context, s storage.Store, n names) error {
	return s.ChangeEmail(ctx, storage.EmailChange{
		AccountID: n.user, Email: "new-" + n.user, EmailKey: "new-" + n.user, At: t0, Begin: n.signedIn(n.another()), ReturnUntil: t0.Add(time.Hour),
	})
}

// on is the proof that rests on the account in a version of its factors.
func (n names) on(factors int64) storage.Proof { return storage.Proof{FactorsVersion: factors, At: t0} }

func addLink(ctx context.Context, s storage.Store, n names) error {
	return s.AddLink(ctx, storage.Link{Digest: sha256.Sum256([]byte(n.user)), AccountID: n.user, Upstream: "up", Issuer: "https://up.test", CreatedAt: t0}, 1, n.on(0))
}

// addVouched adds a link, and a membership for which its issuer vouches.
func addVouched(ctx context.Context, s storage.Store, n names) error {
	if err := addLink(ctx, s, n); err != nil {
		return err
	}
	return s.SetStatus(ctx, n.user, storage.Status{
		Group: "student", Verified: true, VerifiedBy: "https://up.test", Method: storage.MethodVouched, VerifiedAt: t0,
	}, storage.NoStatus)
}

func addPasskey(ctx context.Context, s storage.Store, n names) error {
	return s.AddPasskey(ctx, storage.Passkey{ID: []byte(n.user), AccountID: n.user, UserHandle: []byte(n.user), CreatedAt: t0}, 1, n.on(0))
}

func setTOTP(ctx context.Context, s storage.Store, n names) error {
	return s.SetTOTP(ctx, n.user, storage.TOTP{Secret: []byte("secret"), CreatedAt: t0}, storage.RecoveryCodes{}, n.on(0))
}
