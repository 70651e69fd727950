package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// endingServers have statuses that end, of which they tell webhooks, a stream that is polled, and who
// follows their events.
var endingServers = []server{
	{name: "bonafide-ending", store: "SQLite", start: func(ctx context.Context, base, dir string) (http.Handler, func(*http.Client) (target, error), error) {
		store, err := sqlite.Open(ctx, filepath.Join(dir, databaseFile))
		if err != nil {
			return nil, nil, err
		}
		return ending(ctx, base, store)
	}},
	{name: "bonafide-postgres-ending", store: "PostgreSQL", available: postgresAvailable, start: func(ctx context.Context, base, _ string) (http.Handler, func(*http.Client) (target, error), error) {
		store, err := postgres.Open(ctx, os.Getenv(postgresEnv))
		if err != nil {
			return nil, nil, err
		}
		return ending(ctx, base, store)
	}},
}

const (
	// endingGroup is the group of the statuses.
	endingGroup = "student"

	// followedPath answers with the figures of who follows the events.
	followedPath = "/benchmark/followed"

	// fillers fill in the database beside each other.
	fillers = 64
)

// application names one of those that are told; the last has the stream.
func application(i int) string { return "told-" + strconv.Itoa(i) }

func ending(ctx context.Context, base string, store storage.Store) (http.Handler, func(*http.Client) (target, error), error) {
	told, err := toldTo()
	if err != nil {
		return nil, nil, err
	}
	made, prepare, err := bonafide(ctx, base, provider.Config{
		Store: store, AllowPrivateNetworks: true, Signals: signals.Config{Webhooks: true, SharedSignals: true},
	})
	if err != nil {
		return nil, nil, err
	}
	p := made.(*provider.Provider)
	follower := newTold(told)
	all := http.NewServeMux()
	all.Handle("/", p)
	all.HandleFunc(followedPath, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(figuresOf(follower)) })
	return all, func(client *http.Client) (target, error) {
		t, err := prepare(client)
		if err == nil {
			err = told.register(ctx, p)
		}
		if err == nil {
			t.Begin, err = told.fill(ctx, store)
		}
		if _, onPostgres := store.(*postgres.Store); onPostgres && err == nil {
			err = analyze(ctx) // as the database does itself within a minute
		}
		if err != nil {
			return t, err
		}
		follower.starts(t.Begin)
		go func() {
			_ = p.Events().Follow(ctx, "benchmark", func(_ context.Context, e provider.RecordedEvent) error {
				if e.Name == event.StatusEnded {
					follower.hear(e.UserID)
				}
				return nil
			})
		}()
		return t, nil
	}, nil
}

// analyze has PostgreSQL look at its tables.
func analyze(ctx context.Context) error {
	db, err := sql.Open("pgx", os.Getenv(postgresEnv))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "ANALYZE")
	return err
}

// register registers the applications, and waits until the webhooks have answered a ping.
func (t telling) register(ctx context.Context, p *provider.Provider) error {
	for i := range len(t.Receivers) + 1 {
		err := p.Clients().Save(ctx, provider.Client{
			ID: application(i), Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{redirectURI},
			GrantTypes: []string{"authorization_code", "client_credentials"}, Scopes: []string{"openid", "ssf.read", "ssf.manage"},
		})
		if err == nil && i < len(t.Receivers) {
			_, _, err = p.Signals().Save(ctx, signals.Receiver{ClientID: application(i), Address: t.Receivers[i], Signals: []string{signals.StatusChanged}})
		}
		if err != nil {
			return err
		}
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		all, err := p.Signals().List(ctx, storage.ReceiverFilter{})
		if err != nil {
			return err
		}
		enabled := 0
		for _, r := range all {
			if r.State == string(storage.ReceiverEnabled) {
				enabled++
			}
		}
		if enabled == len(t.Receivers) {
			return nil
		}
	}
	return errors.New("webhooks do not answer")
}

// fill records the grants and the statuses, and returns when the first will end: some seconds after
// all are there.
func (t telling) fill(ctx context.Context, store storage.Store) (begin time.Time, err error) {
	now := time.Now()
	err = t.each(func(i int) error {
		for n := range t.Each {
			g := storage.Grant{
				ClientID: application((i + n) % (len(t.Receivers) + 1)), Subject: subject(i), Scopes: []string{"openid"}, Groups: []string{endingGroup},
				CreatedAt: now, ExpiresAt: now.Add(month),
			}
			_, _ = rand.Read(g.ID[:])
			_, _ = rand.Read(g.Flow[:])
			if err := store.CreateGrant(ctx, g, storage.Basis{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return begin, fmt.Errorf("fill in grants: %w", err)
	}
	begin = time.Now().Add(3*time.Second + 2*time.Since(now))
	err = t.each(func(i int) error {
		return store.SetStatus(ctx, subject(i), storage.Status{Group: endingGroup, Verified: true, ExpiresAt: t.endOf(begin, i)}, storage.NoStatus)
	})
	switch {
	case err != nil:
		return begin, fmt.Errorf("fill in statuses: %w", err)
	case time.Now().After(begin):
		return begin, errors.New("statuses end before all are there")
	}
	return begin, nil
}

// each calls for each end, some beside each other.
func (t telling) each(do func(i int) error) error {
	var next atomic.Int64
	var all sync.WaitGroup
	failed := make(chan error, fillers)
	for range fillers {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < t.Ends; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

// endOf is when a status ends.
func (t telling) endOf(begin time.Time, i int) time.Time {
	return begin.Add(time.Duration(int64(t.Within) / int64(t.Ends) * int64(i)))
}

const subjects = "end-"

// subject is whose it is, and endNamed the reverse; -1 for another.
func subject(i int) string { return subjects + strconv.Itoa(i) }

func endNamed(subject string) int {
	text, is := strings.CutPrefix(subject, subjects)
	i, err := strconv.Atoi(text)
	if !is || err != nil {
		return -1
	}
	return i
}
