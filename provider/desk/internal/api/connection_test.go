package api_test

import (
	"net/http"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/upstream/github"
)

// TestConnections reads with which accounts elsewhere a person signs in.
func TestConnections(t *testing.T) {
	t.Parallel()
	w := newPlace(t, func(c *provider.Config) {
		c.Upstreams = []provider.Upstream{{ID: "forge", Title: "The forge", Connector: github.New(github.Options{ClientID: "c", Secret: "s"})}}
	})
	w.AddLink("bob", "forge", "bob.b@uni.example")
	w.AddLink("bob", "gone", "Bob Builder")
	bob := w.as("robot").within("bob")
	read, _ := bob.get("/people/bob/connections").is(t, http.StatusOK, "").json["data"].([]any)
	if len(read) != 2 {
		t.Fatalf("%v", read)
	}
	for i, want := range []map[string]any{
		{"upstream": "forge", "title": "The forge", "name": "b•••@u•••.example"},
		{"upstream": "gone", "title": "gone", "name": "•••"},
	} {
		got, _ := read[i].(map[string]any)
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s is %v, want %v", name, got[name], value)
			}
		}
		if _, used := got["last_used_at"]; used || got["created_at"] == nil || len(got) != 4 {
			t.Errorf("%v", got)
		}
	}
	w.as("robot").get("/people/bob/connections").is(t, http.StatusBadRequest, "matter_missing")
}
