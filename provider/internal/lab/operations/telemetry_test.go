package operations

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// observed is what a host with an OpenTelemetry SDK sees of a provider.
type observed struct {
	spans  *tracetest.InMemoryExporter
	reader *metric.ManualReader
}

func observe(o *observed) func(*provider.Config) {
	o.spans, o.reader = tracetest.NewInMemoryExporter(), metric.NewManualReader()
	return func(c *provider.Config) {
		c.TracerProvider = trace.NewTracerProvider(trace.WithSyncer(o.spans))
		c.MeterProvider = metric.NewMeterProvider(metric.WithReader(o.reader))
	}
}

// span returns the latest span of a name.
func (o *observed) span(t *testing.T, name string) tracetest.SpanStub {
	t.Helper()
	for _, s := range slices.Backward(o.spans.GetSpans()) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no span %q", name)
	return tracetest.SpanStub{}
}

// points returns the data points of a metric as text, without values that differ
// from run to run.
func (o *observed) points(t *testing.T, name string) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := o.reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	points := map[string]int64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					points[p.Attributes.Encoded(attribute.DefaultEncoder())] += int64(p.Count)
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					points[p.Attributes.Encoded(attribute.DefaultEncoder())] += p.Value
				}
			}
		}
	}
	return points
}

func TestRequestsAreToldToOpenTelemetry(t *testing.T) {
	t.Parallel()
	var seen observed
	w, b := lab.WithAlice(t, observe(&seen))
	tokens := b.StandardTokens()
	w.Advance(time.Second) // nothing comes from memory
	seen.spans.Reset()
	if p := b.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")); p.StatusCode != http.StatusOK {
		t.Fatalf("attributes: %s", p.Status)
	}
	b.Send(strings.Repeat("X", 9), lab.AttributesPath, "")
	b.Get("/nothing/here?access_token=canary")
	b.Get("/assets/nothing.css")

	got := map[string]string{}
	for _, s := range seen.spans.GetSpans() {
		attributes := make([]string, 0, len(s.Attributes))
		for _, a := range s.Attributes {
			attributes = append(attributes, fmt.Sprintf("%s=%s", a.Key, a.Value.String()))
		}
		slices.Sort(attributes)
		got[s.Name] = s.SpanKind.String() + " " + strings.Join(attributes, " ")
	}
	want := map[string]string{
		"GET " + lab.AttributesPath: "server http.request.method=GET http.response.status_code=200 http.route=" + lab.AttributesPath +
			" url.path=" + lab.AttributesPath + " url.scheme=http",
		"HTTP " + lab.AttributesPath: "server http.request.method=_OTHER http.response.status_code=405 http.route=" + lab.AttributesPath +
			" url.path=" + lab.AttributesPath + " url.scheme=http",
		"GET": "server http.request.method=GET http.response.status_code=404 url.scheme=http",
		"GET /assets/{name}": "server http.request.method=GET http.response.status_code=404 http.route=/assets/{name}" +
			" url.path=/assets/nothing.css url.scheme=http",
		"read client": "client db.query.summary=read client db.system.name=sqlite",
		"read token":  "client db.query.summary=read token db.system.name=sqlite",
		"read person": "client db.query.summary=read person db.system.name=sqlite",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if read, request := seen.span(t, "read token"), seen.span(t, "GET "+lab.AttributesPath); read.Parent.SpanID() != request.SpanContext.SpanID() {
		t.Error("a query is no child of its request")
	}
	points := seen.points(t, "http.server.request.duration")
	if n := points["http.request.method=GET,http.response.status_code=200,http.route="+lab.AttributesPath+",url.scheme=http"]; n != 1 {
		t.Errorf("%d requests were measured in %v", n, points)
	}
	if n := seen.points(t, "db.client.operation.duration")["db.query.summary=read token,db.system.name=sqlite"]; n != 1 {
		t.Errorf("reading a token was measured %d times", n)
	}
	for at, n := range seen.points(t, "http.server.active_requests") {
		if n != 0 {
			t.Errorf("%d requests never end: %s", n, at)
		}
	}
	if n := seen.points(t, "bonafide.audit.events")["event.name=sign_in"]; n != 1 {
		t.Errorf("%d sign-ins were counted", n)
	}
}

