package lab

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
)

// PublishedKeys returns the key set as anybody reads it.
func (w *Fixture) PublishedKeys() []map[string]any {
	w.T.Helper()
	var set struct{ Keys []map[string]any }
	if err := json.Unmarshal([]byte(w.NewBrowser().Get(KeysPath).Text), &set); err != nil {
		w.T.Fatal(err)
	}
	return set.Keys
}

// KeyIDs returns the kid of each key.
func KeyIDs(keys []map[string]any) (ids []string) {
	for _, k := range keys {
		ids = append(ids, k["kid"].(string))
	}
	return ids
}

// Bye is how an application asks to sign out, beside the id_token_hint.
func Bye(hint string, pairs ...string) string {
	q := url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://rp.test/bye"}}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return "/signout?" + q.Encode()
}

// RefusedPage demands a page that refuses a sign-out.
func RefusedPage(t *testing.T, p Page) {
	t.Helper()
	if p.StatusCode != http.StatusBadRequest || p.Header.Get("Location") != "" {
		t.Errorf("%s %q", p.Status, p.Header.Get("Location"))
	}
}
