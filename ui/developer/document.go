package developer

import "github.com/bonafide-id/bonafide/ui"

// DocumentMissing is for a form without an address.
func DocumentMissing(p ui.Page) ui.Problem {
	l := p.Locale.OrEnglish()
	return ui.Problem{Field: FieldAddress, Text: l.Plain(textOf(l).Document.Missing)}
}

// DocumentTooMany is for an account or a host of which too many documents were read.
func DocumentTooMany(p ui.Page) ui.Problem {
	l := p.Locale.OrEnglish()
	return ui.Problem{Field: FieldAddress, Text: l.Plain(textOf(l).Document.TooMany)}
}

// facts are what a document makes, a label with its values each.
func (v DocumentView) facts() []documentFact {
	l := v.locale()
	t, of := textOf(l).Document, textOf(l).Application
	facts := []documentFact{{l.Plain(t.Host), []string{v.Host}}}
	if v.CallsItself != "" {
		facts = append(facts, documentFact{l.Plain(t.CallsItself), []string{v.CallsItself}})
	}
	return append(facts,
		documentFact{l.Plain(of.Fields[FieldRedirectURIs].Label), v.RedirectURIs},
		documentFact{l.Plain(of.AuthMethod), []string{v.AuthMethod}},
		documentFact{l.Plain(of.Fields[ui.FieldGrantTypes].Label), v.GrantTypes},
		documentFact{l.Plain(of.Fields[FieldScopes].Label), v.Scopes},
		documentFact{l.Plain(t.Life), []string{span(l, v.Life)}},
	)
}

// documentFact is a label with its values.
type documentFact struct {
	label  string
	values []string
}
