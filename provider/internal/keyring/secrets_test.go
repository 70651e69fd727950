package keyring

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// randomSecret returns a secret that no other test has.
func randomSecret() []byte {
	secret := make([]byte, MinSecretSize)
	_, _ = rand.Read(secret)
	return secret
}

func newSecrets(t testing.TB, current []byte, previous ...[]byte) *Secrets {
	t.Helper()
	s := testkit.Must(NewSecrets(current, previous...))(t)
	return s
}

func TestNewSecretsRefusesWhatIsNotRandom(t *testing.T) {
	counting := make([]byte, 64)
	for i := range counting {
		counting[i] = byte(200 - 3*i)
	}
	tests := map[string]struct {
		secret []byte
		want   string
	}{
		"missing":             {nil, "has 0 bytes"},
		"one byte short":      {randomSecret()[1:], "has 31 bytes"},
		"all zero":            {make([]byte, 32), "repeats"},
		"one byte repeated":   {bytes.Repeat([]byte{0xA7}, 40), "repeats"},
		"a word repeated":     {[]byte("changemechangemechangemechangeme"), "repeats"},
		"another word":        {bytes.Repeat([]byte("secret-"), 9), "repeats"},
		"digits":              {bytes.Repeat([]byte("0123456789abcdef"), 4), "counts"},
		"an alphabet":         {[]byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), "counts"},
		"counting down":       {counting, "counts"},
		"few different bytes": {[]byte("aababbcacbabdacbbdcaabdcbeafbcdeaf"), "repeats"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := NewSecrets(tt.secret)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("NewSecrets: error %v, want one that says %q", err, tt.want)
			}
			if len(tt.secret) > 8 && strings.Contains(err.Error(), string(tt.secret[:8])) {
				t.Errorf("the error shows the secret: %v", err)
			}
			_, err = NewSecrets(randomSecret(), randomSecret(), tt.secret)
			if err == nil || !strings.HasPrefix(err.Error(), "previous secret 2 ") {
				t.Errorf("as the second previous secret: error %v, want one that names it", err)
			}
		})
	}
}

func TestNewSecretsAcceptsRandomBytes(t *testing.T) {
	for range 2000 {
		testkit.Must(NewSecrets(randomSecret()))(t)
		for name, text := range map[string]string{
			"base32": rand.Text() + rand.Text(), "hexadecimal": hex.EncodeToString(randomSecret()),
			"128 bits": "9f86d081884c7d659a2feaa0c55ad015",
		} {
			if _, err := NewSecrets([]byte(text)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func TestSecretsShowNothingWhenFormatted(t *testing.T) {
	s := newSecrets(t, randomSecret())
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, s); got != "keyring.Secrets" {
			t.Errorf("%s shows %q", verb, got)
		}
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "secrets", s)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "secrets", s)
	for _, want := range []string{"secrets=keyring.Secrets\n", `"secrets":{}}`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log shows %s, want %s", log.String(), want)
		}
	}
}

