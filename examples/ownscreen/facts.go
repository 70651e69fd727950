package main

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/ui"
)

// valuesOf returns all that an attribute holds, as people read it: whatever is left out here is
// released unseen. None says that nothing is known.
func valuesOf(l *ui.Locale, a ui.ConsentAttribute) []string {
	values := slices.Clone(a.Values)
	for _, record := range a.Records {
		values = append(values, record.Line())
	}
	if a.Truth != nil {
		values = append(values, l.Truth(*a.Truth))
	}
	return values
}

// unknown names the attributes that nothing is known for.
func unknown(l *ui.Locale, attributes []ui.ConsentAttribute) string {
	return labels(slices.DeleteFunc(slices.Clone(attributes), func(a ui.ConsentAttribute) bool { return len(valuesOf(l, a)) > 0 }))
}

// labels names attributes.
func labels(attributes []ui.ConsentAttribute) string {
	names := make([]string, len(attributes))
	for i, a := range attributes {
		names[i] = a.Label.Text
	}
	return strings.Join(names, ", ")
}
