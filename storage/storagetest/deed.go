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
	"SetEmail": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetEmail(ctx, "ann", "", "new", "new", true)
	}, "account ann", "person ann"),
	"VerifyEmail": doing(func(ctx context.Context, s storage.Store) error { return s.VerifyEmail(ctx, "ann", storage.Proof{}) }, "account ann", "person ann"),
	"ChangeEmail": doing(func(ctx context.Context, s storage.Store) error {
		return s.ChangeEmail(ctx, emailChange("ann", 0, "new"))
	}, "account ann", "person ann", "session ann", "grant ann", "due ann"),
	"ReturnEmail": doing(func(ctx context.Context, s storage.Store) error {
		if err := s.ChangeEmail(ctx, change("ann", 0, "new")); err != nil {
			return err
		}
		return errOf(s.ReturnEmail(ctx, emailReturn("ann", 1)))
	}, "account ann", "person ann", "session ann", "grant ann", "due ann"),
	"SetLanguage": doing(func(ctx context.Context, s storage.Store) error { return s.SetLanguage(ctx, "ann", "de") }, "account ann"),
	"SetPassword": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetPassword(ctx, "ann", storage.Proof{}, "new", t0)
	}, "account ann", "session ann", "grant ann", "due ann"),
	"Rehash":              doing(func(ctx context.Context, s storage.Store) error { return s.Rehash(ctx, "ann", "hash", "better") }, "account ann"),
	"RehashOfAnotherHash": doing(func(ctx context.Context, s storage.Store) error { return s.Rehash(ctx, "ann", "of before", "better") }),
	"SetDisabled": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetDisabled(ctx, "ann", true, t0)
	}, "account ann", "person ann", "session ann", "grant ann", "due ann"),
	"EndIssued": doing(func(ctx context.Context, s storage.Store) error {
		return s.EndIssued(ctx, "ann", t0)
	}, "account ann", "session ann", "grant ann", "due ann"),
	"SetDeletion": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetDeletion(ctx, "ann", storage.Proof{}, t0.Add(time.Hour), t0)
	}, "account ann", "person ann", "session ann", "grant ann", "due ann"),
	"DeleteAccount": doing(func(ctx context.Context, s storage.Store) error {
		return found(s.DeleteAccount(ctx, "ann", "someone", nil))
	}, "account ann", "person ann", "session ann", "consent ann", "grant ann", "token ann", "due ann", "events ann"),
	"DeleteAccountThatIsDue": doing(func(ctx context.Context, s storage.Store) error {
		return found(s.DeleteAccount(ctx, "due", "someone", nil, t0))
	}, "account due", "person due"),
	"DeleteDueAccountThatIsNot": failing(storage.ErrNotFound, func(ctx context.Context, s storage.Store) error {
		return found(s.DeleteAccount(ctx, "ann", "someone", nil, t0))
	}),
	"UseOneTimeCode": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.UseOneTimeCode(ctx, "here", digest("code ann here"), t0))
	}, "code ann here"),
	"UseOneTimeCodeOfAnotherPurpose": failing(storage.ErrNotFound, func(ctx context.Context, s storage.Store) error {
		return errOf(s.UseOneTimeCode(ctx, "there", digest("code ann here"), t0))
	}),
	"SaveOneTimeCode": doing(func(ctx context.Context, s storage.Store) error {
		return s.SaveOneTimeCode(ctx, oneTimeCode("next", "here", "ann"))
	}, "code ann here"),
}

// found is the error of a deletion that finds nothing.
func found(found bool, err error) error {
	if err == nil && !found {
		return storage.ErrNotFound
	}
	return err
}

