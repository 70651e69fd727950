package sqlite_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
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
						if err := store.CreateGrant(b.Context(), g, storage.Basis{}, code); err != nil {
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
		if err := store.CreateGrant(b.Context(), g, storage.Basis{}, code); err != nil {
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

// BenchmarkPerson measures the read before claims about a user are released.
func BenchmarkPerson(b *testing.B) {
	store := openWithClient(b)
	const people = 100
	at := time.Unix(1, 0)
	for n := range people {
		id := fmt.Sprint("subject ", n)
		account := storage.Account{ID: id, Email: id, EmailKey: id, EmailVerified: true, CreatedAt: at}
		if err := store.CreateAccount(b.Context(), account); err != nil {
			b.Fatal(err)
		}
		values := make(map[string]json.RawMessage)
		for _, handle := range []string{"fname", "lname", "birthdate", "zip"} {
			values[handle] = json.RawMessage(`"what is known"`)
		}
		if err := store.SetAttributes(b.Context(), id, values, nil); err != nil {
			b.Fatal(err)
		}
		for _, group := range []string{"military", "student"} {
			status := storage.Status{Group: group, Subgroups: []string{"Veteran"}, Verified: true, VerifiedAt: at}
			if err := store.SetStatus(b.Context(), id, status, storage.NoStatus); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := range b.N {
		if _, err := store.Person(b.Context(), fmt.Sprint("subject ", n%people)); err != nil {
			b.Fatal(err)
		}
	}
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

// BenchmarkRefreshBesideSweep measures how long a refresh takes that comes every 20 ms
// while expired grants are swept. One iteration is the sweep of 20,000 of them.
func BenchmarkRefreshBesideSweep(b *testing.B) {
	store := openWithClient(b)
	fillExpired(b, store, int64(b.N)*20_000)
	live, token := numbered(1 << 40)
	live.ExpiresAt = live.ExpiresAt.AddDate(1, 0, 0)
	if err := store.CreateGrant(b.Context(), live, storage.Basis{}, token); err != nil {
		b.Fatal(err)
	}
	now := live.CreatedAt
	for _, beside := range []string{"sweep", "nothing"} {
		swept := make(chan []time.Duration, 1)
		go func() {
			var batches []time.Duration
			for removed, err := 1, error(nil); removed > 0 && err == nil && beside == "sweep"; {
				batch := time.Now()
				removed, err = store.Sweep(b.Context(), time.Unix(1<<32, 0), 250)
				batches = append(batches, time.Since(batch))
				time.Sleep(4 * time.Since(batch))
			}
			swept <- batches
		}()
		var took []time.Duration
		// From when it should have come: one that waits makes the next ones late.
		for due := time.Now(); beside == "sweep" || len(took) < 500; due = due.Add(20 * time.Millisecond) {
			time.Sleep(time.Until(due))
			next := storage.Token{Kind: storage.RefreshToken, GrantID: live.ID, CreatedAt: now, ExpiresAt: live.ExpiresAt}
			binary.BigEndian.PutUint64(next.Digest[:], uint64(1<<41+len(took)))
			next.Digest[31] = beside[0]
			if err := store.Exchange(b.Context(), token.Digest, now, next); err != nil {
				b.Fatal(err)
			}
			took, token = append(took, time.Since(due)), next
			if len(swept) > 0 && beside == "sweep" {
				break
			}
		}
		report(b, took, "refresh-beside-"+beside)
		if beside == "sweep" {
			report(b, <-swept, "batch")
		}
	}
}

func report(b *testing.B, took []time.Duration, of string) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50-"+of)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99-"+of)
}

// fillExpired makes grants that are over, each with a spent code and a refresh token.
func fillExpired(b *testing.B, store *sqlite.Store, grants int64) {
	b.Helper()
	var next atomic.Int64
	var running sync.WaitGroup
	for range 64 {
		running.Go(func() {
			for n := next.Add(1); n <= grants; n = next.Add(1) {
				g, code := numbered(n)
				refresh := storage.Token{Kind: storage.RefreshToken, GrantID: g.ID, CreatedAt: g.CreatedAt, ExpiresAt: g.ExpiresAt}
				// Nothing lies beside anything, as in a table of months.
				code.Digest = sha256.Sum256(g.ID[:])
				refresh.Digest = sha256.Sum256(code.Digest[:])
				err := store.CreateGrant(b.Context(), g, storage.Basis{}, code)
				if err == nil {
					err = store.Exchange(b.Context(), code.Digest, g.CreatedAt, refresh)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
}
