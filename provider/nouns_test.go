package provider_test

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestProvider(t *testing.T) {
	methods := func(of any) []string {
		t := reflect.TypeOf(of)
		names := make([]string, t.NumMethod())
		for i := range names {
			names[i] = t.Method(i).Name
		}
		return names
	}
	p := new(provider.Provider)
	nouns := map[string]any{
		"Accounts": p.Accounts(), "Clients": p.Clients(), "Events": p.Events(), "Keys": p.Keys(),
		"Pages": p.Pages(), "People": p.People(), "Signals": p.Signals(), "Trail": p.Trail(),
	}
	t.Run("HasFewMethodsBesideItsNouns", func(t *testing.T) {
		own := slices.DeleteFunc(methods(p), func(name string) bool {
			return nouns[name] != nil || name == "Maintain" || name == "GuardTrail" // which only tests have
		})
		if len(own) > 8 {
			t.Errorf("%d methods: %v", len(own), own)
		}
	})
	t.Run("HasFewFiles", func(t *testing.T) {
		all := testkit.Must(filepath.Glob("*.go"))(t)
		code := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		if tests := len(all) - len(code); len(code) == 0 || len(code) > 35 || tests > 25 { // the audit log's own noun, who acts, what staff do to people, upstreams, clients that nobody registered, their hosts, who registers them, who is told of changes, and of those the host itself
			t.Errorf("%d files of code and %d of tests, of at most 35 and 25: what no host calls has a room below internal", len(code), tests)
		}
	})
	t.Run("SharesNoMethodWithItsNouns", func(t *testing.T) {
		for noun, of := range nouns {
			for _, verb := range methods(of) {
				if slices.Contains(methods(p), verb) {
					t.Errorf("%s is a method of Provider and of %s", verb, noun)
				}
			}
		}
	})
}

// go doc prints one line of an alias: its comment names the command that shows the rest.
func TestAliasesNameWhereTheirFieldsAre(t *testing.T) {
	text := testkit.Must(exec.CommandContext(t.Context(), "go", "doc", "-all", ".").Output())(t)
	for _, a := range regexp.MustCompile(`(?m)^type (\w+) = \w+\.(\w+)\n((?:    .*\n)*)`).FindAllStringSubmatch(string(text), -1) {
		if words := map[string]bool{"Assurance": true, "AttributeType": true}; !words[a[1]] && !regexp.MustCompile(`go doc\s+\S+\.`+a[2]).MatchString(a[3]) {
			t.Errorf("%s does not say where its fields are:\n%s", a[1], a[3])
		}
	}
}
