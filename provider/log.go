package provider

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// requestLog adds to every line what other accounts of the same request are found by:
// its identifier, which error pages show, and that of its trace when there is one.
type requestLog struct{ slog.Handler }

// Handle implements slog.Handler.
func (h requestLog) Handle(ctx context.Context, line slog.Record) error {
	if id := requestID(ctx); id != "" {
		line.AddAttrs(slog.String("request_id", id))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		line.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h requestLog) WithGroup(name string) slog.Handler {
	return requestLog{h.Handler.WithGroup(name)}
}
