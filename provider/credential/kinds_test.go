package credential

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
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

func TestExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 23, 30, 0, 0, time.UTC)
	today := now.Truncate(day)
	k := Kind{Group: "student", Life: 10 * day}
	for name, c := range map[string]struct{ ends, want time.Time }{
		"WithoutEnd":        {time.Time{}, today.Add(10 * day)},
		"LongAfter":         {today.AddDate(1, 0, 0), today.Add(10 * day)},
		"Before":            {today.Add(3*day + time.Hour), today.Add(3 * day)},
		"AtMidnight":        {today.Add(3 * day), today.Add(3 * day)},
		"InADay":            {now.Add(day), today.Add(day)},
		"InLess":            {now.Add(day - time.Second), time.Time{}},
		"Over":              {now.Add(-time.Second), time.Time{}},
		"InAnotherTimeZone": {today.Add(3*day + time.Hour).In(time.FixedZone("", 7*3600)), today.Add(3 * day)},
	} {
		got := k.expiry(now, c.ends)
		if !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if !got.IsZero() && (!got.After(now) || !c.ends.IsZero() && got.After(c.ends) || got.Sub(today) > k.Life) {
			t.Errorf("%s: %v is not between now and the end of the status", name, got)
		}
	}
}

// TestContent holds that a credential is kept for a status that says the same, and no other.
func TestContent(t *testing.T) {
	t.Parallel()
	s := &Service{}
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	base := storage.Status{Group: "student", Subgroups: []string{"University"}, Verified: true, VerifiedAt: at, ExpiresAt: at.AddDate(1, 0, 0), Method: "document", Source: "Registry"}
	change := func(f func(*storage.Status)) storage.Status { c := base; f(&c); return c }
	for name, c := range map[string]struct {
		status storage.Status
		same   [2]bool // without and with provenance
	}{
		"Itself":          {base, [2]bool{true, true}},
		"AnotherHour":     {change(func(s *storage.Status) { s.VerifiedAt = at.Add(time.Hour) }), [2]bool{true, true}},
		"AnotherRevision": {change(func(s *storage.Status) { s.Revision = 9 }), [2]bool{true, true}},
		"AnotherDay":      {change(func(s *storage.Status) { s.VerifiedAt = at.Add(day) }), [2]bool{}},
		"AnotherEnd":      {change(func(s *storage.Status) { s.ExpiresAt = time.Time{} }), [2]bool{}},
		"AnotherSubgroup": {change(func(s *storage.Status) { s.Subgroups = []string{"School"} }), [2]bool{}},
		"Ended":           {change(func(s *storage.Status) { s.Verified = false }), [2]bool{}},
		"AnotherMethod":   {change(func(s *storage.Status) { s.Method = "code" }), [2]bool{true, false}},
		"AnotherSource":   {change(func(s *storage.Status) { s.Source = "" }), [2]bool{true, false}},
	} {
		for i, provenance := range []bool{false, true} {
			k := Kind{Group: "student", Provenance: provenance}
			if same := s.content(k, base) == s.content(k, c.status); same != c.same[i] {
				t.Errorf("%s, provenance %v: same is %v", name, provenance, same)
			}
		}
	}
}
