package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
	"github.com/bonafide-id/bonafide/storage/sqlstore"
)

// oneAtATime returns an engine without a database.
func oneAtATime() *engine { return &engine{slots: make(chan struct{}, 1), servers: &servers{}} }

func TestRetry(t *testing.T) {
	conflict := &pgconn.PgError{Code: serializationFailure}
	t.Run("UntilItSucceeds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			attempts := 0
			err := oneAtATime().retry(t.Context(), func() error {
				if attempts++; attempts < 5 {
					return fmt.Errorf("exec: %w", conflict)
				}
				return nil
			})
			if err != nil || attempts != 5 {
				t.Errorf("%d attempts, then %v", attempts, err)
			}
		})
	})
	t.Run("NoLongerThanPatience", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			err := oneAtATime().retry(t.Context(), func() error { return conflict })
			if !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("err = %v, want %v", err, storage.ErrUnavailable)
			}
			if waited := time.Since(start); waited < patience || waited > patience+time.Second {
				t.Errorf("gave up after %v, want %v", waited, patience)
			}
		})
	})
	t.Run("NotWhenTheContextEnds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := oneAtATime().retry(ctx, func() error { return conflict }); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("err = %v, want %v", err, context.DeadlineExceeded)
			}
		})
	})
	t.Run("NotWhenTheOutcomeIsUnknown", func(t *testing.T) {
		attempts := 0
		err := oneAtATime().retry(t.Context(), func() error { attempts++; return &commitError{io.ErrUnexpectedEOF} })
		if !errors.Is(err, storage.ErrUnavailable) || attempts != 1 {
			t.Errorf("%d attempts, then %v", attempts, err)
		}
	})
	t.Run("OnceWhenTheConnectionIsNoGood", func(t *testing.T) {
		for _, broken := range []error{
			io.ErrUnexpectedEOF, errReadOnly, &pgconn.PgError{Code: readOnly}, &pgconn.PgError{Code: adminShutdown},
		} {
			synctest.Test(t, func(t *testing.T) {
				e, attempts := oneAtATime(), 0
				for range 3 { // the others come too soon for another change of connections
					err := e.retry(t.Context(), func() error { attempts++; return broken })
					if !errors.Is(err, storage.ErrUnavailable) {
						t.Errorf("%v: err = %v, want %v", broken, err, storage.ErrUnavailable)
					}
				}
				if attempts != 4 {
					t.Errorf("%v: %d attempts of three steps, want 4", broken, attempts)
				}
			})
		}
	})
	t.Run("InOrderOfArrival", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e, begin := oneAtATime(), make(chan struct{})
			go func() { _ = e.retry(t.Context(), func() error { <-begin; return nil }) }()
			synctest.Wait()
			var got, want []int
			for i := range 50 {
				want = append(want, i)
				go func() { _ = e.retry(t.Context(), func() error { got = append(got, i); return nil }) }()
				synctest.Wait()
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err := e.retry(ctx, func() error { t.Error("it began after its end"); return nil })
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("err = %v, want %v", err, context.DeadlineExceeded)
			}
			close(begin)
			synctest.Wait()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	})
	t.Run("AfterADeadlock", func(t *testing.T) {
		url := pgtest.Shared(t).Schema(t)
		store := openTest(t, url)
		for _, id := range []string{"a", "b"} {
			ok(t, store.SaveClient(t.Context(), client(id)))
		}
		e := must(openEngine(t.Context(), url))(t)
		defer e.Close()
		// Each transaction holds what the other one wants next.
		var holding, done sync.WaitGroup
		holding.Add(2)
		attempts := make([]int, 2)
		for i, order := range [][]string{{"a", "b"}, {"b", "a"}} {
			done.Go(func() {
				err := e.Write(t.Context(), func(ctx context.Context, db sqlstore.Conn) error {
					attempts[i]++
					for n, id := range order {
						if _, err := db.ExecContext(ctx, `UPDATE `+pgx.Identifier{e.schema, "clients"}.Sanitize()+` SET registration = registration WHERE id = $1`, id); err != nil {
							return err
						}
						if n == 0 && attempts[i] == 1 {
							holding.Done()
							holding.Wait()
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		// The loser may meet the winner again on a slow machine.
		if attempts[0]+attempts[1] < 3 {
			t.Errorf("attempts %v, want one more for the loser", attempts)
		}
	})
}
