package theme

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func made(t *testing.T, cfg Config) *Theme {
	t.Helper()
	theme, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

// sheets returns all stylesheets of a theme, one after the other.
func sheets(t *testing.T, theme *Theme, button string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range theme.Stylesheets(button) {
		a, ok := theme.Asset(name)
		if !ok || a.Name != name || a.MediaType != cssType {
			t.Fatalf("%s: %v %+v", name, ok, a)
		}
		all.Write(a.Bytes)
	}
	return all.String()
}

var declaration = regexp.MustCompile(`--([a-z-]+): ([^;]+);`)

// properties returns the values of the custom properties by day and by night; the last wins.
func properties(css string) map[string][2]string {
	all := map[string][2]string{}
	for _, m := range declaration.FindAllStringSubmatch(css, -1) {
		light, dark := m[2], m[2]
		if inner, ok := strings.CutPrefix(m[2], "light-dark("); ok {
			light, dark, _ = strings.Cut(strings.TrimSuffix(inner, ")"), ", ")
		}
		all[m[1]] = [2]string{light, dark}
	}
	return all
}

// brands are such as hosts have.
var brands = map[string]Config{
	"fashion": {ButtonColor: "#000000", Theme: Tokens{Radius: "0"}},
	"bank":    {ButtonColor: "#0f6b4f", Font: Font{Name: "Georgia"}, Theme: Tokens{Light: Palette{Page: "#f4f1ea", Text: "#1c2b25"}, Dark: Palette{Page: "#0c1613"}, Radius: "2px"}},
	"app":     {ButtonColor: "#ffd1dc", Theme: Tokens{Light: Palette{Surface: "#fffafb"}, Radius: "1.25rem"}},
	"night":   {ButtonColor: "#7c5cff", Scheme: SchemeDark, Theme: Tokens{Dark: Palette{Surface: "#101018", SoftText: "#9aa0c0"}}},
	"reverse": {ButtonColor: "#ffffff", Scheme: SchemeLight, Theme: Tokens{Light: Palette{Page: "#0b3d91", Surface: "#0b3d91"}}},
}

func TestStylesheetsMatchGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, cfg := range brands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sheets(t, made(t, cfg), "#ff0066")
			file := filepath.Join("testdata", name+".css")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("differs from %s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// Three colours are a whole palette, and all of it can be read.
func TestWhatIsDerivedHasContrast(t *testing.T) {
	t.Parallel()
	cfgs := map[string]Config{}
	for name, cfg := range brands {
		cfgs[name] = cfg
	}
	for i, surface := range []string{"#ffffff", "#000000", "#fdf6e3", "#002b36", "#1e1e2e", "#ffe4ec", "#dfe7d5", "#e0e0e0", "#2d1b4e"} {
		for _, button := range []string{"#000000", "#ffffff", "#ffd400", "#0b5cff", "#e91e63", "#7c2d12", "#808080"} {
			cfgs[fmt.Sprint(i, button)] = Config{ButtonColor: button, Theme: Tokens{Light: Palette{Surface: surface}, Dark: Palette{Page: surface}}}
		}
	}
	for name, cfg := range cfgs {
		p := properties(sheets(t, made(t, cfg), ""))
		checkReadable(t, name, p)
		p = properties(sheets(t, made(t, cfg), "#e91e63"))
		checkReadable(t, name+" with a pink application", p)
	}
}

func checkReadable(t *testing.T, name string, p map[string][2]string) {
	t.Helper()
	for _, c := range []struct {
		least float64
		front string
		back  []string
	}{
		{4.5, "ink", []string{"page", "surface", "sunken", "bad-back", "warn-back", "good-back", "tint"}},
		{4.5, "soft", []string{"page", "surface", "sunken", "warn-back", "tint"}},
		{4.5, "link", []string{"surface", "sunken"}},
		{4.5, "good", []string{"surface", "good-back"}},
		{4.5, "bad", []string{"surface", "bad-back"}},
		{4.5, "warn", []string{"warn-back"}},
		{4.5, "brand-label", []string{"brand", "brand-hover", "brand-active"}},
		{4.5, "mark-label", []string{"mark"}},
		{3, "edge", []string{"surface"}},
		{3, "focus", []string{"page", "surface", "sunken"}},
	} {
		for _, back := range c.back {
			for i, mode := range []string{"day", "night"} {
				got := mustColor(p[c.front][i]).Contrast(mustColor(p[back][i]))
				if got < c.least {
					t.Errorf("%s: %s %s on %s %s has %.2f:1 by %s, needs %v", name, c.front, p[c.front][i], back, p[back][i], got, mode, c.least)
				}
			}
		}
	}
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]Config{
		"Theme.Light.SoftText: #aaaaaa has a contrast of 2.3:1 to the surface #ffffff, and needs 4.5:1": {Theme: Tokens{Light: Palette{SoftText: "#aaaaaa"}}},
		"Theme.Light.Text: #949494 has a contrast of 3.0:1 to the surface #ffffff, and needs 4.5:1":     {Theme: Tokens{Light: Palette{Text: "#949494"}}},
		"Theme.Light.Text: #000000 has a contrast of 3.0:1 to the page #5b5b5b, and needs 4.5:1":        {Theme: Tokens{Light: Palette{Text: "#000000", Page: "#5b5b5b", Surface: "#ffffff"}}},
		"Theme.Light.Page: #000000 has a contrast of 1.1:1 to the text #14171c, and needs 4.5:1":        {Theme: Tokens{Light: Palette{Page: "#000000", Surface: "#ffffff"}}},
		"Theme.Light.Link: #0b5cff has a contrast of 2.9:1 to the surface #0b1f5c, and needs 4.5:1":     {Theme: Tokens{Light: Palette{Link: "#0b5cff", Surface: "#0b1f5c"}}},
		"Theme.Light.Focus: #ffd400 has a contrast of 1.4:1 to the surface #ffffff, and needs 3:1":      {Theme: Tokens{Light: Palette{Focus: "#ffd400"}}},
		"Theme.Dark.Link: #1f4fd0 has a contrast of 2.5:1 to the surface #171a20, and needs 4.5:1":      {Theme: Tokens{Dark: Palette{Link: "#1f4fd0"}}},
		"Theme.Dark.SoftText: #767676 has a contrast of 3.8:1 to the surface #171a20, and needs 4.5:1":  {Theme: Tokens{Dark: Palette{SoftText: "#767676"}}},
	} {
		if _, err := New(cfg); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What a host writes becomes CSS: it must not end a value, nor load anything.
func TestCSSCannotBeInjected(t *testing.T) {
	t.Parallel()
	for _, evil := range []string{
		"red", "#fff;background:url(//evil.test)", "#ffffff}html{display:none", "url(//evil.test)", "#ffffff\n", "\"", "0;}", "calc(1px)",
		"8px;color:red", "8PX", "-1px", "33px", "3rem", "1e9px", "x\";src:url(//evil.test)", "Inter, serif", "Inter\\", " ", "#ﬀffff", "</style>", strings.Repeat("x", 65),
	} {
		for field, cfg := range map[string]Config{
			"ButtonColor":          {ButtonColor: evil},
			"Theme.Light.Page":     {Theme: Tokens{Light: Palette{Page: evil}}},
			"Theme.Dark.Line":      {Theme: Tokens{Dark: Palette{Line: evil}}},
			"Theme.Radius":         {Theme: Tokens{Radius: evil}},
			"Font.Name":            {Font: Font{Name: evil}},
			"Scheme":               {Scheme: Scheme(evil)},
			"Theme.Dark.Button":    {Theme: Tokens{Dark: Palette{Button: evil}}},
			"Theme.Light.SoftText": {Theme: Tokens{Light: Palette{SoftText: evil}}},
		} {
			if field == "Font.Name" && family.MatchString(evil) && len(evil) <= 64 {
				continue // is a name
			}
			if _, err := New(cfg); err == nil || !strings.HasPrefix(err.Error(), field+": ") {
				t.Errorf("%s %q: %v", field, evil, err)
			}
		}
		if a, ok := made(t, Config{}).Asset("button-" + evil + ".000000000000.css"); ok {
			t.Errorf("%q is served: %s", evil, a.Bytes)
		}
	}
}

func TestButtonStylesheetIsFoundByItsOneName(t *testing.T) {
	t.Parallel()
	plain, green := made(t, Config{}), made(t, Config{ButtonColor: "#0f6b4f"})
	name := plain.Stylesheets("#0F766E")[0]
	if a, ok := plain.Asset(name); !ok || !strings.Contains(string(a.Bytes), "#0f766e") {
		t.Errorf("%s: %v %s", name, ok, a.Bytes)
	}
	if _, ok := green.Asset(name); ok {
		t.Error("the stylesheet of another theme is served under its name, and cached")
	}
	for _, other := range []string{"", "button-.css", strings.ToUpper(name), strings.TrimSuffix(name, ".css"), "button-0f766e..css", name + "/", "base.css"} {
		if _, ok := plain.Asset(other); ok {
			t.Errorf("%q is found", other)
		}
	}
	if names := plain.Stylesheets("red"); len(names) > 0 {
		t.Errorf("what is no colour has %v", names)
	}
}

func TestHostStylesheetComesLast(t *testing.T) {
	t.Parallel()
	theme := made(t, Config{ButtonColor: "#0f6b4f", Stylesheet: []byte("h1 { color: red }")})
	names := theme.Stylesheets("#ff0066")
	if len(names) != 3 || !strings.HasPrefix(names[0], "theme.") || !strings.HasPrefix(names[1], "button-") || !strings.HasPrefix(names[2], "host.") {
		t.Errorf("order is %v", names)
	}
	for want, css := range map[string]string{
		"Stylesheet: is larger than 256 KiB": strings.Repeat(" ", maxStylesheet+1),
		"Stylesheet: is not text in UTF-8":   "\xff\xfe",
	} {
		if _, err := New(Config{Stylesheet: []byte(css)}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestOneSchemeHasOneSetOfColors(t *testing.T) {
	t.Parallel()
	css := sheets(t, made(t, Config{ButtonColor: "#0b5cff", Scheme: SchemeLight}), "#000000")
	if !strings.Contains(css, "color-scheme: light;") {
		t.Error("fields and scroll bars follow the device")
	}
	for name, both := range properties(css) {
		if both[0] != both[1] {
			t.Errorf("--%s is %v", name, both)
		}
	}
}

func TestButtonThatWouldBeLostIsExchanged(t *testing.T) {
	t.Parallel()
	for color, want := range map[string][4]string{
		"#000000": {"#000000", "#ffffff", "#ffffff", "#000000"},
		"#14171c": {"#14171c", "#ffffff", "#ffffff", "#14171c"},
		"#ffffff": {"#000000", "#ffffff", "#ffffff", "#000000"},
		"#fafafa": {"#000000", "#fafafa", "#fafafa", "#000000"},
		"#ffd400": {"#ffd400", "#ffd400", "#000000", "#000000"}, // stands out by its colour
		"#3b5fe2": {"#3b5fe2", "#3b5fe2", "#ffffff", "#ffffff"},
	} {
		p := properties(sheets(t, made(t, Config{}), color))
		if got := [4]string{p["brand"][0], p["brand"][1], p["brand-label"][0], p["brand-label"][1]}; got != want {
			t.Errorf("%s: got %v, want %v", color, got, want)
		}
	}
}

func TestButtonIsReadableAndFoundInEveryColor(t *testing.T) {
	t.Parallel()
	theme := made(t, Config{})
	for r := 0; r <= 0xff; r += 0x11 {
		for g := 0; g <= 0xff; g += 0x11 {
			for b := 0; b <= 0xff; b += 0x11 {
				checkButton(t, theme, Color{uint8(r), uint8(g), uint8(b)}.String())
			}
		}
	}
}

func checkButton(t *testing.T, theme *Theme, color string) {
	t.Helper()
	p := properties(sheets(t, theme, color))
	for i, surface := range []Color{theme.light.surface, theme.dark.surface} {
		fill, label := mustColor(p["brand"][i]), mustColor(p["brand-label"][i])
		for _, shade := range []string{"brand", "brand-hover", "brand-active"} {
			if got := mustColor(p[shade][i]).Contrast(label); got < minText {
				t.Errorf("%s: label has %.2f:1 on %s %s", color, got, shade, p[shade][i])
			}
		}
		if p["brand"][i] == p["brand-hover"][i] || p["brand-hover"][i] == p["brand-active"][i] {
			t.Errorf("%s: shades cannot be told apart", color)
		}
		edge := fill
		if line := p["brand-outline"][i]; line != "transparent" {
			edge = mustColor(line)
		}
		if got := edge.Contrast(surface); got < minFound {
			t.Errorf("%s: button has %.2f:1 against the screen %s", color, got, surface)
		}
		if got := fill.Contrast(surface); got < minFill {
			t.Errorf("%s: button is filled as the screen %s is, with %.2f:1", color, surface, got)
		}
	}
}

func FuzzButtonTakesColorsAndNothingElse(f *testing.F) {
	for _, s := range []string{
		"#3457d5", "#FFF000", "", "#fff", "#12345678", "red", "red;background:url(//e)", "#fff</style>", "var(--x)",
		"expression(1)", "#12345g", " #123456", "#123456\n", "#12345６",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		valid := len(s) == 7 && s[0] == '#' && strings.Trim(s[1:], "0123456789abcdefABCDEF") == ""
		theme := made(t, Config{})
		if got := len(theme.Stylesheets(s)) > 0; got != valid {
			t.Fatalf("%q has a stylesheet: %v", s, got)
		}
		if valid {
			checkButton(t, theme, s)
		}
	})
}

func TestContrastSaysWhatTheStylesheetDoes(t *testing.T) {
	t.Parallel()
	for color, want := range map[string]string{
		"#0b5cff": "#ffffff 5.26 AA, light 5.26 false false, dark 3.31 false false",
		"#ffd400": "#000000 14.67 AAA, light 1.43 true false, dark 12.17 false false",
		"#FFFFFF": "#000000 21.00 AAA, light 1.00 false true, dark 17.43 false false",
		"#14171c": "#ffffff 17.96 AAA, light 17.96 false false, dark 1.03 false true",
	} {
		c, err := (*Theme)(nil).Contrast(color)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s %.2f %s, light %.2f %v %v, dark %.2f %v %v", c.LabelColor, c.Label, c.Grade(),
			c.Light, c.OutlinedLight(), c.ExchangedLight, c.Dark, c.OutlinedDark(), c.ExchangedDark)
		if got != want {
			t.Errorf("%s: got %s, want %s", color, got, want)
		}
	}
	if _, err := (*Theme)(nil).Contrast("red"); err == nil {
		t.Error("a colour that is none is measured")
	}
}

func TestContrastIsThatOfWCAG(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want string
	}{
		{"#000000", "#ffffff", "21.000"}, {"#ffffff", "#ffffff", "1.000"}, {"#777777", "#ffffff", "4.478"}, {"#0000ff", "#ffffff", "8.592"},
	} {
		if got := fmt.Sprintf("%.3f", mustColor(c.a).Contrast(mustColor(c.b))); got != c.want {
			t.Errorf("%s on %s: got %s, want %s", c.a, c.b, got, c.want)
		}
	}
}
