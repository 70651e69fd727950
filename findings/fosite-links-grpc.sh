#!/usr/bin/env bash
# A program that imports fosite, a library without a network of its own, links gRPC, two libraries of
# protocol buffers, and the exporters of Jaeger, Zipkin and OTLP: fosite ends its spans by one function of
# github.com/ory/x/otelx, whose package sets tracing up as well. One of them keeps the linker from
# dropping methods that nobody calls. Seen in v0.49.0. What helps: a replace line in go.mod onto a
# module that has that function alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'module surprise\n\ngo 1.25.0\n' >go.mod
cat >main.go <<'GO'
package main

import "github.com/ory/fosite"

func main() { println(fosite.ErrInvalidRequest.Error()) }
GO
go get github.com/ory/fosite@v0.49.0 >/dev/null 2>&1
go mod tidy >/dev/null 2>&1
go build -o program .
linked=$(go version -m program | awk '$1 == "dep" { print $2 }')
got=$(for name in google.golang.org/grpc google.golang.org/protobuf github.com/gogo/protobuf go.opentelemetry.io/otel/exporters/jaeger go.opentelemetry.io/otel/exporters/zipkin; do
	grep -qx "$name" <<<"$linked" && echo "$name"
done; go list -f '{{if not .Standard}}{{.ImportPath}}{{end}}' -deps . | grep -c '^google.golang.org/grpc' | sed 's/$/ packages of gRPC/')
want='google.golang.org/grpc
google.golang.org/protobuf
github.com/gogo/protobuf
go.opentelemetry.io/otel/exporters/jaeger
go.opentelemetry.io/otel/exporters/zipkin'
printf 'fosite v0.49.0: %d modules\n%s\n' "$(wc -l <<<"$linked")" "$got"
[[ $got == "$want"* ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
