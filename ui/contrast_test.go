package ui

import (
	"fmt"
	"strings"
	"testing"
)

func TestContrastSaysWhatBrandCSSDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		color, want string
	}{
		{"#0b5cff", "#ffffff 5.26 AA, light 5.26 false, dark 3.31 false"},
		{"#ffd400", "#000000 14.67 AAA, light 1.43 true, dark 12.17 false"},
		{"#FFFFFF", "#000000 21.00 AAA, light 1.00 exchanged, dark 17.43 false"},
		{"#14171c", "#ffffff 17.96 AAA, light 17.96 false, dark 1.03 exchanged"},
	} {
		got, err := ContrastOf(c.color)
		if err != nil {
			t.Fatal(err)
		}
		drawn := func(outlined, exchanged bool) string {
			if exchanged {
				return "exchanged"
			}
			return fmt.Sprint(outlined)
		}
		said := fmt.Sprintf("%s %.2f %s, light %.2f %s, dark %.2f %s", got.LabelColor, got.Label, got.Grade(),
			got.Light, drawn(got.OutlinedLight(), got.ExchangedLight), got.Dark, drawn(got.OutlinedDark(), got.ExchangedDark))
		if said != c.want {
			t.Errorf("%s: got %s, want %s", c.color, said, c.want)
		}
		css, err := BrandCSS(c.color)
		if err != nil {
			t.Fatal(err)
		}
		light, dark, _ := strings.Cut(strings.TrimPrefix(properties(css)["brand-outline"], "light-dark("), ", ")
		if (light != "transparent") != got.OutlinedLight() || (dark != "transparent)") != got.OutlinedDark() {
			t.Errorf("%s has the outline %s by day and %s by night", c.color, light, dark)
		}
	}
	if _, err := ContrastOf("red"); err == nil {
		t.Error("a colour that is none is measured")
	}
}

func TestBrandAssetIsFoundByItsOneName(t *testing.T) {
	t.Parallel()
	name := BrandAssetName("#0F766E")
	if a, ok := BrandAsset(name); !ok || name != "brand-0f766e.css" || a.Name != name || !strings.Contains(string(a.Bytes), "#0f766e") {
		t.Errorf("%q: %v, %s", name, ok, a.Bytes)
	}
	for _, other := range []string{"", "brand-.css", "brand-0F766E.css", "brand-0f766e", "0f766e.css", "brand-red.css", "base.css", "brand-0f766e.css/"} {
		if _, ok := BrandAsset(other); ok {
			t.Errorf("%q is found", other)
		}
	}
	if got := BrandAssetName("red"); got != "" {
		t.Errorf("what is no colour is called %q", got)
	}
}
