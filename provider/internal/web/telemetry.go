package web

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"sync"
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

	"github.com/bonafide-id/bonafide/provider/internal/field"
)

// instrumentation is the scope of all spans and metrics of a provider.
const instrumentation = "github.com/bonafide-id/bonafide/provider"

// Telemetry reports requests to OpenTelemetry, by the semantic conventions for HTTP
// servers, and audit events. Of a request it reports only method, route and status: the
// rest of an address may hold codes and tokens. A nil *Telemetry reports nothing and costs
// nothing.
type Telemetry struct {
	*instruments
	base *url.URL
}

// instruments are what all addresses of a provider report to.
type instruments struct {
	tracer   trace.Tracer
	duration httpconv.ServerRequestDuration
	active   httpconv.ServerActiveRequests
	events   metric.Int64Counter
	log      *slog.Logger

	// ends has a slot for each end of a request in progress.
	ends            chan struct{}
	panicked, stuck sync.Once
}

// observable is a store that measures its operations.
type observable interface {
	Observe(meters metric.MeterProvider) error
}

// TelemetryOptions are the destinations of spans and metrics; either provider may be nil.
type TelemetryOptions struct {
	Base    *url.URL
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider
	Store   any
	Logger  *slog.Logger
}

// NewTelemetry returns nil if the host wants no telemetry.
func NewTelemetry(o TelemetryOptions) (*Telemetry, error) {
	tracers, meters := o.Tracers, o.Meters
	if tracers == nil && meters == nil {
		return nil, nil
	}
	if tracers == nil {
		tracers = tracenoop.NewTracerProvider()
	}
	if meters == nil {
		meters = metricnoop.NewMeterProvider()
	}
	t := &Telemetry{base: o.Base, instruments: &instruments{
		log: o.Logger, ends: make(chan struct{}, maxEnds),
		tracer: tracers.Tracer(instrumentation, trace.WithSchemaURL(semconv.SchemaURL)),
	}}
	meter := meters.Meter(instrumentation, metric.WithSchemaURL(semconv.SchemaURL))
	var err error
	if t.duration, err = httpconv.NewServerRequestDuration(meter); err != nil {
		return nil, field.Errorf("MeterProvider", "%w", err)
	}
	if t.active, err = httpconv.NewServerActiveRequests(meter); err != nil {
		return nil, field.Errorf("MeterProvider", "%w", err)
	}
	if store, ok := o.Store.(observable); ok && o.Meters != nil {
		if err := store.Observe(meters); err != nil {
			return nil, field.Errorf("MeterProvider", "%w", err)
		}
	}
	t.events, err = meter.Int64Counter("bonafide.audit.events",
		metric.WithDescription("Events of the audit log."), metric.WithUnit("{event}"))
	if err != nil {
		return nil, field.Errorf("MeterProvider", "%w", err)
	}
	return t, nil
}

// The functions of the host's SDK are isolated: one that panics or ends its goroutine harms
// no request, and one that waits, as for an exporter or a sampler, delays a response by at
// most endTimeout, together with at most maxEnds others.
const (
	endTimeout = 250 * time.Millisecond
	maxEnds    = 256
)

// fenced calls a function of the SDK. It reports the first panic.
func (t *Telemetry) fenced(ctx context.Context, call func()) {
	defer func() {
		if cause := recover(); cause != nil {
			t.panicked.Do(func() {
				t.log.ErrorContext(ctx, "telemetry panicked; reported once",
					slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
			})
		}
	}()
	call()
}

// soon calls a function of the SDK and waits briefly for it. If too many calls have not
// returned, it does not call the function.
func (t *Telemetry) soon(ctx context.Context, call func()) {
	select {
	case t.ends <- struct{}{}:
	default:
		t.stuck.Do(func() { t.log.ErrorContext(ctx, "telemetry does not return; some is dropped; reported once") })
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { <-t.ends }()
		t.fenced(ctx, call)
	}()
	late := time.NewTimer(endTimeout)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
}

// at reports the requests of another address.
func (t *Telemetry) at(base *url.URL) *Telemetry {
	if t == nil {
		return nil
	}
	return &Telemetry{t.instruments, base}
}

// begin starts to observe a request and returns the request to continue with, and the end
// of it. The path of its route is empty if it has none.
func (t *Telemetry) begin(w http.ResponseWriter, r *http.Request, m *matched) (http.ResponseWriter, *http.Request, func()) {
	start, method := time.Now(), conventionalMethod(r.Method)
	route, path := m.Path, r.URL.Path
	if m.beside {
		path = t.base.Path + route // the path itself may hold a secret
	}
	name := string(method)
	attributes := []attribute.KeyValue{semconv.HTTPRequestMethodKey.String(name), semconv.URLScheme(t.base.Scheme)}
	if method == httpconv.RequestMethodOther {
		name = "HTTP"
	}
	if route != "" {
		route = t.base.Path + route
		name += " " + route
		attributes = append(attributes, semconv.HTTPRoute(route), semconv.URLPath(path))
	}
	type traced struct {
		ctx  context.Context
		span trace.Span
	}
	ctx, span := r.Context(), trace.Span(tracenoop.Span{})
	started := make(chan traced, 1)
	// A propagator that hangs may read on after the response, when the request's cookies
	// have been replaced.
	headers := propagation.HeaderCarrier(maps.Clone(r.Header))
	t.soon(ctx, func() {
		begun := r.Context()
		if !trace.SpanContextFromContext(begun).IsValid() { // the host has not begun a span for it
			begun = otel.GetTextMapPropagator().Extract(begun, headers)
		}
		begun, span := t.tracer.Start(begun, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
		started <- traced{begun, span}
	})
	select {
	case s := <-started:
		ctx, span = s.ctx, s.span
	default: // it has panicked, or hangs
	}
	t.soon(ctx, func() { t.active.Add(ctx, 1, method, t.base.Scheme) })
	answer := &statusWriter{ResponseWriter: w}
	return answer, r.WithContext(ctx), func() {
		outcome, failed := answer.outcome(), answer.status >= http.StatusInternalServerError
		took := time.Since(start).Seconds()
		ctx := context.WithoutCancel(ctx)
		t.soon(ctx, func() {
			t.fenced(ctx, func() { t.active.Add(ctx, -1, method, t.base.Scheme) })
			t.fenced(ctx, func() {
				span.SetAttributes(outcome...)
				if failed {
					span.SetStatus(codes.Error, "")
				}
				span.End()
			})
			if route != "" {
				outcome = append(outcome, semconv.HTTPRoute(route))
			}
			t.duration.Record(ctx, took, method, t.base.Scheme, outcome...)
		})
	}
}

// Count counts an event of the audit log. It implements audit.Options.Count.
func (t *Telemetry) Count(ctx context.Context, name string) {
	if t != nil {
		t.soon(ctx, func() {
			t.events.Add(ctx, 1, metric.WithAttributes(attribute.String("event.name", name)))
		})
	}
}

// conventionalMethod limits the number of methods, because callers can make them up.
func conventionalMethod(method string) httpconv.RequestMethodAttr {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return httpconv.RequestMethodAttr(method)
	}
	return httpconv.RequestMethodOther
}

// statusWriter records the status of a response.
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

// outcome describes the response. There is none if the host's server ended the request
// (http.ErrAbortHandler).
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
