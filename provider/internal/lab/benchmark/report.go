package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// result is everything that one run has found.
type result struct {
	Machine string    `json:"machine"`
	Commit  string    `json:"commit"`
	When    time.Time `json:"when"`
	Workers int       `json:"workers"`
	Floors  []floor   `json:"floors"`
	Servers []*rating `json:"servers"`
	Crowd   int       `json:"crowd_workers"`

	Import   importCost `json:"import"`
	Marathon marathon   `json:"marathon"`
}

// rating is what was found about one server: for each operation one sample per
// round.
type rating struct {
	Name    string              `json:"name"`
	Store   string              `json:"store"`
	Samples map[string][]sample `json:"samples"`

	// Crowded is the run with many workers.
	Crowded sample `json:"crowded"`

	// Memory is what the server resides in at the end.
	Memory memory `json:"memory_mib"`
}

func newResult(ctx context.Context, o options, dir string, fleet []*running) *result {
	r := &result{
		Machine: machine(dir), Commit: commit(ctx),
		When: time.Now().UTC().Truncate(time.Second), Workers: o.workers, Crowd: o.crowd,
	}
	for _, s := range fleet {
		r.Servers = append(r.Servers, &rating{Name: s.name, Store: s.store, Samples: map[string][]sample{}})
	}
	return r
}

func (*result) section() string { return "compare" }

// rating returns what was found about a server; empty when it was not measured.
func (r *result) rating(name string) *rating {
	for _, s := range r.Servers {
		if s.Name == name {
			return s
		}
	}
	return &rating{}
}

func (r *result) add(server, operation string, m sample) {
	samples := r.rating(server).Samples
	samples[operation] = append(samples[operation], m)
}

// median returns the median of one figure over the rounds, or 0 without any.
func median[T any](rounds []T, figure func(T) float64) float64 {
	var values []float64
	for _, r := range rounds {
		values = append(values, figure(r))
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}

// ratio is the median of the ratios of each round, which share whatever else the
// machine did meanwhile.
func ratio[A, B any](over []A, a func(A) float64, under []B, b func(B) float64) float64 {
	type pair struct{ a, b float64 }
	var pairs []pair
	for i := range min(len(over), len(under)) {
		pairs = append(pairs, pair{a(over[i]), b(under[i])})
	}
	return median(pairs, func(p pair) float64 {
		if p.b == 0 {
			return 0
		}
		return p.a / p.b
	})
}

// markdown renders the tables.
func (r *result) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Commit %s, measured on %s on %s; %d user agents, medians of %d rounds.\n",
		r.Commit, r.When.Format(time.DateOnly), r.Machine, r.Workers, len(r.Floors))
	fmt.Fprint(&b, "Only the ratios of one run tell anything: the generator shares the machine.\n\n")
	r.markdownServers(&b)
	fmt.Fprintf(&b, "\n| The machine | per second |\n|---|---:|\n")
	for _, f := range []struct {
		title  string
		figure func(floor) float64
	}{
		{"RSA-2048 signatures, all processors", func(f floor) float64 { return f.SignaturesPerSecond }},
		{"SQLite commits (`synchronous=FULL`), one caller", func(f floor) float64 { return f.CommitsPerSecond }},
		{"SQLite rows with shared commits, eight callers", func(f floor) float64 { return f.GroupedRowsPerSecond8 }},
	} {
		fmt.Fprintf(&b, "| %s | %.0f |\n", f.title, median(r.Floors, f.figure))
	}
	r.markdownRatios(&b)
	r.markdownTargets(&b)
	return b.String()
}

func (r *result) markdownServers(b *strings.Builder) {
	fmt.Fprintf(b, "| Server | Store | Flows/s | p50 ms | p99 ms | CPU µs/flow | Refreshes/s | Userinfo/s | Attributes/s | Introspection/s | Discovery/s | Keys/s | Errors at %d | MiB |\n", r.Crowd)
	fmt.Fprint(b, "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, s := range r.Servers {
		flow := s.Samples["flow"]
		cells := []string{
			number(median(flow, perSecond), 0),
			number(median(flow, func(m sample) float64 { return m.P50 / 1000 }), 2),
			number(median(flow, func(m sample) float64 { return m.P99 / 1000 }), 2),
			number(median(flow, cpuEach), 0),
		}
		for _, op := range operations[1:] {
			cells = append(cells, number(median(s.Samples[op.name], perSecond), 0))
		}
		errors := "–"
		if s.Crowded.Operations+s.Crowded.Errors > 0 {
			errors = fmt.Sprint(s.Crowded.Errors)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", s.Name, s.Store, strings.Join(cells, " | "), errors, number(s.Memory.total(), 0))
	}
}

func number(v float64, decimals int) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// markdownRatios tells how near Bonafide comes to what the machine can do, and how
// it stands to the others: by what was done in a second, and by the processor time
// that it took, which a machine that is busy otherwise disturbs less. Above 1 is
// better than the other in both.
func (r *result) markdownRatios(b *strings.Builder) {
	own := r.rating("bonafide")
	fmt.Fprint(b, "\n| Bonafide on SQLite ÷ | per second | by processor time |\n|---|---:|---:|\n")
	for _, s := range r.Servers {
		for _, op := range operations {
			mine, theirs := own.Samples[op.name], s.Samples[op.name]
			if s == own || len(mine) == 0 || len(theirs) == 0 {
				continue
			}
			fmt.Fprintf(b, "| %s: %s | %s | %s |\n", s.Name, op.title,
				number(ratio(mine, perSecond, theirs, perSecond), 2), number(ratio(theirs, cpuEach, mine, cpuEach), 2))
		}
	}
	fmt.Fprintf(b, "| RSA-2048 signatures: refreshes | %s | %s |\n",
		number(ratio(own.Samples["refresh"], perSecond, r.Floors, func(f floor) float64 { return f.SignaturesPerSecond }), 2),
		number(ratio(r.Floors, func(f floor) float64 { return f.SignatureCPU }, own.Samples["refresh"], cpuEach), 2))
}
