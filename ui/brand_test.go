package ui

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var declaration = regexp.MustCompile(`--([a-z-]+): ([^;]+);`)

// properties returns the custom properties that a stylesheet declares.
func properties(css []byte) map[string]string {
	all := map[string]string{}
	for _, m := range declaration.FindAllSubmatch(css, -1) {
		if name := string(m[1]); all[name] == "" {
			all[name] = string(m[2])
		}
	}
	return all
}

func colorOf(t *testing.T, s string) rgb {
	t.Helper()
	if !hexColor.MatchString(s) {
		t.Fatalf("%q is no color", s)
	}
	return parseColor(s)
}

// pair returns the values of a colour by day and by night.
func pair(t *testing.T, s string) [2]rgb {
	t.Helper()
	if inner, ok := strings.CutPrefix(s, "light-dark("); ok {
		light, dark, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ", ")
		return [2]rgb{colorOf(t, light), colorOf(t, dark)}
	}
	return [2]rgb{colorOf(t, s), colorOf(t, s)}
}

func TestContrastIsThatOfWCAG(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"#000000", "#ffffff", 21}, {"#ffffff", "#ffffff", 1}, {"#777777", "#ffffff", 4.478}, {"#0000ff", "#ffffff", 8.592},
	} {
		if got := contrast(parseColor(c.a), parseColor(c.b)); fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", c.want) {
			t.Errorf("%s on %s: got %.3f, want %.3f", c.a, c.b, got, c.want)
		}
	}
}

func TestBrandCSSIsReadableInEveryColor(t *testing.T) {
	for r := 0; r <= 0xff; r += 0x11 {
		for g := 0; g <= 0xff; g += 0x11 {
			for b := 0; b <= 0xff; b += 0x11 {
				checkBrand(t, rgb{uint8(r), uint8(g), uint8(b)}.String())
			}
		}
	}
}

func checkBrand(t *testing.T, color string) {
	t.Helper()
	css, err := BrandCSS(color)
	if err != nil {
		t.Fatal(err)
	}
	p := properties(css)
	surfaces, outlines := [2]rgb{surfaceLight, surfaceDark}, edges(p["brand-outline"])
	fills, labels := pair(t, p["brand"]), pair(t, p["brand-label"])
	for i, surface := range surfaces {
		for _, shade := range []string{"brand", "brand-hover", "brand-active"} {
			if got := contrast(pair(t, p[shade])[i], labels[i]); got < 4.5 {
				t.Errorf("%s: label has %.2f:1 on %s %s", color, got, shade, p[shade])
			}
		}
		if hover, active := pair(t, p["brand-hover"])[i], pair(t, p["brand-active"])[i]; hover == fills[i] || hover == active {
			t.Errorf("%s: shades %s %s %s cannot be told apart", color, p["brand"], p["brand-hover"], p["brand-active"])
		}
		edge := fills[i]
		if outlines[i] != "transparent" {
			edge = colorOf(t, outlines[i])
		}
		if got := contrast(edge, surface); got < 3 {
			t.Errorf("%s: button has %.2f:1 against the screen %s", color, got, surface)
		}
		if got := contrast(fills[i], surface); got < 1.25 {
			t.Errorf("%s: button is filled as the screen %s is, with %.2f:1", color, surface, got)
		}
	}
}

// edges returns the outlines by day and by night.
func edges(s string) [2]string {
	light, dark, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s, "light-dark("), ")"), ", ")
	return [2]string{light, dark}
}

// A button that is black on black, or white on white, would be the twin of the one beside
// it, which has a line around it and no colour.
func TestBrandCSSExchangesWhatWouldLookLikeTheScreen(t *testing.T) {
	t.Parallel()
	for color, want := range map[string][2]string{
		"#000000": {"light-dark(#000000, #ffffff)", "light-dark(#ffffff, #000000)"},
		"#14171c": {"light-dark(#14171c, #ffffff)", "light-dark(#ffffff, #14171c)"},
		"#ffffff": {"light-dark(#000000, #ffffff)", "light-dark(#ffffff, #000000)"},
		"#fafafa": {"light-dark(#000000, #fafafa)", "light-dark(#fafafa, #000000)"},
		"#d9d9d9": {"light-dark(#000000, #d9d9d9)", "light-dark(#d9d9d9, #000000)"},
		"#ffd400": {"#ffd400", "#000000"}, // stands out by its colour
		"#3b5fe2": {"#3b5fe2", "#ffffff"},
	} {
		css, err := BrandCSS(color)
		if err != nil {
			t.Fatal(err)
		}
		p := properties(css)
		if got := [2]string{p["brand"], p["brand-label"]}; got != want {
			t.Errorf("%s: got %v, want %v", color, got, want)
		}
	}
}