var personDeeds = map[string]deed[storage.Store]{
	"SetAttributes": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetAttributes(ctx, "ann", attributes(`{"a":2,"b":null}`), nil)
	}, "person ann"),
	"SetOwnAttributes": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetOwnAttributes(ctx, "ann", 0, attributes(`{"a":2}`), nil, t0)
	}, "person ann"),
	"ReplaceAttribute": doing(func(ctx context.Context, s storage.Store) error {
		return s.ReplaceAttribute(ctx, "ann", "a", json.RawMessage("1"), json.RawMessage("2"), storage.Digest{})
	}, "person ann"),
	"SetStatus": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetStatus(ctx, "ann", storage.Status{Group: "g", Verified: true}, storage.AnyRevision)
	}, "person ann"),
	"SetStatusOfARevision": doing(func(ctx context.Context, s storage.Store) error {
		return s.SetStatus(ctx, "ann", storage.Status{Group: "g", Verified: true}, revisionOf(ctx, s, "ann", "g"))
	}, "person ann"),
	"SetStatusOfTheRevisionOfAnother": failing(storage.ErrChanged, func(ctx context.Context, s storage.Store) error {
		return s.SetStatus(ctx, "ann", storage.Status{Group: "g", Verified: true}, revisionOf(ctx, s, "bob", "g"))
	}),
	"SetStatusOfTheRevisionOfAnotherGroup": failing(storage.ErrChanged, func(ctx context.Context, s storage.Store) error {
		return s.SetStatus(ctx, "ann", storage.Status{Group: "g", Verified: true}, revisionOf(ctx, s, "ann", "h"))
	}),
	"RemoveStatus": doing(func(ctx context.Context, s storage.Store) error { return s.RemoveStatus(ctx, "ann", "g") }, "person ann"),
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
	"CreateSession": doing(func(ctx context.Context, s storage.Store) error {
		return s.CreateSession(ctx, session("next", "ann"), storage.Proof{}, digest("ann here"))
	}, "session ann here"),
	"CreateSessionOfTheOther": doing(func(ctx context.Context, s storage.Store) error { // of two, one of whom is the first to be found
		return s.CreateSession(ctx, session("next", "bob"), storage.Proof{}, digest("bob here"))
	}, "session bob here"),
	"CreateSessionInPlaceOfThatOfAnother": doing(func(ctx context.Context, s storage.Store) error {
		return s.CreateSession(ctx, session("next", "ann"), storage.Proof{}, digest("bob here"))
	}, "session bob here", "due bob"),
	"TouchSession": doing(func(ctx context.Context, s storage.Store) error {
		return s.TouchSession(ctx, digest("ann here"), t0.Add(time.Minute), t0.Add(2*time.Hour))
	}, "session ann here"),
	"EndSessionsOne": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.EndSessions(ctx, storage.SessionFilter{Digest: digest("ann here")}))
	}, "session ann here", "due ann"),
	"EndSessions": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.EndSessions(ctx, storage.SessionFilter{AccountID: "ann", Except: digest("ann there")}))
	}, "session ann here", "due ann"),
	"EndSessionsOfNobody": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.EndSessions(ctx, storage.SessionFilter{}))
	}),
	"RemoveSessions": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.RemoveSessions(ctx, []storage.Digest{digest("ann here")}))
	}, "session ann here", "due ann"),
	"RemoveClientSessions": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.RemoveClientSessions(ctx, "red"))
	}),
	"EndClientSessions": doing(func(ctx context.Context, s storage.Store) error { // none of which are the host's
		return errOf(s.EndClientSessions(ctx, "ann", digest("ann here")))
	}),
}

var grantDeeds = map[string]deed[storage.Store]{
	"SaveConsent": doing(func(ctx context.Context, s storage.Store) error {
		c := consent("ann", "red")
		on := storage.ConsentBasis{Replaced: c.Decision}
		c.Decision = digest("next")
		return s.SaveConsent(ctx, c, on)
	}, "consent ann red"),
	"SaveConsentInPlaceOfThatForAnother": failing(storage.ErrChanged, func(ctx context.Context, s storage.Store) error {
		return s.SaveConsent(ctx, consent("ann", "red"), storage.ConsentBasis{Replaced: consent("ann", "blue").Decision})
	}),
	"SaveConsentInPlaceOfThatOfAnother": failing(storage.ErrChanged, func(ctx context.Context, s storage.Store) error {
		return s.SaveConsent(ctx, consent("ann", "red"), storage.ConsentBasis{Replaced: consent("bob", "red").Decision})
	}),
	"RevokeConsent": doing(func(ctx context.Context, s storage.Store) error { return s.RevokeConsent(ctx, "ann", "red", t0) }, "consent ann red", "grant ann red"),
	"RemoveConsents": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.RemoveConsents(ctx, []storage.ConsentID{{Subject: "ann", ClientID: "red"}}, t0))
	}, "consent ann red"),
	"CreateGrant": doing(func(ctx context.Context, s storage.Store) error {
		g := grant("another", "red", "ann")
		g.CreatedAt = t0.Add(time.Hour)
		return s.CreateGrant(ctx, g, storage.Basis{Consent: consent("ann", "red")})
	}, "consent ann red"),
	"Exchange": doing(func(ctx context.Context, s storage.Store) error {
		return s.Exchange(ctx, digest("code ann red"), t0, token(pairGrant("ann", "red"), storage.RefreshToken, "next"))
	}, "token ann red code"),
	"RevokeGrantsOfAUserForAClient": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.RevokeGrants(ctx, storage.GrantFilter{Subject: "ann", ClientID: "red"}, t0))
	}, "grant ann red"),
	"RevokeGrantsOfAUser": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.RevokeGrants(ctx, storage.GrantFilter{Subject: "ann"}, t0))
	}, "grant ann"),
	"RevokeGrant": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.RevokeGrants(ctx, storage.GrantFilter{ID: pairGrant("ann", "red").ID}, t0))
	}, "grant ann red"),
	"EndGrants": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.EndGrants(ctx, []storage.GrantID{pairGrant("ann", "red").ID}, t0))
	}, "grant ann red"),
	"RemoveGrants": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.RemoveGrants(ctx, []storage.GrantID{pairGrant("ann", "red").ID}))
	}, "grant ann red", "token ann red"),
}
