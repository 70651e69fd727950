package provider_test

import (
	"context"
	"log"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/bonafide-id/bonafide/provider"
)

// The host brings the SDK and the exporters; the provider only the names.
func ExampleConfig_openTelemetry() {
	var (
		spans   trace.SpanExporter // otlptracehttp.New(ctx), for instance
		metrics metric.Reader      // prometheus.New(), for instance
		cfg     provider.Config    // with all that it needs otherwise
	)
	ctx := context.Background()
	tracers := trace.NewTracerProvider(trace.WithBatcher(spans))
	defer func() { _ = tracers.Shutdown(ctx) }()
	meters := metric.NewMeterProvider(metric.WithReader(metrics))
	defer func() { _ = meters.Shutdown(ctx) }()
	otel.SetTextMapPropagator(propagation.TraceContext{}) // to go on with traces of a proxy

	cfg.TracerProvider, cfg.MeterProvider = tracers, meters
	idp, err := provider.New(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer idp.Close()
}
