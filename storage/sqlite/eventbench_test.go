package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// BenchmarkAppendEvent measures a durable line of the audit log, as those of sign-ins are and as
// those of the staff.
func BenchmarkAppendEvent(b *testing.B) {
	at := time.Date(2026, time.March, 14, 15, 9, 26, 0, time.UTC)
	for _, e := range []storage.Event{
		{At: at, Name: "sign_in", Subject: "subject", ClientID: "client", Address: "192.0.2.1"},
		{At: at, Name: "account_disabled", Subject: "subject", Actor: "staff:sue", Matter: "matter"},
	} {
		b.Run(e.Name, func(b *testing.B) {
			store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			for b.Loop() {
				if err := store.AppendEvent(b.Context(), e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
