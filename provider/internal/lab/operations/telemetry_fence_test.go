package operations

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// spoiltTracers is an SDK whose tracer and spans do what a test wants.
type spoiltTracers struct {
	tracenoop.TracerProvider
	start, end func()
}

func (p spoiltTracers) Tracer(string, ...trace.TracerOption) trace.Tracer {
	return spoiltTracer{Tracer: tracenoop.Tracer{}, of: p}
}

type spoiltTracer struct {
	tracenoop.Tracer
	of spoiltTracers
}

func (t spoiltTracer) Start(ctx context.Context, _ string, _ ...trace.SpanStartOption) (context.Context, trace.Span) {
	t.of.start()
	return ctx, spoiltSpan{of: t.of}
}

type spoiltSpan struct {
	tracenoop.Span
	of spoiltTracers
}

func (s spoiltSpan) End(...trace.SpanEndOption) { s.of.end() }

// panickingMeters is an SDK of which every instrument panics.
type panickingMeters struct{ metricnoop.MeterProvider }

func (panickingMeters) Meter(string, ...metric.MeterOption) metric.Meter { return panickingMeter{} }

type panickingMeter struct{ metricnoop.Meter }

func (panickingMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return panickingCounter{}, nil
}

func (panickingMeter) Int64UpDownCounter(string, ...metric.Int64UpDownCounterOption) (metric.Int64UpDownCounter, error) {
	return panickingUpDownCounter{}, nil
}

type panickingCounter struct{ metricnoop.Int64Counter }

func (panickingCounter) Add(context.Context, int64, ...metric.AddOption) { panic("counter") }

type panickingUpDownCounter struct{ metricnoop.Int64UpDownCounter }

func (panickingUpDownCounter) Add(context.Context, int64, ...metric.AddOption) { panic("gauge") }

func TestTelemetryThatFailsHarmsNothing(t *testing.T) {
	t.Parallel()
	nothing := func() {}
	released := make(chan struct{})
	defer close(released)
	for name, change := range map[string]func(*provider.Config){
		"TracerPanics": func(c *provider.Config) {
			c.TracerProvider = spoiltTracers{start: func() { panic("start") }, end: nothing}
		},
		"TracerExits": func(c *provider.Config) {
			c.TracerProvider = spoiltTracers{start: runtime.Goexit, end: nothing}
		},
		"TracerHangs": func(c *provider.Config) {
			c.TracerProvider = spoiltTracers{start: func() { <-released }, end: nothing}
		},
		"SpanExits": func(c *provider.Config) {
			c.TracerProvider = spoiltTracers{start: nothing, end: runtime.Goexit}
		},
		"SpanPanics": func(c *provider.Config) {
			c.TracerProvider = spoiltTracers{start: nothing, end: func() { panic("end") }}
		},
		"SpanHangs": func(c *provider.Config) {
			c.TracerProvider = spoiltTracers{start: nothing, end: func() { <-released }}
		},
		"MetersPanic": func(c *provider.Config) { c.MeterProvider = panickingMeters{} },
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t, change).WithUsers()
			if p := w.NewBrowser().Get("/signin"); p.StatusCode != http.StatusOK {
				t.Errorf("answered %s", p.Status)
			}
			if err := w.Accounts().Delete(t.Context(), "bob"); err != nil || !w.Saw(event.AccountDeleted) {
				t.Errorf("the event of a deletion: %v", err)
			}
			if told := strings.Count(w.Log.String(), "telemetry panicked"); strings.Contains(name, "Panic") && told != 1 {
				t.Errorf("told %d times:\n%s", told, w.Log)
			}
		})
	}
}
