package credential

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

func TestKindsAreChecked(t *testing.T) {
	t.Parallel()
	if err := (Kinds{{Group: "a"}, {Group: "b", Scope: "s", Life: day, Provenance: true}}).check(); err != nil {
		t.Error(err)
	}
	for want, kinds := range map[string]Kinds{
		"Kinds":          nil,
		"Kinds[0].Group": {{}},
		"Kinds[1].Group": {{Group: "a"}, {Group: "a", Life: day}},
		"Kinds[0].Life":  {{Group: "a", Life: time.Hour}},
		"Kinds[1].Life":  {{Group: "a"}, {Group: "b", Life: maxLife + day}},
	} {
		var wrong *provider.FieldError
		if err := kinds.check(); !errors.As(err, &wrong) || wrong.Field != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestDetail(t *testing.T) {
	t.Parallel()
	kinds := Kinds{{Group: "student"}, {Group: "nurse", Scope: "care"}}
	for sent, want := range map[string]string{
		`{"type":"openid_credential","credential_configuration_id":"student"}`:                                                        "student credential:student",
		`{"type":"openid_credential","credential_configuration_id":"nurse","locations":["https://x.test"],"claims":[{"path":["a"]}]}`: "nurse care",
	} {
		if id, scope, err := kinds.Detail(json.RawMessage(sent)); err != nil || id+" "+scope != want {
			t.Errorf("%s: %s %s, %v", sent, id, scope, err)
		}
	}
	for _, sent := range []string{
		``, `null`, `[]`, `"student"`, `{}`, `{"type":"openid_credential"}`, `{"credential_configuration_id":"student"}`,
		`{"type":"payment","credential_configuration_id":"student"}`, `{"type":"openid_credential","credential_configuration_id":"teacher"}`,
		`{"type":"openid_credential","credential_configuration_id":["student"]}`, `{"type":"openid_credential","credential_identifier":"student"}`,
	} {
		if id, scope, err := kinds.Detail(json.RawMessage(sent)); !errors.Is(err, errDetail) || id+scope != "" {
			t.Errorf("%s: %s %s, %v", sent, id, scope, err)
		}
	}
}
