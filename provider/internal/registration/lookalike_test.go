package registration_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/registration"
)

func TestSkeletonIsTheSameForNamesThatLookAlike(t *testing.T) {
	for _, name := range []string{
		"Bonafide", "BONAFIDE", "bonafide", " Bona fide ", "B.o.n.a.f.i.d.e", "Bоnаfіdе" /* Cyrillic */, "ВОNАFІDЕ", "Ｂｏｎａｆｉｄｅ", "𝐁𝐨𝐧𝐚𝐟𝐢𝐝𝐞",
		"Βοnafide" /* Greek */, "B0nafide", "Bonaf1de", "Bonaflde", "Bon\u200bafide", "\u202eBonafide", "Bónàfïdé", "Boոafide", "bᴏɴᴀfɪᴅᴇ",
	} {
		if got, want := registration.NameSkeleton(name), registration.NameSkeleton("Bonafide"); got != want {
			t.Errorf("%q is %q, not %q", name, got, want)
		}
	}
	for _, name := range []string{"Benefice", "Bonafine", "Bona", "河", "Банк"} {
		if registration.NameSkeleton(name) == registration.NameSkeleton("Bonafide") {
			t.Errorf("%q looks like Bonafide", name)
		}
	}
	for a, b := range map[string]string{"Modern": "Modem", "VVork": "Work", "Mom": "Morn"} {
		if registration.NameSkeleton(a) != registration.NameSkeleton(b) {
			t.Errorf("%q is no %q", a, b)
		}
	}
}

func TestContains(t *testing.T) {
	for name, want := range map[string]bool{
		"Bonafide Security": true, "River Bank (reviewed by Bonafide). Not reviewed means safe": true, "MyBоnаfide": true, "River Bank": false, "": false,
	} {
		if got := registration.NameContains(name, "Bonafide"); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	for name, want := range map[string]bool{"ID Shop": true, "I D": true, "Android": false, "Hidden": false} {
		if got := registration.NameContains(name, "ID"); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if registration.NameContains("Anything", "") {
		t.Error("it has no name in it")
	}
}
