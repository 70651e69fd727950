package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// object is a JSON object of the OpenAPI document.
type object = map[string]any

// schemaOf returns the schema of a type (JSON Schema 2020-12). Structs with a name are put into
// named, and referred to. strict objects have no further members: those of requests.
func schemaOf(t reflect.Type, strict bool, named object) object {
	switch t {
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), strict, named)
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem(), strict, named)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem(), strict, named)}
	case reflect.Struct:
		return referred(t, strict, named)
	default:
		panic("api: no schema for " + t.String())
	}
}

// referred puts a struct into the named schemas and returns a reference to it.
func referred(t reflect.Type, strict bool, named object) object {
	name := schemaName(t)
	if _, known := named[name]; !known {
		named[name] = object{} // for one that contains itself
		named[name] = structSchema(t, strict, named)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// schemaName is the name of a type among the schemas: rows[person] is PersonList.
func schemaName(t reflect.Type) string {
	name := t.Name()
	if element, list := strings.CutPrefix(name, "rows["); list {
		element = strings.TrimSuffix(element, "]")
		name = element[strings.LastIndexByte(element, '.')+1:] + "List"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func structSchema(t reflect.Type, strict bool, named object) object {
	properties, required := object{}, []string{}
	for _, m := range membersOf(t) {
		of := schemaOf(t.Field(m.field).Type, strict, named)
		if m.doc != "" {
			if _, refers := of["$ref"]; !refers {
				of["description"] = m.doc
			}
		}
		if m.format != "" {
			of["format"] = m.format
		}
		if strict {
			m.bound(of)
		}
		if m.enum != nil {
			of["enum"] = m.enum
		}
		properties[m.name] = of
		if !m.optional {
			required = append(required, m.name)
		}
	}
	s := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	if strict {
		s["additionalProperties"] = false
	}
	return s
}

// bound says how long a member of a request may be.
func (m member) bound(s object) {
	switch s["type"] {
	case "string":
		s["maxLength"] = m.max
	case "array":
		s["maxItems"] = m.max
	}
}
