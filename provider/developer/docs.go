package developer

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/developer/internal/reference"
	"github.com/bonafide-id/bonafide/ui"
)

// newReference returns the reference of this installation.
func newReference(c Config) *reference.Document {
	i := reference.Installation{Installation: c.Provider.Installation(), Button: c.Provider.ButtonScript()}
	if c.Sandbox != nil {
		i.SandboxURL = c.Sandbox.Installation().BaseURL
	}
	return reference.New(i)
}

// showDocs shows the reference to everybody.
func (d *Dashboard) showDocs(r *request) error {
	p, err := d.page(r)
	if err != nil {
		return err
	}
	r.Render(http.StatusOK, ui.DeveloperDocs(ui.DeveloperDocsView{
		DeveloperPage: p, OpenAPIURL: d.path("openapi.json"), TextURL: d.path("llms.txt"), Sections: d.reference.Sections(),
	}))
	return nil
}

// serveDocument serves the reference in a form for programs, which may come from any
// origin: it is the same for everybody.
func serveDocument(mediaType string, document []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", mediaType)
		h.Set("Cache-Control", "public, max-age=300")
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(document)
	})
}

// mountDocuments serves the reference for programs, also below that for people.
func (d *Dashboard) mountDocuments() {
	for path, handler := range map[string]http.Handler{
		"/openapi.json": serveDocument("application/vnd.oai.openapi+json; charset=utf-8", d.reference.OpenAPI()),
		"/llms.txt":     serveDocument("text/markdown; charset=utf-8", d.reference.LLMs()),
	} {
		d.mux.Handle("GET "+d.base+path, handler)
		d.mux.Handle("GET "+d.base+"/docs"+path, handler)
	}
}
