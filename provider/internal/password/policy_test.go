package password

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPolicyRefuses(t *testing.T) {
	context := []string{"Alice.Miller@mail.example.test", "x1.y2.z3@example.test", "Bonafide", "Rp Test Shop"}
	for password, want := range map[string]Reason{
		"":                                TooShort,
		"k7#Vq9!xZ":                       TooShort, // 9 characters
		"äöüßäöüß":                        TooShort, // 16 bytes are 8 characters
		strings.Repeat("wx7 ", 65):        TooLong,
		strings.Repeat("\U0001F40E", 257): TooLong,
		"valid but for \xff this":         NotText,
		"password123":                     TooCommon,
		"Password2026!":                   TooCommon,
		"!!sunshine!!":                    TooCommon,
		"1qaz2wsx3edc4rfv":                TooCommon,
		"Washington-1990":                 TooCommon,
		"MichelLe1990":                    TooCommon,
		"1234567890":                      TooCommon,
		"qwertyuiop":                      TooCommon,
		"alice.miller@mail.example.test":  TooPersonal,
		"ALICE.MILLER@MAIL.EXAMPLE.TEST":  TooPersonal,
		"alice.miller":                    TooPersonal,
		"Miller-Alice-77":                 TooPersonal,
		"bonafide2026":                    TooPersonal,
		"x1.y2.z3-47":                     TooPersonal,
		"my bonafide":                     TooPersonal,
		"rptestshop!":                     TooPersonal,
		"Rp Test Shop":                    TooPersonal,
		"alice@rp-test-shop":              TooPersonal,
	} {
		err := Policy{}.Check(password, context...)
		var got Reason
		if !errors.As(err, &got) || got != want {
			t.Errorf("Check(%q) = %v, want %q", password, err, string(want))
		}
	}
}

func TestPolicyAccepts(t *testing.T) {
	context := []string{"al@mail.example.test", "Bonafide", ""}
	for _, password := range []string{
		"correct horse battery staple",
		"k7#Vq9!xZ2",
		"zzz zebra zoo zygote zodiac",
		"mein hund heißt ganz anders",
		"我喜欢在星期天早上喝咖啡",
		"walnut-fide-1987-otter",
		"bonafide walnut otter",   // what remains is long enough
		"totally alpine mountain", // a local part of two letters is no word
		"a password to remember",  // the whole is compared, not the words in it
	} {
		if err := (Policy{}).Check(password, context...); err != nil {
			t.Errorf("Check(%q) = %v", password, err)
		}
	}
}

func TestPolicyRefusesEveryCommonPassword(t *testing.T) {
	list := strings.Fields(common())
	if len(list) < 40000 {
		t.Fatalf("the list has %d entries only", len(list))
	}
	for _, password := range list {
		err := Policy{MinLength: 8}.Check(password)
		want := TooCommon
		if utf8.RuneCountInString(password) < 8 {
			want = TooShort
		}
		if !errors.Is(err, want) {
			t.Errorf("Check(%q) = %v, want %v", password, err, want)
		}
	}
}

func TestPolicyLengthCanBeSet(t *testing.T) {
	const eight, fifteen = "k7#Vq9!x", "k7#Vq9!xZ2&mW4c"
	for _, tt := range []struct {
		least    int
		password string
		want     error
	}{
		{0, fifteen[:10], nil},
		{0, fifteen[:9], TooShort},
		{8, eight, nil},
		{8, eight[:7], TooShort},
		{1, eight[:7], TooShort},
		{-1, eight[:7], TooShort},
		{15, fifteen, nil},
		{15, fifteen[:14], TooShort},
	} {
		if err := (Policy{MinLength: tt.least}).Check(tt.password); !errors.Is(err, tt.want) {
			t.Errorf("MinLength %d: Check(%q) = %v, want %v", tt.least, tt.password, err, tt.want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("correct horse", "alice@example.test")
	f.Add("aaaaaaaaaa\xff", "@")
	f.Add("abababababa", "bab")
	f.Fuzz(func(t *testing.T, password, context string) {
		err := Policy{}.Check(password, context)
		var reason Reason
		if err != nil && !errors.As(err, &reason) {
			t.Errorf("error %v is no Reason", err)
		}
		if err == nil && (utf8.RuneCountInString(password) > 4*MaxCharacters || len(password) > MaxBytes) {
			t.Errorf("accepts %d bytes", len(password))
		}
	})
}
