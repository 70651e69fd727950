package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/dbconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/bonafide-id/bonafide/storage"
)

// instrumentation is the scope of the spans and metrics of this package.
const instrumentation = "github.com/bonafide-id/bonafide/storage"

// Observe reports the duration of every later step to a meter.
func (s *Store) Observe(meters metric.MeterProvider) error {
	duration, err := dbconv.NewClientOperationDuration(
		meters.Meter(instrumentation, metric.WithSchemaURL(semconv.SchemaURL)))
	if err != nil {
		return fmt.Errorf("observe: %w", err)
	}
	s.duration.Store(&duration)
	return nil
}

// observe observes a step: with a span of OpenTelemetry if its request is traced, by the
// tracer of the request, and with the metric if there is a meter. The returned function ends
// the observation with the error of the step. Neither has an argument of a query.
func (s *Store) observe(ctx context.Context, what string) (context.Context, func(error)) {
	request, duration := trace.SpanFromContext(ctx), s.duration.Load()
	if !request.IsRecording() && duration == nil {
		return ctx, unobserved
	}
	start, span := time.Now(), trace.SpanFromContext(context.Background())
	attributes := []attribute.KeyValue{semconv.DBQuerySummary(what)}
	if request.IsRecording() {
		tracer := request.TracerProvider().Tracer(instrumentation, trace.WithSchemaURL(semconv.SchemaURL))
		ctx, span = tracer.Start(ctx, what, trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(semconv.DBSystemNameKey.String(s.dialect.System), attributes[0]))
	}
	return ctx, func(err error) {
		// A missing record, for example, is an answer and no failure.
		if errors.Is(err, storage.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
			failure := semconv.ErrorTypeKey.String("unavailable")
			attributes = append(attributes, failure)
			span.SetAttributes(failure)
			span.SetStatus(codes.Error, "")
		}
		span.End()
		if duration != nil {
			duration.Record(context.WithoutCancel(ctx), time.Since(start).Seconds(),
				dbconv.SystemNameAttr(s.dialect.System), attributes...)
		}
	}
}

func unobserved(error) {}
