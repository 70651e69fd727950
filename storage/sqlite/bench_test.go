package sqlite_test

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// BenchmarkCreateGrant measures durable writes. More callers share a commit: the
// time for each falls while that of the disk stays.
func BenchmarkCreateGrant(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			store := openWithClient(b)
			var next atomic.Int64
			var running sync.WaitGroup
			b.ResetTimer()
			for range callers {
				running.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						g, code := numbered(n)
						if err := store.CreateGrant(b.Context(), g, code); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			running.Wait()
		})
	}
}

// BenchmarkToken measures the read that every request to a data endpoint makes.
func BenchmarkToken(b *testing.B) {
	store := openWithClient(b)
	const grants = 1000
	for n := range int64(grants) {
		g, code := numbered(n)
		if err := store.CreateGrant(b.Context(), g, code); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for n := int64(0); pb.Next(); n = (n + 1) % grants {
			_, code := numbered(n)
			if _, _, err := store.Token(b.Context(), code.Kind, code.Digest); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func openWithClient(b *testing.B) *sqlite.Store {
	b.Helper()
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	if err := store.SaveClient(b.Context(), storage.Client{ID: "client", CreatedAt: time.Unix(1, 0)}); err != nil {
		b.Fatal(err)
	}
	return store
}

// numbered makes the nth grant and its code. Their identifiers grow with n, as
// those of the provider grow with time.
func numbered(n int64) (storage.Grant, storage.Token) {
	at := time.Unix(n, 0)
	g := storage.Grant{
		ClientID: "client", Subject: fmt.Sprint("subject ", n%100), Scopes: []string{"openid", "military"},
		RedirectURI: "https://app.example/callback", RedirectSent: true, ResponseType: "code",
		Nonce: "n-0S6_WzA2Mj", Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
		AuthTime: at, AMR: []string{"pwd"}, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
	}
	code := storage.Token{Kind: storage.AuthorizationCode, CreatedAt: at, ExpiresAt: at.Add(time.Minute)}
	binary.BigEndian.PutUint64(g.ID[:], uint64(n))
	binary.BigEndian.PutUint64(g.Flow[:], uint64(n))
	binary.BigEndian.PutUint64(code.Digest[:], uint64(n))
	code.GrantID = g.ID
	return g, code
}
