package main

import (
	"fmt"
	"strings"
)

// markdownTargets tells what Bonafide holds itself to, and how far it is.
func (r *result) markdownTargets(b *strings.Builder) {
	own, openssl, bare, ceiling := r.rating("bonafide"), r.rating("bonafide-openssl"), r.rating("bare"), r.rating("ceiling")
	speed := func(over, under *rating, op string) float64 {
		return ratio(over.Samples[op], perSecond, under.Samples[op], perSecond)
	}
	cheap := func(over, under *rating, op string) float64 {
		return ratio(under.Samples[op], cpuEach, over.Samples[op], cpuEach)
	}
	code := median(r.Import.Starts, func(s start) float64 { return s.Idle.File })
	fmt.Fprint(b, "\n| What we hold ourselves to | goal | reached |\n|---|---:|---:|\n")
	for _, t := range []struct {
		title, goal string
		reached     float64
		decimals    int
	}{
		{"flows ÷ the ceiling, Go's crypto", "0.80", speed(own, ceiling, "flow"), 2},
		{"flows ÷ the ceiling, ES256, by processor time", "0.70", cheap(r.rating("bonafide-es256"), r.rating("ceiling-es256"), "flow"), 2},
		{"flows with OpenSSL ÷ zitadel/oidc in memory, by processor time", "1.3", cheap(openssl, r.rating("zitadel/oidc"), "flow"), 2},
		{"flows with OpenSSL ÷ luikyv/go-oidc in memory, by processor time", "1.3", cheap(openssl, r.rating("luikyv/go-oidc"), "flow"), 2},
		{"flows with OpenSSL ÷ oidc-provider in memory", "–", speed(openssl, r.rating("oidc-provider"), "flow"), 2},
		{"userinfo of a token not seen lately ÷ the bare handler", "0.45", ratio(r.Marathon.First, perSecond, r.Marathon.Bare, perSecond), 2},
		{"userinfo ÷ the bare handler, token seen a moment ago", "0.65", speed(own, bare, "userinfo"), 2},
		{"attributes ÷ the bare handler, token seen a moment ago", "0.65", speed(own, bare, "attributes"), 2},
		{"discovery ÷ the bare handler", "0.95", speed(own, bare, "discovery"), 2},
		{"key set ÷ the bare handler", "0.95", speed(own, bare, "keys"), 2},
		{"refreshes ÷ RSA signatures of the machine", "0.75", ratio(own.Samples["refresh"], perSecond, r.Floors, func(f floor) float64 { return f.SignaturesPerSecond }), 2},
		{"– by processor time", "0.75", ratio(r.Floors, func(f floor) float64 { return f.SignatureCPU }, own.Samples["refresh"], cpuEach), 2},
		{"– the ceiling's refreshes ÷ RSA signatures", "–", ratio(ceiling.Samples["refresh"], perSecond, r.Floors, func(f floor) float64 { return f.SignaturesPerSecond }), 2},
		{"p99 ÷ p50 of a flow", "below 4", ratio(own.Samples["flow"], p99, own.Samples["flow"], p50), 1},
		{"resident MiB of the minimal program after its start, its code included", "32", median(r.Import.Starts, start.resident), 0},
		{"– its code alone", "–", code, 0},
		{fmt.Sprintf("resident MiB after %d flows, with the code of the minimal program in place of the benchmark's", r.Marathon.Flows.Operations), "40", code + r.Marathon.Memory.Own, 0},
		{"the minimal program, stripped, MiB", "22.5", r.Import.StrippedMiB, 1},
		{"modules in it", "40", float64(r.Import.Modules), 0},
		{"its start with an existing database, ms", "50", median(r.Import.Starts, start.milliseconds), 1},
	} {
		fmt.Fprintf(b, "| %s | %s | %s |\n", t.title, t.goal, number(t.reached, t.decimals))
	}
	fmt.Fprintf(b, "| errors of flows with %d user agents | 0 | %d |\n", r.Crowd, own.Crowded.Errors)
}
