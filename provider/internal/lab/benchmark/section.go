package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// write prints the tables, puts them into the report and everything into the JSON
// file, as far as these were asked for.
func write(found findings, o options) error {
	text := found.markdown()
	_, _ = fmt.Fprint(os.Stdout, text)
	if o.report != "" {
		report, err := os.ReadFile(o.report)
		if err != nil {
			return err
		}
		changed, err := replaceSection(string(report), found.section(), text)
		if err != nil {
			return fmt.Errorf("%s: %w", o.report, err)
		}
		if err := os.WriteFile(o.report, []byte(changed), 0o644); err != nil {
			return err
		}
	}
	if o.json == "" {
		return nil
	}
	raw, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.json, append(raw, '\n'), 0o644)
}

// replaceSection replaces what stands between two marks, which stay.
func replaceSection(report, name, text string) (string, error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(report, begin)
	_, after, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		return "", fmt.Errorf("no marks %q and %q", strings.TrimSpace(begin), end)
	}
	return before + begin + text + end + after, nil
}
