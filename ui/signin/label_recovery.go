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
