package signals

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// Record is what is kept, encrypted, of a receiver beside what is searched by.
type Record struct {
	Address     string   `json:"address,omitempty"`
	Description string   `json:"description,omitempty"`
	Names       []string `json:"names,omitempty"` // of signals; all if empty

	// Stopped reports that the staff has disabled it, and alone may enable it.
	Stopped bool `json:"stopped,omitempty"`

	// Of a stream, Header is the Authorization of pushed requests, Requested are the types of events
	// that its receiver asks for (nil for all), VerifiedAt is when it last asked for a verification, and Reason
	// why it has set the state.
	Header     string    `json:"header,omitempty"`
	Requested  []string  `json:"requested"`
	VerifiedAt time.Time `json:"verified_at,omitzero"`
	Reason     string    `json:"reason,omitempty"`

	// Key signs webhooks, and Seed is the private key of v1a, or nil. The former ones sign, too, until
	// FormerUntil.
	Key         []byte    `json:"key,omitempty"`
	Seed        []byte    `json:"seed,omitempty"`
	FormerKey   []byte    `json:"former_key,omitempty"`
	FormerSeed  []byte    `json:"former_seed,omitempty"`
	FormerUntil time.Time `json:"former_until,omitzero"`
}

// wants reports whether the receiver has selected a signal.
func (r Record) wants(name string) bool {
	return len(r.Names) == 0 || slices.Contains(r.Names, name) || name == signals.Ping
}

// keySize is that of a key: its base64 has no padding, which a copy could lose.
const keySize = 24

// overlap is how long a former key signs beside its successor.
const overlap = 24 * time.Hour

const keyPrefix, publicPrefix = "whsec_", "whpk_"

// NewKeys gives the record new keys, and returns the symmetric one as it is shown.
func (r *Record) NewKeys(now time.Time, asymmetric bool) string {
	key := random.Bytes(keySize)
	r.replaceKeys(key, now)
	r.setSeed(asymmetric)
	return keyPrefix + base64.StdEncoding.EncodeToString(key)
}

func (r *Record) replaceKeys(key []byte, now time.Time) {
	if r.Key != nil {
		r.FormerKey, r.FormerSeed, r.FormerUntil = r.Key, r.Seed, now.Add(overlap)
	}
	r.Key = key
}

func (r *Record) setSeed(asymmetric bool) {
	if r.Seed = nil; asymmetric {
		r.Seed = random.Bytes(ed25519.SeedSize)
	}
}

// publicKey returns the key of v1a as it is shown; empty for none.
func (r Record) publicKey() string {
	if r.Seed == nil {
		return ""
	}
	public := ed25519.NewKeyFromSeed(r.Seed).Public().(ed25519.PublicKey)
	return publicPrefix + base64.StdEncoding.EncodeToString(public)
}

// parseKey reads a symmetric key of the host's.
func parseKey(text string) ([]byte, error) {
	if len(text) < len(keyPrefix) || text[:len(keyPrefix)] != keyPrefix {
		return nil, fmt.Errorf("does not begin with %s", keyPrefix)
	}
	key, err := base64.StdEncoding.DecodeString(text[len(keyPrefix):])
	if err != nil || len(key) < keySize || len(key) > 64 {
		return nil, fmt.Errorf("is not %s and 24 to 64 bytes in base64", keyPrefix)
	}
	return key, nil
}

// The places of what is encrypted. A body stays with its receiver and number.
func recordPlace(id string) vault.Record {
	return vault.Record{Kind: "receiver", ID: id, Field: "record"}
}

func bodyPlace(d storage.Delivery) vault.Record {
	return vault.Record{Kind: "delivery", ID: d.ReceiverID, Field: fmt.Sprint(d.Number)}
}

// Open returns the record of a receiver.
func (h *Hub) Open(r storage.Receiver) (Record, error) {
	var record Record
	plain, err := h.Vault.Open(recordPlace(r.ID), r.Record)
	if err == nil {
		err = json.Unmarshal(plain, &record)
	}
	if err != nil {
		return record, fmt.Errorf("open receiver %s: %w", r.ID, err)
	}
	return record, nil
}

// Seal returns a receiver with a record.
func (h *Hub) Seal(r storage.Receiver, record Record) storage.Receiver {
	plain, _ := json.Marshal(record) // of texts, bytes and a time
	r.Record = []byte(h.Vault.Seal(recordPlace(r.ID), plain))
	return r
}

// OpenBody returns the body of a delivery.
func (h *Hub) OpenBody(d storage.Delivery) ([]byte, error) {
	plain, err := h.Vault.Open(bodyPlace(d), d.Body)
	if err != nil {
		return nil, fmt.Errorf("open message %s: %w", d.MessageID, err)
	}
	return plain, nil
}

// unasked returns a message without an event of its own, whose number is negative.
func (h *Hub) unasked(r storage.Receiver, name string, body func(messageID string) []byte) storage.Delivery {
	now := h.Clock()
	id := h.MessageID(r.ID, fmt.Sprint(-now.UnixMicro()))
	return h.Delivery(r, -now.UnixMicro(), id, name, "", now, body(id))
}

// Delivery returns a message to a receiver, to be added.
func (h *Hub) Delivery(r storage.Receiver, number int64, messageID, name, subject string, at time.Time, body []byte) storage.Delivery {
	d := storage.Delivery{
		ReceiverID: r.ID, Number: number, MessageID: messageID, Name: name, Lane: lane(subject), State: storage.DeliveryWaiting, At: at,
	}
	d.Body = []byte(h.Vault.Seal(bodyPlace(d), body))
	return d
}

// MessageID returns the ID of the message about something to a receiver, always the same.
func (h *Hub) MessageID(receiver, of string) string {
	return "msg_" + h.Vault.Digest("signal\x00" + receiver + "\x00" + of)[:28]
}
