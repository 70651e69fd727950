package main

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// sample is what one run of one operation against one server gave.
type sample struct {
	PerSecond float64 `json:"per_second"`

	// CPU is the processor time of the server per operation, in microseconds;
	// zero where the system does not tell.
	CPU float64 `json:"cpu_us"`

	// P50, P90 and P99 are percentiles of the time that one operation took, in
	// microseconds.
	P50 float64 `json:"p50_us"`
	P90 float64 `json:"p90_us"`
	P99 float64 `json:"p99_us"`

	Operations int    `json:"operations"`
	Errors     int    `json:"errors"`
	FirstError string `json:"first_error,omitempty"`
}

// crew returns workers that are ready to measure anything: each has a token.
func crew(s *running, workers int) ([]*visitor, error) {
	users := make([]*visitor, workers)
	for i := range users {
		u := &visitor{conn: &conn{addr: s.Addr}, target: s.Target}
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

// measure has every worker repeat an operation for a while.
func measure(s *running, op operation, workers int, length time.Duration) (sample, error) {
	users, err := crew(s, workers)
	if err != nil {
		return sample{}, err
	}
	var mu sync.Mutex
	var result sample
	var took []time.Duration
	var running sync.WaitGroup
	pid := s.process.Process.Pid
	cpu, start := cpuTime(pid), time.Now()
	for _, u := range users {
		running.Go(func() {
			mine, failures, first := repeat(u, op, start.Add(length))
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
	elapsed := time.Since(start)
	cpu = cpuTime(pid) - cpu
	result.Operations = len(took)
	if len(took) == 0 {
		return result, nil
	}
	result.PerSecond = float64(len(took)) / elapsed.Seconds()
	result.CPU = micros(cpu) / float64(len(took))
	slices.Sort(took)
	percentile := func(p int) float64 { return micros(took[(len(took)-1)*p/100]) }
	result.P50, result.P90, result.P99 = percentile(50), percentile(90), percentile(99)
	return result, nil
}

// repeat does an operation until a moment. A worker that meets ten errors gives
// up, so that a server that is down is not hammered.
func repeat(u *visitor, op operation, until time.Time) (took []time.Duration, failures int, first error) {
	defer u.close()
	took = make([]time.Duration, 0, 1<<14)
	for failures < 10 {
		begin := time.Now()
		if begin.After(until) {
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
