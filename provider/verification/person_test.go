package verification

import (
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

func TestNameDiffers(t *testing.T) {
	t.Parallel()
	account := Name{"María José", "Núñez O'Neil"}
	for _, same := range []Name{
		{"María José", "Núñez O'Neil"},
		{"MARIA", "NUNEZ O'NEIL"},
		{"Jose", "Nunez"},
		{"Maria Antonia", "Núñez"},
		{"", "O’Neil"},
		{"María José Núñez", "O'Neil"},
		{},
	} {
		if account.differs(same) {
			t.Errorf("%q is another name", same)
		}
	}
	for _, other := range []Name{
		{"Carmen", "Núñez"}, {"María José", "Núñes"}, {"María", "Núñez Vega"}, {"Mallory", "Forger"}, {"", "Forger"}, {"Mallory", ""}, {"Mar", "Nú"},
	} {
		if !account.differs(other) {
			t.Errorf("%q is the same name", other)
		}
	}
	if (Name{}).differs(Name{"Mallory", "Forger"}) {
		t.Error("an account without a name has another one")
	}
	if (Name{"王", "小明"}).differs(Name{"王", "小明"}) || !(Name{"王", "小明"}).differs(Name{"李", "小红"}) {
		t.Error("names without Latin letters")
	}
}

func TestDigestBefore(t *testing.T) {
	t.Parallel()
	one, after := storage.Digest{31: 1}, storage.Digest{30: 1}
	if digestBefore(one) != (storage.Digest{}) {
		t.Error("before 1")
	}
	want := storage.Digest{31: 0xff}
	if digestBefore(after) != want {
		t.Errorf("before 256: %x", digestBefore(after))
	}
}

func TestHomeOf(t *testing.T) {
	t.Parallel()
	for want, uris := range map[string][]string{
		"https://shop.example/": {"com.shop:/done", "https://shop.example/callback?x=1"},
		"":                      {"com.shop:/done", "javascript:alert(1)"},
	} {
		if got := homeOf(uris); got != want {
			t.Errorf("%q: %q", uris, got)
		}
	}
}
