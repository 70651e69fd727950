package reference

import (
	"fmt"
	"strings"

	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// LLMs returns the reference as one text in Markdown, in the form of llmstxt.org.
func (d *Document) LLMs() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> OAuth 2 and OpenID Connect for applications that sign users in with %s, at %s.\n", d.Name, d.Name, d.BaseURL)
	for _, s := range d.Sections() {
		writeSection(&b, s, 2)
	}
	return []byte(b.String())
}

func writeSection(b *strings.Builder, s screens.DocsSection, level int) {
	fmt.Fprintf(b, "\n%s %s\n", strings.Repeat("#", level), s.Title)
	for _, p := range s.Text {
		fmt.Fprintf(b, "\n%s\n", p)
	}
	for i, step := range s.Steps {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "%d. %s\n", i+1, step)
	}
	for _, t := range s.Tables {
		writeTable(b, t)
	}
	for _, c := range s.Code {
		fmt.Fprintf(b, "\n%s:\n\n```\n%s\n```\n", c.Caption, c.Text)
	}
	for _, p := range s.Parts {
		writeSection(b, p, level+1)
	}
}

func writeTable(b *strings.Builder, t screens.DocsTable) {
	fmt.Fprintf(b, "\n%s:\n\n", t.Caption)
	writeRow(b, t.Columns)
	b.WriteString(strings.Repeat("|---", len(t.Columns)) + "|\n")
	for _, r := range t.Rows {
		writeRow(b, r)
	}
}

// cell keeps what the operator wrote within its cell.
var cell = strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ")

func writeRow(b *strings.Builder, cells []string) {
	for _, c := range cells {
		b.WriteString("| " + cell.Replace(c) + " ")
	}
	b.WriteString("|\n")
}
