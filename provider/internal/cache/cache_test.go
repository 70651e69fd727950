package cache

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// counter is a value that changes with every reading.
type counter struct{ n int }

func (c *counter) read() (int, error) {
	c.n++
	return c.n, nil
}

func newTest(size int) (*Cache[string, int], *time.Time) {
	now := time.Unix(1_000_000, 0)
	return New[string, int](time.Second, size, func() time.Time { return now }), &now
}

// recent demands that a look-up at a moment finds a value, or with 0 none.
func recent(t *testing.T, c *Cache[string, int], key string, now time.Time, want int) {
	t.Helper()
	if got, ok := c.Recent(key, now); got != want || ok != (want != 0) {
		t.Errorf("Recent(%q) = %d, %v; want %d", key, got, ok, want)
	}
}

func get(t *testing.T, c *Cache[string, int], key string, read func() (int, error), want int) {
	t.Helper()
	got, err := c.Get(key, read)
	if err != nil || got != want {
		t.Errorf("Get(%q) = %d, %v; want %d", key, got, err, want)
	}
}

func TestAValueLastsLessThanItsAge(t *testing.T) {
	cache, now := newTest(10)
	var source counter
	recent(t, cache, "a", *now, 0)
	get(t, cache, "a", source.read, 1)
	*now = now.Add(time.Second - 1)
	get(t, cache, "a", source.read, 1)
	recent(t, cache, "a", *now, 1)
	*now = now.Add(1)
	recent(t, cache, "a", *now, 0)
	get(t, cache, "a", source.read, 2)
}

func TestAClockSetBackKeepsNothing(t *testing.T) {
	cache, now := newTest(10)
	var source counter
	get(t, cache, "a", source.read, 1)
	*now = now.Add(-time.Hour)
	recent(t, cache, "a", *now, 0)
	get(t, cache, "a", source.read, 2)
}

func TestWhatIsForgottenIsReadAgain(t *testing.T) {
	for name, forget := range map[string]func(*Cache[string, int]){
		"forget": func(c *Cache[string, int]) { c.Forget("a") },
		"clear":  func(c *Cache[string, int]) { c.Clear() },
	} {
		t.Run(name, func(t *testing.T) {
			cache, now := newTest(10)
			var source counter
			get(t, cache, "a", source.read, 1)
			forget(cache)
			recent(t, cache, "a", *now, 0)
			get(t, cache, "a", source.read, 2)
		})
	}
}

func TestAReadingThatAForgetOvertakesIsNotKept(t *testing.T) {
	for name, forget := range map[string]func(*Cache[string, int]){
		"forget": func(c *Cache[string, int]) { c.Forget("a") },
		"clear":  func(c *Cache[string, int]) { c.Clear() },
	} {
		t.Run(name, func(t *testing.T) {
			cache, _ := newTest(10)
			old := func() (int, error) {
				forget(cache) // the change comes after the row was read
				return 1, nil
			}
			get(t, cache, "a", old, 1)
			get(t, cache, "a", func() (int, error) { return 2, nil }, 2)
		})
	}
}

func TestForgettingOneKeyLeavesTheReadingOfAnother(t *testing.T) {
	cache, _ := newTest(10)
	get(t, cache, "a", func() (int, error) { cache.Forget("b"); return 1, nil }, 1)
	get(t, cache, "a", func() (int, error) { return 2, nil }, 1)
}

// Of two who read at once, one may have begun before the change and one after it.
func TestOnlyTheReadingThatBeganBeforeIsDropped(t *testing.T) {
	cache, _ := newTest(10)
	before := cache.Begin("a")
	cache.Forget("a")
	after := cache.Begin("a")
	after(2, true)
	before(1, true)
	get(t, cache, "a", func() (int, error) { return 3, nil }, 2)
	if n := len(cache.readings); n > 0 {
		t.Errorf("%d readings never end", n)
	}
}

func TestAReadingThatPanicsEnds(t *testing.T) {
	cache, _ := newTest(10)
	func() {
		defer func() { _ = recover() }()
		_, _ = cache.Get("a", func() (int, error) { panic("broken") })
	}()
	if n := len(cache.readings); n > 0 {
		t.Errorf("%d readings never end", n)
	}
	get(t, cache, "a", func() (int, error) { return 1, nil }, 1)
}

func TestAnErrorIsNotKept(t *testing.T) {
	cache, _ := newTest(10)
	failed := errors.New("failed")
	if _, err := cache.Get("a", func() (int, error) { return 1, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
	get(t, cache, "a", func() (int, error) { return 2, nil }, 2)
}

func TestTheCacheIsBounded(t *testing.T) {
	cache, _ := newTest(2)
	var source counter
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if _, err := cache.Get(key, source.read); err != nil {
			t.Fatal(err)
		}
		if n := len(cache.entries); n > 2 {
			t.Fatalf("%d entries", n)
		}
	}
	get(t, cache, "e", source.read, 5)
}

// TestManyAtOnce is for the race detector.
func TestManyAtOnce(t *testing.T) {
	cache, _ := newTest(2)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				if _, err := cache.Get(string(rune('a'+i%3)), func() (int, error) { return i, nil }); err != nil {
					t.Error(err)
				}
				cache.Forget("a")
			}
			cache.Clear()
		})
	}
	all.Wait()
}
