package storagetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// neighbours tests that no write changes more than it names.
func (s *suite) neighbours(t *testing.T) {
	for name, deeds := range map[string]map[string]deed[storage.Store]{
		"OfAccounts": accountDeeds, "OfPeople": personDeeds, "OfSessions": sessionDeeds, "OfGrants": grantDeeds, "OfClients": clientDeeds,
	} {
		t.Run(name, func(t *testing.T) { leave(t, s.store, fill, look, deeds) })
	}
	t.Run("OfFactors", func(t *testing.T) { leave(t, s.store, fillFactors, lookFactors, factorDeeds) })
}

var accountDeeds = map[string]deed[storage.Store]{
	"SetEmail": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SetEmail(ctx, "ann", "", "new", "new", true)
		},
		changes: []string{"account ann", "person ann"},
	},
	"VerifyEmail": {
		do:      func(ctx context.Context, s storage.Store) error { return s.VerifyEmail(ctx, "ann", storage.Proof{}) },
		changes: []string{"account ann", "person ann"},
	},
	"ChangeEmail": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.ChangeEmail(ctx, emailChange("ann", 0, "new"))
		},
		changes: []string{"account ann", "person ann", "session ann", "grant ann", "due ann"},
	},
	"ReturnEmail": {
		do: func(ctx context.Context, s storage.Store) error {
			if err := s.ChangeEmail(ctx, change("ann", 0, "new")); err != nil {
				return err
			}
			return errOf(s.ReturnEmail(ctx, emailReturn("ann", 1)))
		},
		changes: []string{"account ann", "person ann", "session ann", "grant ann", "due ann"},
	},
	"SetLanguage": {
		do:      func(ctx context.Context, s storage.Store) error { return s.SetLanguage(ctx, "ann", "de") },
		changes: []string{"account ann"},
	},
	"SetPassword": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SetPassword(ctx, "ann", storage.Proof{}, "new", t0)
		},
		changes: []string{"account ann", "session ann", "grant ann", "due ann"},
	},
	"Rehash": {
		do:      func(ctx context.Context, s storage.Store) error { return s.Rehash(ctx, "ann", "hash", "better") },
		changes: []string{"account ann"},
	},
	"RehashOfAnotherHash": {
		do: func(ctx context.Context, s storage.Store) error { return s.Rehash(ctx, "ann", "of before", "better") },
	},
	"SetDisabled": {
		do:      func(ctx context.Context, s storage.Store) error { return s.SetDisabled(ctx, "ann", true, t0) },
		changes: []string{"account ann", "person ann", "session ann", "grant ann", "due ann"},
	},
	"EndIssued": {
		do:      func(ctx context.Context, s storage.Store) error { return s.EndIssued(ctx, "ann", t0) },
		changes: []string{"account ann", "session ann", "grant ann", "due ann"},
	},
	"SetDeletion": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SetDeletion(ctx, "ann", storage.Proof{}, t0.Add(time.Hour), t0)
		},
		changes: []string{"account ann", "person ann", "session ann", "grant ann", "due ann"},
	},
	"DeleteAccount": {
		do: func(ctx context.Context, s storage.Store) error {
			return found(s.DeleteAccount(ctx, "ann", "someone", nil))
		},
		changes: []string{
			"account ann", "person ann", "session ann", "consent ann", "grant ann", "token ann", "due ann", "events ann",
		},
	},
	"DeleteAccountThatIsDue": {
		do: func(ctx context.Context, s storage.Store) error {
			return found(s.DeleteAccount(ctx, "due", "someone", nil, t0))
		},
		changes: []string{"account due", "person due"},
	},
	"DeleteDueAccountThatIsNot": {
		do: func(ctx context.Context, s storage.Store) error {
			return found(s.DeleteAccount(ctx, "ann", "someone", nil, t0))
		},
		fails: storage.ErrNotFound,
	},
	"UseOneTimeCode": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.UseOneTimeCode(ctx, "here", digest("code ann here"), t0))
		},
		changes: []string{"code ann here"},
	},
	"UseOneTimeCodeOfAnotherPurpose": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.UseOneTimeCode(ctx, "there", digest("code ann here"), t0))
		},
		fails: storage.ErrNotFound,
	},
	"SaveOneTimeCode": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SaveOneTimeCode(ctx, oneTimeCode("next", "here", "ann"))
		},
		changes: []string{"code ann here"},
	},
}

// found is the error of a deletion that finds nothing.
func found(found bool, err error) error {
	if err == nil && !found {
		return storage.ErrNotFound
	}
	return err
}

var personDeeds = map[string]deed[storage.Store]{
	"SetAttributes": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SetAttributes(ctx, "ann", attributes(`{"a":2,"b":null}`), nil)
		},
		changes: []string{"person ann"},
	},
	"SetOwnAttributes": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SetOwnAttributes(ctx, "ann", 0, attributes(`{"a":2}`), nil, t0)
		},
		changes: []string{"person ann"},
	},
	"ReplaceAttribute": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.ReplaceAttribute(ctx, "ann", "a", json.RawMessage("1"), json.RawMessage("2"), storage.Digest{})
		},
		changes: []string{"person ann"},
	},
	"SetStatus": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SetStatus(ctx, "ann", storage.Status{Group: "g", Verified: true}, storage.AnyRevision)
		},
		changes: []string{"person ann"},
	},
	"SetStatusOfARevision": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SetStatus(ctx, "ann", storage.Status{Group: "g", Verified: true}, revisionOf(ctx, s, "ann", "g"))
		},
		changes: []string{"person ann"},
	},
	"SetStatusOfTheRevisionOfAnother": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SetStatus(ctx, "ann", storage.Status{Group: "g", Verified: true}, revisionOf(ctx, s, "bob", "g"))
		},
		fails: storage.ErrChanged,
	},
	"SetStatusOfTheRevisionOfAnotherGroup": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SetStatus(ctx, "ann", storage.Status{Group: "g", Verified: true}, revisionOf(ctx, s, "ann", "h"))
		},
		fails: storage.ErrChanged,
	},
	"RemoveStatus": {
		do:      func(ctx context.Context, s storage.Store) error { return s.RemoveStatus(ctx, "ann", "g") },
		changes: []string{"person ann"},
	},
}

