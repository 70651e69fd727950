package storagetest

import (
	"context"
	"maps"
	"math"

	"github.com/bonafide-id/bonafide/storage"
)

// applicationDeeds has each way to save with the version of the application, of another,
// and of the same client elsewhere.
func applicationDeeds() map[string]deed[DeveloperStore] {
	all := map[string]deed[DeveloperStore]{
		"CreateApplication": doing(func(ctx context.Context, s DeveloperStore) error {
			return s.CreateApplication(ctx, application("new", "acme"), 3)
		}, "applications"),
		"MarkApplication": doing(func(ctx context.Context, s DeveloperStore) error {
			return s.MarkApplication(ctx, storage.Sandbox, "red of acme", storage.ApplicationMark{From: storage.HaltNone, To: storage.HaltIdle})
		}, "application sandbox red of acme"),
		"MarkApplicationInPlaceOfAnother": failing(storage.ErrChanged, func(ctx context.Context, s DeveloperStore) error {
			return s.MarkApplication(ctx, storage.Sandbox, "red of acme", storage.ApplicationMark{From: storage.HaltAsked, To: storage.HaltIdle})
		}),
		"MarkApplicationAsBeingDeleted": doing(func(ctx context.Context, s DeveloperStore) error {
			return s.MarkApplication(ctx, storage.Sandbox, "red of acme", storage.ApplicationMark{Deleting: true})
		}, "applications", "application sandbox red of acme"),
		"DeleteApplication": doing(func(ctx context.Context, s DeveloperStore) error {
			return s.DeleteApplication(ctx, storage.Sandbox, "red of acme")
		},
			"applications", "application sandbox red of acme", "maker sandbox red of acme", "fault red of acme",
			"line early sandbox red of acme", "line late sandbox red of acme",
			"day 2026-03-14 sandbox red of acme", "day 2026-03-15 sandbox red of acme",
		),
		"DeleteApplicationElsewhere": doing(func(ctx context.Context, s DeveloperStore) error {
			return s.DeleteApplication(ctx, storage.Production, "red of acme")
		},
			"applications", "application production red of acme", "maker production red of acme",
			"line early production red of acme", "line late production red of acme",
			"day 2026-03-14 production red of acme", "day 2026-03-15 production red of acme",
		),
		"SaveApplicationWithinWhatOthersTake": doing(func(ctx context.Context, s DeveloperStore) error { // which is nine bytes with the two of its own
			return savePictures(ctx, s, storage.Sandbox, 3, 10)
		}, "application sandbox red of acme"),
		"SaveApplicationWithinLess": failing(storage.ErrLimit, func(ctx context.Context, s DeveloperStore) error {
			return savePictures(ctx, s, storage.Sandbox, 3, 9)
		}),
		"SaveApplicationWithinNothingThatDoesNotGrow": doing(func(ctx context.Context, s DeveloperStore) error {
			return savePictures(ctx, s, storage.Production, 3, 0)
		}),
		"DecideApplicationByAnOwnerElsewhere": doing(func(ctx context.Context, s DeveloperStore) error {
			return saveApplicationOf(ctx, s, storage.Sandbox, "red of acme", decide("owner of zeal"))
		}, "application sandbox red of acme"),
		"DecideApplicationByAMember": failing(storage.ErrConflict, func(ctx context.Context, s DeveloperStore) error {
			return saveApplicationOf(ctx, s, storage.Sandbox, "red of acme", decide("ann"))
		}),
	}
	for name, save := range map[string]func(context.Context, DeveloperStore, storage.Application) error{
		"SaveApplication": func(ctx context.Context, s DeveloperStore, a storage.Application) error {
			return s.SaveApplication(ctx, a)
		},
		"SaveApplicationWithin": func(ctx context.Context, s DeveloperStore, a storage.Application) error {
			return s.SaveApplication(ctx, a, math.MaxInt64)
		},
		"DecideApplication": decide("operator"),
	} {
		maps.Copy(all, map[string]deed[DeveloperStore]{
			name: doing(func(ctx context.Context, s DeveloperStore) error {
				return saveApplicationOf(ctx, s, storage.Sandbox, "red of acme", save)
			}, "application sandbox red of acme"),
			name + "OfTheVersionOfAnother": failing(storage.ErrChanged, func(ctx context.Context, s DeveloperStore) error {
				return saveApplicationOf(ctx, s, storage.Sandbox, "blue of acme", save)
			}),
			name + "OfTheVersionElsewhere": failing(storage.ErrChanged, func(ctx context.Context, s DeveloperStore) error {
				return saveApplicationOf(ctx, s, storage.Production, "red of acme", save)
			}),
		})
	}
	return all
}

// savePictures saves how much the pictures of the red application take.
func savePictures(ctx context.Context, s DeveloperStore, environment string, bytes, most int64) error {
	a, err := s.Application(ctx, environment, "red of acme")
	if err != nil {
		return err
	}
	a.PictureBytes = bytes
	return s.SaveApplication(ctx, a, most)
}

func decide(who string) func(context.Context, DeveloperStore, storage.Application) error {
	return func(ctx context.Context, s DeveloperStore, a storage.Application) error {
		return s.DecideApplication(ctx, a, who)
	}
}

// saveApplicationOf saves the red application of the sandbox with the version of another.
func saveApplicationOf(ctx context.Context, s DeveloperStore, environment, client string, save func(context.Context, DeveloperStore, storage.Application) error) error {
	a, err := s.Application(ctx, storage.Sandbox, "red of acme")
	if err != nil {
		return err
	}
	read, err := s.Application(ctx, environment, client)
	if err != nil {
		return err
	}
	a.Name, a.Version = "New", read.Version
	return save(ctx, s, a)
}
