package password

import (
	"strings"
	"testing"
)

const salt, tag = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

func TestParseRefuses(t *testing.T) {
	for name, phc := range map[string]string{
		"nothing":                    "",
		"another function":           "$argon2i$v=19$m=19456,t=2,p=1$" + salt + "$" + tag,
		"bcrypt":                     "$2b$12$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ01234",
		"another version":            "$argon2id$v=16$m=19456,t=2,p=1$" + salt + "$" + tag,
		"no version":                 "$argon2id$m=19456,t=2,p=1$" + salt + "$" + tag,
		"memory of 4 TiB":            "$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + tag,
		"memory just beyond":         "$argon2id$v=19$m=65537,t=2,p=1$" + salt + "$" + tag,
		"memory that overflows":      "$argon2id$v=19$m=4294986752,t=2,p=1$" + salt + "$" + tag,
		"less memory than for lanes": "$argon2id$v=19$m=31,t=2,p=4$" + salt + "$" + tag,
		"endless passes":             "$argon2id$v=19$m=19456,t=4294967295,p=1$" + salt + "$" + tag,
		"no pass":                    "$argon2id$v=19$m=19456,t=0,p=1$" + salt + "$" + tag,
		"255 lanes":                  "$argon2id$v=19$m=19456,t=2,p=255$" + salt + "$" + tag,
		"no lane":                    "$argon2id$v=19$m=19456,t=2,p=0$" + salt + "$" + tag,
		"another order":              "$argon2id$v=19$t=2,m=19456,p=1$" + salt + "$" + tag,
		"a setting more":             "$argon2id$v=19$m=19456,t=2,p=1,keyid=a$" + salt + "$" + tag,
		"a sign":                     "$argon2id$v=19$m=+19456,t=2,p=1$" + salt + "$" + tag,
		"a leading zero":             "$argon2id$v=19$m=019456,t=2,p=1$" + salt + "$" + tag,
		"a short salt":               "$argon2id$v=19$m=19456,t=2,p=1$c29tZXM$" + tag,
		"a long salt":                "$argon2id$v=19$m=19456,t=2,p=1$" + strings.Repeat("A", 88) + "$" + tag,
		"a short tag":                "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$AAAA",
		"no tag":                     "$argon2id$v=19$m=19456,t=2,p=1$" + salt,
		"an empty tag":               "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$",
		"padding":                    "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "=$" + tag,
		"trailing bits":              "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHR$" + tag,
		"a line break":               "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "\n$" + tag,
		"something before":           "x$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + tag,
		"something after":            "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + tag + "$",
		"a megabyte":                 "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + strings.Repeat("A", 1<<20),
	} {
		if _, ok := parse(phc); ok {
			t.Errorf("%s: %.80q is accepted", name, phc)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + tag)
	f.Add("$argon2id$v=19$m=65536,t=10,p=8$" + salt + "$" + tag)
	f.Add("$argon2id$v=19$m=,t=,p=$$")
	f.Fuzz(func(t *testing.T, phc string) {
		h, ok := parse(phc)
		if !ok {
			return
		}
		if h.String() != phc {
			t.Errorf("%q reads as %q", phc, h)
		}
		if h.memory > maxMemory || h.memory < 8*uint32(h.lanes) || h.time < 1 || h.time > maxTime || h.lanes < 1 || h.lanes > maxLanes {
			t.Errorf("%q is out of bounds", phc)
		}
	})
}
