package token_test

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/token"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	oldSecret = "\x9e\x11vK\xfe\x02\xa8\x7c\x3dQ\x90\xb4\x55\x0f\xc8zL\x21\xe7\x6d\x88\x13\xba\x04\xd9:r\xee\x5b\x60\xaf\x01"
	newSecret = "\x17\xc2\x5e\x8aP\x04\xf9n\x6b\xd1\x33\x95w\x0a\xe8J\xbb\x41\x2fd\xc9\x7e\x10\xa6\x58\xf2\x03\x9d\x84\x36\xeb\x69"
	issuer    = "https://id.test/oidc"
)

var kinds = []token.Kind{token.Code, token.Access, token.Refresh, token.Session}

func newCodec(t testing.TB, issuer string, current string, previous ...string) *token.Codec {
	t.Helper()
	var earlier [][]byte
	for _, p := range previous {
		earlier = append(earlier, []byte(p))
	}
	secrets := testkit.Must(keyring.NewSecrets([]byte(current), earlier...))(t)
	return token.NewCodec(secrets, issuer, nil)
}

func TestNewTokenParsesAsItsKindOnly(t *testing.T) {
	c := newCodec(t, issuer, newSecret)
	form := regexp.MustCompile(`^bf[cars]_[A-Za-z0-9]{66}$`)
	for _, kind := range kinds {
		value, digest := c.New(kind)
		if !form.MatchString(value) || value[2] != byte(kind) {
			t.Errorf("kind %c: token %s", kind, value)
		}
		for _, as := range kinds {
			// The prefix is rewritten, so that the authentication code alone
			// must tell the kinds apart.
			got, ok := c.Parse(as, value[:2]+string(as)+value[3:])
			if ok != (as == kind) {
				t.Errorf("a token of kind %c as %c: Parse = %v", kind, as, ok)
			}
			if ok && got != digest {
				t.Errorf("kind %c: Parse returns another digest than New", kind)
			}
			if _, ok := c.Parse(as, value); ok != (as == kind) {
				t.Errorf("an unchanged token of kind %c as %c: Parse = %v", kind, as, ok)
			}
		}
	}
	if _, ok := c.Parse('x', "bfx_"+strings.Repeat("A", 64)); ok {
		t.Error("an unknown kind parses")
	}
}

// TestNoOtherTextHasTheDigestOfAToken tests what a look-up in memory by DigestOf rests on.
func TestNoOtherTextHasTheDigestOfAToken(t *testing.T) {
	c := newCodec(t, issuer, newSecret)
	for _, kind := range kinds {
		value, digest := c.New(kind)
		if got, ok := token.DigestOf(kind, value); !ok || got != digest {
			t.Errorf("kind %c: %x of a token whose digest is %x", kind, got, digest)
		}
		for _, as := range kinds {
			got, ok := token.DigestOf(as, value[:2]+string(as)+value[3:])
			if (got == digest) != (as == kind) || !ok {
				t.Errorf("a token of kind %c has its digest as %c", kind, as)
			}
			if _, ok := token.DigestOf(as, value); ok != (as == kind) {
				t.Errorf("an unchanged token of kind %c has a digest as %c", kind, as)
			}
		}
		for i := range value {
			for _, letter := range "09AZaz_." {
				changed := value[:i] + string(letter) + value[i+1:]
				if got, _ := token.DigestOf(kind, changed); changed != value && got == digest {
					t.Errorf("%s has the digest of %s", changed, value)
				}
			}
		}
		for _, other := range []string{"", value + "a", value[:len(value)-1], value + "=", " " + value} {
			if _, ok := token.DigestOf(kind, other); ok {
				t.Errorf("%q has a digest", other)
			}
		}
	}
}

func TestTokensNeverRepeat(t *testing.T) {
	c := newCodec(t, issuer, newSecret)
	seen := make(map[storage.Digest]bool)
	for range 10000 {
		_, digest := c.New(token.Code)
		if seen[digest] {
			t.Fatal("a digest repeats")
		}
		seen[digest] = true
	}
}

func TestParseRefusesTokenOfAnotherIssuer(t *testing.T) {
	value, _ := newCodec(t, issuer, newSecret).New(token.Access)
	for _, other := range []string{"", "https://id.test/oidc/", "https://sandbox.id.test/oidc"} {
		if _, ok := newCodec(t, other, newSecret).Parse(token.Access, value); ok {
			t.Errorf("a token of %s parses at %q", issuer, other)
		}
	}
}

func TestSecretsRotate(t *testing.T) {
	before := newCodec(t, issuer, oldSecret)
	during := newCodec(t, issuer, newSecret, oldSecret)
	after := newCodec(t, issuer, newSecret)
	early, digest := before.New(token.Refresh)
	late, _ := during.New(token.Refresh)

	if got, ok := during.Parse(token.Refresh, early); !ok || got != digest {
		t.Error("an old token is refused while its secret is a previous one")
	}
	if _, ok := after.Parse(token.Refresh, early); ok {
		t.Error("an old token is accepted after its secret was dropped")
	}
	if _, ok := after.Parse(token.Refresh, late); !ok {
		t.Error("a new token was not made under the current secret")
	}
}

