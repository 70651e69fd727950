// Command provider is the far side of the button's browser tests: the real
// handler of package widget, and an authorization endpoint that asks a visitor
// to allow or deny and checks nothing.
//
// Its base URL has a path, to show that nobody assumes there is none. It prints
// what the tests need to know as one line of JSON and runs until its standard
// input ends.
package main

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/bonafide-id/bonafide/widget"
)

func main() {
	log.SetFlags(0)
	button, err := widget.New(widget.Brand{Name: "Example ID", Color: "#5b2a86", LabelColor: "#ffffff", Code: "ExampleID"})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	base := fmt.Sprintf("http://idp.localhost:%d/id", listener.Addr().(*net.TCPAddr).Port)

	mux := http.NewServeMux()
	mux.Handle("/id/widget/", http.StripPrefix("/id/widget/", button))
	mux.HandleFunc("GET /id/oauth/authorize", func(w http.ResponseWriter, r *http.Request) { authorize(w, r, base+"/oidc") })
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	go func() { log.Fatal(http.Serve(listener, mux)) }()

	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{
		"base":   base,
		"script": button.Script(base),
		"relay":  button.Relay(base),
	}); err != nil {
		log.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

var screen = template.Must(template.New("screen").Parse(`<!DOCTYPE html>
<html lang="en"><title>Allow?</title>
<p><a id="allow" href="{{.Allow}}">Allow</a> <a id="deny" href="{{.Deny}}">Deny</a>
`))

// authorize shows two links: one to a response of the response type asked for,
// one to an error. The external identifier of the request sets up faults:
// "iss=URL" answers as another issuer, "coop=VALUE" sends that
// Cross-Origin-Opener-Policy.
func authorize(w http.ResponseWriter, r *http.Request, issuer string) {
	request := r.URL.Query()
	fault, value, _ := strings.Cut(request.Get("eid"), "=")
	switch fault {
	case "iss":
		issuer = value
	case "coop":
		w.Header().Set("Cross-Origin-Opener-Policy", value)
	}
	success := url.Values{"iss": {issuer}}
	for _, part := range strings.Fields(request.Get("response_type")) {
		switch part {
		case "code":
			success.Set("code", "code-1")
		case "token":
			success.Set("access_token", "token-1")
		case "id_token":
			success.Set("id_token", "id-token-1")
		}
	}
	failure := url.Values{"iss": {issuer}, "error": {"access_denied"}, "error_description": {"The visitor said no."}}
	if state := request.Get("state"); state != "" {
		success.Set("state", state)
		failure.Set("state", state)
	}
	separator := "?"
	if request.Get("response_type") != "code" {
		separator = "#"
	}
	redirect := request.Get("redirect_uri") + separator
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	err := screen.Execute(w, map[string]template.URL{
		"Allow": template.URL(redirect + success.Encode()),
		"Deny":  template.URL(redirect + failure.Encode()),
	})
	if err != nil {
		log.Print(err)
	}
}
