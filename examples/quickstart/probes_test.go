package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

func statusOf(t *testing.T, address string) int {
	t.Helper()
	b := browser.New(t)
	b.Open("http://" + address)
	return b.Status
}

func TestProbesHaveAListenerOfTheirOwn(t *testing.T) {
	server := pgtest.Start(t)
	probes, folder := providertest.FreeAddress(t), t.TempDir()
	text := fmt.Sprintf(`{"listen": "127.0.0.1:0", "probe_listen": %q, "sandbox": {"database": %q}}`, probes, server.Schema(t))
	path := filepath.Join(folder, "service.json")
	ok(t, os.WriteFile(path, []byte(text), 0o600))
	ready := func() error { return run(t.Context(), []string{"-config", path, "-ready"}, nil, &output{}) }
	if err := ready(); err == nil {
		t.Error("a service that does not run is ready")
	}
	s := startService(t, folder, text)
	for path, want := range map[string]int{
		"/live": 200, "/ready": 200, "/metrics": 200, "/sandbox/metrics": 200, "/sandbox/live": 200, "/sandbox/ready": 200, "/": 404, "/signin": 404,
	} {
		if got := statusOf(t, probes+path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	if got := statusOf(t, strings.TrimPrefix(s.cfg.BaseURL, "http://")+"/ready"); got != http.StatusNotFound {
		t.Errorf("the world gets %d for /ready", got)
	}
	server.Stop(t)
	if got := statusOf(t, probes+"/sandbox/ready"); got != http.StatusServiceUnavailable {
		t.Errorf("the sandbox without its database: %d", got)
	}
	if err := ready(); err != nil {
		t.Errorf("an ill sandbox takes production away: %v", err)
	}
	server.Resume(t)
	ok(t, s.stop())
	if err := ready(); err == nil {
		t.Error("a service that has stopped is ready")
	}
}

// TestMetrics tests that the probes' listener has the metrics of the provider, by route and without people.
func TestMetrics(t *testing.T) {
	probes := providertest.FreeAddress(t)
	s := startService(t, t.TempDir(), fmt.Sprintf(`{"listen": "127.0.0.1:0", "probe_listen": %q, "users": [{"email": "maria@example.com", "password": %q}]}`, probes, mariaPassword))
	b := browser.New(t)
	b.Open(s.cfg.BaseURL + "/signin")
	b.Submit("email", "maria@example.com", "password", mariaPassword)
	if status := statusOf(t, strings.TrimPrefix(s.cfg.BaseURL, "http://")+"/metrics"); status != http.StatusNotFound {
		t.Errorf("the world gets %d for /metrics", status)
	}
	b.Open("http://" + probes + "/metrics")
	for _, want := range []string{
		"# TYPE http_server_request_duration_seconds histogram\n", `http_route="/signin"`, `le="+Inf"} `, "http_server_request_duration_seconds_count{",
		"# TYPE db_client_operation_duration_seconds histogram\n", "# TYPE bonafide_audit_events_total counter\n", "# TYPE http_server_active_requests gauge\n", `="sign_in"} 1` + "\n",
	} {
		if !strings.Contains(b.Body, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(b.Body, "maria") || t.Failed() {
		t.Errorf("the metrics are\n%s", b.Body)
	}
}

func TestReadyIsFalseWithoutTheDatabase(t *testing.T) {
	server := pgtest.Start(t)
	probes, folder := providertest.FreeAddress(t), t.TempDir()
	text := fmt.Sprintf(`{"listen": "127.0.0.1:0", "probe_listen": %q, "database": %q}`, probes, server.Schema(t))
	path := filepath.Join(folder, "service.json")
	ok(t, os.WriteFile(path, []byte(text), 0o600))
	startService(t, folder, text)
	server.Stop(t)
	if err := run(t.Context(), []string{"-config", path, "-ready"}, nil, &output{}); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("error is %v", err)
	}
	if got := statusOf(t, probes+"/live"); got != http.StatusOK {
		t.Errorf("live is %d", got)
	}
	server.Resume(t)
}
