package verifiedclaims_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verifiedclaims"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	issuer = "https://id.example/oidc"
	school = "https://id.example/trust/school"
	clinic = "https://id.example/trust/clinic"
)

var now = time.Date(2026, time.March, 12, 14, 5, 0, 0, time.UTC)

// statuses are those of a person, as they reach the claim.
var statuses = []storage.Status{
	{Group: "student", Subgroups: []string{"University", "Staff"}, Verified: true, Method: "document", Origin: "pseudonym", VerifiedAt: now.Add(-49 * time.Hour)},
	{Group: "nurse", Verified: true, Method: "email_domain", VerifiedAt: now.Add(-time.Hour)},
	{Group: "doctor", Verified: true, Method: "code"},
	{Group: "member", Verified: true, Method: "by hand"},
}

func claims(t testing.TB) *verifiedclaims.Claims {
	t.Helper()
	c := testkit.Must(verifiedclaims.New(verifiedclaims.Config{Frameworks: map[string]string{
		"student": school, "nurse": clinic, "doctor": clinic, "member": school,
	}}))(t)
	return c
}

// answerTo returns what a request gets.
func answerTo(t testing.TB, request string) string {
	t.Helper()
	c := claims(t)
	canonical, groups, err := c.Parse(json.RawMessage(request))
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	if len(groups) == 0 {
		return ""
	}
	answer := testkit.Must(c.Answer(issuer, canonical, statuses, now))(t)
	return string(answer)
}

// asking is a request for the status of a student with this verification.
func asking(verification string) string {
	return `{"verification":{"trust_framework":null` + verification + `},"claims":{"group_student":null}}`
}

// telling is the answer to it.
func telling(verification string) string {
	return `{"verification":{"trust_framework":"` + school + `"` + verification + `},"claims":{"group_student":["University","Staff"]}}`
}

