package authorization

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	f.Fuzz(func(t *testing.T, sent string) {
		r, err := parseClaims(sent)
		if err != nil {
			if len(r.IDToken)+len(r.Userinfo) > 0 {
				t.Errorf("%q is refused, and read", sent)
			}
			return
		}
		recorded, err := r.Record(r.Names(InAny), r.Classes())
		if err != nil {
			t.Fatal(err)
		}
		again := ClaimsOf(storage.Grant{Claims: recorded})
		for _, in := range []Place{InAny, InIDToken, InUserinfo} {
			if diff := cmp.Diff(r.Names(in), again.Names(in)); diff != "" {
				t.Errorf("%q, kept as %q (-want +got):\n%s", sent, recorded, diff)
			}
		}
		if !slices.Equal(again.Classes(), r.Classes()) {
			t.Errorf("%q asks for %v, and %q for %v", sent, r.Classes(), recorded, again.Classes())
		}
		if twice, err := again.Record(again.Names(InAny), again.Classes()); err != nil || twice != recorded {
			t.Errorf("%q has two forms, %q and %q: %v", sent, recorded, twice, err)
		}
	})
}
