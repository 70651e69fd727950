package lab

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// FaultyStore is a store that a test can make fail, hang, or forget to say that it
// has done what it was asked.
type FaultyStore struct {
	storage.Store

	mu sync.Mutex
	// before is asked before every call; its error is the answer. Nil lets all
	// calls through.
	before func(ctx context.Context, method string) error
	// after is asked after a call that took effect; its error is the answer.
	after func(method string) error
}

// Faulty puts a faultyStore before the configured store.
func Faulty(into **FaultyStore) func(*provider.Config) {
	return func(c *provider.Config) {
		*into = &FaultyStore{Store: c.Store}
		c.Store = *into
	}
}

func (s *FaultyStore) BreakBefore(before func(ctx context.Context, method string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = before
}

func (s *FaultyStore) BreakAfter(after func(method string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = after
}

// Down makes every call fail with an error; nil repairs it.
func (s *FaultyStore) Down(err error) {
	s.BreakBefore(func(context.Context, string) error { return err })
}

func (s *FaultyStore) do(ctx context.Context, method string, call func() error) error {
	s.mu.Lock()
	before, after := s.before, s.after
	s.mu.Unlock()
	if before != nil {
		if err := before(ctx, method); err != nil {
			return err
		}
	}
	if err := call(); err != nil || after == nil {
		return err
	}
	return after(method)
}

// value is do for methods that return something.
func value[T any](ctx context.Context, s *FaultyStore, method string, call func() (T, error)) (v T, err error) {
	err = s.do(ctx, method, func() (err error) { v, err = call(); return err })
	if err != nil {
		var zero T
		return zero, err
	}
	return v, nil
}

func (s *FaultyStore) CreateAccount(ctx context.Context, a storage.Account, first ...storage.FirstFactors) error {
	return s.do(ctx, "CreateAccount", func() error { return s.Store.CreateAccount(ctx, a, first...) })
}

func (s *FaultyStore) Account(ctx context.Context, id string) (storage.Account, error) {
	return value(ctx, s, "Account", func() (storage.Account, error) { return s.Store.Account(ctx, id) })
}

func (s *FaultyStore) AccountByEmail(ctx context.Context, key string) (storage.Account, error) {
	return value(ctx, s, "AccountByEmail", func() (storage.Account, error) { return s.Store.AccountByEmail(ctx, key) })
}

func (s *FaultyStore) ReturnEmail(ctx context.Context, r storage.EmailReturn) (storage.Account, error) {
	return value(ctx, s, "ReturnEmail", func() (storage.Account, error) { return s.Store.ReturnEmail(ctx, r) })
}

func (s *FaultyStore) SetPassword(ctx context.Context, id string, on storage.Proof, hash string, at time.Time, begin ...storage.Session) error {
	return s.do(ctx, "SetPassword", func() error { return s.Store.SetPassword(ctx, id, on, hash, at, begin...) })
}

func (s *FaultyStore) Person(ctx context.Context, subject string) (storage.Person, error) {
	return value(ctx, s, "Person", func() (storage.Person, error) { return s.Store.Person(ctx, subject) })
}

func (s *FaultyStore) SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage, find map[string]storage.Digest, on ...storage.PersonBasis) error {
	return s.do(ctx, "SetAttributes", func() error { return s.Store.SetAttributes(ctx, subject, values, find, on...) })
}

func (s *FaultyStore) AllowAttempt(ctx context.Context, bucket storage.Digest, now time.Time, every time.Duration, burst int) (time.Duration, error) {
	return value(ctx, s, "AllowAttempt", func() (time.Duration, error) { return s.Store.AllowAttempt(ctx, bucket, now, every, burst) })
}

func (s *FaultyStore) GiveBackAttempt(ctx context.Context, bucket storage.Digest, sooner time.Duration) error {
	return s.do(ctx, "GiveBackAttempt", func() error { return s.Store.GiveBackAttempt(ctx, bucket, sooner) })
}

func (s *FaultyStore) ResetAttempts(ctx context.Context, bucket storage.Digest) error {
	return s.do(ctx, "ResetAttempts", func() error { return s.Store.ResetAttempts(ctx, bucket) })
}

func (s *FaultyStore) Client(ctx context.Context, id string) (storage.Client, error) {
	return value(ctx, s, "Client", func() (storage.Client, error) { return s.Store.Client(ctx, id) })
}

func (s *FaultyStore) Consent(ctx context.Context, subject, clientID string) (storage.Consent, error) {
	return value(ctx, s, "Consent", func() (storage.Consent, error) { return s.Store.Consent(ctx, subject, clientID) })
}

func (s *FaultyStore) Consents(ctx context.Context, match storage.ConsentFilter) ([]storage.Consent, error) {
	return value(ctx, s, "Consents", func() ([]storage.Consent, error) { return s.Store.Consents(ctx, match) })
}

func (s *FaultyStore) SaveConsent(ctx context.Context, c storage.Consent, on storage.ConsentBasis) error {
	return s.do(ctx, "SaveConsent", func() error { return s.Store.SaveConsent(ctx, c, on) })
}

func (s *FaultyStore) RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error {
	return s.do(ctx, "RevokeConsent", func() error { return s.Store.RevokeConsent(ctx, subject, clientID, at) })
}

func (s *FaultyStore) AppendEvent(ctx context.Context, e storage.Event) error {
	return s.do(ctx, "AppendEvent", func() error { return s.Store.AppendEvent(ctx, e) })
}

func (s *FaultyStore) CreateGrant(ctx context.Context, g storage.Grant, on storage.Basis, issued ...storage.Token) error {
	return s.do(ctx, "CreateGrant", func() error { return s.Store.CreateGrant(ctx, g, on, issued...) })
}

func (s *FaultyStore) Token(ctx context.Context, kind storage.TokenKind, digest storage.Digest) (t storage.Token, g storage.Grant, err error) {
	err = s.do(ctx, "Token", func() (err error) { t, g, err = s.Store.Token(ctx, kind, digest); return err })
	return t, g, err
}

func (s *FaultyStore) Exchange(ctx context.Context, spent storage.Digest, at time.Time, issued ...storage.Token) error {
	return s.do(ctx, "Exchange", func() error { return s.Store.Exchange(ctx, spent, at, issued...) })
}

func (s *FaultyStore) Reissue(ctx context.Context, spent storage.Digest, within storage.Grace, issued ...storage.Token) error {
	return s.do(ctx, "Reissue", func() error { return s.Store.Reissue(ctx, spent, within, issued...) })
}

func (s *FaultyStore) Derive(ctx context.Context, issued storage.Token) error {
	return s.do(ctx, "Derive", func() error { return s.Store.Derive(ctx, issued) })
}

// Renew implements storage.Grants.
func (s *FaultyStore) Renew(ctx context.Context, kept storage.Digest, until time.Time, issued ...storage.Token) error {
	return s.do(ctx, "Renew", func() error { return s.Store.Renew(ctx, kept, until, issued...) })
}

func (s *FaultyStore) RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error) {
	return value(ctx, s, "RevokeGrants", func() (int, error) { return s.Store.RevokeGrants(ctx, match, at) })
}

