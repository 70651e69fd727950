package factor

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // RFC 6238 section 1.2: the HMAC of every app; collisions do not matter to it
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/random"
)

// The codes of authenticator apps (RFC 6238): six digits by HMAC-SHA-1, another every 30 seconds,
// which is what every such app understands.
const (
	totpPeriod     = 30 * time.Second
	totpDigits     = 6
	totpDrift      = 1  // steps by which the clock of an app may be behind or ahead (RFC 6238 section 5.2)
	totpSecretSize = 20 // bytes, as the output of the HMAC has (RFC 4226 section 4, R6)
)

// NewTOTPSecret returns a random secret of an authenticator app.
func NewTOTPSecret() []byte { return random.Bytes(totpSecretSize) }

// TOTPText returns a secret as people type it into an app: base32 without padding, in groups of
// four.
func TOTPText(secret []byte) string {
	plain := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
	var text strings.Builder
	for i, char := range plain {
		if i > 0 && i%4 == 0 {
			text.WriteByte(' ')
		}
		text.WriteRune(char)
	}
	return text.String()
}

// TOTPURI returns the secret in the form that an app reads from a QR code, with the names of
// the provider and of the account, which the app shows.
func TOTPURI(issuer, account string, secret []byte) string {
	// A colon would part the two names elsewhere, and a plus sign is no space to every app.
	issuer = strings.ReplaceAll(issuer, ":", "")
	label := url.PathEscape(issuer) + ":" + url.PathEscape(account)
	key := strings.ReplaceAll(TOTPText(secret), " ", "")
	return "otpauth://totp/" + label + "?secret=" + key + "&issuer=" + strings.ReplaceAll(url.QueryEscape(issuer), "+", "%20")
}

// TOTPStep returns the time step in which a code is right, which may be the current one, the
// one before or the one after, and must be greater than the last accepted one, so that no
// code is accepted twice (RFC 6238 section 5.2). Spaces and hyphens in the code do not
// matter, nor whether its digits are ASCII.
func TOTPStep(secret []byte, code string, now time.Time, after int64) (step int64, ok bool) {
	code = plainDigits(code)
	current := now.Unix() / int64(totpPeriod/time.Second)
	if len(secret) == 0 {
		return 0, false
	}
	for at := current - totpDrift; at <= current+totpDrift; at++ {
		right := subtle.ConstantTimeCompare([]byte(at6(secret, at)), []byte(code)) == 1
		if right && at > after && !ok {
			step, ok = at, true
		}
	}
	return step, ok
}

// at6 returns the code of a step (RFC 4226 section 5.3).
func at6(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step) // a hash returns no error
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	value := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", totpDigits, value%1_000_000)
}

// zeros are the zeros of the digits that keyboards of our languages type.
var zeros = [...]rune{'0', '٠', '۰', '０'}

// plainDigits returns the ASCII digits of a typed code. Another character stays, and makes the
// code wrong.
func plainDigits(code string) string {
	return strings.Map(func(char rune) rune {
		if strings.ContainsRune(" -\u00a0\u200e\u200f\u2068\u2069", char) {
			return -1
		}
		for _, zero := range zeros {
			if char >= zero && char <= zero+9 {
				return '0' + char - zero
			}
		}
		return char
	}, code)
}
