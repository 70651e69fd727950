package storagetest

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

var clientDeeds = map[string]deed[storage.Store]{
	"SaveClient": doing(func(ctx context.Context, s storage.Store) error {
		return s.SaveClient(ctx, storage.Client{ID: "red", Name: "new", Version: versionOf(ctx, s, "red")})
	}, "client red"),
	"SaveClientOfTheVersionOfAnother": failing(storage.ErrChanged, func(ctx context.Context, s storage.Store) error {
		return s.SaveClient(ctx, storage.Client{ID: "red", Name: "new", Version: versionOf(ctx, s, "blue")})
	}),
	"DeleteClient": doing(func(ctx context.Context, s storage.Store) error {
		return s.DeleteClient(ctx, "red", versionOf(ctx, s, "red"))
	},
		"client red", "uses red", "request red", "consent ann red", "consent bob red",
		"grant ann red", "grant bob red", "token ann red", "token bob red",
	),
	"DeleteClientOfTheVersionOfAnother": failing(storage.ErrChanged, func(ctx context.Context, s storage.Store) error {
		return s.DeleteClient(ctx, "red", versionOf(ctx, s, "blue"))
	}),
	"RecordSecretUse": doing(func(ctx context.Context, s storage.Store) error {
		return s.RecordSecretUse(ctx, "red", t0, t0.Add(time.Hour))
	}, "uses red"),
	"ResealKey": doing(func(ctx context.Context, s storage.Store) error {
		return s.ResealKey(ctx, 1, key(1, "red").Sealed, []byte("sealed anew"))
	}, "key red"),
	"RemoveKeys":  doing(func(ctx context.Context, s storage.Store) error { return s.RemoveKeys(ctx, "", 2) }, "key red"),
	"RemoveImage": doing(func(ctx context.Context, s storage.Store) error { return s.RemoveImage(ctx, digest("image of red")) }, "image red"),
	"AllowAttemptOfAnEarlierClock": doing(func(ctx context.Context, s storage.Store) error {
		return errOf(s.AllowAttempt(ctx, digest("bucket of red"), t0.Add(-time.Hour), time.Minute, 3))
	}, "bucket red"),
	"GiveBackAttempt": doing(func(ctx context.Context, s storage.Store) error {
		return s.GiveBackAttempt(ctx, digest("bucket of red"), time.Minute)
	}, "bucket red"),
	"ResetAttempts": doing(func(ctx context.Context, s storage.Store) error { return s.ResetAttempts(ctx, digest("bucket of red")) }, "bucket red"),
	"UseIDAgain": failing(storage.ErrConflict, func(ctx context.Context, s storage.Store) error {
		return s.UseID(ctx, digest("id of red"), t0.Add(time.Minute), t0)
	}),
}

func versionOf(ctx context.Context, s storage.Store, client string) int64 {
	c, err := s.Client(ctx, client)
	if err != nil {
		return 0
	}
	return c.Version
}
