package widget_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/widget"
)

func newWidget(t *testing.T, brand widget.Brand) *widget.Widget {
	t.Helper()
	w, err := widget.New(brand)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// get asks for a name below /widget/, as a provider mounts it.
func get(w *widget.Widget, method, name string, header http.Header) *http.Response {
	r := httptest.NewRequest(method, "/widget/"+name, nil)
	maps.Copy(r.Header, header)
	recorder := httptest.NewRecorder()
	http.StripPrefix("/widget/", w).ServeHTTP(recorder, r)
	return recorder.Result()
}

func body(t *testing.T, r *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func immutableName(s widget.Script) string {
	return s.ImmutableURL[strings.LastIndex(s.ImmutableURL, "/")+1:]
}

func TestScriptNamesItsAddresses(t *testing.T) {
	w := newWidget(t, widget.Brand{})
	for _, base := range []string{"https://host.example/id", "https://host.example/id/"} {
		if got, want := w.Script(base).URL, "https://host.example/id/widget/v1.js"; got != want {
			t.Errorf("Script(%q).URL = %q, want %q", base, got, want)
		}
		if got, want := w.Relay(base).URL, "https://host.example/id/widget/callback.js"; got != want {
			t.Errorf("Relay(%q).URL = %q, want %q", base, got, want)
		}
	}
	if got := w.Script("https://host.example/id").ImmutableURL; !strings.HasPrefix(got, "https://host.example/id/widget/") {
		t.Errorf("ImmutableURL = %q, which is not in the folder of the others", got)
	}
}

func TestServesTheSameBytesUnderBothAddressesAndTheirIntegrity(t *testing.T) {
	w := newWidget(t, widget.Brand{Name: "Example ID"})
	for name, script := range map[string]widget.Script{"v1.js": w.Script(""), "callback.js": w.Relay("")} {
		evergreen := body(t, get(w, "GET", name, nil))
		immutable := body(t, get(w, "GET", immutableName(script), nil))
		if !bytes.Equal(evergreen, immutable) {
			t.Errorf("%s: the immutable address serves other bytes", name)
		}
		sum := sha512.Sum384(immutable)
		if want := "sha384-" + base64.StdEncoding.EncodeToString(sum[:]); script.Integrity != want {
			t.Errorf("%s: Integrity = %q, want %q", name, script.Integrity, want)
		}
	}
}

func TestHashFollowsTheBrandAndNothingElse(t *testing.T) {
	brand := widget.Brand{Name: "Example ID", Color: "#123456", LabelColor: "#ffffff"}
	first, again := newWidget(t, brand).Script(""), newWidget(t, brand).Script("")
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("two processes with one brand disagree (-first +again):\n%s", diff)
	}
	brand.Color = "#123457"
	if other := newWidget(t, brand).Script(""); other.ImmutableURL == first.ImmutableURL {
		t.Error("another colour has the same immutable address")
	}
}

func TestHeaders(t *testing.T) {
	w := newWidget(t, widget.Brand{})
	common := http.Header{
		"Accept-Ranges":                {"bytes"},
		"Access-Control-Allow-Origin":  {"*"},
		"Content-Type":                 {"text/javascript; charset=utf-8"},
		"Cross-Origin-Resource-Policy": {"cross-origin"},
		"Vary":                         {"Accept-Encoding"},
		"X-Content-Type-Options":       {"nosniff"},
	}
	for name, cacheControl := range map[string]string{
		"v1.js":                     "public, max-age=600, stale-while-revalidate=3600",
		"callback.js":               "public, max-age=600, stale-while-revalidate=3600",
		immutableName(w.Script("")): "public, max-age=31536000, immutable",
		immutableName(w.Relay("")):  "public, max-age=31536000, immutable",
	} {
		got := get(w, "GET", name, nil).Header.Clone()
		etag := got.Get("ETag")
		if len(etag) < 20 || !strings.HasPrefix(etag, `"`) {
			t.Errorf("%s: ETag = %q, want a strong one", name, etag)
		}
		got.Del("ETag")
		got.Del("Content-Length")
		want := common.Clone()
		want.Set("Cache-Control", cacheControl)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: headers differ (-want +got):\n%s", name, diff)
		}
	}
}

