package sqlstore

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/bonafide-id/bonafide/storage"
)

// instrumentation is the scope of the spans of this package.
const instrumentation = "github.com/bonafide-id/bonafide/storage"

// trace begins a span of OpenTelemetry for a step, when the request that it serves is
// traced; it goes where the request's own spans go. The end is told how the step
// went. No argument of a query is ever in it.
func (s *Store) trace(ctx context.Context, what string) (context.Context, func(error)) {
	request := trace.SpanFromContext(ctx)
	if !request.IsRecording() {
		return ctx, untraced
	}
	tracer := request.TracerProvider().Tracer(instrumentation, trace.WithSchemaURL(semconv.SchemaURL))
	ctx, span := tracer.Start(ctx, what, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(s.dialect.system, semconv.DBQuerySummary(what)))
	return ctx, func(err error) {
		// That there is no such record, say, is an answer and no failure.
		if errors.Is(err, storage.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
			span.SetAttributes(semconv.ErrorTypeKey.String("unavailable"))
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

func untraced(error) {}
