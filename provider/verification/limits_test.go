package verification

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// brokenStore does not move cases while it is broken.
type brokenStore struct {
	storage.Verification
	broken bool
}

func (s *brokenStore) MoveCase(ctx context.Context, m storage.CaseMove, on storage.PersonBasis) (storage.Case, error) {
	if s.broken {
		return storage.Case{}, storage.ErrUnavailable
	}
	return s.Verification.MoveCase(ctx, m, on)
}

// TestShares tests that what fails for somebody else uses up nothing.
func TestShares(t *testing.T) {
	t.Parallel()
	t.Run("StayWhileAVerifierIsAway", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, oneOf("a"))
		c := w.begin("alice", "a")
		for range 12 {
			_, err := w.answer(t.Context(), "alice", c.ID, c.Version, map[string]string{"say": "fail"})
			if !errors.Is(err, errVerifier) {
				t.Fatal(err)
			}
		}
		w.saying(c, "accept")
	})
	t.Run("StayWhileTheDatabaseIsAway", func(t *testing.T) {
		t.Parallel()
		var store *brokenStore
		w := newWorld(t, oneOf("a"), func(c *Config) {
			store = &brokenStore{Verification: c.Store}
			c.Store = store
		})
		c := w.begin("alice", "")
		store.broken = true
		for range 12 {
			if _, err := w.choose(t.Context(), "alice", c.ID, c.Version, "a"); !errors.Is(err, storage.ErrUnavailable) {
				t.Fatal(err)
			}
		}
		store.broken = false
		w.choosing(c, "a")
	})
	t.Run("StayWhileTheMailerIsAway", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, oneOf("a"))
		c := w.saying(w.begin("alice", "a"), "code alice@uni.example")
		w.mails.fails = errors.New("451 try later")
		for range 12 {
			if _, err := w.sendAgain(t.Context(), "alice", c.ID, w.read(c.ID).Version); !errors.Is(err, errVerifier) {
				t.Fatal(err)
			}
		}
		w.mails.fails = nil
		if _, err := w.sendAgain(t.Context(), "alice", c.ID, w.read(c.ID).Version); err != nil {
			t.Error(err)
		}
	})
	t.Run("GoWhenAMailMayHaveBeenSent", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, oneOf("a"))
		c := w.saying(w.begin("alice", "a"), "code alice@uni.example")
		w.mails.fails = context.DeadlineExceeded
		var over LimitError
		for range 5 {
			_, err := w.sendAgain(t.Context(), "alice", c.ID, w.read(c.ID).Version)
			if errors.As(err, &over) {
				return
			}
		}
		t.Error("a mail server that confirms slowly mails without end")
	})
	t.Run("GoForWhomMakesItFailOnPurpose", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, oneOf("a"))
		c := w.begin("alice", "a")
		var over LimitError
		for range returns.Burst + 10 {
			_, err := w.answer(t.Context(), "alice", c.ID, c.Version, map[string]string{"say": "panic"})
			if errors.As(err, &over) {
				return
			}
		}
		t.Error("a verifier can be called without end")
	})
}