func TestSameForEveryone(t *testing.T) {
	w := newWidget(t, widget.Brand{})
	plain := get(w, "GET", "v1.js", nil)
	visitor := get(w, "GET", "v1.js?callback=alert", http.Header{
		"Cookie":          {"session=secret"},
		"Authorization":   {"Bearer secret"},
		"Accept-Language": {"ar"},
		"Origin":          {"https://evil.example"},
	})
	if !bytes.Equal(body(t, plain), body(t, visitor)) {
		t.Error("a visitor with cookies gets other bytes: their data could leak to any page")
	}
	if diff := cmp.Diff(plain.Header, visitor.Header); diff != "" {
		t.Errorf("headers differ (-plain +visitor):\n%s", diff)
	}
}

func TestCompresses(t *testing.T) {
	w := newWidget(t, widget.Brand{})
	plain := get(w, "GET", "v1.js", nil)
	for _, accept := range []string{"gzip", "br, GZIP", "deflate, gzip;q=0.5", "gzip; q=1"} {
		r := get(w, "GET", "v1.js", http.Header{"Accept-Encoding": {accept}})
		if got := r.Header.Get("Content-Encoding"); got != "gzip" {
			t.Errorf("Accept-Encoding %q: Content-Encoding = %q", accept, got)
			continue
		}
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(unpacked, body(t, get(w, "GET", "v1.js", nil))) {
			t.Errorf("Accept-Encoding %q: unpacked content differs", accept)
		}
		if r.Header.Get("ETag") == plain.Header.Get("ETag") {
			t.Error("both forms have one strong ETag")
		}
	}
	for _, accept := range []string{"", "br", "gzip;q=0", "gzip; q=0.000", "identity, gzip;q=0"} {
		r := get(w, "GET", "v1.js", http.Header{"Accept-Encoding": {accept}})
		if got := r.Header.Get("Content-Encoding"); got != "" {
			t.Errorf("Accept-Encoding %q: Content-Encoding = %q, want none", accept, got)
		}
	}
}

func TestNotModified(t *testing.T) {
	w := newWidget(t, widget.Brand{})
	for _, accept := range []string{"", "gzip"} {
		etag := get(w, "GET", "v1.js", http.Header{"Accept-Encoding": {accept}}).Header.Get("ETag")
		r := get(w, "GET", "v1.js", http.Header{"Accept-Encoding": {accept}, "If-None-Match": {etag}})
		if r.StatusCode != http.StatusNotModified || len(body(t, r)) > 0 {
			t.Errorf("Accept-Encoding %q, If-None-Match %s: status %d", accept, etag, r.StatusCode)
		}
	}
}

func TestOtherMethodsAndPaths(t *testing.T) {
	w := newWidget(t, widget.Brand{})
	if r := get(w, "HEAD", "v1.js", nil); r.StatusCode != http.StatusOK || len(body(t, r)) > 0 {
		t.Errorf("HEAD: status %d", r.StatusCode)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		r := get(w, method, "v1.js", nil)
		if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: status %d, Allow %q", method, r.StatusCode, r.Header.Get("Allow"))
		}
	}
	for _, name := range []string{"", "v2.js", "V1.js", "v1.js/", "dist/v1.js", "src/v1.ts", "..%2fwidget.go", strings.Repeat("0", 32) + ".js"} {
		if r := get(w, "GET", name, nil); r.StatusCode != http.StatusNotFound {
			t.Errorf("%q: status %d, want 404", name, r.StatusCode)
		}
	}
}

// A site pays for the button with what every visitor downloads.
func TestSize(t *testing.T) {
	w := newWidget(t, widget.Brand{})
	for name, limit := range map[string]int{"v1.js": 4608, "callback.js": 512} {
		r := get(w, "GET", name, http.Header{"Accept-Encoding": {"gzip"}})
		if size := len(body(t, r)); size > limit {
			t.Errorf("%s has %d bytes gzipped, want at most %d", name, size, limit)
		} else {
			t.Logf("%s has %d bytes gzipped of %d", name, size, limit)
		}
	}
}

