package claims_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/ui"
)

// valueOf returns some JSON of an attribute's type.
func valueOf(a catalogue.Attribute) string {
	switch a.Type {
	case catalogue.Integer:
		return "12345"
	case catalogue.Boolean:
		return "true"
	case catalogue.Date:
		return `"1990-04-02"`
	case catalogue.Strings:
		return `["one","two"]`
	case catalogue.Object:
		return `{"` + a.Members[0] + `":"of ` + a.Handle + `"}`
	case catalogue.Objects:
		return `[{"` + a.Members[0] + `":"of ` + a.Handle + `"}]`
	default:
		return `"of ` + a.Handle + `"`
	}
}

// TestEveryFactReleasedIsTold walks the default catalogue and one of a host: whatever a
// scope releases has a place on the screen, exactly one, known or not.
func TestEveryFactReleasedIsTold(t *testing.T) {
	t.Parallel()
	own := []catalogue.Attribute{
		{Handle: "badge", Name: "Badge", Type: catalogue.Integer}, {Handle: "staff", Name: "Staff", Type: catalogue.Boolean},
		{Handle: "roles", Name: "Roles", Type: catalogue.Strings}, {Handle: "desk", Name: "Desk", Type: catalogue.Object, Members: []string{"room"}},
		{Handle: "title", Name: "Title"}, {Handle: "greeting", Name: "Greeting", From: []string{"title", "nickname"}},
	}
	c, err := claims.NewCatalogue(append(catalogue.DefaultScopes(),
		catalogue.Scope{Name: "work", Attributes: []string{"badge", "staff", "roles", "desk", "greeting"}}), own, nil)
	testkit.OK(t, err)
	for _, l := range ui.Locales() {
		scopes := append(c.ScopeValues(), strings.Join(c.ScopeValues(), " "))
		for _, asked := range scopes {
			facts, _ := c.Requested(strings.Fields(asked))
			for _, known := range []bool{true, false} {
				var attributes []claims.Attribute
				for _, fact := range facts {
					a, _ := c.Attribute(fact)
					released := claims.Attribute{Handle: fact, Composed: c.IsComposed(fact)}
					if known && !released.Composed {
						released.Value = json.RawMessage(valueOf(a))
					}
					attributes = append(attributes, released)
				}
				checkTold(t, l, c, attributes)
			}
		}
	}
}

func checkTold(t *testing.T, l *ui.Locale, c *claims.Catalogue, attributes []claims.Attribute) {
	t.Helper()
	told := map[string]int{}
	for _, row := range c.Tell(l, attributes) {
		if row.Label.Text == "" {
			t.Errorf("%s: %v have no name", l.Lang, row.Facts)
		}
		text := strings.Join(row.Values, "\n")
		for _, r := range row.Records {
			text += "\n" + r.Line()
		}
		for _, fact := range row.Facts {
			told[fact]++
			i := slices.IndexFunc(attributes, func(a claims.Attribute) bool { return a.Handle == fact })
			if attributes[i].Value == nil {
				continue
			}
			switch a, _ := c.Attribute(fact); {
			case fact == "uuid" || fact == "eid":
				if strings.Contains(text, "of "+fact) {
					t.Errorf("%s: an identifier is shown", l.Lang)
				}
			case a.Type == catalogue.Boolean:
				if row.Truth == nil {
					t.Errorf("%s: %s is told by nothing", l.Lang, fact)
				}
			case text == "", a.Type == catalogue.String && !strings.Contains(text, "of "+fact):
				t.Errorf("%s: %s is told by %q", l.Lang, fact, text)
			}
		}
	}
	for _, a := range attributes {
		if want := 1; !a.Composed && told[a.Handle] != want {
			t.Errorf("%s: %s is told %d times", l.Lang, a.Handle, told[a.Handle])
		}
	}
}

func TestValuesAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	c := testkit.Must(claims.NewCatalogue(nil, nil, nil))(t)
	tell := func(lang string, values ...string) (lines []string) {
		var attributes []claims.Attribute
		for i := 0; i < len(values); i += 2 {
			attributes = append(attributes, claims.Attribute{Handle: values[i], Value: json.RawMessage(values[i+1])})
		}
		for _, row := range c.Tell(ui.MatchLocale(lang, ""), attributes) {
			line := row.Label.Text + ": " + strings.Join(row.Values, " | ")
			for _, r := range row.Records {
				for _, m := range r {
					line += m.Label.Text + " " + m.Value + "; "
				}
			}
			lines = append(lines, line)
		}
		return lines
	}
	covid := `[{"brand":"Comirnaty","date":"2021-05-14T10:30:00-04:00","type":"first dose"}]`
	before := `[{"normalized_street":"12 MAIN ST","street1":"12 Main St","city":"Fairfax","zip":"22030","normalized":"true","primary":"false"}]`
	for _, c := range []struct {
		lang   string
		values []string
		want   []string
	}{
		{"en", []string{"birthdate", `"1990-04-02"`}, []string{"Date of birth: 2 April 1990"}},
		{"de", []string{"birthdate", `"1990-04-02"`}, []string{"Geburtsdatum: 2. April 1990"}},
		{"en", []string{"updated_at", `1621000000`}, []string{"Last change: 14 May 2021"}},
		{"en", []string{"covid_vaccine_records", covid}, []string{"COVID vaccine records: Vaccine Comirnaty; Date 14 May 2021, 10:30; Dose first dose; "}},
		{"de", []string{"covid_vaccine_records", covid}, []string{"COVID-Impfnachweise: Impfstoff Comirnaty; Datum 14. Mai 2021, 10:30 Uhr; Dosis first dose; "}},
		{"en", []string{"previous_addresses", before}, []string{"Previous addresses: 12 MAIN ST, Fairfax, 22030"}},
		{"en", []string{"fname", `"Ada"`, "lname", `"Lovelace"`}, []string{"Full name: Ada Lovelace"}},
		{"en", []string{"fname", `"Ada"`, "lname", `"Lovelace"`, "name", `"Ada Lovelace"`}, []string{"Full name: Ada Lovelace"}},
		{"en", []string{"fname", `"Ada"`, "lname", `"Lovelace"`, "name", `"Dr. Ada Lovelace"`}, []string{"First name: Ada", "Last name: Lovelace", "Full name: Dr. Ada Lovelace"}},
		{"en", []string{"uuid", `"8f14e45f"`, "zip", `"22030"`, "eid", `"77"`}, []string{"Postal code: 22030", "Unique identifier: An ID that stands for your account"}},
		{"en", []string{"street", `"1 Main St"`, "city", `"Fairfax"`, "zip", `"22030"`}, []string{"Address: 1 Main St, Fairfax, 22030"}},
	} {
		if diff := cmp.Diff(c.want, tell(c.lang, c.values...)); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", c.lang, c.values, diff)
		}
	}
}