func TestSeal(t *testing.T) {
	old, current := randomSecret(), randomSecret()
	before := newSecrets(t, old)
	during := newSecrets(t, current, old)
	after := newSecrets(t, current)
	value := []byte("the value")

	t.Run("OpensForItsPurpose", func(t *testing.T) {
		got, err := during.Open("client secret of c1", during.Seal("client secret of c1", value))
		if err != nil || !bytes.Equal(got, value) {
			t.Errorf("Open = %q, %v", got, err)
		}
	})
	t.Run("OpensForNoOtherPurpose", func(t *testing.T) {
		if _, err := during.Open("client secret of c2", during.Seal("client secret of c1", value)); !errors.Is(err, ErrOpen) {
			t.Errorf("error %v, want ErrOpen", err)
		}
	})
	t.Run("DiffersEachTime", func(t *testing.T) {
		if bytes.Equal(during.Seal("p", value), during.Seal("p", value)) {
			t.Error("one value was sealed twice with one nonce")
		}
	})
	t.Run("OpensUnderPreviousSecret", func(t *testing.T) {
		if got, err := during.Open("p", before.Seal("p", value)); err != nil || !bytes.Equal(got, value) {
			t.Errorf("Open = %q, %v", got, err)
		}
	})
	t.Run("StaysShutWhenTheSecretIsDropped", func(t *testing.T) {
		if _, err := after.Open("p", before.Seal("p", value)); !errors.Is(err, ErrOpen) {
			t.Errorf("error %v, want ErrOpen", err)
		}
	})
	t.Run("SealsUnderCurrentSecret", func(t *testing.T) {
		if _, err := after.Open("p", during.Seal("p", value)); err != nil {
			t.Error(err)
		}
	})
	t.Run("NoticesEveryChangedBitAndEveryTruncation", func(t *testing.T) {
		sealed := during.Seal("p", value)
		for i := range len(sealed) * 8 {
			forged := bytes.Clone(sealed)
			forged[i/8] ^= 1 << (i % 8)
			if _, err := during.Open("p", forged); !errors.Is(err, ErrOpen) {
				t.Fatalf("bit %d changed: error %v, want ErrOpen", i, err)
			}
		}
		for n := range sealed {
			if _, err := during.Open("p", sealed[:n]); !errors.Is(err, ErrOpen) {
				t.Fatalf("cut to %d bytes: error %v, want ErrOpen", n, err)
			}
		}
	})
	t.Run("NamesTheSecretOfAValue", func(t *testing.T) {
		for want, sealed := range map[int][]byte{
			0: during.Seal("p", value), 1: before.Seal("p", value), -1: newSecrets(t, randomSecret()).Seal("p", value),
		} {
			if got := during.SealedBy(sealed); got != want {
				t.Errorf("SealedBy = %d, want %d", got, want)
			}
		}
		for n := range 5 {
			if got := during.SealedBy(make([]byte, n)); got != -1 {
				t.Errorf("%d bytes: SealedBy = %d", n, got)
			}
		}
	})
	t.Run("IsSealedAnewUnderTheCurrentSecret", func(t *testing.T) {
		sealed, changed, err := during.Reseal("p", before.Seal("p", value))
		if got, openErr := after.Open("p", sealed); err != nil || !changed || openErr != nil || !bytes.Equal(got, value) {
			t.Errorf("Reseal = %v, %v; Open = %q, %v", changed, err, got, openErr)
		}
		if again, changed, err := during.Reseal("p", sealed); err != nil || changed || !bytes.Equal(again, sealed) {
			t.Errorf("again: Reseal = %v, %v", changed, err)
		}
		if _, changed, err := during.Reseal("q", before.Seal("p", value)); changed || !errors.Is(err, ErrOpen) {
			t.Errorf("for another purpose: Reseal = %v, %v", changed, err)
		}
	})
	t.Run("OpensWhatAES256GCMSealed", func(t *testing.T) {
		secret := make([]byte, MinSecretSize)
		for i := range secret {
			secret[i] = byte(i*i*7 + i*3 + 11)
		}
		sealed := testkit.Must(hex.DecodeString("01f6e0654bb7ab240647d2e70edc8de3490bb83b6708e5b17fdde314d67ba25756b2cf26bcafbb051dbf"))(t)
		for name, s := range map[string]*Secrets{"current": newSecrets(t, secret), "previous": newSecrets(t, current, secret)} {
			if got, err := s.Open("client secret", sealed); err != nil || !bytes.Equal(got, value) {
				t.Errorf("%s: Open = %q, %v", name, got, err)
			}
			for n := range sealed {
				if _, err := s.Open("client secret", sealed[:n]); !errors.Is(err, ErrOpen) {
					t.Errorf("%s, cut to %d bytes: error %v, want ErrOpen", name, n, err)
				}
			}
			forged := bytes.Clone(sealed)
			forged[0] = sealXChaCha
			for _, wrong := range [][]byte{forged, append([]byte{0}, sealed[1:]...), append([]byte{3}, sealed[1:]...)} {
				if _, err := s.Open("client secret", wrong); !errors.Is(err, ErrOpen) {
					t.Errorf("%s, as version %d: error %v, want ErrOpen", name, wrong[0], err)
				}
			}
		}
	})
	t.Run("StringHasOneSpelling", func(t *testing.T) {
		sealed := during.SealString("p", []byte("1")) // leaves four trailing bits
		if got, err := during.OpenString("p", sealed); err != nil || string(got) != "1" {
			t.Fatalf("OpenString = %q, %v", got, err)
		}
		last := strings.IndexByte(alphabet, sealed[len(sealed)-1])
		twin := sealed[:len(sealed)-1] + string(alphabet[last^1])
		for _, s := range []string{twin, sealed + "\n", sealed[:9] + "\r\n" + sealed[9:], sealed + "=", " " + sealed} {
			if _, err := during.OpenString("p", s); !errors.Is(err, ErrOpen) {
				t.Errorf("OpenString(%q): error %v, want ErrOpen", s, err)
			}
		}
	})
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func TestMAC(t *testing.T) {
	old, current := randomSecret(), randomSecret()
	before := newSecrets(t, old)
	during := newSecrets(t, current, old)
	after := newSecrets(t, current)

	t.Run("TellsListsOfPartsApart", func(t *testing.T) {
		lists := [][]string{
			{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"ab", ""}, {"", "ab"}, {"a", "", "b"},
			{"\x00\x00\x00\x00\x00\x00\x00\x01a"},
		}
		seen := make(map[[32]byte][]string)
		for _, list := range lists {
			var parts [][]byte
			for _, p := range list {
				parts = append(parts, []byte(p))
			}
			sum := during.MAC("p", parts...)
			if other, ok := seen[sum]; ok {
				t.Errorf("%q and %q have one code", list, other)
			}
			seen[sum] = list
		}
	})
	t.Run("VerifiesUnderCurrentAndPrevious", func(t *testing.T) {
		part := []byte("part")
		for name, tt := range map[string]struct {
			by, at *Secrets
			want   bool
		}{
			"made before, checked during": {before, during, true},
			"made during, checked during": {during, during, true},
			"made during, checked after":  {during, after, true},
			"made before, checked after":  {before, after, false},
			"made during, checked before": {during, before, false},
		} {
			sum := tt.by.MAC("p", part)
			if got := tt.at.VerifyMAC("p", sum[:], part); got != tt.want {
				t.Errorf("%s: VerifyMAC = %v, want %v", name, got, tt.want)
			}
		}
	})
	t.Run("BelongsToOnePurpose", func(t *testing.T) {
		sum := during.MAC("one", []byte("part"))
		if during.VerifyMAC("two", sum[:], []byte("part")) {
			t.Error("the code of another purpose verifies")
		}
	})
	t.Run("MayBeTruncatedToHalfAndNoFurther", func(t *testing.T) {
		sum := during.MAC("p", []byte("part"))
		for n := range len(sum) + 1 {
			if got, want := during.VerifyMAC("p", sum[:n], []byte("part")), n >= 16; got != want {
				t.Errorf("%d bytes: VerifyMAC = %v, want %v", n, got, want)
			}
		}
		if during.VerifyMAC("p", append(sum[:], 0), []byte("part")) {
			t.Error("a code with a byte too many verifies")
		}
	})
	t.Run("IsTheSameForAllGoroutines", func(t *testing.T) {
		s := newSecrets(t, current, old)
		var group sync.WaitGroup
		for i := range 64 {
			group.Go(func() {
				purpose := fmt.Sprint(i % 8)
				part := []byte{byte(i)}
				want := during.MAC(purpose, part)
				for range 100 {
					if got := s.MAC(purpose, part); got != want {
						t.Errorf("purpose %s: codes differ", purpose)
						return
					}
				}
			})
		}
		group.Wait()
	})
}

func FuzzOpenString(f *testing.F) {
	s := newSecrets(f, []byte("\x9e\x11vK\xfe\x02\xa8\x7c\x3dQ\x90\xb4\x55\x0f\xc8zL\x21\xe7\x6d\x88\x13\xba\x04\xd9:r\xee\x5b\x60\xaf\x01"))
	f.Add("")
	f.Add(strings.Repeat("A", 44))
	f.Add("AQ\n" + strings.Repeat("B", 60))
	f.Fuzz(func(t *testing.T, sealed string) {
		// The nonce is random: what the fuzzer makes cannot be a value of ours.
		if _, err := s.OpenString("p", sealed); !errors.Is(err, ErrOpen) {
			t.Errorf("error %v, want ErrOpen", err)
		}
	})
}
