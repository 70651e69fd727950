package ui

// label is what a persona is called.
func (p Persona) label() Label {
	if s := Clean(p.Title.Text, MaxName); s != "" {
		return Label{Text: s, Lang: p.Title.Lang}
	}
	return Label{Text: p.Name, Lang: Undetermined}
}

// truth says whether something is so.
func (l *Locale) truth(is bool) Message {
	if is {
		return l.text.Consent.Yes
	}
	return l.text.Consent.No
}

// groupState says whether somebody has verified that a person belongs to a group.
func (l *Locale) groupState(s GroupState) Message {
	switch s {
	case GroupVerified:
		return l.text.Consent.Verified
	case GroupExpired:
		return l.text.Consent.Expired
	case GroupPending:
		return l.text.Consent.Pending
	default:
		return l.text.Consent.Unverified
	}
}
