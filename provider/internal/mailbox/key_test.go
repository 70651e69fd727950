package mailbox

import "testing"

func TestEmailKeyIsOneForEverySpellingOfAMailbox(t *testing.T) {
	for key, spellings := range map[string][]string{
		"alice@example.com":           {"alice@example.com", "ALICE@Example.COM", "alice@example\u3002com", "alice@\uff45xample.com"},
		"eve@xn--bcher-kva.example":   {"eve@bücher.example", "eve@bu\u0308cher.example", "Eve@BÜCHER.Example", "eve@xn--bcher-kva.example", "eve@XN--BCHER-KVA.example"},
		"eve@xn--strae-oqa.example":   {"eve@straße.example"},
		"zoë@xn--e1afmkfd.xn--p1ai":   {"zoë@пример.рф", "Zoe\u0308@xn--e1afmkfd.рф"},
		"eve@under_score.example":     {"eve@under_score.example"}, // there are such, and in ASCII nothing changes
		"eve@xn--that-is-none.ex":     {"eve@xn--that-is-none.ex"},
		"eve@[192.0.2.1]":             {"eve@[192.0.2.1]"},
		"\u0915\u094d\u0937@in.test":  {"\u0915\u094d\u0937@in.test"}, // marks that show
		"eve+bücher@example.com":      {"eve+bücher@example.com"},
		"eve@xn--fiq228c5hs.example":  {"eve@中文网.example"},
		"o'hara-_.!#$%&*@example.com": {"o'hara-_.!#$%&*@example.com"},
	} {
		for _, spelling := range spellings {
			if got, err := EmailKey(spelling); got != key || err != nil {
				t.Errorf("%+q has the key %q (%v), want %q", spelling, got, err, key)
			}
		}
	}
}

// Who gets a mail at an address that only looks like another's must not pass for its owner.
func TestEmailAddressIsNobodyElses(t *testing.T) {
	for name, address := range map[string]string{
		"capital I with a dot": "\u0130vo@example.com", "Kelvin sign": "\u212aate@example.com", "long s": "\u017fam@example.com",
		"ligature": "\ufb01ona@example.com", "full width": "\uff41lice@example.com", "superscript": "eve\u00b2@example.com",
		"circled digit": "eve\u2460@example.com", "half width": "\uff71@example.com", "full-width @": "eve\uff20evil.test@example.com",
	} {
		if key, err := EmailKey(address); err == nil {
			t.Errorf("%s: %+q has the key %q", name, address, key)
		}
	}
	// DNS knows this domain as another than i.example.
	if key, err := EmailKey("eve@\u0130.example"); err != nil || key == "eve@i.example" {
		t.Errorf("key %q, %v", key, err)
	}
}

func TestEmailAddressShowsAllOfItself(t *testing.T) {
	for name, r := range map[string]rune{
		"combining grapheme joiner": '\u034f', "variation selector": '\ufe0f', "Hangul filler": '\u3164', "half-width filler": '\uffa0',
		"choseong filler": '\u115f', "Khmer vowel": '\u17b4', "Mongolian selector": '\u180b', "ideographic selector": '\U000e0100',
		"tag": '\U000e0061', "soft hyphen": '\u00ad', "zero-width space": '\u200b', "joiner": '\u200d', "non-joiner": '\u200c',
		"word joiner": '\u2060', "braille blank": '\u2800', "byte order mark": '\ufeff', "bidi override": '\u202e', "no-break space": '\u00a0',
	} {
		for _, address := range []string{"al" + string(r) + "ice@example.com", "alice@exam" + string(r) + "ple.com", "alice@bü" + string(r) + "cher.example"} {
			if key, err := EmailKey(address); err == nil {
				t.Errorf("%s: %+q has the key %+q", name, address, key)
			}
		}
	}
	for _, address := range []string{"eve@-bücher.example", "eve@bücher..example", "eve@bü cher.example", "eve@ü_.example", "eve@xn--bü.example"} {
		if key, err := EmailKey(address); err == nil {
			t.Errorf("%+q has the key %+q", address, key)
		}
	}
}
