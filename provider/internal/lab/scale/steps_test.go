package scale

import (
	"cmp"
	"os"
	"slices"
	"strings"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"go.opentelemetry.io/otel/metric"
)

// most is how many steps are named.
const most = 20

// observes has the store say how long its steps take, with their wait for the writer, until what
// is returned logs the longest.
func (w *place) observes() (end func()) {
	w.t.Helper()
	reader := sdk.NewManualReader()
	meters := sdk.NewMeterProvider(sdk.WithReader(reader))
	w.OK(w.Store.(interface {
		Observe(meters metric.MeterProvider) error
	}).Observe(meters))
	return func() {
		w.t.Helper()
		var all metricdata.ResourceMetrics
		w.OK(reader.Collect(w.t.Context(), &all))
		var steps []metricdata.HistogramDataPoint[float64]
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				if h, is := m.Data.(metricdata.Histogram[float64]); is {
					steps = append(steps, h.DataPoints...)
				}
			}
		}
		longest := func(h metricdata.HistogramDataPoint[float64]) float64 {
			value, _ := h.Max.Value()
			return value
		}
		slices.SortFunc(steps, func(a, b metricdata.HistogramDataPoint[float64]) int { return cmp.Compare(longest(b), longest(a)) })
		for _, h := range steps[:min(len(steps), most)] {
			name, _ := h.Attributes.Value(semconv.DBQuerySummaryKey)
			w.t.Logf("step %-32s mean %7.2f  max %7.2f ms, n = %d", name.AsString(), 1000*h.Sum/float64(h.Count), 1000*longest(h), h.Count)
		}
	}
}

// loads logs what else the machine does.
func (w *place) loads() {
	w.t.Helper()
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return // not on this system
	}
	w.t.Logf("load of the machine %s", strings.TrimSpace(string(load)))
}
