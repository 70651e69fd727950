package resource

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func FuzzCallback(f *testing.F) {
	for _, seed := range []string{
		"show", "$", "my.app.show", "a.b.c.d.e", "alert(1)", "a;b", "a\n", "a\u2028", "größe", "eval", "a.constructor.b",
		"", ".", "a.", "window.x", "CWS\x07\x0e", strings.Repeat("a", 65), "__proto__", "a٣", "a\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !isCallback(name) {
			return
		}
		// Whatever is accepted is a path of one to four identifiers of ASCII.
		parts := strings.Split(name, ".")
		if len(name) > 64 || len(parts) > 4 {
			t.Fatalf("%q is too long", name)
		}
		for _, part := range parts {
			for i, c := range []byte(part) {
				letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
				if !letter && (i == 0 || c < '0' || c > '9') {
					t.Fatalf("%q holds %q", name, c)
				}
			}
			switch part {
			case "", "eval", "Function", "constructor", "prototype", "__proto__", "window", "document", "location", "opener", "this", "function":
				t.Fatalf("%q reaches %q", name, part)
			}
		}
	})
}

func FuzzPresentedToken(f *testing.F) {
	f.Add("Bearer abc", "", "", true)
	f.Add("bearer abc", "access_token=x", "", true)
	f.Add("", "access_token=x&access_token=x", "", false)
	f.Add("Bearer a,b", "", "access_token=y", true)
	f.Add("", "", "access_token=y&access_token=", true)
	f.Add("Basic eDp5", "access_token=%zz", "a;access_token=y", true)
	f.Add("DPoP abc", "", "", true)
	f.Add("dpop a,b", "access_token=x", "", false)
	f.Add("Bearer \u00a0x", "access_token", "access_token", true)
	f.Fuzz(func(t *testing.T, header, query, body string, post bool) {
		method := http.MethodGet
		if post {
			method = http.MethodPost
		}
		r := httptest.NewRequest(method, "/", strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if header != "" {
			r.Header.Set("Authorization", header)
		}
		values, err := dataQuery(r)
		if err != nil {
			return
		}
		token, by, err := presentedToken(r, values)
		if err != nil {
			return
		}
		// A token that is accepted was given in one way only.
		ways := len(values["access_token"])
		if isOurs(header) {
			ways++
			scheme, _, _ := strings.Cut(header, " ")
			asked := map[way]string{inHeader: "Bearer", withProof: "DPoP"}[by]
			if !strings.HasSuffix(header, token) || asked == "" || !strings.EqualFold(scheme, asked) || strings.ContainsAny(token, " ,") || token == "" {
				t.Fatalf("header %q gives %q", header, token)
			}
		}
		if post {
			form, err := url.ParseQuery(body)
			if err != nil {
				t.Fatalf("body %q was accepted", body)
			}
			ways += len(form["access_token"])
		}
		if ways != 1 || (by == inQuery) != values.Has("access_token") {
			t.Fatalf("%d ways: header %q, query %q, body %q", ways, header, query, body)
		}
	})
}
