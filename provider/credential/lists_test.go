package credential

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// credentials is an interface with a method of its own name.
type credentials = storage.Credentials

// placeStore has one list, and counts who asks.
type placeStore struct {
	credentials
	mu    sync.Mutex
	open  int64
	ended []int
	err   error
	asked int

	// meanwhile is called by who asks.
	meanwhile func()
}

func (s *placeStore) OpenList(context.Context, int, time.Time) (int64, error) {
	s.asked++
	s.wait()
	return s.open, s.err
}

func (s *placeStore) wait() {
	if s.meanwhile != nil {
		s.meanwhile()
	}
}

func (s *placeStore) EndedPlaces(_ context.Context, list int64) ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.wait()
	if s.err != nil {
		return nil, s.err
	}
	if list != s.open {
		return nil, storage.ErrNotFound
	}
	return s.ended, nil
}

// newTestLists returns lists of a store, and what moves their clock.
func newTestLists(t *testing.T, store *placeStore) (*lists, func(time.Duration)) {
	t.Helper()
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	set, err := keyring.Static(map[string]keyring.Held{keyring.ES256: {Signer: signer}}, keyring.TypeStatusList)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_800_000_000, 0)
	return newLists(store, &keys{set}, "https://id.test/vci", func() time.Time { return now }), func(d time.Duration) { now = now.Add(d) }
}

// read returns what a document says.
func read(t *testing.T, l *lists, document *web.Document) (token string, claims statusList) {
	t.Helper()
	recorder := httptest.NewRecorder()
	document.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
	token = recorder.Body.String()
	raw, err := l.keys.set.VerifyAs(keyring.TypeStatusList, token)
	if err == nil {
		err = json.Unmarshal(raw, &claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := recorder.Header().Get("Content-Type"); got != "application/statuslist+jwt" {
		t.Errorf("media type %q", got)
	}
	return token, claims
}

func TestLists(t *testing.T) {
	t.Run("SayWithinTenSecondsWhatHasEnded", func(t *testing.T) {
		store := &placeStore{open: 1}
		l, pass := newTestLists(t, store)
		get := func() (string, byte) {
			t.Helper()
			document, err := l.document(t.Context(), "1")
			if err != nil {
				t.Fatal(err)
			}
			token, claims := read(t, l, document)
			return token, unpack(t, claims.List.List)[0]
		}
		first, set := get()
		if set != 0 {
			t.Fatalf("%x", set)
		}
		store.ended = []int{2}
		pass(checkLists - time.Second)
		if again, _ := get(); again != first || store.asked != 1 {
			t.Errorf("the store was asked %d times", store.asked)
		}
		pass(time.Second)
		second, set := get()
		if set != 4 || store.asked != 2 {
			t.Errorf("%x, asked %d times", set, store.asked)
		}
		pass(signAgain - time.Second)
		if again, _ := get(); again != second {
			t.Error("signed again though nothing has changed")
		}
		pass(checkLists)
		if again, _ := get(); again == second {
			t.Error("an old copy is given out: some verifiers count its age from when it was signed")
		}
		pass(-time.Hour) // the clock was wrong
		if again, _ := get(); again == second || store.asked != 5 {
			t.Errorf("asked %d times", store.asked)
		}
	})
	t.Run("AreThereWhileTheStoreIsAway", func(t *testing.T) {
		store := &placeStore{open: 1, ended: []int{1}}
		l, pass := newTestLists(t, store)
		if _, err := l.document(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		store.err = storage.ErrUnavailable
		pass(listAge - time.Second)
		for range 3 {
			if _, err := l.document(t.Context(), "1"); err != nil || store.asked != 2 {
				t.Errorf("%v, asked %d times: each who asks waits for a store that hangs", err, store.asked)
			}
		}
		pass(time.Second)
		if _, err := l.document(t.Context(), "1"); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("err = %v for a copy that no verifier would use any more", err)
		}
		store.err = storage.ErrEnded
		if _, err := l.document(t.Context(), "1"); !errors.Is(err, storage.ErrEnded) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("AreGivenOutWhileTheStoreIsAsked", func(t *testing.T) {
		store := &placeStore{open: 1}
		l, _ := newTestLists(t, store)
		store.meanwhile = func() {
			if !l.mu.TryLock() {
				t.Fatal("who has a copy waits for the store")
			}
			l.mu.Unlock()
		}
		if _, err := l.document(t.Context(), "1"); err != nil {
			t.Error(err)
		}
		if _, _, _, err := l.draw(t.Context()); err != nil || store.asked != 2 {
			t.Errorf("%v, asked %d times", err, store.asked)
		}
	})
	t.Run("OfOtherNamesAreNone", func(t *testing.T) {
		store := &placeStore{open: 1}
		l, _ := newTestLists(t, store)
		for _, name := range []string{"2", "0", "01", "+1", "1 ", "", "x", "9223372036854775808", "-1"} {
			if _, err := l.document(t.Context(), name); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("%q: err = %v", name, err)
			}
		}
		if len(l.copies) != 0 {
			t.Errorf("%d are remembered", len(l.copies))
		}
	})
	t.Run("AreSignedOnceForAll", func(t *testing.T) {
		store := &placeStore{open: 1}
		l, _ := newTestLists(t, store)
		if _, err := l.document(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if _, err := l.document(t.Context(), "1"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if store.asked != 1 {
			t.Errorf("the store was asked %d times", store.asked)
		}
	})
	t.Run("GiveRandomPlacesOfTheOpenOne", func(t *testing.T) {
		store := &placeStore{open: 3}
		l, pass := newTestLists(t, store)
		places := map[int]bool{}
		high := 0
		for range 100 {
			list, place, uri, err := l.draw(t.Context())
			if err != nil || list != 3 || place < 0 || place >= storage.CredentialPlaces || uri != "https://id.test/vci/status/3" {
				t.Fatal(list, place, uri, err)
			}
			if places[place] = true; place >= storage.CredentialPlaces/2 {
				high++
			}
		}
		if len(places) < 90 || high < 20 || high > 80 || store.asked != 1 {
			t.Errorf("%d places, %d high, asked %d times", len(places), high, store.asked)
		}
		pass(checkLists)
		store.open = 4
		if _, _, uri, err := l.draw(t.Context()); err != nil || !strings.HasSuffix(uri, "/4") {
			t.Error(uri, err)
		}
	})
}
