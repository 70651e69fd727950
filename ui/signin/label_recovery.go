package signin

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// hours are those of a wait, at least one.
func hours(d time.Duration) int { return max(1, int((d+time.Hour-1)/time.Hour)) }

// way returns what there is to say about a way that takes a wait. One of no time says so.
func (t recoveryText) way(w RecoveryWay, wait time.Duration) wayText {
	said := t.Ways[w]
	if wait > 0 || w != WayPassword && w != WayWait {
		return said
	}
	said.Hint, said.Submit, said.Text = t.Proof.AtOnce, t.Proof.Continue, t.Proof.WaitNow
	if w == WayPassword {
		said.Text = t.Proof.PasswordNow
	}
	return said
}

// heading is what the page of a way is about.
func (t recoveryText) heading(v RecoverProofView) ui.Message {
	switch {
	case v.Way == WayWait && v.Wait > 0:
		return t.Waiting.Heading
	case v.Way == WayWait:
		return t.Finish.Heading
	default:
		return t.Ways[v.Way].Title
	}
}

// split returns the ways of who has lost a passkey or an app, and those with it.
func split(ways []WayLink) (without, with []WayLink) {
	for _, w := range ways {
		if w.Way == WayPasskey || w.Way == WayApp {
			with = append(with, w)
		} else {
			without = append(without, w)
		}
	}
	return without, with
}

// scripts are those of the page.
func (v RecoverProofView) scripts() []string {
	if v.Way == WayPasskey {
		return []string{ui.ScriptPasskey()}
	}
	return nil
}

// icon is the picture of a way.
func (w RecoveryWay) icon() ui.Icon {
	switch w {
	case WayPasskey, WayPassword:
		return ui.IconKey
	case WayApp:
		return ui.IconPhone
	case WayCode:
		return ui.IconDone
	default:
		return ui.IconAway
	}
}
