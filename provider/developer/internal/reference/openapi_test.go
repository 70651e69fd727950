package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// The fixed fields of the objects of OpenAPI 3.1 that the document has, those that are
// required first.
var fixedFields = map[string]struct{ required, optional []string }{
	"root":        {[]string{"openapi", "info", "paths"}, []string{"servers", "components"}},
	"info":        {[]string{"title", "version"}, []string{"description"}},
	"server":      {[]string{"url"}, []string{"description"}},
	"operation":   {[]string{"operationId", "responses"}, []string{"summary", "description", "security", "parameters", "requestBody"}},
	"parameter":   {[]string{"name", "in", "schema"}, []string{"required", "description", "example"}},
	"requestBody": {[]string{"content"}, []string{"required", "description"}},
	"mediaType":   {nil, []string{"schema", "example", "examples"}},
	"response":    {[]string{"description"}, []string{"content", "headers"}},
	"header":      {[]string{"schema"}, []string{"description"}},
	"example":     {[]string{"value"}, []string{"summary"}},
	"components":  {nil, []string{"schemas", "securitySchemes"}},
	"schema": {nil, []string{"type", "title", "description", "properties", "required", "items", "enum", "format", "examples",
		"oneOf", "$ref"}},
	"securityScheme": {[]string{"type"}, []string{"scheme", "description", "openIdConnectUrl"}},
}

// check walks an OpenAPI document.
type check struct {
	t          *testing.T
	root       map[string]any
	operations map[string]bool
	refs       int
}

func (c *check) object(kind, at string, v any) map[string]any {
	c.t.Helper()
	o, ok := v.(map[string]any)
	if !ok {
		c.t.Errorf("%s is no object: %v", at, v)
		return nil
	}
	fields := fixedFields[kind]
	for _, name := range fields.required {
		if _, there := o[name]; !there {
			c.t.Errorf("%s: a %s has %s", at, kind, name)
		}
	}
	for name := range o {
		if !slices.Contains(fields.required, name) && !slices.Contains(fields.optional, name) {
			c.t.Errorf("%s: a %s has no %s", at, kind, name)
		}
	}
	return o
}

// entries are the members of a map of the document; none when it is not there.
func entries(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func (c *check) document() {
	root := c.object("root", "document", c.root)
	if root["openapi"] != "3.1.0" {
		c.t.Errorf("openapi is %v", root["openapi"])
	}
	c.object("info", "info", root["info"])
	for _, s := range list(root["servers"]) {
		c.object("server", "servers", s)
	}
	components := c.object("components", "components", root["components"])
	for name, s := range entries(components["schemas"]) {
		if !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(name) {
			c.t.Errorf("schema %q", name)
		}
		c.schema("schemas/"+name, s)
	}
	schemes := entries(components["securitySchemes"])
	for name, s := range schemes {
		c.object("securityScheme", name, s)
	}
	for path, item := range entries(root["paths"]) {
		if !strings.HasPrefix(path, "/") {
			c.t.Errorf("path %q", path)
		}
		for method, o := range entries(item) {
			if !slices.Contains([]string{"get", "post", "put", "patch", "delete"}, method) {
				c.t.Errorf("%s: method %q", path, method)
			}
			c.operation(method+" "+path, o, schemes)
		}
	}
}

func (c *check) operation(at string, v any, schemes map[string]any) {
	o := c.object("operation", at, v)
	id, _ := o["operationId"].(string)
	if id == "" || c.operations[id] {
		c.t.Errorf("%s: operationId %q is empty or there twice", at, id)
	}
	c.operations[id] = true
	for _, requirement := range list(o["security"]) {
		for name := range entries(requirement) {
			if schemes[name] == nil {
				c.t.Errorf("%s: security %q is not there", at, name)
			}
		}
	}
	seen := map[any]bool{}
	for _, p := range list(o["parameters"]) {
		parameter := c.object("parameter", at, p)
		if parameter["in"] != "query" && parameter["in"] != "header" && !strings.Contains(at, fmt.Sprint("{", parameter["name"], "}")) || seen[parameter["name"]] {
			c.t.Errorf("%s: parameter %v", at, parameter)
		}
		seen[parameter["name"]] = true
		c.schema(at, parameter["schema"])
	}
	if b, ok := o["requestBody"]; ok {
		c.content(at, c.object("requestBody", at, b)["content"])
	}
	responses := entries(o["responses"])
	if len(responses) == 0 {
		c.t.Errorf("%s has no responses", at)
	}
	for status, r := range responses {
		if !regexp.MustCompile(`^[1-5]\d\d$`).MatchString(status) {
			c.t.Errorf("%s: status %q", at, status)
		}
		response := c.object("response", at+" "+status, r)
		c.content(at+" "+status, response["content"])
		for name, h := range entries(response["headers"]) {
			c.schema(at+" "+name, c.object("header", at+" "+name, h)["schema"])
		}
	}
}

func (c *check) content(at string, v any) {
	for media, m := range entries(v) {
		mediaType := c.object("mediaType", at+" "+media, m)
		c.schema(at, mediaType["schema"])
		for name, e := range entries(mediaType["examples"]) {
			example := c.object("example", at+" "+name, e)
			c.valid(at+" "+name, mediaType["schema"], example["value"])
		}
		if e, ok := mediaType["example"]; ok {
			c.valid(at, mediaType["schema"], e)
		}
	}
}

func (c *check) schema(at string, v any) {
	s := c.object("schema", at, v)
	if ref, ok := s["$ref"].(string); ok {
		c.refs++
		if c.resolve(ref) == nil {
			c.t.Errorf("%s: %s leads nowhere", at, ref)
		}
	}
	for _, name := range list(s["required"]) {
		if entries(s["properties"])[name.(string)] == nil {
			c.t.Errorf("%s requires %v, which it does not have", at, name)
		}
	}
	for name, p := range entries(s["properties"]) {
		c.schema(at+"/"+name, p)
	}
	if items, ok := s["items"]; ok {
		c.schema(at+"[]", items)
	} else if s["type"] == "array" {
		c.t.Errorf("%s: an array without items", at)
	}
	for _, one := range list(s["oneOf"]) {
		c.schema(at, one)
	}
	for _, e := range list(s["examples"]) {
		c.valid(at, s, e)
	}
}

func (c *check) resolve(ref string) any {
	var v any = c.root
	for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		v = entries(v)[step]
	}
	return v
}

