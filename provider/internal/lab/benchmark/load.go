package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// sample is what one run of one operation against one server gave.
type sample struct {
	PerSecond float64 `json:"per_second"`

	// CPU is the processor time of the server, and of a database of its own, per
	// operation, in microseconds; zero where the system does not tell.
	CPU float64 `json:"cpu_us"`

	// P50, P90 and P99 are percentiles of the time that one operation took, in
	// microseconds.
	P50 float64 `json:"p50_us"`
	P90 float64 `json:"p90_us"`
	P99 float64 `json:"p99_us"`

	// Longest is the longest of them.
	Longest float64 `json:"longest_us"`

	Operations int    `json:"operations"`
	Errors     int    `json:"errors"`
	FirstError string `json:"first_error,omitempty"`
}

func perSecond(m sample) float64 { return m.PerSecond }
func cpuEach(m sample) float64   { return m.CPU }
func p50(m sample) float64       { return m.P50 }
func p99(m sample) float64       { return m.P99 }
func longest(m sample) float64   { return m.Longest }

// line tells of a sample while the run goes on.
func (m sample) line(op operation) string {
	return fmt.Sprintf("%-10s %8.0f/s  p50 %6.2f ms  p99 %6.2f ms  errors %d %s",
		op.name, m.PerSecond, m.P50/1000, m.P99/1000, m.Errors, m.FirstError)
}

// bound ends the work of one worker: at a moment, or after so many times. Zero is
// without end.
type bound struct {
	until time.Time
	times int
}

// crew returns workers that are ready to measure anything: each has a token.
func crew(s *running, workers int) ([]*visitor, error) {
	users := make([]*visitor, workers)
	for i := range users {
		u := &visitor{conn: &conn{addr: s.Addr}, target: s.Target, basic: basicAuth(cmp.Or(s.secret, clientSecret))}
		if len(s.Target.Cookies) > 0 {
			u.cookie = s.Target.Cookies[i%len(s.Target.Cookies)]
		}
		users[i] = u
		if s.Target.Authorize == "" {
			continue
		}
		if err := u.flow(); err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
	}
	return users, nil
}

// measure has new workers repeat an operation for a while.
func measure(ctx context.Context, s *running, op operation, workers int, length time.Duration) (sample, error) {
	users, err := crew(s, workers)
	if err != nil {
		return sample{}, fmt.Errorf("%s, %s: %w", s.name, op.name, err)
	}
	return work(ctx, s, users, op, bound{until: time.Now().Add(length)})
}

// work has every worker repeat an operation.
func work(ctx context.Context, s *running, users []*visitor, op operation, end bound) (sample, error) {
	var mu sync.Mutex
	var result sample
	var took []time.Duration
	var running sync.WaitGroup
	cpu, start := s.cpu(), time.Now()
	for _, u := range users {
		running.Go(func() {
			mine, failures, first := repeat(ctx, u, op, end)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
			result.Errors += failures
			if first != nil {
				result.FirstError = first.Error()
			}
		})
	}
	running.Wait()
	if err := ctx.Err(); err != nil {
		return sample{}, err
	}
	elapsed := time.Since(start)
	cpu = s.cpu() - cpu
	result.Operations = len(took)
	if len(took) == 0 {
		return result, nil
	}
	result.PerSecond = float64(len(took)) / elapsed.Seconds()
	result.CPU = micros(cpu) / float64(len(took))
	slices.Sort(took)
	percentile := func(p int) float64 { return micros(took[(len(took)-1)*p/100]) }
	result.P50, result.P90, result.P99, result.Longest = percentile(50), percentile(90), percentile(99), percentile(100)
	return result, nil
}

// repeat does an operation again and again. A worker that meets ten errors gives up,
// so that a server that is down is not hammered.
func repeat(ctx context.Context, u *visitor, op operation, end bound) (took []time.Duration, failures int, first error) {
	defer u.close()
	took = make([]time.Duration, 0, 1<<14)
	for failures < 10 && ctx.Err() == nil && (end.times == 0 || len(took) < end.times) {
		begin := time.Now()
		if !end.until.IsZero() && begin.After(end.until) {
			break
		}
		if err := op.do(u); err != nil {
			failures++
			if first == nil {
				first = err
			}
			continue
		}
		took = append(took, time.Since(begin))
	}
	return took, failures, first
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
