package verification

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// signWebhook signs a callback as the other side does.
func signWebhook(secret []byte, id string, at time.Time, body string) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + stamp + "." + body))
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return h
}

func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	// The example of Standard Webhooks.
	secret, err := WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1614265330, 0)
	const body = `{"test": 2432232314}`
	signed := func(change ...string) http.Header {
		h := http.Header{}
		h.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
		h.Set("webhook-timestamp", "1614265330")
		h.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
		for i := 0; i < len(change); i += 2 {
			h.Set(change[i], change[i+1])
		}
		return h
	}
	const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	other := []byte("another secret of 24 bytes!!")
	for name, test := range map[string]struct {
		header  http.Header
		body    string
		now     time.Time
		secrets [][]byte
		want    bool
	}{
		"Example":      {signed(), body, at, [][]byte{secret}, true},
		"FiveMinutes":  {signed(), body, at.Add(5 * time.Minute), [][]byte{secret}, true},
		"OtherClock":   {signed(), body, at.Add(-5 * time.Minute), [][]byte{secret}, true},
		"Rotation":     {signed("webhook-signature", "v1,bm9uZQ== v1a,bm9uZQ== "+signature), body, at, [][]byte{other, secret}, true},
		"SignedByOurs": {signWebhook(secret, "m", at, body), body, at, [][]byte{secret}, true},

		"OtherBody":      {signed(), body + " ", at, [][]byte{secret}, false},
		"OtherID":        {signed("webhook-id", "msg_2"), body, at, [][]byte{secret}, false},
		"OtherTime":      {signed("webhook-timestamp", "1614265331"), body, at, [][]byte{secret}, false},
		"OtherSecret":    {signed(), body, at, [][]byte{other}, false},
		"NoSecret":       {signed(), body, at, nil, false},
		"EmptySecret":    {signWebhook(nil, "m", at, body), body, at, [][]byte{{}, nil}, false},
		"ShortSecret":    {signWebhook([]byte("short"), "m", at, body), body, at, [][]byte{[]byte("short")}, false},
		"Old":            {signed(), body, at.Add(5*time.Minute + time.Second), [][]byte{secret}, false},
		"Early":          {signed(), body, at.Add(-5*time.Minute - time.Second), [][]byte{secret}, false},
		"NoTime":         {signed("webhook-timestamp", ""), body, at, [][]byte{secret}, false},
		"TimeOfWords":    {signed("webhook-timestamp", "now"), body, at, [][]byte{secret}, false},
		"NoID":           {signWebhook(secret, "", at, body), body, at, [][]byte{secret}, false},
		"LongID":         {signWebhook(secret, strings.Repeat("a", 256), at, body), body, at, [][]byte{secret}, false},
		"NoSignature":    {signed("webhook-signature", ""), body, at, [][]byte{secret}, false},
		"OtherVersion":   {signed("webhook-signature", "v0"+signature[2:]), body, at, [][]byte{secret}, false},
		"Truncated":      {signed("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString([]byte("short"))), body, at, [][]byte{secret}, false},
		"ManySignatures": {signed("webhook-signature", strings.Repeat(signature+" ", 9)), body, at, [][]byte{secret}, false},
	} {
		id, err := VerifyWebhook(test.header, []byte(test.body), test.now, test.secrets...)
		if (err == nil) != test.want || test.want && id == "" {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
	twice := signed()
	twice.Add("webhook-id", "msg_2")
	if _, err := VerifyWebhook(twice, []byte(body), at, secret); err == nil {
		t.Error("two IDs are one")
	}
	for _, wrong := range []string{"", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65))} {
		if _, err := WebhookSecret(wrong); err == nil {
			t.Errorf("%q is taken for a secret", wrong)
		}
	}
}
