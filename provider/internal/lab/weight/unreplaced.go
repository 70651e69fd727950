//go:build unreplaced

package weight

// What fosite links where github.com/ory/x is not replaced: a host without that line gets it at
// the versions of our go.mod, and the newest of these come from here alone. Nothing builds this.
import (
	_ "github.com/gobuffalo/pop/v6/logging"
	_ "github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	_ "github.com/openzipkin/zipkin-go/model"
	_ "github.com/seatgeek/logrus-gelf-formatter"
	_ "github.com/sirupsen/logrus"
	_ "go.opentelemetry.io/contrib/instrumentation/net/http/httptrace/otelhttptrace"
	_ "go.opentelemetry.io/contrib/propagators/b3"
	_ "go.opentelemetry.io/contrib/propagators/jaeger"
	_ "go.opentelemetry.io/contrib/samplers/jaegerremote"
	_ "go.opentelemetry.io/otel/exporters/jaeger"
	_ "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	_ "go.opentelemetry.io/otel/exporters/zipkin"
)
