package grants

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// Older programs ask for login above all: it is in the default catalogue, and tells who and
// where somebody is, and no group.
func TestLoginReadsTheContactDetails(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	p := b.Bearer(lab.AttributesPath, lab.Member(t, b.V3Tokens("scope", "login"), "access_token"))
	var answer struct {
		Attributes []struct{ Handle, Value string }
		Status     []any
	}
	if err := json.Unmarshal([]byte(p.Text), &answer); err != nil || p.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", p.Status, p.Text)
	}
	var handles []string
	for _, a := range answer.Attributes {
		if a.Value == "" {
			t.Errorf("%s is empty", a.Handle)
		}
		handles = append(handles, a.Handle)
	}
	slices.Sort(handles)
	if want := []string{"email", "fname", "lname", "uuid", "zip"}; !slices.Equal(handles, want) || len(answer.Status) != 0 {
		t.Errorf("reads %q and %v, want %q and no group\n%s", handles, answer.Status, want, p.Text)
	}
}
