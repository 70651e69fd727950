package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestButton(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		defer stop()
		ended <- run(ctx, t.TempDir(), "localhost:18080", "localhost:18082")
	}()
	for address, want := range map[string]string{
		"http://localhost:18082/":                                          "data-client-id",
		"http://localhost:18082/callback.html":                             "/widget/callback.js",
		"http://localhost:18082/spa/":                                      "/spa/app.js",
		"http://localhost:18080/widget/v1.js":                              "Bonafide",
		"http://localhost:18080/widget/callback.js":                        "BroadcastChannel",
		"http://localhost:18080/oidc/.well-known/openid-configuration":     "http://localhost:18080/oidc",
		"http://localhost:18080/oauth/authorize?client_id=page&scope=none": "<html",
	} {
		if body := fetch(ctx, t, address); !strings.Contains(body, want) {
			t.Errorf("%s does not hold %q:\n%s", address, want, body)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// fetch reads an address, which may not be served yet; "" when the program has ended.
func fetch(ctx context.Context, t *testing.T, address string) string {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); {
		if ctx.Err() != nil {
			return ""
		}
		response, err := http.Get(address)
		if err != nil {
			<-time.After(50 * time.Millisecond)
			continue
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	t.Fatalf("%s is not served", address)
	return ""
}