// valid demands that a value is one of a schema, as far as the documents' schemas go.
func (c *check) valid(at string, schema, value any) {
	s := entries(schema)
	if ref, ok := s["$ref"].(string); ok {
		s = entries(c.resolve(ref))
	}
	kinds := list(s["type"])
	if kind, ok := s["type"].(string); ok {
		kinds = []any{kind}
	}
	if len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind any) bool { return kind == kindOf(value) || kind == "integer" && kindOf(value) == "number" }) {
		c.t.Errorf("%s: %v is no %v", at, value, kinds)
	}
	for _, name := range list(s["required"]) {
		if _, there := entries(value)[name.(string)]; !there {
			c.t.Errorf("%s: the example has no %v", at, name)
		}
	}
	for name, v := range entries(value) {
		if p, ok := entries(s["properties"])[name]; ok {
			c.valid(at+"/"+name, p, v)
		}
	}
	for _, v := range list(value) {
		c.valid(at+"[]", s["items"], v)
	}
	if enum := list(s["enum"]); len(enum) > 0 && !slices.Contains(enum, value) {
		c.t.Errorf("%s: %v is none of %v", at, value, enum)
	}
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	default:
		return "object"
	}
}

func TestOpenAPIIsWellFormed(t *testing.T) {
	t.Parallel()
	for name, i := range map[string]Installation{
		"Defaults":         installation("https://id.example"),
		"WithoutAnything":  {Installation: room.Installation[provider.Lifetimes, provider.Resource]{Name: "Bare", BaseURL: "https://id.example"}},
		"HostileCatalogue": hostile(),
	} {
		t.Run(name, func(t *testing.T) {
			d := New(i)
			c := &check{t: t, operations: map[string]bool{}}
			testkit.OK(t, json.Unmarshal(d.OpenAPI(), &c.root))
			c.document()
			if len(c.operations) < len(d.Endpoints) || c.refs == 0 {
				t.Errorf("%d operations with %d references", len(c.operations), c.refs)
			}
		})
	}
}

func TestOpenAPIHasEveryEndpointPayloadAndError(t *testing.T) {
	t.Parallel()
	d := New(installation("https://id.example"))
	var root map[string]any
	testkit.OK(t, json.Unmarshal(d.OpenAPI(), &root))
	schemas := entries(entries(root["components"])["schemas"])
	for _, p := range d.Payloads {
		if got := entries(entries(schemas[p.Name])["properties"]); len(got) != len(p.Members) {
			t.Errorf("%s has the members %v", p.Name, slices.Sorted(maps.Keys(got)))
		}
	}
	for _, e := range d.Endpoints {
		for _, method := range e.Methods {
			o := entries(entries(entries(root["paths"])[e.Path])[strings.ToLower(method)])
			for _, f := range d.errorsOf(e) {
				response := fmt.Sprint(entries(o["responses"])[fmt.Sprint(f.Status)])
				if !strings.Contains(response, f.Text) {
					t.Errorf("%s %s does not tell of %d %q", method, e.Path, f.Status, f.Text)
				}
			}
		}
	}
}
