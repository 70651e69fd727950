package act

import (
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// needs is what an action still needs here and now, and what its write rests on once it needs
// nothing.
type needs struct {
	stands screens.ActNeed
	proof  storage.CallerProof
}

// needsOf decides whether somebody may do an action to a target at once. On themselves nobody
// does; on who works here two operators do. Then the caller proves who they are, and only then
// another is asked.
func needsOf(r *frame.Request, rule action.Rule, target string) (n needs, err error) {
	n.proof = rule.Proof
	if rule.Target != action.Person {
		if rule.Eyes {
			n.stands = screens.NeedsEyes
		}
		return n, nil
	}
	standing, err := r.StandingOf(target)
	switch {
	case err != nil:
		return n, err
	case standing == frame.Self:
		return n, r.Refuse(frame.Refusal{Action: rule.Name, Person: target, Alarm: true})
	case standing == frame.Protected:
		n.stands = screens.NeedsProtected
		return n, nil
	}
	if proved := r.Proof(); proved < rule.Proof {
		vouched := false
		if rule.Proof == storage.SessionProof && proved == storage.MailboxProof {
			if vouched, err = r.Vouches(target); err != nil {
				return n, err
			}
			n.proof = storage.MailboxProof
		}
		if !vouched {
			n.stands = needOf(rule.Proof)
			return n, nil
		}
	}
	if rule.Eyes {
		n.stands = screens.NeedsEyes
	}
	return n, nil
}

// needOf is that of a proof.
func needOf(p storage.CallerProof) screens.ActNeed {
	if p == storage.SessionProof {
		return screens.NeedsSession
	}
	return screens.NeedsMailbox
}