func TestBrandReachesTheScriptAsData(t *testing.T) {
	brand := widget.Brand{
		Name:       `</script><script>alert(1)//"'\` + "\u2028" + `$&%`,
		Color:      "#0B5cff",
		LabelColor: "#ffffff",
		Mark:       "M0 0h24v24H0z",
	}
	// U+2028 ends a line in old JavaScript; it is no printable character.
	if _, err := widget.New(brand); err == nil {
		t.Error("a name of two lines was accepted")
	}
	brand.Name = strings.ReplaceAll(brand.Name, "\u2028", "")
	script := string(body(t, get(newWidget(t, brand), "GET", "v1.js", nil)))
	_, call, ok := strings.Cut(script, "\nBonafide.init(")
	if !ok {
		t.Fatal("the script does not end in a call of init")
	}
	settings, rest, _ := strings.Cut(call, ");\n")
	if rest != "" || strings.ContainsAny(settings, "<>&") {
		t.Errorf("the brand is more than one literal: %s", call)
	}
	var got widget.Brand
	if err := json.Unmarshal([]byte(settings), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(brand, got); diff != "" {
		t.Errorf("brand differs (-want +got):\n%s", diff)
	}
}

func TestNewRefusesABadBrandByField(t *testing.T) {
	for _, test := range []struct {
		field string
		brand widget.Brand
	}{
		{"Name", widget.Brand{Name: "two\nlines"}},
		{"Name", widget.Brand{Name: "\xff"}},
		{"Code", widget.Brand{Code: "x;alert(1)"}},
		{"Code", widget.Brand{Code: "__proto__"}},
		{"Code", widget.Brand{Code: "1st"}},
		{"Code", widget.Brand{Code: "x"}},
		{"Code", widget.Brand{Code: "BonaFide"}}, // whose events would call themselves
		{"Code", widget.Brand{Code: strings.Repeat("x", 32)}},
		{"Name", widget.Brand{Name: strings.Repeat("x", 61)}},
		{"Color", widget.Brand{Color: "red;background:url(//evil.example)", LabelColor: "#ffffff"}},
		{"Color", widget.Brand{LabelColor: "#ffffff"}},
		{"LabelColor", widget.Brand{Color: "#0b5cff"}},
		{"LabelColor", widget.Brand{Color: "#0b5cff", LabelColor: "#ffff"}},
		{"Mark", widget.Brand{Mark: `M0 0");}*{background:url(//evil.example)}`}},
		{"Mark", widget.Brand{Mark: strings.Repeat("z", 1001)}},
	} {
		_, err := widget.New(test.brand)
		if err == nil || !strings.Contains(err.Error(), test.field+" must") {
			t.Errorf("New(%+v) = %v, want an error that names %s", test.brand, err, test.field)
		}
	}
}

// Servers that render pages import the npm package; it must not touch a document.
func TestBuiltFilesImportWithoutADocument(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on this machine")
	}
	out, err := exec.Command(node, "-e", `require("./dist/v1.js"); console.log(typeof Bonafide.init)`).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "function" {
		t.Errorf("node: %v\n%s", err, out)
	}
}

// The package that npm serves must hold the files that this one serves.
func TestPackageHoldsTheServedFiles(t *testing.T) {
	var manifest struct {
		Files        []string          `json:"files"`
		Dependencies map[string]string `json:"dependencies"`
		Types        string            `json:"types"`
	}
	b, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest.Dependencies) > 0 {
		t.Errorf("dependencies: %v, want none", manifest.Dependencies)
	}
	if !slices.Contains(manifest.Files, "dist") {
		t.Errorf("files %v lack dist", manifest.Files)
	}
	w := newWidget(t, widget.Brand{})
	for _, name := range []string{"v1.js", "callback.js"} {
		built, err := os.ReadFile(filepath.Join("dist", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(body(t, get(w, "GET", name, nil)), built) {
			t.Errorf("%s is served from another build", name)
		}
	}
	if _, err := os.Stat(manifest.Types); err != nil {
		t.Error(err)
	}
}
