// What fosite calls of github.com/ory/x, and nothing else: one import of it there links 25
// modules more, of which no provider has a use. The files are as they are in v0.0.665, but for what
// is left out; their licence is LICENSE.
module github.com/ory/x

go 1.26.0

require (
	github.com/pkg/errors v0.9.1
	go.opentelemetry.io/otel v1.47.0
	go.opentelemetry.io/otel/trace v1.47.0
)

require github.com/cespare/xxhash/v2 v2.3.0 // indirect