// TestAnswer holds the rules of OpenID Connect for Identity Assurance 1.0, by their sections.
func TestAnswer(t *testing.T) {
	t.Parallel()
	both := `{"group_doctor":null,"group_nurse":null}`
	for name, c := range map[string]struct{ request, want string }{
		"5.3/Null":        {asking(``), telling(``)},
		"5.3/EmptyObject": {`{"verification":{"trust_framework":{}},"claims":{"group_student":{}}}`, telling(``)},
		"5.3/Essential": {
			`{"verification":{"trust_framework":{"essential":true}},"claims":{"group_student":{"essential":false}}}`, telling(``),
		},
		"5.4/ProcessAndTime": {asking(`,"verification_process":null,"time":{}`), telling(`,"time":"2026-03-10T00:00:00Z","verification_process":"pseudonym"`)},
		"5.4/EvidenceByType": {
			asking(`,"evidence":[{"type":{"value":"document"}}]`), telling(`,"evidence":[{"type":"document"}]`),
		},
		"5.4/EvidenceWithChecks": {
			asking(`,"evidence":[{"type":{"value":"document"},"check_details":[{"check_method":null,"organization":null,"time":null}],"document_details":{"type":null,"document_number":null}}]`),
			telling(`,"evidence":[{"check_details":[{"check_method":"vri"}],"document_details":{"type":"` + issuer + `#document"},"type":"document"}]`),
		},
		"5.4/OneEvidenceOfSeveral": {
			asking(`,"evidence":[{"type":{"value":"vouch"}},{"type":{"value":"document"}}]`), telling(`,"evidence":[{"type":"document"}]`),
		},
		"5.4/AllThatFits": {
			asking(`,"evidence":[{"type":{"value":"document"},"document_details":{"type":null}},{"type":{"value":"document"},"check_details":[{"check_method":null}]}]`),
			telling(`,"evidence":[{"check_details":[{"check_method":"vri"}],"document_details":{"type":"` + issuer + `#document"},"type":"document"}]`),
		},
		"5.4/OneCheckOfSeveral": {
			asking(`,"evidence":[{"type":{"value":"document"},"check_details":[{"check_method":{"value":"pvp"}},{"check_method":{"value":"vri"}}]}]`),
			telling(`,"evidence":[{"check_details":[{"check_method":"vri"}],"type":"document"}]`),
		},
		"5.4/NoOtherEvidence":      {asking(`,"evidence":[{"type":{"value":"electronic_record"}}]`), ``},
		"5.4/NoOtherCheck":         {asking(`,"evidence":[{"type":{"value":"document"},"check_details":[{"check_method":{"value":"pvp"}}]}]`), ``},
		"5.4/NoEvidenceOfUnknown":  {`{"verification":{"trust_framework":null,"evidence":[{"type":{"value":"document"}}]},"claims":{"group_member":null}}`, ``},
		"5.4/NothingWithoutAName":  {asking(`,"assurance_process":null,"assurance_level":null`), telling(``)},
		"5.5.1/Framework":          {`{"verification":{"trust_framework":{"value":"` + school + `"}},"claims":{"group_student":null}}`, telling(``)},
		"5.5.1/OneFrameworkOf":     {`{"verification":{"trust_framework":{"values":["eidas","` + school + `"]}},"claims":{"group_student":null}}`, telling(``)},
		"5.5.1/UnknownFramework":   {`{"verification":{"trust_framework":{"value":"eidas"}},"claims":{"group_student":null}}`, ``},
		"5.5.1/UnknownFrameworks":  {`{"verification":{"trust_framework":{"values":["eidas","de_aml"]}},"claims":{"group_student":null}}`, ``},
		"5.5.1/NoText":             {`{"verification":{"trust_framework":{"value":{"a":7}}},"claims":{"group_student":null}}`, ``},
		"5.5.1/NoTexts":            {`{"verification":{"trust_framework":{"values":[null,{"a":7},[]]}},"claims":{"group_student":null}}`, ``},
		"5.5.1/DocumentType":       {asking(`,"evidence":[{"type":{"value":"document"},"document_details":{"type":{"value":"passport"}}}]`), ``},
		"5.5.1/NotOfWhatIsUnknown": {asking(`,"assurance_level":{"value":"high"}`), ``},
		"5.5.1/NotOfWhatIsDeep":    {asking(`,"assurance_process":{"assurance_details":[{"evidence_ref":[{"check_id":{"value":"1"}}]}]}`), ``},
		"5.5.1/NotOfWhatIsNew":     {asking(`,"elsewhere":{"thing":{"values":["x"]}}`), ``},
		"5.5.2/Recent":             {asking(`,"time":{"max_age":223500}`), telling(`,"time":"2026-03-10T00:00:00Z"`)},
		"5.5.2/OldEnough":          {asking(`,"time":{"max_age":223499}`), ``},
		"5.5.2/InAThousandYears":   {asking(`,"time":{"max_age":31556926000}`), telling(`,"time":"2026-03-10T00:00:00Z"`)},
		"5.5.2/NotOfWhatIsUnknown": {`{"verification":{"trust_framework":null,"time":{"max_age":31556926000}},"claims":{"group_doctor":null}}`, ``},
		"5.6/EachByItself": {
			`[` + asking(`,"time":{"max_age":1}`) + `,` + asking(``) + `,` + asking(`,"time":null`) + `]`,
			`[` + telling(``) + `,` + telling(`,"time":"2026-03-10T00:00:00Z"`) + `]`,
		},
		"5.6/ListOfOne": {`[` + asking(``) + `]`, `[` + telling(``) + `]`},
		"5.6/OneVerification": {
			`{"verification":{"trust_framework":null},"claims":` + both + `}`,
			`{"verification":{"trust_framework":"` + clinic + `"},"claims":{"group_doctor":[],"group_nurse":[]}}`,
		},
		"5.6/TwoVerifications": {
			`{"verification":{"trust_framework":null,"time":null},"claims":` + both + `}`,
			`[{"verification":{"time":"2026-03-12T00:00:00Z","trust_framework":"` + clinic + `"},"claims":{"group_nurse":[]}},` +
				`{"verification":{"trust_framework":"` + clinic + `"},"claims":{"group_doctor":[]}}]`,
		},
		"5.7.2/UnknownClaim":      {`{"verification":{"trust_framework":null},"claims":{"group_student":null,"given_name":null,"group_pilot":{"essential":true}}}`, telling(``)},
		"5.7.2/OnlyUnknownClaims": {`{"verification":{"trust_framework":null},"claims":{"given_name":null}}`, ``},
		"5.7.2/NoClaims":          {`{"verification":{"trust_framework":null},"claims":null}`, ``},
		"5.7.2/SpecialCharacters": {`{"verification":{"trust_framework":null},"claims":{"group_student":null,"\u0001\"<é💥":{"value":"\u2028"}}}`, telling(``)},
		"5.7.2/UnknownElements":   {asking(`,"x":true,"time":{"purpose":"none of ours"}`), telling(`,"time":"2026-03-10T00:00:00Z"`)},
		"5.7.4/ValueOfAClaim":     {`{"verification":{"trust_framework":null},"claims":{"group_student":{"value":["Staff","University"]}}}`, telling(``)},
		"5.7.4/OneValueOf":        {`{"verification":{"trust_framework":null},"claims":{"group_student":{"values":["x",["Staff","University"]]}}}`, telling(``)},
		"5.7.4/OtherValue":        {`{"verification":{"trust_framework":null},"claims":{"group_student":{"value":["Staff"]}}}`, ``},
		"5.7.4/OtherValues":       {`{"verification":{"trust_framework":null},"claims":{"group_student":{"values":["Staff",["Staff","Staff"],{"a":1}]}}}`, ``},
		"5.7.4/RandomValue":       {`{"verification":{"trust_framework":null},"claims":{"group_student":{"value":"0a9e"}}}`, ``},
		"5.7.4/OneClaimOfTwo": {
			`{"verification":{"trust_framework":null},"claims":{"group_nurse":{"value":["x"]},"group_doctor":{"value":[]}}}`,
			`{"verification":{"trust_framework":"` + clinic + `"},"claims":{"group_doctor":[]}}`,
		},
		"5.7.4/AgeOfAClaim": {`{"verification":{"trust_framework":null},"claims":{"group_student":{"max_age":9}}}`, ``},
		"5.4/OneCheckOfNone": {
			`{"verification":{"trust_framework":null,"evidence":[{"type":{"value":"vouch"},"check_details":[{"check_method":null},{"check_method":{"value":"pvp"}}]}]},"claims":{"group_doctor":null}}`,
			`{"verification":{"evidence":[{"type":"vouch"}],"trust_framework":"` + clinic + `"},"claims":{"group_doctor":[]}}`,
		},
		"5.7.5/NoFramework": {`{"verification":{"trust_framework":{"trust_framework":null}},"claims":{"group_student":null}}`, telling(``)},
		"5.7.5/CheckWithoutMethod": {
			`{"verification":{"trust_framework":null,"evidence":[{"type":{"value":"vouch"},"check_details":[{"check_method":null}],"attestation":{"voucher":{"name":null}}}]},"claims":{"group_doctor":null}}`,
			`{"verification":{"evidence":[{"type":"vouch"}],"trust_framework":"` + clinic + `"},"claims":{"group_doctor":[]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(decoded(t, c.want), decoded(t, answerTo(t, c.request))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.request, diff)
			}
		})
	}
}

func decoded(t testing.TB, raw string) (v any) {
	t.Helper()
	if raw == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// TestMalformed holds what is refused, because it could be meant in two ways or is none of the
// schema of requests.
func TestMalformed(t *testing.T) {
	t.Parallel()
	for _, request := range []string{
		``, `{`, `7`, `true`, `"x"`, `{}`, `[7]`, `[null]`, `{"claims":{}}`, `{"verification":null,"claims":{}}`, `{"verification":{},"claims":{}}`,
		`{"verification":{"trust_framework":null},"claims":[]}`, `{"verification":{"trust_framework":null},"claims":{"group_student":true}}`,
		`{"verification":{"trust_framework":null},"claims":{"given_name":{"essential":1}}}`, `{"verification":{"trust_framework":"eidas"},"claims":{}}`,
		`{"verification":{"trust_framework":{"value":"a","values":["b"]}},"claims":{}}`, `{"verification":{"trust_framework":[{}]},"claims":{}}`,
		`{"verification":{"trust_framework":{"values":[]}},"claims":{}}`, `{"verification":{"trust_framework":{"values":"a"}},"claims":{}}`,
		`{"verification":{"trust_framework":["a"]},"claims":{}}`, asking(`,"time":"2026"`), asking(`,"time":{"max_age":-1}`), asking(`,"time":{"max_age":1.5}`),
		asking(`,"time":{"max_age":"60"}`), asking(`,"evidence":null`), asking(`,"evidence":{}`), asking(`,"evidence":[]`), asking(`,"evidence":[null]`),
		asking(`,"evidence":"document"`), asking(`,"evidence":[{}]`), asking(`,"evidence":[{"type":null}]`), asking(`,"evidence":[{"type":"document"}]`),
		asking(`,"evidence":[{"type":{"values":["document"]}}]`), asking(`,"evidence":[{"type":{"value":"document","values":["vouch"]}}]`),
		asking(`,"evidence":[{"type":{"value":"document"},"check_details":{}}]`), asking(`,"evidence":[{"type":{"value":"document"},"check_details":[]}]`),
		asking(`,"evidence":[{"type":{"value":"document"},"check_details":[{"check_method":"vri"}]}]`),
	} {
		if canonical, groups, err := claims(t).Parse(json.RawMessage(request)); err == nil || canonical != nil || groups != nil {
			t.Errorf("%s: %s, %v, %v", request, canonical, groups, err)
		}
	}
}

// TestAgeIsOfTheDay holds that max_age says no more of the time of a verification than its day.
func TestAgeIsOfTheDay(t *testing.T) {
	t.Parallel()
	c := claims(t)
	canonical, _, err := c.Parse(json.RawMessage(asking(`,"time":{"max_age":86400}`)))
	testkit.OK(t, err)
	first := ""
	for hour := range 24 {
		s := statuses[0]
		s.VerifiedAt = time.Date(2026, time.March, 11, hour, 59, 59, 7, time.UTC)
		answer, err := c.Answer(issuer, canonical, []storage.Status{s}, time.Date(2026, time.March, 12, 0, 0, 0, 0, time.UTC))
		if hour == 0 {
			first = string(answer)
		}
		if err != nil || first == "" || string(answer) != first {
			t.Errorf("verified at %v: %s, %v, want %s", s.VerifiedAt, answer, err, first)
		}
	}
}

// TestAheadIsToday holds that a time of another clock is told as the day that it is.
func TestAheadIsToday(t *testing.T) {
	t.Parallel()
	c, s := claims(t), statuses[0]
	s.VerifiedAt = now.Add(48 * time.Hour)
	canonical, _, err := c.Parse(json.RawMessage(asking(`,"time":null`)))
	testkit.OK(t, err)
	if answer, err := c.Answer(issuer, canonical, []storage.Status{s}, now); err != nil || !strings.Contains(string(answer), `"2026-03-12T00:00:00Z"`) {
		t.Errorf("%s, %v", answer, err)
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	want := map[string]any{
		"verified_claims_supported": true, "trust_frameworks_supported": []string{clinic, school},
		"claims_in_verified_claims_supported": []string{"group_doctor", "group_member", "group_nurse", "group_student"},
		"evidence_supported":                  []string{"document", "electronic_record", "vouch"},
		"documents_supported":                 []string{issuer + "#document"}, "documents_check_methods_supported": []string{"vri"},
		"electronic_records_supported": []string{issuer + "#email_domain", issuer + "#record", issuer + "#roster"},
	}
	if diff := cmp.Diff(want, claims(t).Metadata(issuer)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c := testkit.Must(verifiedclaims.New(verifiedclaims.Config{
		Frameworks: map[string]string{"student": school},
		Evidence:   map[string]verifiedclaims.Evidence{"registrar": {Type: "electronic_record", CheckMethod: "data", Kind: "education"}},
	}))(t)
	want = map[string]any{
		"verified_claims_supported": true, "trust_frameworks_supported": []string{school}, "claims_in_verified_claims_supported": []string{"group_student"},
		"evidence_supported": []string{"electronic_record"}, "electronic_records_supported": []string{"education"},
	}
	if diff := cmp.Diff(want, c.Metadata(issuer)); diff != "" {
		t.Errorf("own evidence (-want +got):\n%s", diff)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	frameworks := map[string]string{"student": school}
	for name, c := range map[string]verifiedclaims.Config{
		"Frameworks is missing": {}, `Frameworks["student"]`: {Frameworks: map[string]string{"student": ""}},
		`Evidence["x"].Type`: {Frameworks: frameworks, Evidence: map[string]verifiedclaims.Evidence{"x": {Type: "electronic_signature"}}},
		`Evidence[""]`:       {Frameworks: frameworks, Evidence: map[string]verifiedclaims.Evidence{"": {Type: "vouch"}}},
	} {
		if _, err := verifiedclaims.New(c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzParse holds that a request has one form, that it is answered alike in it, and that nothing
// is told that was not asked for or is not known.
func FuzzParse(f *testing.F) {
	for _, request := range []string{
		asking(``), `[` + asking(`,"time":{"max_age":1e9}`) + `,` + asking(`,"verification_process":{}`) + `]`, `{}`, `[]`, `null`, `[[]]`, `{"claims":{"group_student":{"value":[1e400]}}}`,
		asking(`,"evidence":[{"type":{"value":"document"},"check_details":[{"check_method":{"values":["vri"]}}],"document_details":{"type":null}}]`),
		asking(`,"a":{"value":"` + "\xff" + `"},"b":[{"c":[{}]}]`), `{"verification":{"trust_framework":{}},"claims":{"group_nurse":{"values":[[],{}]},"group_":null}}`,
	} {
		f.Add([]byte(request))
	}
	c := claims(f)
	f.Fuzz(func(t *testing.T, request []byte) {
		canonical, groups, err := c.Parse(request)
		if err != nil || len(groups) == 0 {
			if canonical != nil || len(groups) > 0 {
				t.Fatalf("%q is refused or empty, and read: %s, %v", request, canonical, groups)
			}
			return
		}
		again, sameGroups, err := c.Parse(canonical)
		if err != nil || string(again) != string(canonical) || !slices.Equal(groups, sameGroups) {
			t.Fatalf("%q has two forms, %s and %s: %v, %v, %v", request, canonical, again, groups, sameGroups, err)
		}
		answer := testkit.Must(c.Answer(issuer, canonical, statuses, now))(t)
		if answer == nil {
			return
		}
		told, isList := decoded(t, string(answer)).([]any)
		if !isList {
			told = []any{decoded(t, string(answer))}
		}
		for _, one := range told {
			checkTold(t, request, groups, one.(map[string]any))
		}
	})
}

// checkTold checks an answer against all that may ever be told.
func checkTold(t *testing.T, request []byte, groups []string, told map[string]any) {
	t.Helper()
	known := map[string]bool{
		school: true, clinic: true, "2026-03-10T00:00:00Z": true, "2026-03-12T00:00:00Z": true, "pseudonym": true, "document": true, "vouch": true,
		"electronic_record": true, "vri": true, "auth": true, issuer + "#document": true, issuer + "#email_domain": true, issuer + "#code": true,
	}
	var check func(v any)
	check = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, below := range v {
				check(below)
			}
		case []any:
			for _, below := range v {
				check(below)
			}
		case string:
			if !known[v] {
				t.Errorf("%q is told %q", request, v)
			}
		default:
			t.Errorf("%q is told %v, a %v", request, v, reflect.TypeOf(v))
		}
	}
	verification, ok := told["verification"].(map[string]any)
	if _, named := verification["trust_framework"].(string); !ok || !named || len(told) != 2 {
		t.Errorf("%q is told %v", request, told)
	}
	check(verification)
	for name := range told["claims"].(map[string]any) {
		if !slices.Contains(groups, strings.TrimPrefix(name, "group_")) {
			t.Errorf("%q is told %q", request, name)
		}
	}
}
