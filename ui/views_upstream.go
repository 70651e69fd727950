package ui

import "slices"

// UpstreamButton leads to an upstream provider, at which people authenticate with an account
// that they have there. It posts [Form.Hidden] to URL.
type UpstreamButton struct {
	// ID names the upstream in addresses, Title to people, such as Google.
	ID, Title string
	// Mark is the look that a provider's own rules ask for. Empty shows Logo, or the first
	// letter of the title.
	Mark UpstreamMark
	Logo Picture
	// URL is what the button is posted to.
	URL string
	// LastUsed says that the user came from there the last time in this browser. It is shown
	// first.
	LastUsed bool
}

// UpstreamMark is the look of a provider that has rules for the buttons that lead to it.
type UpstreamMark string

// The marks.
const (
	MarkGoogle    UpstreamMark = "google"
	MarkMicrosoft UpstreamMark = "microsoft"
	MarkApple     UpstreamMark = "apple"
	MarkGitHub    UpstreamMark = "github"
)

// Connecting is an identity at an upstream provider that is connected to an account as soon as
// its owner signs in. Its zero value is none.
type Connecting struct {
	// Upstream is the title of the upstream.
	Upstream string
	// CancelURL leads to signing in without connecting anything. Empty shows no link.
	CancelURL string
}

// upstreamsAtOnce is how many buttons are shown before the rest is folded away.
const upstreamsAtOnce = 4

// folded returns the buttons to show, the last used first, and those behind them. One alone is
// not folded away.
func folded(buttons []UpstreamButton) (shown, more []UpstreamButton) {
	ordered := slices.Clone(buttons)
	slices.SortStableFunc(ordered, func(a, b UpstreamButton) int {
		switch {
		case a.LastUsed == b.LastUsed:
			return 0
		case a.LastUsed:
			return -1
		default:
			return 1
		}
	})
	if len(ordered) <= upstreamsAtOnce+1 {
		return ordered, nil
	}
	return ordered[:upstreamsAtOnce], ordered[upstreamsAtOnce:]
}

// label is what a button says: in the words that the provider asks for, if it does.
func (b UpstreamButton) label(l *Locale) string {
	t := l.text.Upstream
	say, ok := t.Brands[b.Mark]
	if !ok {
		say = t.Continue
	}
	return l.Plain(say, With("upstream", b.Title))
}
