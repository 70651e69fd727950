package verification

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeLookup answers as a store would.
type fakeLookup struct {
	rows  map[string]rosterRow // by roster and value
	codes map[string]redeemedCode
	err   error
}

func (f fakeLookup) matchRoster(_ context.Context, _ *Case, roster, value string) (rosterRow, bool, error) {
	row, ok := f.rows[roster+" "+value]
	return row, ok, f.err
}

func (f fakeLookup) redeemCode(_ context.Context, _ *Case, code string) (redeemedCode, error) {
	if redeemed, ok := f.codes[code]; ok || f.err != nil {
		return redeemed, f.err
	}
	return redeemedCode{}, errNoCode
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	until := time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC)
	issued := map[string]redeemedCode{"0123456789ABCDEF": {[]string{"Teacher"}, until, "Ms Hopper"}}
	enter := func(t *testing.T, l lookup, typed string) Result {
		t.Helper()
		return next(t, Invitation(), &Case{lookup: l}, Event{Kind: Answered, Form: map[string]string{"code": typed}})
	}
	t.Run("AcceptsHoweverItIsTyped", func(t *testing.T) {
		t.Parallel()
		for _, typed := range []string{
			"0123-4567-89AB-CDEF", "0123456789abcdef", " o123 4567 89ab cdef\t", "Ol23–4567–89AB–CDEF", "０１２３-4567-89AB-CDEF", "OI23.4567.89ab.cdef",
		} {
			want := Accept{Subgroups: []string{"Teacher"}, Until: until, Source: "Ms Hopper"}
			if diff := cmp.Diff(want, enter(t, fakeLookup{codes: issued}, typed)); diff != "" {
				t.Errorf("%q: %s", typed, diff)
			}
		}
	})
	t.Run("AsksAgain", func(t *testing.T) {
		t.Parallel()
		for typed, want := range map[string]Reason{
			"": ReasonIncomplete, "0123-4567-89AB-CDE": ReasonIncomplete, "0123-4567-89AB-CDEFG": ReasonIncomplete,
			"U123-4567-89AB-CDEF": ReasonIncomplete, strings.Repeat("0", 1<<20): ReasonIncomplete, "0123-4567-89AB-CDE0": ReasonNoMatch,
			"0123-4567-89AB-CDE\u0661": ReasonIncomplete, // a digit of another script
		} {
			if got := enter(t, fakeLookup{codes: issued}, typed).(Ask).Problem; got != want {
				t.Errorf("%.40q: %s, want %s", typed, got, want)
			}
		}
	})
	t.Run("TellsLimitFromFailure", func(t *testing.T) {
		t.Parallel()
		if got := enter(t, fakeLookup{err: errTooMany}, "0123456789ABCDEF"); !cmp.Equal(got, Result(Refuse{[]Reason{ReasonLimit}})) {
			t.Errorf("too many: %+v", got)
		}
		broken := errors.New("no database")
		_, err := Invitation().Next(t.Context(), &Case{lookup: fakeLookup{err: broken}}, Event{Kind: Answered, Form: map[string]string{"code": "0123456789ABCDEF"}})
		if !errors.Is(err, broken) {
			t.Errorf("a failing store: %v", err)
		}
	})
}

func TestWriteCode(t *testing.T) {
	t.Parallel()
	if got := writeCode([10]byte{0, 0x44, 0x32, 0x14, 0xc7, 0x42, 0x54, 0xb6, 0x35, 0xcf}); got != "0123-4567-89AB-CDEF" {
		t.Errorf("counts as %s", got)
	}
	if got := writeCode([10]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 255}); got != "ZZZZ-ZZZZ-ZZZZ-ZZZZ" {
		t.Errorf("ends as %s", got)
	}
	// Each bit is one of the code.
	seen := map[string]bool{}
	for bit := range 80 {
		var random [10]byte
		random[bit/8] = 1 << (bit % 8)
		code, ok := parseCode(writeCode(random))
		if !ok || seen[code] {
			t.Errorf("bit %d makes %s, read: %t, seen: %t", bit, code, ok, seen[code])
		}
		seen[code] = true
	}
}

func TestHostPage(t *testing.T) {
	t.Parallel()
	c := &Case{ID: "c-1", ReturnURL: "https://id.example/verification/return?s=1&t=2"}
	for address, want := range map[string]string{
		"/student-card":                   "/student-card?case=c-1&return_to=https%3A%2F%2Fid.example%2Fverification%2Freturn%3Fs%3D1%26t%3D2",
		"https://cards.example/a?lang=de": "https://cards.example/a?case=c-1&lang=de&return_to=https%3A%2F%2Fid.example%2Fverification%2Freturn%3Fs%3D1%26t%3D2",
	} {
		v := HostPage(address)
		if err := v.check("Rule"); err != nil {
			t.Error(err)
		}
		for range 2 { // twice alike
			for _, kind := range []EventKind{Begun, Returned} {
				if diff := cmp.Diff(Result(GoTo{URL: want}), next(t, v, c, Event{Kind: kind})); diff != "" {
					t.Error(kind, diff)
				}
			}
		}
	}
	for _, address := range []string{
		"", "student-card", "//evil.example/", `/\evil.example`, "/a b", "http://cards.example/", "javascript:alert(1)",
		"https:cards", "https://user@cards.example/", "https://", "/a#b", "https://:443/",
	} {
		if err := HostPage(address).check("Rule"); err == nil {
			t.Errorf("%q is taken for a page", address)
		}
	}
}
