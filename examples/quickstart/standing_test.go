package main

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// What people and staff have done since keeps no start from what the file says of everybody else.
func TestWhatHappenedStopsNoStart(t *testing.T) {
	folder := t.TempDir()
	const text = `{"listen": "127.0.0.1:0", "sandbox": {}, "developer": {"operators": ["ada@example.com"]}, "sample_client": {"listen": "127.0.0.1:0"},
		"users": [{"uuid": "ada", "email": "ada@example.com", "password": "quiet-otter-paints-dawn"},
			{"uuid": "bob", "email": "bob@example.com", "password": "amber-kettle-hums-west"}]}`
	first := startService(t, folder, text)
	p, ctx := first.providers[0], t.Context()
	if _, err := p.Accounts().Save(ctx, provider.Account{ID: "ada", Email: "ada@elsewhere.example", EmailVerified: true}); err != nil {
		t.Fatal(err)
	}
	another, err := p.Accounts().Save(ctx, provider.Account{Email: "ada@example.com", EmailVerified: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	records, err := sqlite.Open(ctx, filepath.Join(folder, "data", databaseName))
	if err != nil {
		t.Fatal(err)
	}
	err = records.StopOrganization(ctx, sampleOrganization, storage.Stop{At: time.Now(), Reason: "deceptive", By: "otto"})
	if err := errors.Join(err, records.Close()); err != nil {
		t.Fatal(err)
	}
	p = startService(t, folder, text).providers[0]
	for id, email := range map[string]string{"ada": "ada@elsewhere.example", another: "ada@example.com", "bob": "bob@example.com"} {
		if a, err := p.Accounts().Get(ctx, id); err != nil || a.Email != email {
			t.Errorf("%s: %+v, %v", id, a, err)
		}
	}
}
