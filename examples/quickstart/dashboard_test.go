package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

func TestTheDashboardIsMountedWhereTheFileNamesIt(t *testing.T) {
	withIt := startService(t, t.TempDir(), `{"listen": "127.0.0.1:0", "sandbox": {}, "developer": {}}`)
	for path, want := range map[string]string{
		"/developer":           "/developer/",
		"/developer/start":     "/signin?",
		"/developer/o/sample":  "/signin?",
		"/developer/docs/none": "",
	} {
		status, location := lead(t, withIt.cfg.BaseURL+path)
		if want == "" && status == http.StatusNotFound {
			continue
		}
		if status != http.StatusSeeOther || !strings.HasPrefix(strings.TrimPrefix(location, withIt.cfg.BaseURL), want) {
			t.Errorf("%s: %d to %q", path, status, location)
		}
	}
	without := startService(t, t.TempDir(), `{"listen": "127.0.0.1:0"}`)
	if status, _ := lead(t, without.cfg.BaseURL+"/developer/"); status != http.StatusNotFound {
		t.Errorf("a dashboard that nobody has asked for: %d", status)
	}
}

// lead returns the status of a page, and where it leads.
func lead(t *testing.T, address string) (status int, location string) {
	t.Helper()
	r := must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answer := must(transport.RoundTrip(r))(t)
	ok(t, answer.Body.Close())
	return answer.StatusCode, answer.Header.Get("Location")
}

func TestTheSampleClientHasAnOrganization(t *testing.T) {
	folder := t.TempDir()
	const text = `{"listen": "127.0.0.1:0", "sandbox": {}, "developer": {}, "sample_client": {"listen": "127.0.0.1:0"},
		"users": [{"uuid": "ada", "email": "ada@example.com", "password": "quiet-otter-paints-dawn"}]}`
	for range 2 { // and again: it stays as it is
		ok(t, startService(t, folder, text).stop())
	}
	records := must(sqlite.Open(t.Context(), filepath.Join(folder, "data", databaseName)))(t)
	defer func() { _ = records.Close() }()
	member, err := storage.One(records.Members(t.Context(), sampleOrganization, "ada"))
	if err != nil || member.Role != storage.RoleOwner {
		t.Errorf("%+v, %v", member, err)
	}
	apps, err := records.Applications(t.Context(), storage.ApplicationFilter{OrganizationID: sampleOrganization})
	if err != nil || len(apps) != 4 {
		t.Errorf("%d applications, %v", len(apps), err)
	}
}

func TestAnOperatorIsAUserOfTheFile(t *testing.T) {
	cfg := must(parseConfig([]byte(`{"listen": "127.0.0.1:0", "developer": {"operators": ["nobody@example.com"]}}`), t.TempDir()))(t)
	if _, err := open(t.Context(), cfg, t.Output(), testLog(t)); err == nil || !strings.Contains(err.Error(), "developer.operators[0]") {
		t.Errorf("error is %v", err)
	}
}
