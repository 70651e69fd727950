package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// measure has an environment count what it does, and returns what says so, in the text format of
// Prometheus. The metrics and their attributes are those of the provider, and none is a person.
func (e *environment) measure() http.Handler {
	reader := sdkmetric.NewManualReader()
	e.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var all metricdata.ResourceMetrics
		if err := reader.Collect(r.Context(), &all); err != nil {
			http.Error(w, "the metrics cannot be collected", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = io.WriteString(w, exposition(all))
	})
}

// exposition writes sums and histograms, the kinds that a provider has.
func exposition(all metricdata.ResourceMetrics) string {
	var b strings.Builder
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			name := strings.ReplaceAll(m.Name, ".", "_")
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				kind := "gauge"
				if data.IsMonotonic {
					name, kind = name+"_total", "counter"
				}
				fmt.Fprintf(&b, "# TYPE %s %s\n", name, kind)
				for _, p := range data.DataPoints {
					fmt.Fprintf(&b, "%s%s %d\n", name, labels(p.Attributes, ""), p.Value)
				}
			case metricdata.Histogram[float64]: // of seconds, all of them
				fmt.Fprintf(&b, "# TYPE %s_seconds histogram\n", name)
				for _, p := range data.DataPoints {
					histogram(&b, name+"_seconds", p)
				}
			}
		}
	}
	return b.String()
}

func histogram(b *strings.Builder, name string, p metricdata.HistogramDataPoint[float64]) {
	sum := uint64(0)
	for i, n := range p.BucketCounts {
		sum += n
		bound := "+Inf"
		if i < len(p.Bounds) {
			bound = strconv.FormatFloat(p.Bounds[i], 'g', -1, 64)
		}
		fmt.Fprintf(b, "%s_bucket%s %d\n", name, labels(p.Attributes, bound), sum)
	}
	fmt.Fprintf(b, "%s_sum%s %g\n%s_count%s %d\n", name, labels(p.Attributes, ""), p.Sum, name, labels(p.Attributes, ""), p.Count)
}

// escaped is the value of a label.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labels are the attributes of a point, and its upper bound if it has one.
func labels(attributes attribute.Set, bound string) string {
	var all []string
	for _, a := range attributes.ToSlice() {
		all = append(all, strings.ReplaceAll(string(a.Key), ".", "_")+`="`+escaped.Replace(a.Value.String())+`"`)
	}
	if bound != "" {
		all = append(all, `le="`+bound+`"`)
	}
	if len(all) == 0 {
		return ""
	}
	return "{" + strings.Join(all, ",") + "}"
}