func FuzzBrandCSSTakesColorsAndNothingElse(f *testing.F) {
	for _, s := range []string{
		"#3457d5", "#FFF000", "", "#fff", "#12345678", "red", "red;background:url(//e)", "#fff</style>", "var(--x)",
		"expression(1)", "#12345g", " #123456", "#123456\n", "#12345６",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		valid := len(s) == 7 && s[0] == '#' && strings.Trim(s[1:], "0123456789abcdefABCDEF") == ""
		css, err := BrandCSS(s)
		if valid != (err == nil) {
			t.Fatalf("%q: error %v", s, err)
		}
		if valid {
			checkBrand(t, s)
		} else if css != nil {
			t.Errorf("%q: stylesheet in spite of the error", s)
		}
	})
}

func TestStylesheetHasContrastByDayAndByNight(t *testing.T) {
	css := assets()["base.css"].Bytes
	p := properties(css)
	if got := pair(t, p["surface"]); got != [2]rgb{surfaceLight, surfaceDark} {
		t.Errorf("surface is %v, buttons are measured against %v %v", got, surfaceLight, surfaceDark)
	}
	for _, c := range []struct {
		least float64
		front string
		back  []string
	}{
		{4.5, "ink", []string{"page", "surface", "sunken", "bad-back", "warn-back", "tint"}},
		{4.5, "soft", []string{"page", "surface", "sunken", "warn-back", "tint"}},
		{4.5, "link", []string{"surface", "sunken", "new-back"}},
		{4.5, "good", []string{"surface", "good-back"}},
		{4.5, "bad", []string{"surface", "bad-back"}},
		{4.5, "warn", []string{"warn-back"}},
		{4.5, "brand-label", []string{"brand", "brand-hover", "brand-active"}},
		{4.5, "danger-label", []string{"danger", "danger-hover"}},
		{3, "edge", []string{"surface"}},
		{3, "focus", []string{"page", "surface", "sunken"}},
		{3, "danger", []string{"surface"}},
	} {
		for _, back := range c.back {
			f, b := pair(t, p[c.front]), pair(t, p[back])
			for i, mode := range []string{"day", "night"} {
				if got := contrast(f[i], b[i]); got < c.least {
					t.Errorf("%s on %s has %.2f:1 by %s, needs %v", c.front, back, got, mode, c.least)
				}
			}
		}
	}
}

// The service's own colour is made as every other.
func TestStylesheetHasAColorOfItsOwn(t *testing.T) {
	own := properties(assets()["base.css"].Bytes)
	css, err := BrandCSS(own["brand"])
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range properties(css) {
		if own[name] != want {
			t.Errorf("--%s: got %s, want %s", name, own[name], want)
		}
	}
}

func TestStylesheetUsesPropertiesThatItDeclares(t *testing.T) {
	css := assets()["base.css"].Bytes
	p := properties(css)
	for _, m := range regexp.MustCompile(`var\(--([a-z-]+)\)`).FindAllSubmatch(css, -1) {
		if p[string(m[1])] == "" {
			t.Errorf("--%s is not declared", m[1])
		}
	}
	brand, err := BrandCSS("#3457d5")
	if err != nil {
		t.Fatal(err)
	}
	for name := range properties(brand) {
		if p[name] == "" {
			t.Errorf("--%s of a brand is not used", name)
		}
	}
}

func TestStylesheetIsSmall(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(assets()["base.css"].Bytes); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 10_000 {
		t.Errorf("stylesheet has %d bytes compressed", b.Len())
	}
}

func TestAssetsAreNamedAfterTheirContent(t *testing.T) {
	types := map[string]string{"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
	named := regexp.MustCompile(`^[a-z-]+\.[0-9a-f]{12}\.(css|js|svg)$`)
	for _, a := range Assets() {
		m := named.FindStringSubmatch(a.Name)
		if len(m) == 0 || a.MediaType != types[m[1]] || len(a.Bytes) == 0 {
			t.Errorf("asset %q has media type %q and %d bytes", a.Name, a.MediaType, len(a.Bytes))
		}
	}
	if len(Assets()) < 4 || AssetName("base.css") == "" || AssetName("../doc.go") != "" {
		t.Errorf("%d assets, names %q and %q", len(Assets()), AssetName("base.css"), AssetName("../doc.go"))
	}
}
