package verification

import (
	"context"
	"errors"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Invitation verifies members by a code that Service.IssueCodes made: whoever has it is
// believed, so that it proves what the person who hands it out knows. The verifier has the
// name "code".
func Invitation() Verifier {
	return Verifier{
		Name:  "code",
		Title: english("With an invitation code"),
		Asks:  english("You enter the code that you were given."),
		Takes: time.Minute,
		Keeps: english("Which batch the code was of."),
		Proof: Proof{EvidenceType: "vouch", CheckMethod: "data", Level: 1},
		Next:  redeem,

		redeems: true,
	}
}

const codeField = "code"

func redeem(ctx context.Context, c *Case, event Event) (Result, error) {
	ask := Ask{Fields: []Field{{Name: codeField, Kind: "code", Label: english("Invitation code")}}}
	if event.Kind != Answered {
		return ask, nil
	}
	code, ok := parseCode(event.Form[codeField])
	if !ok {
		ask.Problem = ReasonIncomplete
		return ask, nil
	}
	switch redeemed, err := c.lookup.redeemCode(ctx, c, code); {
	case errors.Is(err, errNoCode):
		ask.Problem = ReasonNoMatch
		return ask, nil
	case errors.Is(err, errTooMany):
		return Refuse{[]Reason{ReasonLimit}}, nil
	case err != nil:
		return nil, err
	default:
		return Accept{Subgroups: redeemed.Subgroups, Until: redeemed.Until, Source: redeemed.IssuedBy}, nil
	}
}

const (
	// codeAlphabet is that of Crockford's base 32: none of I, L, O and U, which are read as
	// others or make words.
	codeAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	// codeLength is 80 bits.
	codeLength = 16
)

// parseCode returns one spelling of a code, however somebody typed it: with or without
// groups, in small letters, with letters for the digits that they resemble.
func parseCode(typed string) (code string, ok bool) {
	if len(typed) > 128 {
		return "", false
	}
	var b strings.Builder
	for _, r := range strings.ToUpper(norm.NFKC.String(typed)) {
		switch {
		case r == 'I', r == 'L':
			r = '1'
		case r == 'O':
			r = '0'
		case strings.ContainsRune(" -\u00a0\t\r\n.\u2010\u2011\u2012\u2013\u2014\u2212", r):
			continue
		}
		if !strings.ContainsRune(codeAlphabet, r) {
			return "", false
		}
		b.WriteRune(r)
	}
	return b.String(), b.Len() == codeLength
}

// writeCode returns a code of 10 random bytes in groups of four.
func writeCode(random [10]byte) string {
	var b strings.Builder
	for i := range codeLength {
		if i > 0 && i%4 == 0 {
			b.WriteByte('-')
		}
		bits := 0
		for bit := 5 * i; bit < 5*i+5; bit++ {
			bits = bits<<1 | int(random[bit/8]>>(7-bit%8)&1)
		}
		b.WriteByte(codeAlphabet[bits])
	}
	return b.String()
}
