package verification

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

var errSignature = errors.New("verification: the callback is not signed by the other side, or is old")

// WebhookTolerance is how far the time of a callback may be from now.
const WebhookTolerance = 5 * time.Minute

// maxSignatures bounds the signatures of one callback: a few while keys are exchanged.
const maxSignatures = 8

// WebhookSecret returns the key behind a secret of the form whsec_ and base64 (Standard
// Webhooks 1.0), which has 24 to 64 bytes.
func WebhookSecret(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") || len(key) < 24 || len(key) > 64 {
		return nil, errors.New("verification: a webhook secret is whsec_ and 24 to 64 bytes in base64")
	}
	return key, nil
}

// VerifyWebhook checks a callback as Standard Webhooks 1.0 says: webhook-signature has, for
// one of the secrets, the HMAC-SHA256 of webhook-id, webhook-timestamp and the body; and the
// time is within WebhookTolerance of now. It returns the ID of the message, which is the
// same when it is sent again. Several secrets are for the time while one replaces another.
func VerifyWebhook(h http.Header, body []byte, now time.Time, secrets ...[]byte) (id string, err error) {
	id, stamp, signatures := one(h, "webhook-id"), one(h, "webhook-timestamp"), strings.Fields(one(h, "webhook-signature"))
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" || len(id) > 255 || len(signatures) > maxSignatures {
		return "", errSignature
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > WebhookTolerance || age < -WebhookTolerance {
		return "", errSignature
	}
	valid := false
	for _, secret := range secrets {
		if len(secret) < 24 { // an empty key would make anybody a signer
			continue
		}
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		want := mac.Sum(nil)
		for _, signature := range signatures {
			version, encoded, _ := strings.Cut(signature, ",")
			got, err := base64.StdEncoding.DecodeString(encoded)
			if err == nil && version == "v1" && hmac.Equal(got, want) {
				valid = true
			}
		}
	}
	if !valid {
		return "", errSignature
	}
	return id, nil
}

// one returns the value of a header that is there once; empty otherwise. What is signed has
// to be what is read.
func one(h http.Header, name string) string {
	if values := h.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}
