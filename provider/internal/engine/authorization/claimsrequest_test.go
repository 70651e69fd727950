package authorization

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// FuzzParseClaims holds that what is accepted is kept, and read again, as it was asked.
func FuzzParseClaims(f *testing.F) {
	for _, sent := range []string{
		`{}`, `{"id_token":{"email":null,"acr":{"essential":true,"values":["multi_factor","x"]}},"userinfo":{"name":{"value":7}}}`,
		`{"id_token":{"sub":{"value":"alice"}},"userinfo":null}`, `{"userinfo":{"":{"value":{"a":[[1]]}}}}`, `{"id_token":{"a":{"values":[null]}}}`,
		`{"id_token":{"acr":null}}`, `[`, `{"a":{},"a":{}}`, "{\"id_token\":{\"acr\":{\"value\":[\"\x95\"]}}}",
	} {
		f.Add(sent)
	}
	f.Add(`{"id_token":{"verified_claims":["a","b"],"verified_claims/c":null},"userinfo":{"verified_claims":null,"x":{}}}`)
	f.Add(`{"verified":{"userinfo":{"groups":["a"],"request":{}}},"userinfo":{"verified_claims":7}}`)
	f.Fuzz(func(t *testing.T, sent string) {
		checkParsed(t, sent, nil)
		checkParsed(t, sent, groupsByName{})
	})
}

// groupsByName reads requests for verified_claims that are lists of groups.
type groupsByName struct{}

func (groupsByName) Parse(request json.RawMessage) (canonical json.RawMessage, groups []string, err error) {
	if err := json.Unmarshal(request, &groups); err != nil {
		return nil, nil, err
	}
	canonical, err = json.Marshal(groups)
	return canonical, groups, err
}

// TestVerifiedClaimsAreReadApart holds that what a grant keeps of them, and nothing that looks
// like it in a request, asks for a group.
func TestVerifiedClaimsAreReadApart(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string][]string{
		`{"id_token":{"verified_claims":["a"],"x":null},"userinfo":{"verified_claims":["b"]}}`:                      {"verified_claims/a", "verified_claims/b", "x"},
		`{"id_token":{"verified_claims/a":null},"verified":{"id_token":{"groups":["a"],"request":{}}}}`:             nil,
		`{"userinfo":{"verified_claims":[],"y":{"groups":["a"],"request":{}}},"id_token":{"verified_claims":null}}`: {"y"},
	} {
		r, err := parseClaims(sent, groupsByName{})
		if err != nil || !slices.Equal(r.Names(InAny), want) {
			t.Errorf("%s: %q, %v, want %q", sent, r.Names(InAny), err, want)
		}
		recorded, err := r.Record([]string{"verified_claims/b"}, nil, nil)
		if kept := ClaimsOf(storage.Grant{Claims: recorded}); err != nil || len(kept.VerifiedIn(InIDToken).Groups) > 0 ||
			slices.Contains(want, "verified_claims/b") != slices.Equal(kept.VerifiedIn(InUserinfo).Groups, []string{"b"}) {
			t.Errorf("%s: kept %s, %v", sent, recorded, err)
		}
	}
}

func checkParsed(t *testing.T, sent string, read VerifiedReader) {
	t.Helper()
	r, err := parseClaims(sent, read)
	if err != nil {
		if len(r.IDToken)+len(r.Userinfo)+len(r.Verified) > 0 {
			t.Errorf("%q is refused, and read", sent)
		}
		return
	}
	recorded := testkit.Must(r.Record(r.Names(InAny), r.Classes(), nil))(t)
	again := ClaimsOf(storage.Grant{Claims: recorded})
	for _, in := range []Place{InAny, InIDToken, InUserinfo} {
		if diff := cmp.Diff(r.Names(in), again.Names(in)); diff != "" {
			t.Errorf("%q, kept as %q (-want +got):\n%s", sent, recorded, diff)
		}
	}
	if !slices.Equal(again.Classes(), r.Classes()) {
		t.Errorf("%q asks for %v, and %q for %v", sent, r.Classes(), recorded, again.Classes())
	}
	if twice, err := again.Record(again.Names(InAny), again.Classes(), nil); err != nil || twice != recorded {
		t.Errorf("%q has two forms, %q and %q: %v", sent, recorded, twice, err)
	}
}
