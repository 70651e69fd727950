package signals

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// signed returns the header of a message at a try (Standard Webhooks 1.0). The present key comes first,
// and v1 before v1a: some receivers look no further.
func (r Record) signed(messageID string, now time.Time, body []byte) http.Header {
	at := strconv.FormatInt(now.Unix(), 10)
	content := append([]byte(messageID+"."+at+"."), body...)
	keys, seeds := [][]byte{r.Key}, [][]byte{r.Seed}
	if now.Before(r.FormerUntil) {
		keys, seeds = append(keys, r.FormerKey), append(seeds, r.FormerSeed)
	}
	var all []string
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write(content)
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	for _, seed := range seeds {
		if seed != nil {
			all = append(all, "v1a,"+base64.StdEncoding.EncodeToString(ed25519.Sign(ed25519.NewKeyFromSeed(seed), content)))
		}
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("Webhook-Id", messageID)
	header.Set("Webhook-Timestamp", at)
	header.Set("Webhook-Signature", strings.Join(all, " "))
	return header
}