// TestMailedCodes tests what of a mailbox anybody may have.
func TestMailedCodes(t *testing.T) {
	t.Parallel()
	t.Run("CountByTheMailbox", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, oneOf("a"))
		sent := 0
		for _, user := range []string{"alice", "bob", "carol"} {
			c := w.begin(user, "a")
			for i := range 5 {
				address := "Victim+" + user + strings.Repeat("x", i) + "@uni.example"
				_, err := w.answer(t.Context(), user, c.ID, c.Version, map[string]string{"say": "code " + address})
				if err == nil {
					sent++
					c, err = w.stepBack(t.Context(), user, c.ID, w.read(c.ID).Version)
					if err == nil && i < 4 {
						c, err = w.choose(t.Context(), user, c.ID, c.Version, "a")
					}
				}
				if err != nil && !errors.As(err, &LimitError{}) {
					t.Fatal(err)
				}
			}
		}
		if sent != codesToMailbox.Burst {
			t.Errorf("%d codes are mailed at once", sent)
		}
	})
	t.Run("OfTheOwnerAreNotTakenByStrangers", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, oneOf("a"))
		for _, user := range []string{"alice", "carol"} {
			c := w.saying(w.begin(user, "a"), "code bob@mail.example")
			for range 5 {
				_, _ = w.sendAgain(t.Context(), user, c.ID, w.read(c.ID).Version)
			}
		}
		w.saying(w.begin("bob", "a"), "code bob@mail.example")
	})
	t.Run("AreNotAllTakenByOneStranger", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, oneOf("a"))
		c := w.saying(w.begin("alice", "a"), "code bob@uni.example")
		for range 5 {
			_, _ = w.sendAgain(t.Context(), "alice", c.ID, w.read(c.ID).Version)
		}
		w.saying(w.begin("bob", "a"), "code bob@uni.example")
	})
	t.Run("AreNotGuessedInTheLongRun", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, oneOf("a"))
		c := w.saying(w.begin("alice", "a"), "code nobody@uni.example")
		guesses := 0
		var over LimitError
		for guesses < 100 {
			after, err := w.enterCode(t.Context(), "alice", c.ID, c.Version, "1")
			switch {
			case errors.Is(err, errWrongCode):
				guesses, c = guesses+1, after
				continue
			case !errors.As(err, &over):
				t.Fatal(err)
			case over.Wait > 0:
				w.mails.take()
				w.pass(time.Hour)
				if c, err = w.sendAgain(t.Context(), "alice", c.ID, c.Version); err != nil {
					t.Fatal(err)
				}
				right := w.mails.take()[0].Code
				if _, err = w.enterCode(t.Context(), "alice", c.ID, c.Version, right); !errors.As(err, &over) || over.Wait <= 0 {
					t.Errorf("after %d guesses: %v", guesses, err)
				}
				return
			}
			w.pass(time.Hour)
			if c, err = w.sendAgain(t.Context(), "alice", c.ID, c.Version); err != nil {
				t.Fatal(err)
			}
		}
		t.Errorf("%d guesses in %v", guesses, w.now().Sub(worldBegins))
	})
	t.Run("ThatAreRightAreNoGuesses", func(t *testing.T) {
		t.Parallel()
		policies := oneOf("a")
		policies[0].Tries = Tries{Short: 1000, Long: 1000}
		w := newWorld(t, policies)
		for range 2 * wrongCodes.Burst {
			c := w.saying(w.begin("alice", "a"), "code alice@uni.example")
			mails := w.mails.take()
			testkit.Must(w.enterCode(t.Context(), "alice", c.ID, c.Version, mails[len(mails)-1].Code))(t)
			testkit.Must(w.Revoke(t.Context(), "alice", "student", "left"))(t)
			w.pass(time.Hour)
		}
	})
}

// TestPlaces tests that what hangs holds no place of anything else.
func TestPlaces(t *testing.T) {
	t.Parallel()
	t.Run("OfAVerifierThatHangs", func(t *testing.T) {
		t.Parallel()
		release, entered := make(chan struct{}), make(chan struct{})
		t.Cleanup(func() { close(release) })
		policies := oneOf("b")
		hanging := scripted("hanging")
		hanging.Next = func(context.Context, *Case, Event) (Result, error) {
			entered <- struct{}{}
			<-release
			return nil, errScript
		}
		policies[0].Rule = AnyOf(By(hanging), policies[0].Rule)
		policies[0].Tries = Tries{Short: 1000, Long: 1000}
		w := newWorld(t, policies)
		c := w.begin("alice", "")
		for range 64 {
			go func() { _, _ = w.choose(t.Context(), "alice", c.ID, c.Version, "hanging") }()
		}
		for range maxCalls {
			<-entered
		}
		w.saying(w.begin("bob", "b"), "code bob@uni.example")
	})
	t.Run("OfCallbacksThatDoNotCome", func(t *testing.T) {
		t.Parallel()
		w, p := newPeerWorld(t)
		for range 64 {
			line, err := net.Dial("tcp", strings.TrimPrefix(w.server.URL, "http://"))
			testkit.OK(t, err)
			t.Cleanup(func() { _ = line.Close() })
			_, err = line.Write([]byte("POST /verification/callback/peer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"))
			if err == nil {
				_, err = line.Read(make([]byte, 8)) // the server has begun to read
			}
			testkit.OK(t, err)
		}
		if status := w.receives(p.says("peer", "m-1", w.now(), "peer-unknown")); status != http.StatusNoContent {
			t.Errorf("%d", status)
		}
	})
}