func TestNothingSecretIsToldToOpenTelemetry(t *testing.T) {
	t.Parallel()
	var seen observed
	_, b := lab.WithAlice(t, observe(&seen))
	code := b.Allow("state", "canary-state").Get("code")
	_, tokens := b.Token("code", code)
	access, refresh := lab.Member(t, tokens, "access_token"), lab.Member(t, tokens, "refresh_token")
	b.Get(lab.UserinfoPath + "?access_token=" + access)
	b.Get(lab.AttributesPath + "?access_token=" + access + "&callback=show")
	b.Token("grant_type", "refresh_token", "refresh_token", refresh)
	told := fmt.Sprintf("%+v", seen.spans.GetSpans())
	for what, secret := range map[string]string{
		"code": code, "access token": access, "refresh token": refresh, "state": "canary-state",
		"client secret": lab.ClientSecret, "password": lab.AlicePass, "address": "alice@example.com",
	} {
		if strings.Contains(told, secret) {
			t.Errorf("the %s is in a span", what)
		}
	}
}

func TestAFailingDatabaseIsAFailedSpan(t *testing.T) {
	t.Parallel()
	var seen observed
	var store *lab.FaultyStore
	w, b := lab.WithAlice(t, observe(&seen), lab.Faulty(&store))
	token := lab.Member(t, b.StandardTokens(), "access_token")
	w.Advance(time.Second) // nothing comes from memory
	store.Down(storage.ErrUnavailable)
	defer store.Down(nil)
	b.Bearer(lab.AttributesPath, token)
	span := seen.span(t, "GET "+lab.AttributesPath)
	if span.Status.Code != codes.Error {
		t.Errorf("status %v", span.Status)
	}
	if points := seen.points(t, "http.server.request.duration"); points["error.type=503,http.request.method=GET,"+
		"http.response.status_code=503,http.route="+lab.AttributesPath+",url.scheme=http"] != 1 {
		t.Errorf("measured %v", points)
	}
}

func TestATraceOfTheProxyIsContinued(t *testing.T) {
	before := otel.GetTextMapPropagator()
	otel.SetTextMapPropagator(propagation.TraceContext{})
	t.Cleanup(func() { otel.SetTextMapPropagator(before) })
	var seen observed
	w := lab.New(t, observe(&seen))
	r := httptest.NewRequest(http.MethodGet, lab.DiscoveryPath, nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	w.ServeHTTP(httptest.NewRecorder(), r)
	if got := seen.span(t, "GET "+lab.DiscoveryPath).SpanContext.TraceID().String(); got != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("trace %s", got)
	}
	ctx, outer := trace.NewTracerProvider().Tracer("host").Start(t.Context(), "what the host does around it")
	w.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
	if got := seen.span(t, "GET "+lab.DiscoveryPath).Parent.SpanID(); got != outer.SpanContext().SpanID() {
		t.Errorf("the span of the host is not the parent, but %s", got)
	}
}

func TestTheLogNamesRequestAndTrace(t *testing.T) {
	t.Parallel()
	var seen observed
	w := lab.New(t, observe(&seen))
	p := w.NewBrowser().Get("/nothing/here")
	span := seen.span(t, "GET").SpanContext
	line, _, _ := strings.Cut(w.Log.String(), "\n")
	for _, want := range []string{"trace_id=" + span.TraceID().String(), "span_id=" + span.SpanID().String()} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
	_, id, _ := strings.Cut(line, "request_id=")
	if id, _, _ = strings.Cut(id, " "); len(id) != 24 || !strings.Contains(p.Text, id) {
		t.Errorf("the request_id %q is not on the page:\n%s", id, p.Text)
	}
}
