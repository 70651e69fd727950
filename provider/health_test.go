package provider_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestHealth(t *testing.T) {
	w := newWorld(t)
	probe := func(path string) int {
		recorder := httptest.NewRecorder()
		w.Health().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		return recorder.Code
	}
	if got := [2]int{probe("/live"), probe("/ready")}; got != [2]int{200, 200} {
		t.Errorf("while the store answers: %v", got)
	}
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if got := [2]int{probe("/live"), probe("/ready")}; got != [2]int{200, 503} {
		t.Errorf("while it does not: %v", got)
	}
	for _, path := range []string{"/live", "/ready", "/health", "/metrics", "/debug/pprof/"} {
		if p := w.newBrowser().get(path); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s is a route of the provider: %s", path, p.Status)
		}
	}
}
