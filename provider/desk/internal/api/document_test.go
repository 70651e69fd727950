package api_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestDocument compares the OpenAPI document with what is served.
func TestDocument(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	nobody := client{w, "", http.Header{}}
	a := nobody.get("/openapi.json").is(t, http.StatusOK, "")
	var document struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Security    []map[string][]string
			Parameters  []struct{ Name, In string }
			Responses   map[string]json.RawMessage
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}
	w.OK(json.Unmarshal([]byte(a.text), &document))
	if document.OpenAPI != "3.1.0" || len(document.Paths) < 15 {
		t.Fatalf("version %s, %d paths", document.OpenAPI, len(document.Paths))
	}
	part := regexp.MustCompile(`\{\w+\}`)
	ids := map[string]bool{}
	for path, methods := range document.Paths {
		for method, o := range methods {
			t.Run(o.OperationID, func(t *testing.T) {
				if ids[o.OperationID] || len(o.Security) == 0 {
					t.Error("it has the name of another, or is open to all")
				}
				ids[o.OperationID] = true
				for _, status := range []string{"400", "401", "403", "429", "500", "503"} {
					if o.Responses[status] == nil {
						t.Errorf("it has no response %s", status)
					}
				}
				// It is there, and for nobody.
				nobody.send(strings.ToUpper(method), part.ReplaceAllString(path, "x"), "").is(t, http.StatusUnauthorized, "token_missing")
			})
		}
	}
	for _, name := range []string{"lock", "lockCheck", "unlock", "findPerson", "openMatter", "listEvents"} {
		if !ids[name] {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"showValue", "changeEmail", "approvePlan"} {
		if ids[name] {
			t.Errorf("%s is no client's", name)
		}
	}
	for _, found := range regexp.MustCompile(`#/components/schemas/(\w+)`).FindAllStringSubmatch(a.text, -1) {
		if document.Components.Schemas[found[1]] == nil {
			t.Errorf("there is no schema %s", found[1])
		}
	}
}