func TestDigestsGrowWithTime(t *testing.T) {
	secrets := testkit.Must(keyring.NewSecrets([]byte(newSecret)))(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := token.NewCodec(secrets, issuer, func() time.Time { return now })
	var last storage.Digest
	for range 1000 {
		_, digest := c.New(token.Access)
		if bytes.Compare(digest[:], last[:]) <= 0 {
			t.Fatalf("the digest of %v sorts before that of a moment earlier", now)
		}
		last = digest
		now = now.Add(5 * time.Millisecond)
	}
}

func TestParseRefusesDamage(t *testing.T) {
	c := newCodec(t, issuer, newSecret)
	value, _ := c.New(token.Access)
	refused := func(name, damaged string) {
		t.Helper()
		if damaged == value {
			return
		}
		if _, ok := c.Parse(token.Access, damaged); ok {
			t.Errorf("%s: %q parses", name, damaged)
		}
	}
	for i := range value {
		for b := range 256 {
			refused("one byte changed", value[:i]+string([]byte{byte(b)})+value[i+1:])
		}
		for j := i + 1; j < len(value); j++ {
			swapped := []byte(value)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			refused("two characters swapped", string(swapped))
		}
		refused("cut off", value[:i])
		refused("one character left out", value[:i]+value[i+1:])
		refused("one character doubled", value[:i]+value[i:i+1]+value[i:])
		refused("a line break", value[:i]+"\n"+value[i:])
		refused("a line break in place", value[:i]+"\n"+value[i+1:])
	}
	refused("halves swapped", value[:4]+value[37:]+value[4:37])
	refused("upper case", strings.ToUpper(value))
	refused("no prefix", value[4:])
	refused("padding", value+"==")
	refused("white space", " "+value)
	refused("another alphabet", value[:69]+"-")
	refused("a word of more than 64 bits", value[:4]+"zzzzzzzzzzz"+value[15:])
	refused("a megabyte", value+strings.Repeat("A", 1<<20))
}

// 64 bits leave a little room in eleven digits: what begins there again is another spelling.
func TestParseRefusesSecondSpellingOfWord(t *testing.T) {
	c := newCodec(t, issuer, newSecret)
	for range 100 {
		value, _ := c.New(token.Access)
		word := new(big.Int)
		for _, digit := range value[4:15] {
			word.Mul(word, big.NewInt(62)).Add(word, big.NewInt(int64(strings.IndexRune(alphabet, digit))))
		}
		word.Add(word, new(big.Int).Lsh(big.NewInt(1), 64))
		text, digit := "", new(big.Int)
		for word.Sign() > 0 {
			word.DivMod(word, big.NewInt(62), digit)
			text = alphabet[digit.Int64():][:1] + text
		}
		if len(text) != 11 {
			t.Fatalf("%s has %d digits", text, len(text))
		}
		if _, ok := c.Parse(token.Access, value[:4]+text+value[15:]); ok {
			t.Fatalf("%s parses for %s", text, value)
		}
	}
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Made by the version before, whose tokens were in base64url.
func TestParseKnowsFormerTokens(t *testing.T) {
	c := newCodec(t, issuer, newSecret)
	for kind, former := range map[token.Kind]string{} {
		digest, ok := c.Parse(kind, former)
		if !ok {
			t.Fatalf("%s does not parse", former)
		}
		sum := sha256.Sum256([]byte(former))
		if !bytes.Equal(digest[4:], sum[4:]) {
			t.Errorf("%s has another digest than before", former)
		}
		for i := range former {
			for b := range 256 {
				damaged := former[:i] + string([]byte{byte(b)}) + former[i+1:]
				if _, ok := c.Parse(kind, damaged); ok && damaged != former {
					t.Errorf("%q parses", damaged)
				}
			}
		}
	}
}

// A decoder that skips line breaks would read the last byte of the code as zero,
// which is what it is in one token of 256.
func TestParseRefusesLineBreakInPlaceOfLastCharacter(t *testing.T) {
	c := newCodec(t, issuer, newSecret)
	for range 5000 {
		value, _ := c.New(token.Session)
		if _, ok := c.Parse(token.Session, value[:len(value)-1]+"\n"); ok {
			t.Fatalf("%q with a line break at its end parses", value)
		}
	}
}

func FuzzParse(f *testing.F) {
	c := newCodec(f, issuer, newSecret)
	f.Add("")
	f.Add("bfa_" + strings.Repeat("A", 64))
	f.Add("bfa_" + strings.Repeat("\n", 64))
	value, _ := c.New(token.Access)
	f.Add(value[:69] + "\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, kind := range kinds {
			if _, ok := c.Parse(kind, s); ok {
				t.Errorf("%q parses as %c", s, kind)
			}
		}
	})
}
