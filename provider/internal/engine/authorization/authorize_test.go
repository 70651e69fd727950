package authorization

import "testing"

func TestCanonicalResponseType(t *testing.T) {
	for sent, want := range map[string]string{
		"code": "code", "token": "token", "id_token": "id_token",
		"id_token token": "id_token token", "token id_token": "id_token token", "code id_token": "code id_token", "id_token code": "code id_token",
		"token code": "code token", "token id_token code": "code id_token token",
		"": "", "none": "", "Code": "", "code code": "", "code code token": "", "code  token": "", " code": "", "code ": "",
		"code\ttoken": "", "id_token code foo": "", "id_token  token": "", "id_token token token": "",
	} {
		if got := canonicalResponseType(sent); got != want {
			t.Errorf("%q is %q, want %q", sent, got, want)
		}
	}
}
