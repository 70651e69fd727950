package credential

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// notice is what a wallet tells of a credential (OpenID for Verifiable Credential Issuance 1.0 section
// 11.1). Its event_description is of nobody's use, and is not kept.
type notice struct {
	ID    *string `json:"notification_id"`
	Event *string `json:"event"`
}

// answerNotification takes what a wallet tells of a credential. The same twice is no error.
func (s *Service) answerNotification(r *http.Request, h room.Holder) (any, error) {
	var n notice
	if err := readBody(r, &n, errNotificationRequest); err != nil {
		return nil, err
	}
	return nil, s.take(r.Context(), h, n)
}

// take acts on a notice about a credential of the holder, of this wallet.
func (s *Service) take(ctx context.Context, h room.Holder, n notice) error {
	if n.ID == nil || n.Event == nil {
		return errNotificationRequest
	}
	if err := s.allow(ctx, "credential notification", h, noticeLimit); err != nil {
		return err
	}
	found, err := s.cfg.Store.Credentials(ctx, storage.CredentialFilter{
		Subject: h.UserID, ClientID: h.ClientID, Notification: sha256.Sum256([]byte(*n.ID)),
	})
	if err != nil {
		return fmt.Errorf("read credential: %w", err)
	}
	if len(found) == 0 {
		return errNotification
	}
	switch *n.Event {
	case "credential_accepted":
		err = s.cfg.Store.AcceptCredential(ctx, found[0].ID, s.cfg.Clock())
		if errors.Is(err, storage.ErrNotFound) {
			return errNotification
		}
		return err
	case "credential_failure", "credential_deleted":
		_, err = s.end(ctx, found[0], storage.EndedByWallet)
		return err
	default:
		return errNotificationRequest
	}
}
