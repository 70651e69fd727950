package developer

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/developer/internal/reference"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// newReference returns the reference of this installation.
func newReference(c Config) *reference.Document {
	i := reference.Installation{Installation: c.Provider.Rooms().Installation(), Button: c.Provider.Rooms().Pages.ButtonScript()}
	if c.Sandbox != nil {
		sandbox := c.Sandbox.Rooms().Installation()
		i.SandboxURL, i.Devices, i.Documents = sandbox.BaseURL, i.Devices || sandbox.Devices, i.Documents || sandbox.Documents
		i.Registers, i.RegistersByToken = i.Registers || sandbox.Registers, i.RegistersByToken || sandbox.RegistersByToken
	}
	return reference.New(i)
}

// showDocs shows the reference to everybody.
func (d *Dashboard) showDocs(r *request) error {
	p, err := d.page(r)
	if err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Docs(screens.DocsView{
		Page: p, OpenAPIURL: d.path("openapi.json"), TextURL: d.path("llms.txt"), Sections: d.reference.Sections(),
	}))
	return nil
}

// mountDocuments serves the reference for programs, also below that for people.
func (d *Dashboard) mountDocuments() {
	for path, handler := range map[string]http.Handler{
		"/openapi.json": servePublication("application/vnd.oai.openapi+json; charset=utf-8", d.reference.OpenAPI),
		"/llms.txt":     servePublication("text/markdown; charset=utf-8", d.reference.LLMs),
	} {
		d.mux.Handle("GET "+d.base+path, handler)
		d.mux.Handle("GET "+d.base+"/docs"+path, handler)
	}
}
