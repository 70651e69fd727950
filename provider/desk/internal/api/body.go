package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// maxBody is how much a body has, unless its operation says otherwise; maxDepth is how deep it
// goes.
const (
	maxBody  = 16 << 10
	maxDepth = 4
)

// readBody reads the JSON object of a request: of objects maps, of arrays slices, of numbers
// json.Number. A member that comes twice is an error: readers of the first and of the last may
// each believe another.
func readBody(w http.ResponseWriter, r *http.Request, most int64) (raw []byte, tree any, err error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, nil, fail(kindMedia, "")
	}
	raw, err = io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, nil, fail(kindTooLarge, fmt.Sprintf("At most %d bytes.", most))
	case err != nil:
		return nil, nil, &problem{kind: kindBody, Detail: "It could not be read.", cause: err}
	}
	tree, err = parse(string(raw))
	if err != nil {
		return nil, nil, err
	}
	if _, ok := tree.(map[string]any); !ok {
		return nil, nil, fail(kindBody, "It is no JSON object.")
	}
	return raw, tree, nil
}

// parse reads one JSON text.
func parse(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	tree, err := value(d, "", 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fail(kindBody, "There is something behind it.")
	}
	return tree, nil
}

// value reads the next value, which is at a JSON Pointer.
func value(d *json.Decoder, at string, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, fail(kindBody, "It is no JSON.")
	}
	open, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth == maxDepth {
		return nil, at400(at, "goes too deep")
	}
	if open == '{' {
		return objectOf(d, at, depth)
	}
	all := []any{}
	for d.More() {
		one, err := value(d, at+"/"+strconv.Itoa(len(all)), depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, closed(d)
}

func objectOf(d *json.Decoder, at string, depth int) (any, error) {
	members := map[string]any{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, fail(kindBody, "It is no JSON.")
		}
		if _, again := members[name]; again {
			return nil, at400(at+pointer(name), "comes twice")
		}
		if members[name], err = value(d, at+pointer(name), depth+1); err != nil {
			return nil, err
		}
	}
	return members, closed(d)
}

// closed reads the end of an object or an array.
func closed(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return fail(kindBody, "It is no JSON.")
	}
	return nil
}

// at400 is the problem that one member is not of the form of the reference.
func at400(at, detail string) *problem {
	return &problem{kind: kindBody, Faults: []fault{{at, detail}}}
}

// pointer returns the JSON Pointer of a member of the body.
func pointer(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
