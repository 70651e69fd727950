package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/storage"
)

// settle is how long after a change of the data key a round has to begin for all to be done: until
// then a process may not have heard of it, and write under the former one.
const settle = 5 * time.Minute

// valuesAtOnce is how many values one step seals again: a few milliseconds of work.
const valuesAtOnce = 100

// Renew seals under the newest data key what former ones have sealed, wherever it is, if there is
// anything. It begins anew after an interruption, and passes what is done. Any number of processes
// may renew at once: each value is replaced only if nobody has changed it. One that does not open
// is left as it is, delays no other, and is part of the error. It returns how many it has sealed.
func (v *Vault) Renew(ctx context.Context, clock func() time.Time) (renewed int, err error) {
	begun := clock()
	_, r, err := v.read(ctx)
	if err != nil || r.ChangedAt.IsZero() {
		return 0, err
	}
	failed := new(batch.Failed)
	for after := (storage.SealedValue{}); ; {
		begin := time.Now()
		values, err := v.options.Store.SealedValues(ctx, after, valuesAtOnce)
		if err != nil {
			return renewed, failed.And(fmt.Errorf("read sealed values: %w", err))
		}
		if len(values) == 0 {
			break
		}
		after = values[len(values)-1]
		n, err := v.renew(ctx, values, failed)
		if renewed += n; err != nil {
			return renewed, failed.And(err)
		}
		if err := batch.Rest(ctx, time.Since(begin)); err != nil {
			return renewed, failed.Or(err)
		}
	}
	if begun.Sub(r.ChangedAt).Abs() < settle { // a clock far off holds up nothing
		return renewed, failed.Or(nil) // and again in a minute
	}
	_, _, err = v.change(ctx, func(now *keyRing) bool {
		done := now.ChangedAt.Equal(r.ChangedAt)
		now.ChangedAt = time.Time{}
		return done
	}, func(ctx context.Context, _ keyRing, write func(context.Context) error) error { return write(ctx) })
	return renewed, failed.And(err)
}

func (v *Vault) renew(ctx context.Context, values []storage.SealedValue, failed *batch.Failed) (int, error) {
	var changed []storage.Resealed
	for _, stored := range values {
		text := unquoted(stored.Value)
		if !IsSealed(text) || strings.HasPrefix(text, v.keys.Load().prefix) {
			continue
		}
		name, plain, err := v.open([]byte(text))
		if errors.Is(err, storage.ErrUnavailable) {
			return 0, err
		}
		if err != nil {
			failed.Add(fmt.Errorf("%s of %v: %w", stored.Column, stored.Row, err))
			continue
		}
		anew := bytes.Replace(stored.Value, []byte(text), []byte(v.keys.Load().seal(name, plain)), 1)
		changed = append(changed, storage.Resealed{SealedValue: stored, New: anew})
	}
	if len(changed) == 0 {
		return 0, nil
	}
	return v.options.Store.ReplaceSealed(ctx, changed)
}

// unquoted returns a value without the quotes of JSON, which attributes have.
func unquoted(value []byte) string { return strings.Trim(string(value), `"`) }
