package factor

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// vectors are those of RFC 6238 appendix B for SHA-1, of which six digits are the last six.
var vectors = []struct {
	unix int64
	code string
}{
	{59, "94287082"}, {1111111109, "07081804"}, {1111111111, "14050471"},
	{1234567890, "89005924"}, {2000000000, "69279037"}, {20000000000, "65353130"},
}

var secret = []byte("12345678901234567890")

func TestStep(t *testing.T) {
	for _, v := range vectors {
		at, code := time.Unix(v.unix, 0), v.code[2:]
		step, ok := TOTPStep(secret, code, at, 0)
		if !ok || step != v.unix/30 {
			t.Errorf("code %s at %d: step %d, %v", code, v.unix, step, ok)
		}
		for _, late := range []time.Duration{-totpPeriod, totpPeriod} {
			if got, ok := TOTPStep(secret, code, at.Add(late), 0); !ok || got != step {
				t.Errorf("code %s, clock %v off: step %d, %v", code, late, got, ok)
			}
		}
		for _, late := range []time.Duration{-2 * totpPeriod, 2 * totpPeriod} {
			if at.Add(late).Unix() < 0 {
				continue
			}
			if _, ok := TOTPStep(secret, code, at.Add(late), 0); ok {
				t.Errorf("code %s is accepted %v off", code, late)
			}
		}
		if _, ok := TOTPStep(secret, code, at, step); ok {
			t.Errorf("code %s is accepted twice", code)
		}
		if _, ok := TOTPStep(secret, code, at, step+1); ok {
			t.Errorf("code %s is accepted after a later one", code)
		}
		if _, ok := TOTPStep(secret, code, at, step-1); !ok {
			t.Errorf("code %s is refused after the one before", code)
		}
	}
}

func TestStepAsTyped(t *testing.T) {
	at := time.Unix(1111111109, 0)
	for code, want := range map[string]bool{
		"081804": true, "081 804": true, " 081-804 ": true, "٠٨١٨٠٤": true, "۰۸۱۸۰۴": true, "０８１８０４": true,
		"\u2068081804\u2069": true, "081\u00a0804": true,
		"": false, "81804": false, "0081804": false, "07081804": false, "081804x": false, "O81804": false, "081804\x00": false,
	} {
		if _, ok := TOTPStep(secret, code, at, 0); ok != want {
			t.Errorf("TOTPStep(%q) = %v, want %v", code, ok, want)
		}
	}
}

// An account without an app has the empty secret, for which there are codes as well.
func TestStepWithoutSecret(t *testing.T) {
	at := time.Unix(1111111109, 0)
	if _, ok := TOTPStep(nil, at6(nil, at.Unix()/30), at, 0); ok {
		t.Error("a code of the empty secret is accepted")
	}
}

func TestURI(t *testing.T) {
	uri := TOTPURI("Ada & Co: login+", "ada+x@example.com", secret)
	parsed, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	if parsed.Scheme != "otpauth" || parsed.Host != "totp" || parsed.Path != "/Ada & Co login+:ada+x@example.com" {
		t.Errorf("TOTPURI = %s", uri)
	}
	query := parsed.Query()
	if query.Get("secret") != "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" || query.Get("issuer") != "Ada & Co login+" || len(query) != 2 {
		t.Errorf("query = %v", query)
	}
	if strings.Contains(parsed.RawQuery, "+") {
		t.Errorf("query %s has a plus sign for a space", parsed.RawQuery)
	}
}

func TestNewSecret(t *testing.T) {
	a, b := NewTOTPSecret(), NewTOTPSecret()
	if len(a) != 20 || string(a) == string(b) {
		t.Errorf("secrets %x and %x", a, b)
	}
	if got := TOTPText(secret); got != "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ" {
		t.Errorf("TOTPText = %q", got)
	}
}
