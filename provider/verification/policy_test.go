package verification

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
)

func TestReadPolicies(t *testing.T) {
	verifiers := []Verifier{scripted("email"), scripted("roster"), scripted("card")}
	got, err := ReadPolicies([]byte(`[{
		"group": "student", "rule": {"any_of": ["email", {"all_of": ["roster", "card"]}]},
		"holds": {"": "100d", "High School": "never"}, "promise": "36h", "reviewers": 2,
		"tries": {"short": 3, "short_period": "1h"}
	}]`), verifiers...)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	p := got[0]
	want := shape{Of: []shape{{Method: "email"}, {All: true, Of: []shape{{Method: "roster"}, {Method: "card"}}}}}
	if diff := cmp.Diff(want, p.Rule.shape()); diff != "" {
		t.Error(diff)
	}
	if p.Promise != 36*time.Hour || p.Reviewers != 2 || p.Tries.Short != 3 || p.Tries.ShortPeriod != time.Hour {
		t.Errorf("%+v", p)
	}
	if got := p.Holds("University", t0); !got.Equal(t0.Add(100 * day)) {
		t.Errorf("a subgroup holds until %v", got)
	}
	if got := p.Holds("High School", t0); !got.IsZero() {
		t.Errorf("what never ends holds until %v", got)
	}
	for wrong, want := range map[string]string{
		`"rule": "fax"`: `Policies[1].Rule: "fax"`,
		`"rule": {}`:    "Policies[1].Rule: ",
		`"rule": {"any_of": ["email"], "all_of": ["roster"]}`: "Policies[1].Rule: ",
		`"rule": {"some_of": ["email"]}`:                      "Policies[1]: ",
		`"rule": "email", "holds": "soon"`:                    "Policies[1]: is no duration",
		`"rule": "email", "hold": "1d"`:                       `Policies[1]: json: unknown field "hold"`,
		`"rule": "email", "keep": "-1d"`:                      "Policies[1]: is no duration",
	} {
		_, err := ReadPolicies([]byte(`[{"group": "pupil", "rule": "email"}, {"group": "student", `+wrong+`}]`), verifiers...)
		if field := new(provider.FieldError); !errors.As(err, &field) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", wrong, err, want)
		}
	}
}

func TestNewChecksPolicies(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	deep := By(scripted("d"))
	for range 3 {
		deep = AnyOf(deep)
	}
	var many []Rule
	for i := range maxVerifiers + 1 {
		many = append(many, By(scripted("m"+string(rune('a'+i)))))
	}
	half := scripted("half")
	half.Receive = (&elsewhere{}).verifier("x", "").Receive
	files := scripted("files")
	files.Upload = []Requirement{{Name: "front"}}
	rule := func(r Rule) Policies { return Policies{{Group: "student", Rule: r}} }
	for field, policies := range map[string]Policies{
		"Policies":                                   nil,
		"Policies[0].Group":                          {{Group: "wizards", Rule: By(scripted("a"))}},
		"Policies[1].Group":                          append(oneOf("a"), oneOf("a")...),
		"Policies[0].Rule":                           rule(Rule{}),
		"Policies[0].Keep":                           {{Group: "student", Rule: By(scripted("a")), Keep: 91 * day}},
		"Policies[0].Reviewers":                      {{Group: "student", Rule: By(scripted("a")), Reviewers: 3}},
		"Policies[0].Rule (verifier \"A\").Name":     rule(By(scripted("A"))),
		"Policies[0].Rule (verifier \"half\").Fetch": rule(By(half)),
		"Blobs": rule(By(files)),
	} {
		checkField(t, w, field, policies)
	}
	for _, r := range []Rule{deep, AnyOf(many...), AnyOf(By(scripted("a")), AllOf()), AnyOf(By(scripted("a")), By(scripted("a")))} {
		checkField(t, w, "Policies[0].Rule", rule(r))
	}
}

func checkField(t *testing.T, w *world, field string, policies Policies) {
	t.Helper()
	_, err := New(Config{Provider: w.id, Store: w.store, Policies: policies, Logger: w.Logger})
	var wrong *provider.FieldError
	if !errors.As(err, &wrong) || wrong.Field != field {
		t.Errorf("%s: %v", field, err)
	}
}
