package storagetest

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

var clientDeeds = map[string]deed[storage.Store]{
	"SaveClient": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SaveClient(ctx, storage.Client{ID: "red", Name: "new", Version: versionOf(ctx, s, "red")})
		},
		changes: []string{"client red"},
	},
	"SaveClientOfTheVersionOfAnother": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.SaveClient(ctx, storage.Client{ID: "red", Name: "new", Version: versionOf(ctx, s, "blue")})
		},
		fails: storage.ErrChanged,
	},
	"DeleteClient": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.DeleteClient(ctx, "red", versionOf(ctx, s, "red"))
		},
		changes: []string{
			"client red", "uses red", "request red", "consent ann red", "consent bob red",
			"grant ann red", "grant bob red", "token ann red", "token bob red",
		},
	},
	"DeleteClientOfTheVersionOfAnother": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.DeleteClient(ctx, "red", versionOf(ctx, s, "blue"))
		},
		fails: storage.ErrChanged,
	},
	"RecordSecretUse": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.RecordSecretUse(ctx, "red", t0, t0.Add(time.Hour))
		},
		changes: []string{"uses red"},
	},
	"ResealKey": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.ResealKey(ctx, 1, key(1, "red").Sealed, []byte("sealed anew"))
		},
		changes: []string{"key red"},
	},
	"RemoveKeys": {
		do:      func(ctx context.Context, s storage.Store) error { return s.RemoveKeys(ctx, "", 2) },
		changes: []string{"key red"},
	},
	"RemoveImage": {
		do:      func(ctx context.Context, s storage.Store) error { return s.RemoveImage(ctx, digest("image of red")) },
		changes: []string{"image red"},
	},
	"AllowAttemptOfAnEarlierClock": {
		do: func(ctx context.Context, s storage.Store) error {
			return errOf(s.AllowAttempt(ctx, digest("bucket of red"), t0.Add(-time.Hour), time.Minute, 3))
		},
		changes: []string{"bucket red"},
	},
	"GiveBackAttempt": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.GiveBackAttempt(ctx, digest("bucket of red"), time.Minute)
		},
		changes: []string{"bucket red"},
	},
	"ResetAttempts": {
		do:      func(ctx context.Context, s storage.Store) error { return s.ResetAttempts(ctx, digest("bucket of red")) },
		changes: []string{"bucket red"},
	},
	"UseIDAgain": {
		do: func(ctx context.Context, s storage.Store) error {
			return s.UseID(ctx, digest("id of red"), t0.Add(time.Minute), t0)
		},
		fails: storage.ErrConflict,
	},
}

func versionOf(ctx context.Context, s storage.Store, client string) int64 {
	c, err := s.Client(ctx, client)
	if err != nil {
		return 0
	}
	return c.Version
}
