package mailbox

import (
	"strings"
	"testing"
)

// FuzzEmailKey holds that the key of an address is an address of which it is the key,
// so that no two keys are one account, and that no address carries more than itself
// into a mail.
func FuzzEmailKey(f *testing.F) {
	for _, address := range []string{
		"alice@example.com", "ALICE@Example.COM", "al\u0130ce@example.com", "\uff41lice@example.com", "a\uff20b@example.com", "a@b@example.com", "a\u00a8@example.com",
		"a@example.com\r\nBcc: b@example.com", "Alice <alice@example.com>", "a,b@example.com", "\u202ea@example.com", "a@[127.0.0.1]", "\u212a@example.com", "\u01c4@example.com", "a@b\u00fccher.example", "a@xn--bcher-kva.example", "a@b\u3002c", "a\u034f@example.com",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		key, err := EmailKey(address)
		if err != nil {
			return
		}
		again, err := EmailKey(key)
		if err != nil || again != key {
			t.Errorf("the key of %q is %q, whose key is %q (%v)", address, key, again, err)
		}
		if strings.ContainsAny(address+key, "\r\n\x00 <>\"") || len(key) > 254 || strings.Count(key, "@") != 1 {
			t.Errorf("%q is an address with the key %q", address, key)
		}
	})
}
