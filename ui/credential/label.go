package credential

import (
	"cmp"

	"github.com/bonafide-id/bonafide/ui"
)

// ClaimWords returns what a wallet calls a claim of a proof; a claim without words is called by its
// name.
func ClaimWords(l *ui.Locale, claim string) string {
	if said, ok := textOf(l).Claims[claim]; ok {
		return l.OrEnglish().Plain(said)
	}
	return claim
}

// lead says what the page is for, and what comes first for somebody who can add nothing.
func (v HomeView) lead() string {
	l, t := v.Locale.OrEnglish(), textOf(v.Locale).Home
	if len(v.Groups) == 0 {
		return l.Plain(t.Empty)
	}
	for _, g := range v.Groups {
		if g.State == StateReady {
			return l.Plain(t.Text, ui.With("brand", v.Brand.Name))
		}
	}
	return l.Plain(t.First, ui.With("brand", v.Brand.Name))
}

// action is what a user can do about a group.
func (g Group) action(t homeText) ui.Message {
	if g.State == StateReady {
		return t.Add
	}
	return t.Verify
}

// name is what a proof is called where there is no room for more.
func (p Proof) name() string { return ui.Clean(p.Label.Text, ui.MaxName) }

// mark is what the first letter is of that stands in the place of a logo.
func (p Proof) mark() string { return cmp.Or(p.Wallet.Name, p.Label.Text) }

// icon is the picture of a notice.
func (n Notice) icon() ui.Icon {
	if n == NoticeOfferOver {
		return ui.IconProblem
	}
	return ui.IconDone
}

// icon is the picture of a state.
func (s State) icon() ui.Icon {
	switch s {
	case StateReady:
		return ui.IconVerified
	case StateEnding, StateExpired:
		return ui.IconExpired
	case StatePending:
		return ui.IconAway
	default:
		return ui.IconUnverified
	}
}

// class is the look of a state: that of the groups of the account.
func (s State) class() string {
	switch s {
	case StateReady:
		return "verified"
	case StateEnding, StateExpired:
		return "expired"
	default:
		return "unverified"
	}
}
