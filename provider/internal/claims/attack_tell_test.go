package claims_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/ui"
)

// toldOf returns all that a screen says of some values, by their handles.
func toldOf(t *testing.T, l *ui.Locale, own []catalogue.Attribute, values map[string]string) string {
	t.Helper()
	c := testkit.Must(claims.NewCatalogue(nil, own, nil))(t)
	var attributes []claims.Attribute
	for _, a := range c.Attributes {
		if raw, ok := values[a.Handle]; ok {
			attributes = append(attributes, claims.Attribute{Handle: a.Handle, Value: json.RawMessage(raw)})
		}
	}
	var said strings.Builder
	for _, row := range c.Tell(l, attributes) {
		said.WriteString(row.Label.Text + ": " + strings.Join(row.Values, "; "))
		for _, r := range row.Records {
			for _, m := range r {
				said.WriteString(" [" + m.Label.Text + "] " + m.Value)
			}
		}
		said.WriteString("\n")
	}
	return said.String()
}

// TestAttackHideBehindAWholeAddress releases an object whose text for people says less than
// its members, in each language.
func TestAttackHideBehindAWholeAddress(t *testing.T) {
	t.Parallel()
	parcel := []catalogue.Attribute{
		{Handle: "door_code", Name: "Door code"},
		{Handle: "parcel", Name: "Parcel", Type: catalogue.Object, Members: []string{"street_address", "door_code", "formatted"}, From: []string{"street", "door_code"}},
	}
	for _, l := range ui.Locales() {
		for what, c := range map[string]struct {
			own    []catalogue.Attribute
			values map[string]string
			want   []string
		}{
			"recorded": {nil, map[string]string{"address": `{"formatted":"Berlin","street_address":"Ahornweg 5","postal_code":"10115"}`}, []string{"Berlin", "Ahornweg 5", "10115"}},
			"composed": {parcel, map[string]string{"street": `"Ahornweg 5"`, "door_code": `"7431"`}, []string{"Ahornweg 5", "7431"}},
			"plain":    {parcel, map[string]string{"parcel": `{"formatted":"Berlin","door_code":"7431"}`}, []string{"Berlin", "7431"}},
		} {
			said := toldOf(t, l, c.own, c.values)
			for _, want := range c.want {
				if strings.Count(said, want) != 1 {
					t.Errorf("%s, %s: %q does not say %q once", l.Lang, what, said, want)
				}
			}
		}
	}
	if said := toldOf(t, ui.MatchLocale("en", ""), nil, map[string]string{"address": `{"formatted":"1 Main St\nFairfax","locality":"FAIRFAX"}`}); said != "Address: 1 Main St, Fairfax\n" {
		t.Errorf("said twice: %q", said)
	}
}

// TestAttackHideAmongMembersWithNames releases members that have a name, of which one looks
// like a flag and one says the same as another.
func TestAttackHideAmongMembersWithNames(t *testing.T) {
	t.Parallel()
	own := []catalogue.Attribute{{
		Handle: "health", Name: "Health", Type: catalogue.Object, Members: []string{"doctor", "heir", "smoker"},
		MemberNames: map[string]string{"doctor": "Doctor", "heir": "Heir", "smoker": "Smoker"},
	}}
	said := toldOf(t, ui.MatchLocale("en", ""), own, map[string]string{"health": `{"doctor":"Bo","heir":"bo","smoker":"true"}`})
	if want := "Health:  [Doctor] Bo [Heir] bo [Smoker] Yes\n"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
	if said := toldOf(t, ui.MatchLocale("de", ""), own, map[string]string{"health": `{"smoker":"false"}`}); !strings.HasSuffix(said, "Nein\n") {
		t.Errorf("said %q", said)
	}
}

// TestAttackHideWhatIsRecordedBehindWhatIsComposed records a whole that differs from its
// parts only in members with names.
func TestAttackHideWhatIsRecordedBehindWhatIsComposed(t *testing.T) {
	t.Parallel()
	own := []catalogue.Attribute{
		{Handle: "house", Name: "House"}, {Handle: "room", Name: "Room"},
		{Handle: "desk", Name: "Desk", Type: catalogue.Object, Members: []string{"house", "room"}, From: []string{"house", "room"},
			MemberNames: map[string]string{"house": "House", "room": "Room"}},
	}
	said := toldOf(t, ui.MatchLocale("en", ""), own, map[string]string{"house": `"North"`, "room": `"101"`, "desk": `{"house":"Secret","room":"X-7"}`})
	for _, want := range []string{"North", "101", "Secret", "X-7"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
}
