package main

import (
	"slices"
	"sync"
	"time"
)

// told is what one listener has heard of.
type told struct {
	telling

	mu    sync.Mutex
	begin time.Time
	heard []bool // by end
	late  []time.Duration
	again int
}

func newTold(t telling) *told { return &told{telling: t, heard: make([]bool, t.Ends)} }

// starts says when the first status ends.
func (t *told) starts(begin time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin = begin
}

// hear notes that the listener has heard of a user now.
func (t *told) hear(subject string) {
	now, i := time.Now(), endNamed(subject)
	if i < 0 || i >= t.Ends {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.heard[i] {
		t.again++
		return
	}
	t.heard[i] = true
	t.late = append(t.late, now.Sub(t.endOf(t.begin, i)))
}

// figures are what listeners have heard of, and how long after the end of a status, in seconds.
type figures struct {
	Told    int     `json:"told"`
	Again   int     `json:"again"`
	P50     float64 `json:"p50_s"`
	P99     float64 `json:"p99_s"`
	Longest float64 `json:"longest_s"`
}

func figuresOf(all ...*told) (f figures) {
	var late []time.Duration
	for _, t := range all {
		t.mu.Lock()
		late = append(late, t.late...)
		f.Again += t.again
		t.mu.Unlock()
	}
	if f.Told = len(late); f.Told == 0 {
		return f
	}
	slices.Sort(late)
	percentile := func(p int) float64 { return late[(len(late)-1)*p/100].Seconds() }
	f.P50, f.P99, f.Longest = percentile(50), percentile(99), percentile(100)
	return f
}
