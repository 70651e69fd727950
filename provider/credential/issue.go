package credential

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// The limits of requests per user. What is issued is kept, has a place on a list and a line on the page of
// its owner until it expires: some hundreds at most.
var (
	issueLimit  = provider.Limit{Burst: 20, Every: time.Hour}
	noticeLimit = provider.Limit{Burst: 60, Every: 10 * time.Second}
)

// maxDraws is how often another place is drawn because somebody has taken it, which up to half of them are.
const maxDraws = 30

// issued is the answer to a credential request (OpenID for Verifiable Credential Issuance 1.0 section
// 8.3).
type issued struct {
	Credentials  []issuedCredential `json:"credentials"`
	Notification string             `json:"notification_id"`
}

type issuedCredential struct {
	Credential string `json:"credential"`
}

// answerCredential issues a credential.
func (s *Service) answerCredential(r *http.Request, h room.Holder) (any, error) {
	var req request
	if err := readBody(r, &req, errRequest); err != nil {
		return nil, err
	}
	return s.issue(r.Context(), h, req)
}

// issue decides about a request: what it says, then what is known of the user now. The last write
// records the credential under the conditions that were read: of one that is not recorded nobody has
// anything.
func (s *Service) issue(ctx context.Context, h room.Holder, req request) (issued, error) {
	k, err := s.kindOf(req, h)
	if err != nil {
		return issued{}, err
	}
	p, err := s.proofOf(req, h)
	if err != nil {
		return issued{}, err
	}
	now := s.cfg.Clock()
	use, until, ok := s.nonces.read(p.nonce, now)
	if !ok {
		return issued{}, errNonce
	}
	if err := s.allow(ctx, "credential", h, issueLimit); err != nil {
		return issued{}, err
	}
	status, err := s.statusOf(ctx, h.UserID, k, now)
	if err != nil {
		return issued{}, err
	}
	spend := func() error {
		err := s.cfg.Store.UseID(ctx, use, until, now)
		if errors.Is(err, storage.ErrConflict) {
			return errNonce
		}
		return err
	}
	for range maxDraws {
		var answer issued
		answer, err = s.record(ctx, h, k, status, p.key, now, spend)
		if !errors.Is(err, storage.ErrConflict) {
			return answer, err
		}
		spend = func() error { return nil }
	}
	return issued{}, err
}

// allow counts a request of a user.
func (s *Service) allow(ctx context.Context, what string, h room.Holder, limit provider.Limit) error {
	wait, err := s.cfg.Provider.Rooms().Pages.Allow(ctx, what, h.UserID, limit)
	if err == nil && wait > 0 {
		return tooMany(wait)
	}
	return err
}

// statusOf returns the status of a user in the group of a credential, as it is released now.
func (s *Service) statusOf(ctx context.Context, userID string, k Kind, now time.Time) (storage.Status, error) {
	statuses, err := s.cfg.Provider.People().Statuses(ctx, userID, k.Group)
	if errors.Is(err, provider.ErrNoUser) {
		return storage.Status{}, errDenied
	}
	if err != nil {
		return storage.Status{}, fmt.Errorf("read status: %w", err)
	}
	status := statuses[0]
	if !status.Verified || !k.expiry(now, status.ExpiresAt).After(now) {
		return storage.Status{}, errDenied
	}
	return status, nil
}

// record signs a credential, spends the nonce and records what was issued. storage.ErrConflict if
// somebody has taken its place in the list.
func (s *Service) record(ctx context.Context, h room.Holder, k Kind, status storage.Status, key holderKey, now time.Time, spend func() error) (issued, error) {
	list, place, uri, err := s.lists.draw(ctx)
	if err != nil {
		return issued{}, fmt.Errorf("draw place: %w", err)
	}
	expires := k.expiry(now, status.ExpiresAt)
	payload, disclosures, err := conceal(map[string]any{
		"iss": s.issuer, "vct": s.typeURL(k), "iat": now.UTC().Truncate(day).Unix(), "exp": expires.Unix(),
		"cnf":    map[string]holderKey{"jwk": key},
		"status": map[string]any{"status_list": map[string]any{"idx": place, "uri": uri}},
	}, k.tell(status))
	if err != nil {
		return issued{}, fmt.Errorf("encode credential: %w", err)
	}
	signed, err := s.keys.sign(ctx, keyring.TypeCredential, payload)
	if err != nil {
		return issued{}, fmt.Errorf("sign credential: %w", err)
	}
	if err := spend(); err != nil {
		return issued{}, err
	}
	notification := random.Text(32)
	c := storage.Credential{
		ID: random.SortedUUID(now), Subject: h.UserID, ClientID: h.ClientID, GrantID: h.GrantID, Group: k.Group, List: list, Place: place,
		StatusRevision: status.Revision, Content: s.content(k, status), Notification: sha256.Sum256([]byte(notification)), IssuedAt: now, ExpiresAt: expires,
	}
	err = s.cfg.Provider.Rooms().Events.WriteIn(ctx, s.cfg.Store, func(ctx context.Context) error { return s.cfg.Store.SaveCredential(ctx, c) },
		provider.Event{Name: event.CredentialIssued, UserID: h.UserID, ClientID: h.ClientID, Detail: k.Group})
	switch {
	case errors.Is(err, storage.ErrEnded):
		return issued{}, errDenied
	case err != nil:
		return issued{}, fmt.Errorf("record credential: %w", err)
	}
	return issued{[]issuedCredential{{compact(signed, disclosures)}}, notification}, nil
}

// typeURL is the vct of a credential.
func (s *Service) typeURL(k Kind) string { return s.url + "/types/" + k.Group }

// expiry returns when a credential that is issued now expires: at a midnight, which tells nothing
// about when it was issued, and not after its status, which may have no end. It is the zero time if
// the status ends in less than a day: nobody would get to use it.
func (k Kind) expiry(now, statusEnds time.Time) time.Time {
	end := now.UTC().Truncate(day).Add(k.life())
	if statusEnds.IsZero() {
		return end
	}
	if statusEnds.Sub(now) < day {
		return time.Time{}
	}
	if last := statusEnds.UTC().Truncate(day); last.Before(end) {
		return last
	}
	return end
}

// tell returns what the holder of a credential can disclose of a status; what is not known is not
// there.
func (k Kind) tell(status storage.Status) (told []disclosable) {
	add := func(name string, value any, known bool) {
		if known {
			told = append(told, disclosable{name, value})
		}
	}
	add(claimSubgroups, slices.Sorted(slices.Values(status.Subgroups)), len(status.Subgroups) > 0)
	add(claimVerifiedAt, status.VerifiedAt.UTC().Format(time.DateOnly), !status.VerifiedAt.IsZero())
	add(claimValidUntil, status.ExpiresAt.UTC().Format(time.DateOnly), !status.ExpiresAt.IsZero())
	if k.Provenance {
		add(claimMethod, status.Method, status.Method != "")
		add(claimSource, status.Source, status.Source != "")
	}
	return told
}

// content returns a digest of what a credential says of a status. One of another revision that says
// the same stays in force.
func (s *Service) content(k Kind, status storage.Status) storage.Digest {
	told := map[string]any{"verified": status.Verified}
	for _, d := range k.tell(status) {
		told[d.name] = d.value
	}
	raw, err := json.Marshal(told)
	if err != nil {
		panic("credential: " + err.Error()) // texts
	}
	return sha256.Sum256(raw)
}
