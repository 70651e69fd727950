package developer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

const documentPath = "/developer/o/river/sandbox/document"

// documentHost serves a document at each path, in which {self} is its own address.
func documentHost(t *testing.T, documents map[string]string) (base string, asked *int) {
	t.Helper()
	asked = new(int)
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		text, ok := documents[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=7200")
		_, _ = fmt.Fprint(w, strings.ReplaceAll(text, "{self}", server.URL+r.URL.Path))
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// try posts an address, each time a minute later.
func (b *browser) try(w *fixture, address string) page {
	b.t.Helper()
	w.advance(time.Minute)
	return b.submit(b.open(documentPath), "address", address)
}

func TestADocumentIsTried(t *testing.T) {
	t.Parallel()
	base, _ := documentHost(t, map[string]string{
		"/good": `{"client_id": "{self}", "client_name": "River Editor", "redirect_uris": ["http://127.0.0.1/cb"], "grant_types": ["authorization_code", "refresh_token"], "policy_uri": "https://elsewhere.test/p"}`,
		"/list": `[]`,
		"/bad":  `{"client_id": "x", "client_secret": "s", "redirect_uris": ["http://127.0.0.1/cb", "https://elsewhere.test/cb", "https://elsewhere.test/cb2"], "token_endpoint_auth_method": "client_secret_basic"}`,
		"/fake": `{"client_id": "{self}", "client_name": "Bonafide", "redirect_uris": ["http://127.0.0.1/cb"]}`,
		"/long": `{"client_id": "{self}", "redirect_uris": ["` + strings.Repeat(`a","`, 1000) + `b"]}`,
		"/big":  strings.Repeat(" ", 8<<10+1),
	})
	w := newFixture(t)
	b := w.as(viewer)
	says(t, b.open("/developer/o/river/sandbox"), http.StatusOK, `href="`+documentPath+`"`)
	unchanged := w.unchanged()
	for path, wants := range map[string][]string{
		"/good": {"This document is accepted", "River Editor", "http://127.0.0.1/cb", "refresh_token", "2 hours", "policy_uri is left out"},
		"/fake": {"This document is accepted", "client_name is missing, or is not shown"},
		"/none": {"isn’t accepted", "There is no document at the address: the response has status 404."},
		"/list": {"isn’t accepted", "The document is not a JSON object"},
		"/bad": {
			"client_id is not the address of the document, byte for byte.", "client_secret is in a document that everybody can read.",
			"redirect_uris[1] is of another domain than the document.", "redirect_uris[2] is of another domain than the document.",
			"token_endpoint_auth_method is neither none nor private_key_jwt.",
		},
		"/long": {"There are 981 more."},
		"/big":  {"The document is larger than 8 KiB."},
	} {
		says(t, b.try(w, base+path), http.StatusOK, append(wants, `value="`+base+path+`"`)...)
	}
	for _, address := range []string{base + "/", "https://app.test:8443", "nonsense", "https://user@app.test/c", "ftp://app.test/c", base + "/a/../good"} {
		says(t, b.try(w, address), http.StatusOK, "The address ")
	}
	says(t, b.try(w, " "), http.StatusUnprocessableEntity, "Enter an https address")
	unchanged("the organization")
	for _, of := range []*provider.Provider{w.id, w.sandbox} {
		if all, err := of.Clients().List(t.Context(), "", 10); err != nil || len(all) > 0 {
			t.Errorf("clients %v, %v", all, err)
		}
	}
	if found, err := w.sandboxStore.Events(t.Context(), storage.EventFilter{Name: "document_refused", Limit: 10}); err != nil || len(found) > 0 {
		t.Errorf("recorded %v, %v", found, err)
	}
}

// Whatever keeps the provider from a host, the page says the same: it is no port scanner.
func TestAttackScanPortsByDocuments(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	mute := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = connection.Close()
		}
	}))
	defer mute.Close()
	w := newFixture(t)
	b := w.as(viewer)
	says(t, b.try(w, "https://169.254.169.254/c"), http.StatusOK, "The address is") // and is not called
	const same = "Nobody answers at this address as a public web server over https does"
	for _, address := range []string{
		closed.URL + "/c", mute.URL + "/c", "https" + strings.TrimPrefix(mute.URL, "http") + "/c", "https://nowhere.invalid/c",
	} {
		p := b.try(w, address)
		says(t, p, http.StatusOK, same)
		for _, hint := range []string{"refused", "certificate", "no address", "may not be called", "in time"} {
			if strings.Contains(p.body, hint) {
				t.Errorf("%s: the page says %q", address, hint)
			}
		}
	}
}

func TestAttackFloodOfDocuments(t *testing.T) {
	t.Parallel()
	base, asked := documentHost(t, nil)
	w := newFixture(t)
	b := w.as(viewer)
	p := b.open(documentPath)
	for range 30 {
		p = b.submit(p, "address", base+"/c")
	}
	says(t, p, http.StatusTooManyRequests, "Wait a minute", `value="`+base+`/c"`)
	if p.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if *asked == 0 || *asked > 8 {
		t.Errorf("the host was asked %d times", *asked)
	}
}

func TestDocumentsAreTriedOnlyWhereTheyAreClients(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(dev)
	if p := b.open("/developer/o/river/production"); strings.Contains(p.body, "/document") {
		t.Error("production leads to the page")
	}
	says(t, b.open("/developer/o/river/production/document"), http.StatusNotFound)
	action, fields := b.open(documentPath).form(t, "address", "https://app.test/c")
	says(t, b.post(strings.Replace(action, "sandbox", "production", 1), fields), http.StatusNotFound)
}

// A host that the staff has denied is not asked.
func TestADocumentOfADeniedHostIsNotRead(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.ok(w.sandbox.Rooms().Hosts.Deny(t.Context(), "app.example", "It passes for a bank."))
	says(t, w.as(viewer).try(w, "https://app.example/client"), http.StatusOK, "may have no clients here")
}