func (s *FaultyStore) EndGrants(ctx context.Context, ids []storage.GrantID, at time.Time, events ...storage.EventsOf) (int, error) {
	return value(ctx, s, "EndGrants", func() (int, error) { return s.Store.EndGrants(ctx, ids, at, events...) })
}

func (s *FaultyStore) Image(ctx context.Context, digest storage.Digest) (storage.Image, error) {
	return value(ctx, s, "Image", func() (storage.Image, error) { return s.Store.Image(ctx, digest) })
}

func (s *FaultyStore) Keys(ctx context.Context) ([]storage.Key, error) {
	return value(ctx, s, "Keys", func() ([]storage.Key, error) { return s.Store.Keys(ctx) })
}

func (s *FaultyStore) AddKey(ctx context.Context, k storage.Key) error {
	return s.do(ctx, "AddKey", func() error { return s.Store.AddKey(ctx, k) })
}

func (s *FaultyStore) CreateSession(ctx context.Context, n storage.Session, on storage.Proof, replaced storage.Digest) error {
	return s.do(ctx, "CreateSession", func() error { return s.Store.CreateSession(ctx, n, on, replaced) })
}

func (s *FaultyStore) Session(ctx context.Context, digest storage.Digest) (n storage.Session, a storage.Account, err error) {
	err = s.do(ctx, "Session", func() (err error) { n, a, err = s.Store.Session(ctx, digest); return err })
	return n, a, err
}

func (s *FaultyStore) TouchSession(ctx context.Context, digest storage.Digest, seen, idleUntil time.Time) error {
	return s.do(ctx, "TouchSession", func() error { return s.Store.TouchSession(ctx, digest, seen, idleUntil) })
}

func (s *FaultyStore) Sessions(ctx context.Context, id string) ([]storage.Session, error) {
	return value(ctx, s, "Sessions", func() ([]storage.Session, error) { return s.Store.Sessions(ctx, id) })
}

func (s *FaultyStore) EndSessions(ctx context.Context, match storage.SessionFilter) (int, error) {
	return value(ctx, s, "EndSessions", func() (int, error) { return s.Store.EndSessions(ctx, match) })
}

func (s *FaultyStore) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	return value(ctx, s, "Sweep", func() (int, error) { return s.Store.Sweep(ctx, now, limit) })
}

func (s *FaultyStore) Trim(ctx context.Context, t storage.Trim, limit int) (int, error) {
	return value(ctx, s, "Trim", func() (int, error) { return s.Store.Trim(ctx, t, limit) })
}

func (s *FaultyStore) SaveOneTimeCode(ctx context.Context, t storage.OneTimeCode) error {
	return s.do(ctx, "SaveOneTimeCode", func() error { return s.Store.SaveOneTimeCode(ctx, t) })
}

func (s *FaultyStore) UseOneTimeCode(ctx context.Context, purpose string, digest storage.Digest, now time.Time) (storage.OneTimeCode, error) {
	return value(ctx, s, "UseOneTimeCode", func() (storage.OneTimeCode, error) { return s.Store.UseOneTimeCode(ctx, purpose, digest, now) })
}

func (s *FaultyStore) SavePushedRequest(ctx context.Context, r storage.PushedRequest) error {
	return s.do(ctx, "SavePushedRequest", func() error { return s.Store.SavePushedRequest(ctx, r) })
}

func (s *FaultyStore) PushedRequest(ctx context.Context, clientID string, digest storage.Digest, now time.Time) (storage.PushedRequest, error) {
	return value(ctx, s, "PushedRequest", func() (storage.PushedRequest, error) {
		return s.Store.PushedRequest(ctx, clientID, digest, now)
	})
}

func (s *FaultyStore) UseID(ctx context.Context, digest storage.Digest, expiresAt, now time.Time) error {
	return s.do(ctx, "UseID", func() error { return s.Store.UseID(ctx, digest, expiresAt, now) })
}
