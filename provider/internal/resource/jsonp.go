package resource

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// callbackParameter names the function that a JSONP response calls.
const callbackParameter = "callback"

var callbackName = regexp.MustCompile(`^[A-Za-z_$][0-9A-Za-z_$]*(\.[A-Za-z_$][0-9A-Za-z_$]*){0,3}$`)

const maxCallback = 64

// reservedWords are no identifiers (ECMA-262 section 12.7.2), or name what a page
// must not let a script address reach: evaluation, and the way to other windows.
var reservedWords = []string{
	"await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do",
	"else", "enum", "export", "extends", "false", "finally", "for", "function", "if", "implements", "import",
	"in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public", "return",
	"static", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield",
	"eval", "Function", "setTimeout", "setInterval", "__proto__", "prototype", "constructor",
	"self", "window", "top", "parent", "opener", "frames", "document", "location", "globalThis",
}

// parseCallback returns the name of the callback, "" for none. Anything but a
// function's name is refused and never repeated: a response is a script of our
// origin, and its first bytes would be the caller's.
func parseCallback(r *http.Request, query url.Values) (string, error) {
	sent, ok := query[callbackParameter]
	if !ok {
		return "", nil
	}
	if len(sent) == 1 && isCallback(sent[0]) && r.Method != http.MethodPost {
		return sent[0], nil
	}
	return "", badRequest("The callback is not the name of a function.").Because(diagnosis.CallbackMalformed)
}

func isCallback(name string) bool {
	return len(name) <= maxCallback && callbackName.MatchString(name) &&
		!slices.ContainsFunc(strings.Split(name, "."), func(part string) bool { return slices.Contains(reservedWords, part) })
}

// writeScript answers a request that names a callback. An error is then a script
// too, with the status 200: browsers run no script of another, and the page would not
// learn of it. Whoever opens the address instead of loading it gets a file.
func (e *Endpoints) writeScript(w http.ResponseWriter, r *http.Request, callback string, raw []byte, err error) error {
	h := w.Header()
	if err != nil {
		cause := web.AsJSONError(err)
		e.Site.LogFailure(r, cause.Status, err)
		if cause.Status == http.StatusServiceUnavailable {
			web.SetUnavailable(h, cause)
		}
		if raw, err = json.Marshal(web.ErrorBody(cause)); err != nil {
			return err
		}
	}
	h.Set("Content-Disposition", `attachment; filename="f.txt"`)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	web.WriteBody(w, http.StatusOK, "text/javascript; charset=utf-8", wrap(callback, raw))
	return nil
}

// wrap returns the script. The comment keeps the first bytes out of the caller's
// hands; the separators end a line in JavaScript but not in JSON.
func wrap(name string, raw []byte) []byte {
	raw = bytes.ReplaceAll(raw, []byte("\u2028"), []byte(`\u2028`))
	raw = bytes.ReplaceAll(raw, []byte("\u2029"), []byte(`\u2029`))
	return slices.Concat([]byte("/**/"+name+"("), raw, []byte(");"))
}
