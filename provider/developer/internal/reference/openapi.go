package reference

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object whose members are written in the order of their names.
type object map[string]any

// OpenAPI returns the endpoints as OpenAPI 3.1, in JSON.
func (d *Document) OpenAPI() []byte {
	servers := []object{{"url": d.BaseURL, "description": "Production"}}
	if d.SandboxURL != "" {
		servers = append(servers, object{"url": d.SandboxURL, "description": "Sandbox"})
	}
	paths := object{}
	for _, e := range d.Endpoints {
		item := object{}
		for _, method := range e.Methods {
			item[strings.ToLower(method)] = d.operation(e, method)
		}
		paths[e.Path] = item
	}
	return encode(object{
		"openapi": "3.1.0",
		"info": object{
			"title":       d.Name,
			"version":     "v3",
			"description": "OAuth 2 and OpenID Connect for applications that sign users in with " + d.Name + ".",
		},
		"servers": servers,
		"paths":   paths,
		"components": object{
			"schemas":         d.schemas(),
			"securitySchemes": d.securitySchemes(),
		},
	})
}

// encode writes a document that people read too.
func encode(document object) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(document); err != nil {
		panic(err) // the document is made of strings, numbers and lists of them
	}
	return b.Bytes()
}

func (d *Document) securitySchemes() object {
	return object{
		"client":       object{"type": "http", "scheme": "basic", "description": "`client_id` and `client_secret`. Both may be parameters of the form instead."},
		"bearer":       object{"type": "http", "scheme": "bearer", "description": "An access token."},
		"registration": object{"type": "http", "scheme": "bearer", "description": "An initial access token, or a registration access token."},
		"openIdConnect": object{
			"type": "openIdConnect", "openIdConnectUrl": d.Issuer + "/.well-known/openid-configuration",
		},
	}
}

// operation is one method of an endpoint.
func (d *Document) operation(e Endpoint, method string) object {
	id := e.ID
	if method != e.Methods[0] {
		id += "By" + method[:1] + strings.ToLower(method[1:])
	}
	o := object{
		"operationId": id, "summary": e.Title, "description": strings.Join(append(slices.Clone(e.Text), e.facts()...), "\n\n"),
		"responses": d.responses(e), "security": e.security(),
	}
	inForm := func(p Parameter) bool { return method == http.MethodPost && !p.Header && !p.Path }
	var inAddress []object
	var form []Parameter
	for _, p := range e.Parameters {
		switch {
		case p.Name == "Authorization": // OpenAPI has it under security
		case inForm(p):
			form = append(form, p)
		default:
			inAddress = append(inAddress, p.outsideForm(e.exampleOf(p.Name)))
		}
	}
	if len(inAddress) > 0 {
		o["parameters"] = inAddress
	}
	if method == http.MethodPut { // which sends what GET answers
		o["requestBody"] = object{"required": true, "content": object{mediaJSON: object{"schema": d.answerSchema(e, e.Answers[0])}}}
	}
	if len(form) > 0 {
		media := "application/x-www-form-urlencoded"
		if e.JSON {
			media = mediaJSON
		}
		o["requestBody"] = object{
			"required": e.Auth != BearerAuth,
			"content":  object{media: object{"schema": formSchema(form), "example": e.formExample(form)}},
		}
	}
	return o
}

func (e Endpoint) security() []object {
	switch e.Auth {
	case ClientAuth, ConfidentialAuth:
		return []object{{"client": []string{}}, {}}
	case BearerAuth:
		return []object{{"bearer": []string{}}, {}}
	case RegistrationAuth:
		return []object{{"registration": []string{}}}
	default:
		return []object{}
	}
}

func (e Endpoint) exampleOf(parameter string) string {
	for _, p := range e.Example {
		if p.Name == parameter {
			return p.Value
		}
	}
	return ""
}

func (e Endpoint) formExample(form []Parameter) object {
	example := object{}
	for _, p := range form {
		switch v := e.exampleOf(p.Name); {
		case v == "":
		case e.JSON:
			example[p.Name] = json.RawMessage(v)
		default:
			example[p.Name] = v
		}
	}
	return example
}

// outsideForm is a parameter of the query or a header.
func (p Parameter) outsideForm(example string) object {
	in := "query"
	if p.Header {
		in = "header"
	}
	if p.Path {
		in = "path"
	}
	o := object{
		"name": p.Name, "in": in, "required": p.Needed == Always, "description": p.text(), "schema": p.schema(),
	}
	if example != "" {
		o["example"] = example
	}
	return o
}

// text says what a parameter means, and when it has to be there.
func (p Parameter) text() string {
	text := p.Meaning
	if p.Needed != "" && p.Needed != Always {
		text += " Required " + p.Needed + "."
	}
	if p.List {
		text += " Separated by spaces."
	}
	return text
}

