package api

import (
	"context"
	"html/template"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
)

// Route is the reference for people, made of the same table. Like that of the dashboard it is in
// English.
func (a *API) Route() frame.Route {
	page := referencePage{a}
	return frame.Route{Path: "/docs", Needs: action.Staff.Works, Show: func(r *frame.Request) error {
		r.RenderFrame(http.StatusOK, "Admin API", page)
		return nil
	}}
}

// referencePage is the content of the page.
type referencePage struct{ api *API }

// Render writes it.
func (p referencePage) Render(_ context.Context, w io.Writer) error {
	return referenceText.Execute(w, p)
}

// Base is the address of the API.
func (p referencePage) Base() string { return p.api.resource.URI }

// Issuer is who issues its tokens.
func (p referencePage) Issuer() string { return p.api.Provider.Issuer() }

// Document is the address of the OpenAPI document.
func (p referencePage) Document() string { return p.Base() + documentPath }

// Operations are all operations.
func (p referencePage) Operations() []operation { return p.api.operations }

// Problems are all kinds of problems.
func (p referencePage) Problems() (all []referredKind) {
	for _, k := range kinds {
		all = append(all, referredKind{k.name, k.title, k.status})
	}
	return all
}

type referredKind struct {
	Name, Title string
	Status      int
}

// Scopes are all scopes.
func (p referencePage) Scopes() (all []referredKind) {
	for _, s := range scopes {
		all = append(all, referredKind{Name: s.name, Title: s.says})
	}
	return all
}

// Limit says how often a client may call an operation.
func (o operation) Limit() string { return o.Spend.says }

// Headers are those that a request needs beside its token.
func (o operation) Headers() string {
	var all []string
	for _, h := range o.describeParameters() {
		if h["in"] == "header" {
			all = append(all, h["name"].(string)) //nolint:forcetypeassert // it is written there
		}
	}
	return strings.Join(all, ", ")
}

// described is a parameter, or a member of a body or a response.
type described struct {
	Name, Doc string
	Needed    bool
}

// Parameters are those of the address.
func (o operation) Parameters() (all []described) {
	for _, p := range o.parameters() {
		all = append(all, described{Name: p.name, Doc: p.doc})
	}
	return all
}

// Body are the members of the body.
func (o operation) Body() (all []described) {
	if o.Fields != nil {
		for _, f := range o.Fields.of {
			all = append(all, described{f.Name, "", f.Required})
		}
		return all
	}
	return describedIn(o.In)
}

// Answer are the members of the response, or of each row of a list.
func (o operation) Answer() []described {
	if o.Out == nil {
		return nil
	}
	if t := reflect.TypeOf(o.Out); o.Paged {
		return describedIn(reflect.Zero(t.Field(0).Type.Elem()).Interface())
	}
	return describedIn(o.Out)
}

func describedIn(of any) (all []described) {
	if of == nil {
		return nil
	}
	for _, m := range membersOf(reflect.TypeOf(of)) {
		all = append(all, described{m.name, m.doc, !m.optional})
	}
	return all
}

var referenceText = template.Must(template.New("reference").Parse(`<div lang="en" dir="ltr">
<p>Programs of the host may do here what the staff may: a person is shown in an open matter only, every act rests on what was looked at, and what needs two of the staff is only proposed.</p>
<p>The API is at <code>{{.Base}}</code>. Its <a href="{{.Document}}">OpenAPI document</a> is made of the same table as this page.</p>
<h2>Access</h2>
<p>A client authenticates at <code>{{.Issuer}}</code> with <code>private_key_jwt</code> and asks for a token of its own: <code>grant_type=client_credentials</code>, <code>resource={{.Base}}</code>. Only clients that the host has named get one.</p>
<dl>{{range .Scopes}}<dt><code>{{.Name}}</code></dt><dd>{{.Title}}</dd>{{end}}</dl>
<h2>Operations</h2>
{{range .Operations}}<section><h3 id="{{.ID}}">{{.Title}}</h3>
<p><code>{{.Method}} {{.Path}}</code></p>
{{with .Text}}<p>{{.}}</p>{{end}}
<p>Scope <code>{{.Scope}}</code>. {{.Limit}}.{{with .Headers}} Headers: <code>{{.}}</code>.{{end}}</p>
{{with .Parameters}}<h4>Parameters</h4><dl>{{range .}}<dt><code>{{.Name}}</code></dt><dd>{{.Doc}}</dd>{{end}}</dl>{{end}}
{{with .Body}}<h4>Body</h4><dl>{{range .}}<dt><code>{{.Name}}</code>{{if not .Needed}} (optional){{end}}</dt><dd>{{.Doc}}</dd>{{end}}</dl>{{end}}
{{with .Answer}}<h4>Response</h4><dl>{{range .}}<dt><code>{{.Name}}</code></dt><dd>{{.Doc}}</dd>{{end}}</dl>{{end}}
</section>{{end}}
<h2>Problems</h2>
<p>Errors are problem details (RFC 9457) with one of these as <code>code</code>.</p>
<dl>{{range .Problems}}<dt id="{{.Name}}"><code>{{.Name}}</code> ({{.Status}})</dt><dd>{{.Title}}</dd>{{end}}</dl>
</div>
`))
