package ui

// GroupsView lists the groups that a user can be verified as a member of.
// It posts [FieldAction] with [ActionVerify] and [FieldGroup].
type GroupsView struct {
	Page
	Form
	Notice Notice
	// Groups may be empty; the screen then says so.
	Groups []Membership
	// AccountURL leads back to the account.
	AccountURL string
}

// Membership is a user's place in a group, with what the user may read about it.
type Membership struct {
	ConsentGroup
	// VerifiedBy names who has verified it, Source where that came from, and Method how
	// it was found out: one of the methods that storage.Status names, or any text.
	// Empty ones are not shown.
	VerifiedBy, Source, Method string
}

// reason returns why a verification was refused.
func (l *Locale) reason(name string) string {
	if sentence, ok := l.text.Groups.Reasons[name]; ok {
		return l.Plain(sentence)
	}
	return Clean(name, maxMessage)
}

// method returns what a method is called.
func (l *Locale) method(name string) string {
	if sentence, ok := l.text.Groups.Methods[name]; ok {
		return l.Plain(sentence)
	}
	return Clean(name, MaxName)
}

// icon returns the picture beside a notice.
func (n Notice) icon() Icon {
	switch n {
	case NoticePending:
		return IconAway
	case NoticeUnverified:
		return IconUnverified
	default:
		return IconDone
	}
}

// isOpen reports whether what a notice is about has come to no good end, or to none yet.
func (n Notice) isOpen() bool { return n == NoticePending || n == NoticeUnverified }
