package widget

import (
	_ "embed"
	"net/http"
	"slices"
	"strings"
)

//go:embed dist/v1.js
var buttonSource []byte

//go:embed dist/callback.js
var relaySource []byte

// Widget serves the scripts of one provider. It is an [http.Handler] for paths
// relative to the folder that it is mounted at, usually /widget/ under the base
// URL:
//
//	v1.js         the button, evergreen
//	callback.js   the script of the redirect page, evergreen
//	<hash>.js     each of them under an address that never changes its content
//
// A Widget is safe for concurrent use.
type Widget struct {
	button, relay *file
	byName        map[string]*file
}

// Script says where a script is, for documentation and sample code.
type Script struct {
	// URL always serves the current script.
	URL string

	// ImmutableURL serves these bytes or, after an update of the provider,
	// nothing. It is the address to use with Integrity.
	ImmutableURL string

	// Integrity is the value of the integrity attribute (W3C Subresource
	// Integrity) for ImmutableURL.
	Integrity string
}

// New composes the scripts of a provider. The error names the field of the
// brand that is at fault.
func New(brand Brand) (*Widget, error) {
	brand = brand.withDefaults()
	if err := brand.validate(); err != nil {
		return nil, err
	}
	initCall, err := brand.initCall()
	if err != nil {
		return nil, err
	}
	w := &Widget{
		button: newFile("v1.js", slices.Concat(buttonSource, brand.events(), brand.names(), initCall)),
		relay:  newFile("callback.js", slices.Concat(relaySource, brand.names())),
		byName: make(map[string]*file),
	}
	for _, f := range []*file{w.button, w.relay} {
		w.byName[f.evergreen] = f
		w.byName[f.immutable] = f
	}
	return w, nil
}

// Script returns the addresses of the button's script under baseURL, the base
// URL of the provider with or without a slash at its end.
func (w *Widget) Script(baseURL string) Script { return w.button.script(baseURL) }

// Relay returns the addresses of the redirect page's script under baseURL, the
// base URL of the provider with or without a slash at its end.
func (w *Widget) Relay(baseURL string) Script { return w.relay.script(baseURL) }

// ServeHTTP answers GET and HEAD for the scripts, conditional requests
// included; 405 to other methods, and 404 for everything else. It reads no
// cookie and varies by Accept-Encoding only.
func (w *Widget) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	f, ok := w.byName[name]
	if !ok {
		http.NotFound(rw, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		rw.Header().Set("Allow", "GET, HEAD")
		http.Error(rw, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	f.serve(rw, r, name == f.immutable)
}
