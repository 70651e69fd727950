package samples

import (
	"bytes"
	"encoding/json"
	"html"
	"strconv"
	"strings"
	"text/template"
)

// quoting is how a string is written in each language.
var quoting = template.FuncMap{
	"go":   strconv.Quote,
	"json": quoteJSON,
	// As JSON, in a script within a page, which nothing in it can end.
	"script": func(s string) (string, error) { text, err := json.Marshal(s); return string(text), err },
	"sh":     func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" },
	"php":    quoteSingle,
	"ruby":   quoteSingle,
	"text":   html.EscapeString,
	"html":   func(s string) string { return `"` + html.EscapeString(s) + `"` },
}

// quoteJSON writes a string of JSON, which one of JavaScript, Python, Java, C# and YAML
// is written like, too: its escapes are \", \\, \b, \f, \n, \r, \t and \uXXXX, and it has
// no character that one of them forbids.
func quoteJSON(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return "", err
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`), nil
}

// quoteSingle writes a string in single quotes, in which nothing but a backslash and the
// quote mean something.
func quoteSingle(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
