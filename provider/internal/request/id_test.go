package request

import (
	"testing"
	"time"
)

func TestID(t *testing.T) {
	t.Run("HasTheSecondOfItsRequest", func(t *testing.T) {
		before := time.Now().Truncate(time.Second)
		first, second := newID(), newID()
		at, ok := Time(first)
		if !ok || at.Before(before) || at.After(time.Now()) || first == second || len(first) != 24 {
			t.Errorf("%s and %s: %v, %v", first, second, at, ok)
		}
	})
	t.Run("OfBeforeHasNone", func(t *testing.T) {
		for _, id := range []string{"", "0123456789abcdef", "0123456789abcdef0123456g", "0123456789abcdef0123456789"} {
			if at, ok := Time(id); ok {
				t.Errorf("%q: %v", id, at)
			}
		}
	})
}