func (p Parameter) schema() object {
	switch {
	case p.Integer:
		return object{"type": "integer"}
	case p.Object:
		return object{"type": "object"}
	}
	if p.Strings {
		return TypeStrings.schema()
	}
	s := object{"type": "string"}
	if len(p.Values) > 0 && !p.List {
		s["enum"] = p.Values
	}
	return s
}

func formSchema(form []Parameter) object {
	members, required := object{}, []string{}
	for _, p := range form {
		member := p.schema()
		member["description"] = p.text()
		members[p.Name] = member
		if p.Needed == Always {
			required = append(required, p.Name)
		}
	}
	s := object{"type": "object", "properties": members}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// responses are the answers and the errors of an endpoint by their status.
func (d *Document) responses(e Endpoint) object {
	all := object{}
	for _, a := range e.Answers {
		status := strconv.Itoa(a.Status)
		response, ok := all[status].(object)
		if !ok {
			response = object{"description": http.StatusText(a.Status)}
			all[status] = response
		}
		if a.When != "" {
			response["description"] = strings.TrimPrefix(response["description"].(string)+"; "+a.When, "OK; ")
		}
		if a.Type == "" {
			continue
		}
		content, ok := response["content"].(object)
		if !ok {
			content = object{}
			response["content"] = content
		}
		content[a.Type] = object{"schema": d.answerSchema(e, a)}
	}
	for _, f := range d.errorsOf(e) {
		addError(all, f)
	}
	return all
}

// answerSchema is the body of an answer.
func (d *Document) answerSchema(e Endpoint, a Answer) object {
	if a.Payload == "" {
		return object{"type": "string"}
	}
	schema := reference(a.Payload)
	if e.ID == "userinfo" { // in the dialect v3 it is a JWT
		return object{"oneOf": []object{schema, {"type": "string", "description": "A signed JWT, in the dialect `v3`."}}}
	}
	return schema
}

// addError adds an error to the responses, as one of the examples of its status.
func addError(responses object, f Error) {
	status := strconv.Itoa(f.Status)
	response, ok := responses[status].(object)
	if !ok {
		response = object{
			"description": http.StatusText(f.Status),
			"content":     object{mediaJSON: object{"schema": reference("Error"), "examples": object{}}},
		}
		if headers := errorHeaders(f.Status); len(headers) > 0 {
			response["headers"] = headers
		}
		responses[status] = response
	}
	examples := response["content"].(object)[mediaJSON].(object)["examples"].(object)
	summary := f.Remedy
	if f.For != Everyone {
		summary += " For " + string(f.For) + "."
	}
	examples[f.Code+strconv.Itoa(len(examples)+1)] = object{
		"summary": summary, "value": object{"error": f.Code, "error_description": f.Text},
	}
}

// errorHeaders are those that an error of a status always carries.
func errorHeaders(status int) object {
	header := func(name, text string) object {
		return object{name: object{"description": text, "schema": object{"type": "string"}}}
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return header("WWW-Authenticate", "How to authenticate.")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return header("Retry-After", "Seconds to wait.")
	case http.StatusMethodNotAllowed:
		return header("Allow", "The methods of the endpoint.")
	default:
		return nil
	}
}

func reference(payload string) object { return object{"$ref": "#/components/schemas/" + payload} }

// schemas are the payloads.
func (d *Document) schemas() object {
	all := object{}
	for _, p := range d.Payloads {
		members, required := object{}, []string{}
		for _, m := range p.Members {
			members[m.Name] = m.schema()
			if m.Always {
				required = append(required, m.Name)
			}
		}
		s := object{"type": "object", "title": p.Title, "properties": members}
		if len(required) > 0 {
			s["required"] = required
		}
		if len(p.Text) > 0 {
			s["description"] = strings.Join(p.Text, "\n\n")
		}
		if example := d.exampleOf(p); example != "" {
			s["examples"] = []json.RawMessage{json.RawMessage(example)}
		}
		all[p.Name] = s
	}
	return all
}

func (m Member) schema() object {
	s := m.Type.schema()
	if m.InV3 != "" {
		s["type"] = []any{s["type"], m.InV3.schema()["type"]}
	}
	text := m.Meaning
	if !m.Always && m.When != "" {
		text = strings.TrimSpace(text + " There: " + m.When + ".")
	}
	if text != "" {
		s["description"] = text
	}
	return s
}

func (t Type) schema() object {
	if payload, ok := strings.CutPrefix(string(t), string(typeObjects)); ok {
		return object{"type": "array", "items": reference(payload)}
	}
	if payload, ok := strings.CutPrefix(string(t), string(typeObject)); ok {
		return reference(payload)
	}
	switch t {
	case TypeStrings:
		return object{"type": "array", "items": object{"type": "string"}}
	case TypeDate:
		return object{"type": "string", "format": "date"}
	case TypeAny:
		return object{}
	default:
		return object{"type": string(t)}
	}
}
