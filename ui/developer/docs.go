package developer

import (
	"strconv"
	"strings"
)

// splitCode returns text and code in turn, text first. A backquote without another one
// is text.
func splitCode(text string) []string {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 1 {
		return parts
	}
	last := len(parts) - 1
	parts[last-1] += "`" + parts[last]
	return parts[:last]
}

func (s DocsSection) tableID(i int) string { return s.ID + "-table-" + strconv.Itoa(i+1) }

func (s DocsSection) codeID(i int) string { return s.ID + "-code-" + strconv.Itoa(i+1) }
