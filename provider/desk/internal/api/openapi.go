package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// openAPI returns the document of all operations (OpenAPI 3.1).
func (a *API) openAPI() ([]byte, error) {
	named := object{}
	named["Problem"] = structSchema(reflect.TypeFor[problemBody](), false, named)
	paths := object{}
	for _, o := range a.operations {
		at, _ := paths[o.Path].(object)
		if at == nil {
			at = object{}
			paths[o.Path] = at
		}
		at[strings.ToLower(o.Method)] = o.describe(named)
	}
	installed := a.Provider.Rooms().Installation()
	flows := object{}
	for _, s := range scopes {
		flows[s.name] = s.says
	}
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{
			"title": installed.Name + " Admin API", "version": "1",
			"description": "What programs may do at the desk. A client authenticates with private_key_jwt and asks for a token of its own (client_credentials) for this resource.",
		},
		"servers":  []object{{"url": a.resource.URI}},
		"security": []object{{"token": []string{}}},
		"paths":    paths,
		"components": object{"schemas": named, "securitySchemes": object{"token": object{
			"type": "oauth2", "flows": object{"clientCredentials": object{"tokenUrl": installed.BaseURL + "/oauth/token", "scopes": flows}},
		}}},
	}, "", " ")
}

// describe is an operation in the document.
func (o operation) describe(named object) object {
	d := object{
		"operationId": o.ID, "summary": o.Title, "tags": []string{strings.SplitN(o.Path, "/", 3)[1]},
		"security": o.security(), "responses": o.responses(named),
	}
	if o.Text != "" {
		d["description"] = o.Text
	}
	if all := o.describeParameters(); len(all) > 0 {
		d["parameters"] = all
	}
	if o.hasBody() {
		d["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": o.bodySchema(named)}}}
	}
	return d
}

// security are the scopes of which a token needs one.
func (o operation) security() []object {
	all := []object{{"token": []string{o.Scope}}}
	if o.Or != "" {
		all = append(all, object{"token": []string{o.Or}})
	}
	return all
}

func (o operation) bodySchema(named object) object {
	if o.Fields != nil {
		return o.Fields.schema()
	}
	return schemaOf(reflect.TypeOf(o.In), true, named)
}

// inPath are the parts of paths that stand for something.
var inPath = regexp.MustCompile(`\{(\w+)\}`)

func (o operation) describeParameters() (all []object) {
	for _, found := range inPath.FindAllStringSubmatch(o.Path, -1) {
		all = append(all, object{"name": found[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range o.parameters() {
		s := object{"type": "string"}
		switch {
		case p.name == parameterLimit:
			s = object{"type": "integer", "minimum": 1, "maximum": mostRows}
		case p.enum != nil:
			s["enum"] = p.enum
		case p.format != "":
			s["format"] = p.format
		}
		all = append(all, object{"name": p.name, "in": "query", "description": p.doc, "schema": s})
	}
	for _, h := range []struct {
		name, doc string
		has       bool
	}{
		{headerMatter, "The ID of an open matter of this client about the person.", o.Matter},
		{"Idempotency-Key", "What is new for each act, and the same for each repetition of it: a repetition within 24 hours gets the first response.", o.Act},
		{"If-Match", "The ETag of the target as it was looked at.", o.Match},
	} {
		if h.has {
			all = append(all, object{"name": h.name, "in": "header", "required": true, "description": h.doc, "schema": object{"type": "string"}})
		}
	}
	return all
}

// responses are those of an operation by status.
func (o operation) responses(named object) object {
	success := object{"description": http.StatusText(o.Status)}
	if o.Out != nil {
		success["content"] = object{"application/json": object{"schema": schemaOf(reflect.TypeOf(o.Out), false, named)}}
	}
	if headers := o.describeHeaders(); len(headers) > 0 {
		success["headers"] = headers
	}
	all := object{strconv.Itoa(o.Status): success}
	for _, k := range o.problems() {
		status := strconv.Itoa(k.status)
		if known, ok := all[status].(object); ok {
			known["description"] = known["description"].(string) + " " + k.title //nolint:forcetypeassert // it is below
			continue
		}
		all[status] = object{"description": k.title, "content": object{"application/problem+json": object{"schema": object{"$ref": "#/components/schemas/Problem"}}}}
	}
	return all
}

// describeHeaders are the headers of a response.
func (o operation) describeHeaders() object {
	headers := object{}
	for _, h := range []struct {
		name, doc string
		has       bool
	}{
		{"ETag", "The revision of the target, for If-Match.", o.Revises},
		{"Link", "Where the next page is.", o.Paged},
		{"Location", "Where it is.", o.Status == http.StatusCreated},
	} {
		if h.has {
			headers[h.name] = object{"description": h.doc, "schema": object{"type": "string"}}
		}
	}
	return headers
}

// problems are the kinds that an operation has.
func (o operation) problems() []kind {
	all := []kind{kindRequest, kindNoToken, kindToken, kindScope, kindTooMany, kindFailed, kindUnavail}
	if o.Paged {
		all = append(all, kindCursor)
	}
	if o.Matter {
		all = append(all, kindNoMatter)
	}
	if o.Matter || strings.Contains(o.Path, "{") {
		all = append(all, kindNotFound)
	}
	if o.hasBody() {
		all = append(all, kindBody, kindTooLarge, kindMedia, kindValue)
	}
	if o.Act {
		all = append(all, kindNoKey, kindRunning, kindReused)
	}
	if o.Match {
		all = append(all, kindNoRevision, kindChanged, kindVoid)
	}
	return append(all, o.Problems...)
}
