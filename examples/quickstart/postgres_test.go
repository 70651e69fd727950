package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// onPostgres returns the quickstart's config with its two providers on PostgreSQL.
func onPostgres(t *testing.T, server *pgtest.Server) string {
	t.Helper()
	var tree map[string]any
	ok(t, json.Unmarshal([]byte(ownQuickstart(t)), &tree))
	tree["listen"] = providertest.FreeAddress(t)
	tree["database"] = server.Schema(t)
	tree["sandbox"].(map[string]any)["database"] = server.Schema(t)
	text := must(json.Marshal(tree))(t)
	return string(text)
}

func TestPostgresTakesThePlaceOfTheFile(t *testing.T) {
	text := onPostgres(t, pgtest.Shared(t))
	folder := t.TempDir()
	s := startService(t, folder, text)
	b := browser.New(t)
	signIn(b, s.cfg.SampleClient.BaseURL, "/start/standard?scope=student", "maria@example.com", mariaPassword)
	b.Shows("Welcome, Maria")
	keys := keyIDs(t, s.cfg.BaseURL)
	ok(t, s.stop())
	again := startService(t, folder, text)
	if diff := cmp.Diff(keys, keyIDs(t, again.cfg.BaseURL)); diff != "" || len(keys) == 0 {
		t.Errorf("keys (-before +after):\n%s", diff)
	}
	if !canSignIn(t, again.cfg.BaseURL, "maria@example.com", mariaPassword) {
		t.Error("maria cannot sign in after a restart")
	}
}
