package provider

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
)

// instrumentation is the scope of all spans and metrics of this package.
const instrumentation = "github.com/bonafide-id/bonafide/provider"

// telemetry tells OpenTelemetry of requests, by the semantic conventions for HTTP
// servers, and of audit events. Nothing of a request is told but its method, route
// and status: the rest of an address may hold codes and tokens. A nil *telemetry
// tells nothing and costs nothing.
type telemetry struct {
	base     *url.URL
	tracer   trace.Tracer
	duration httpconv.ServerRequestDuration
	active   httpconv.ServerActiveRequests
	events   metric.Int64Counter
}

// observable is a store that tells how long its operations take.
type observable interface {
	Observe(meters metric.MeterProvider) error
}

// newTelemetry returns nil when the host wants none.
func newTelemetry(cfg Config, base *url.URL) (*telemetry, error) {
	tracers, meters := cfg.TracerProvider, cfg.MeterProvider
	if tracers == nil && meters == nil {
		return nil, nil
	}
	if tracers == nil {
		tracers = tracenoop.NewTracerProvider()
	}
	if meters == nil {
		meters = metricnoop.NewMeterProvider()
	}
	t := &telemetry{base: base, tracer: tracers.Tracer(instrumentation, trace.WithSchemaURL(semconv.SchemaURL))}
	meter := meters.Meter(instrumentation, metric.WithSchemaURL(semconv.SchemaURL))
	var err error
	if t.duration, err = httpconv.NewServerRequestDuration(meter); err != nil {
		return nil, fmt.Errorf("MeterProvider: %w", err)
	}
	if t.active, err = httpconv.NewServerActiveRequests(meter); err != nil {
		return nil, fmt.Errorf("MeterProvider: %w", err)
	}
	if store, ok := cfg.Store.(observable); ok && cfg.MeterProvider != nil {
		if err := store.Observe(meters); err != nil {
			return nil, fmt.Errorf("MeterProvider: %w", err)
		}
	}
	t.events, err = meter.Int64Counter("bonafide.audit.events",
		metric.WithDescription("Entries of the audit trail."), metric.WithUnit("{event}"))
	if err != nil {
		return nil, fmt.Errorf("MeterProvider: %w", err)
	}
	return t, nil
}

// begin starts to observe a request and returns what to go on with, and the end of
// it. route is relative to the base URL; empty for a path at which there is nothing.
func (t *telemetry) begin(w http.ResponseWriter, r *http.Request, route string) (http.ResponseWriter, *http.Request, func()) {
	start, method := time.Now(), conventionalMethod(r.Method)
	name := string(method)
	attributes := []attribute.KeyValue{semconv.HTTPRequestMethodKey.String(name), semconv.URLScheme(t.base.Scheme)}
	if method == httpconv.RequestMethodOther {
		name = "HTTP"
	}
	if route != "" {
		route = t.base.Path + route
		name += " " + route
		attributes = append(attributes, semconv.HTTPRoute(route), semconv.URLPath(r.URL.Path))
	}
	ctx := r.Context()
	if !trace.SpanContextFromContext(ctx).IsValid() { // the host has not begun a span for it
		ctx = otel.GetTextMapPropagator().Extract(ctx, propagation.HeaderCarrier(r.Header))
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
	t.active.Add(ctx, 1, method, t.base.Scheme)
	answer := &statusWriter{ResponseWriter: w}
	return answer, r.WithContext(ctx), func() {
		ctx := context.WithoutCancel(ctx)
		t.active.Add(ctx, -1, method, t.base.Scheme)
		outcome := answer.outcome()
		span.SetAttributes(outcome...)
		if answer.status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
		if route != "" {
			outcome = append(outcome, semconv.HTTPRoute(route))
		}
		t.duration.Record(ctx, time.Since(start).Seconds(), method, t.base.Scheme, outcome...)
	}
}

// count counts an entry of the audit trail.
func (t *telemetry) count(ctx context.Context, name EventName) {
	if t != nil {
		t.events.Add(ctx, 1, metric.WithAttributes(attribute.String("event.name", string(name))))
	}
}

// conventionalMethod bounds how many methods there are: a caller can make up others.
func conventionalMethod(method string) httpconv.RequestMethodAttr {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return httpconv.RequestMethodAttr(method)
	}
	return httpconv.RequestMethodOther
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status < http.StatusOK { // one of 1xx is not the last
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status < http.StatusOK {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// outcome describes the answer. There is none when the host's server ended the
// request (http.ErrAbortHandler).
func (w *statusWriter) outcome() []attribute.KeyValue {
	if w.status == 0 {
		return []attribute.KeyValue{semconv.ErrorTypeKey.String("aborted")}
	}
	attributes := []attribute.KeyValue{semconv.HTTPResponseStatusCode(w.status)}
	if w.status >= http.StatusInternalServerError {
		attributes = append(attributes, semconv.ErrorTypeKey.String(strconv.Itoa(w.status)))
	}
	return attributes
}
