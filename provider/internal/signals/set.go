package signals

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// set is a Security Event Token (RFC 8417) as SSF 1.0 section 4 narrows it: it has no sub, which an
// ID token has, no exp, one audience and one event. It is kept without the time at which it is
// issued, and gets that, and its signature, at each attempt.
type set struct {
	Issuer   string                `json:"iss"`
	ID       string                `json:"jti"`
	IssuedAt int64                 `json:"iat,omitempty"`
	Audience string                `json:"aud"`
	Txn      string                `json:"txn,omitempty"`
	Subject  subject               `json:"sub_id"`
	Events   map[string]occurrence `json:"events"`
}

// subject identifies who or what an event is about (RFC 9493).
type subject struct {
	Format  string `json:"format"`
	Issuer  string `json:"iss,omitempty"`
	Subject string `json:"sub,omitempty"`
	ID      string `json:"id,omitempty"`
}

// userOf is a user as an application knows them (RFC 9493 section 3.2.3).
func userOf(issuer, sub string) subject {
	return subject{Format: "iss_sub", Issuer: issuer, Subject: sub}
}

// streamOf is a stream (SSF 1.0 sections 8.1.4.1 and 8.1.5).
func streamOf(id string) subject { return subject{Format: "opaque", ID: id} }

// occurrence is what a SET says of its one event.
type occurrence struct {
	// The time in seconds, and who is behind it (CAEP 1.0 section 2).
	Timestamp int64  `json:"event_timestamp,omitempty"`
	Entity    string `json:"initiating_entity,omitempty"`

	Claims         *changedClaims `json:"claims,omitempty"`
	CredentialType string         `json:"credential_type,omitempty"`
	ChangeType     string         `json:"change_type,omitempty"`

	// State is what the receiver has asked to be echoed; Status and Reason are of the stream.
	State  string `json:"state,omitempty"`
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// changedClaims are claims with their new values (CAEP 1.0 section 3.2.1).
type changedClaims struct {
	Status []changedStatus `json:"status"`
}

// changedStatus is an entry of the claim status. Who wants to know more than whether the user is a
// member asks for it.
type changedStatus struct {
	Group    string `json:"group"`
	Verified bool   `json:"verified"`
}

// encode returns what is kept of a token.
func (s set) encode() []byte {
	body, _ := json.Marshal(s) // of texts and numbers
	return body
}

// opened returns a token that was kept.
func opened(kept []byte) (s set, err error) {
	if err := json.Unmarshal(kept, &s); err != nil {
		return s, fmt.Errorf("read security event token: %w", err)
	}
	return s, nil
}

// statuses are the claims of a token that say whether its user is a member: as it is signed, and not
// as it was when something has changed.
func (s set) statuses() []changedStatus {
	for _, o := range s.Events {
		if o.Claims != nil {
			return o.Claims.Status
		}
	}
	return nil
}

// set returns the claims of a change for a stream; nil if there is no event for it.
func (s *Streams) set(c Change, r storage.Receiver, messageID string) []byte {
	uri, o, ok := occurrenceOf(c)
	if !ok {
		return nil
	}
	return set{
		Issuer: s.Issuer, ID: messageID, Audience: r.ClientID, Subject: userOf(s.Issuer, c.Event.Subject),
		Txn:    s.Hub.Vault.Digest(fmt.Sprintf("txn\x00%d\x00%s", c.Event.ID, r.ClientID))[:22],
		Events: map[string]occurrence{uri: o},
	}.encode()
}

// aboutStream is a message about a stream itself.
func (s *Streams) aboutStream(r storage.Receiver, uri string, o occurrence) storage.Delivery {
	return s.Hub.unasked(r, uri[len(ssf):], func(id string) []byte {
		return set{Issuer: s.Issuer, ID: id, Audience: r.ClientID, Subject: streamOf(r.ID), Events: map[string]occurrence{uri: o}}.encode()
	})
}

// token returns what was kept of a message as it is sent now.
func (s *Streams) token(ctx context.Context, kept []byte) (string, error) {
	claims, err := opened(kept)
	if err != nil {
		return "", err
	}
	status := claims.statuses()
	for i := range status {
		if status[i].Verified, err = s.Verified(ctx, claims.Subject.Subject, status[i].Group); err != nil {
			return "", err
		}
	}
	claims.IssuedAt = s.Hub.Clock().Unix()
	s.Refresh(ctx)
	return s.Sign(keyring.TypeSecurityEvent, keyring.RS256, claims.encode())
}
