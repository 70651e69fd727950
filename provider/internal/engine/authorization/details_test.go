package authorization

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// names reads details that have a name.
type names struct{}

func (names) Detail(sent json.RawMessage) (id, scope string, err error) {
	var detail struct{ Name string }
	if json.Unmarshal(sent, &detail) != nil || detail.Name == "" {
		return "", "", errors.New("no detail")
	}
	return detail.Name, "of:" + detail.Name, nil
}

// readWith returns a request with this parameter, as far as details are read.
func readWith(dialect, parameter string) (*Request, error) {
	d, _ := registry.DialectNamed(dialect)
	r := &Request{Client: &registry.Client{Dialect: d}, Form: url.Values{"authorization_details": {parameter}}, asked: []string{"openid", "of:a"}}
	r.Scopes = r.asked
	return r, Reader{Details: names{}}.readDetails(r)
}

func TestDetailsAddTheirScopes(t *testing.T) {
	t.Parallel()
	r, err := readWith(registry.DialectStandard, `[{"name":"a"},{"name":"b"},{"name":"b","locations":["x"]}]`)
	if err != nil || !slices.Equal(r.Scopes, []string{"openid", "of:a", "of:b"}) || !slices.Equal(r.Claims.Details, []Detail{{"a", "of:a"}, {"b", "of:b"}}) {
		t.Fatalf("%q, %+v, %v", r.Scopes, r.Claims.Details, err)
	}
	recorded := testkit.Must(r.Claims.Record(nil, nil, []string{"openid", "of:b"}))(t) // the user has left one out
	g := storage.Grant{Claims: recorded}
	if got := DetailsOf(g, []string{"of:a", "of:b"}); !slices.Equal(got, []Detail{{"b", "of:b"}}) {
		t.Errorf("a grant keeps %+v", got)
	}
	if got := DetailsOf(g, []string{"openid"}); got != nil {
		t.Errorf("a token of less has %+v", got)
	}
	if names := ClaimsOf(g).Names(InAny); len(names) > 0 {
		t.Errorf("details ask for the claims %q", names)
	}
}

func TestDetailsOfTheOtherDialectAreIgnored(t *testing.T) {
	t.Parallel()
	r, err := readWith(registry.DialectV3, `[{"name":"b"}]`)
	if err != nil || len(r.Scopes) != 2 || r.Claims.Details != nil {
		t.Errorf("%q, %+v, %v", r.Scopes, r.Claims.Details, err)
	}
}

func TestDetailsAreRefused(t *testing.T) {
	t.Parallel()
	for _, parameter := range []string{
		``, `null`, `{}`, `"a"`, `[]`, `[null]`, `[{"name":"a"}] x`, `[{"name":"a"}][]`, `[{"name":"a","name":"b"}]`, `[{"name":"a"},{"name":""}]`, "[{\"name\":\"\xff\"}]x",
		`[` + strings.Repeat(`{"name":"a"},`, maxDetails) + `{"name":"a"}]`,
		`[{"name":"a","deep":` + strings.Repeat("[", maxDetailsDepth) + strings.Repeat("]", maxDetailsDepth) + `}]`,
		`[{"name":"a","long":"` + strings.Repeat("x", maxDetailsLength) + `"}]`,
	} {
		_, err := readWith(registry.DialectStandard, parameter)
		var refused *protocol.Error
		if !errors.As(err, &refused) || refused.Code != "invalid_authorization_details" || refused.Status != 400 {
			t.Errorf("%.60s: %v", parameter, err)
		}
	}
}

func FuzzDetails(f *testing.F) {
	f.Add(`[{"name":"a"}]`)
	f.Add(`[{"name":"a","deep":{"b":[1,2,{"c":null}]}},{"name":"b"}]`)
	f.Add(`[[]]`)
	f.Add(`[{"name":"a","n\u0061me":"b"}]`)
	f.Fuzz(func(t *testing.T, parameter string) {
		r, err := readWith(registry.DialectStandard, parameter)
		if err != nil {
			if !errors.Is(err, errDetails) {
				t.Fatalf("%q: %v", parameter, err)
			}
			return
		}
		// Whatever is accepted is a list of few, which a grant keeps and gives back.
		var list []map[string]json.RawMessage
		if json.Unmarshal([]byte(parameter), &list) != nil || len(list) == 0 || len(list) > maxDetails || len(r.Claims.Details) == 0 || len(r.Claims.Details) > len(list) {
			t.Fatalf("%q gives %+v", parameter, r.Claims.Details)
		}
		recorded, err := r.Claims.Record(nil, nil, r.Scopes)
		if err != nil || !slices.Equal(DetailsOf(storage.Grant{Claims: recorded}, r.Scopes), r.Claims.Details) {
			t.Fatalf("%q is kept as %q: %v", parameter, recorded, err)
		}
	})
}