func revisionOf(ctx context.Context, s storage.Store, subject, group string) int64 {
	person, err := s.Person(ctx, subject)
	for _, status := range person.Statuses {
		if err == nil && status.Group == group {
			return status.Revision
		}
	}
	return storage.NoStatus
}

var sessionDeeds = map[string]deed[storage.Store]{
	"CreateSession": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.CreateSession(ctx, session("next", "ann"), storage.Proof{}, digest("ann here"))
		},
		changes: []string{"session ann here"},
	},
	"CreateSessionOfTheOther": { // of two, one of whom is the first to be found
		do: func(ctx context.Context, s storage.Store) error {
			return s.CreateSession(ctx, session("next", "bob"), storage.Proof{}, digest("bob here"))
		},
		changes: []string{"session bob here"},
	},
	"CreateSessionInPlaceOfThatOfAnother": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.CreateSession(ctx, session("next", "ann"), storage.Proof{}, digest("bob here"))
		},
		changes: []string{"session bob here", "due bob"},
	},
	"TouchSession": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.TouchSession(ctx, digest("ann here"), t0.Add(time.Minute), t0.Add(2*time.Hour))
		},
		changes: []string{"session ann here"},
	},
	"EndSessionsOne": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.EndSessions(ctx, storage.SessionFilter{Digest: digest("ann here")}))
		},
		changes: []string{"session ann here", "due ann"},
	},
	"EndSessions": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.EndSessions(ctx, storage.SessionFilter{AccountID: "ann", Except: digest("ann there")}))
		},
		changes: []string{"session ann here", "due ann"},
	},
	"EndSessionsOfNobody": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.EndSessions(ctx, storage.SessionFilter{}))
		},
	},
	"RemoveSessions": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.RemoveSessions(ctx, []storage.Digest{digest("ann here")}))
		},
		changes: []string{"session ann here", "due ann"},
	},
	"RemoveClientSessions": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.RemoveClientSessions(ctx, "red"))
		},
	},
	"EndClientSessions": { // none of which are the host's
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.EndClientSessions(ctx, "ann", digest("ann here")))
		},
	},
}

var grantDeeds = map[string]deed[storage.Store]{
	"SaveConsent": {
		do: func(ctx context.Context, s storage.Store) error {
			c := consent("ann", "red")
			on := storage.ConsentBasis{Replaced: c.Decision}
			c.Decision = digest("next")
			return s.SaveConsent(ctx, c, on)
		},
		changes: []string{"consent ann red"},
	},
	"SaveConsentInPlaceOfThatForAnother": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SaveConsent(ctx, consent("ann", "red"), storage.ConsentBasis{Replaced: consent("ann", "blue").Decision})
		},
		fails: storage.ErrChanged,
	},
	"SaveConsentInPlaceOfThatOfAnother": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SaveConsent(ctx, consent("ann", "red"), storage.ConsentBasis{Replaced: consent("bob", "red").Decision})
		},
		fails: storage.ErrChanged,
	},
	"RevokeConsent": {
		do:      func(ctx context.Context, s storage.Store) error { return s.RevokeConsent(ctx, "ann", "red", t0) },
		changes: []string{"consent ann red", "grant ann red"},
	},
	"RemoveConsents": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.RemoveConsents(ctx, []storage.ConsentID{{Subject: "ann", ClientID: "red"}}, t0))
		},
		changes: []string{"consent ann red"},
	},
	"CreateGrant": {
		do: func(ctx context.Context, s storage.Store) error {
			g := grant("another", "red", "ann")
			g.CreatedAt = t0.Add(time.Hour)
			return s.CreateGrant(ctx, g, storage.Basis{Consent: consent("ann", "red")})
		},
		changes: []string{"consent ann red"},
	},
	"Exchange": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.Exchange(ctx, digest("code ann red"), t0, token(pairGrant("ann", "red"), storage.RefreshToken, "next"))
		},
		changes: []string{"token ann red code"},
	},
	"RevokeGrantsOfAUserForAClient": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.RevokeGrants(ctx, storage.GrantFilter{Subject: "ann", ClientID: "red"}, t0))
		},
		changes: []string{"grant ann red"},
	},
	"RevokeGrantsOfAUser": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.RevokeGrants(ctx, storage.GrantFilter{Subject: "ann"}, t0))
		},
		changes: []string{"grant ann"},
	},
	"RevokeGrant": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.RevokeGrants(ctx, storage.GrantFilter{ID: pairGrant("ann", "red").ID}, t0))
		},
		changes: []string{"grant ann red"},
	},
	"EndGrants": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.EndGrants(ctx, []storage.GrantID{pairGrant("ann", "red").ID}, t0))
		},
		changes: []string{"grant ann red"},
	},
	"RemoveGrants": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.RemoveGrants(ctx, []storage.GrantID{pairGrant("ann", "red").ID}))
		},
		changes: []string{"grant ann red", "token ann red"},
	},
}
