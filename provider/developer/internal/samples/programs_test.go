package samples

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestProgramsAreConfiguredForTheApplication(t *testing.T) {
	t.Parallel()
	for _, p := range Programs() {
		a := shop()
		a.RedirectURI, a.Public = p.RedirectURIs[0], p.Kind != "web"
		all := testkit.Must(ForPrograms(a, p.Kind))(t)
		i := slices.IndexFunc(all, func(s Sample) bool { return s.ID == p.ID })
		if i < 0 {
			t.Errorf("%s is not offered to its kind", p.ID)
			continue
		}
		var text strings.Builder
		for _, f := range all[i].Files {
			text.WriteString(f.Text)
		}
		for _, want := range []string{a.ClientID, a.BaseURL} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s does not have %s:\n%s", p.ID, want, text.String())
			}
		}
		if hasSecret := strings.Contains(text.String(), Placeholder); hasSecret == a.Public || hasSecret != all[i].Secret {
			t.Errorf("%s has a secret: %t, and says %t", p.ID, hasSecret, all[i].Secret)
		}
	}
}

// TestTheLabRunsEveryProgram keeps what the dashboard shows tried: the lab fills the same templates, of
// whose actions it knows one form.
func TestTheLabRunsEveryProgram(t *testing.T) {
	t.Parallel()
	const lab = "../../../internal/lab/programs/"
	frame := testkit.Must(os.ReadFile(lab + "frame/lab.mjs"))(t)
	action := regexp.MustCompile(`\{\{(?:(?:json|script) (?:\(printf "[^"]*" \.(\w+)\)|\.(\w+))|"\{\{")\}\}`)
	for _, p := range Programs() {
		script, err := os.ReadFile(lab + p.ID + ".mjs")
		if err != nil || !strings.Contains(string(script), `known("`+p.ID+`"`) {
			t.Errorf("the lab does not run %s: %v", p.ID, err)
		}
		for _, file := range p.Files {
			text := testkit.Must(sources.ReadFile(p.template(file)))(t)
			for _, found := range action.FindAllStringSubmatch(string(text), -1) {
				if name := found[1] + found[2]; name != "" && !regexp.MustCompile(`\b`+name+`: `).Match(frame) {
					t.Errorf("%s of %s wants %s, which the lab does not fill in", file, p.ID, name)
				}
			}
			if rest := action.ReplaceAllString(string(text), ""); strings.Contains(rest, "{{") {
				t.Errorf("%s of %s has an action that the lab does not know", file, p.ID)
			}
		}
	}
}

func TestProgramsSpeakTheDialectStandard(t *testing.T) {
	t.Parallel()
	a := shop()
	a.Dialect = provider.V3
	if all, err := ForPrograms(a, "web"); err != nil || len(all) > 0 {
		t.Errorf("%d programs for v3, %v", len(all), err)
	}
}

func TestNothingOfAnApplicationEndsTheScriptOfAProgram(t *testing.T) {
	t.Parallel()
	a := shop()
	a.Public, a.RedirectURI = true, "https://shop.example/</script>"
	all := testkit.Must(ForPrograms(a, "spa"))(t)
	for _, s := range all {
		for _, f := range s.Files {
			if strings.Count(f.Text, "</script>") != strings.Count(f.Text, "<script") {
				t.Errorf("%s:\n%s", s.ID, f.Text)
			}
		}
	}
}
