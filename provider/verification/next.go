package verification

import (
	"cmp"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// undoTime is how long a decision waits before it is carried out.
const undoTime = 10 * time.Second

// retryAfter is how long after a decline that names no reason to the person another case can
// begin. All such declines have the same time: a difference would tell a forger which it was.
const retryAfter = 30 * day

// input is what a case moves on: resulted, named, steppedBack, mistyped, decided, carriedOut, undone,
// withdrew, ranOut, policyEnded or, in a sandbox, simulated.
type input interface{ input() }

// resulted is the result of a method. Found is that of an Accept, Code that of a SendCode.
type resulted struct {
	method string
	result Result
	memory []byte
	found  *finding
	code   *code
	anew   bool // another try begins

	// claimed is the name that the files which were submitted have; empty for none.
	claimed string
}

// named is the name that the person says the files have.
type named struct{ claimed string }

// steppedBack returns the person from a step to the choice of methods.
type steppedBack struct{}

// mistyped is a wrong code.
type mistyped struct{}

// decided is a decision of a reviewer, undone that it is taken back, and carriedOut that its
// time has come.
type decided struct{ opinion }
type undone struct{}
type carriedOut struct{}

// withdrew ends the case for the person, ranOut because it was not finished, policyEnded
// because nobody can be verified in the group any more.
type withdrew struct{}
type ranOut struct{}
type policyEnded struct{}

func (resulted) input()    {}
func (named) input()       {}
func (steppedBack) input() {}
func (mistyped) input()    {}
func (decided) input()     {}
func (undone) input()      {}
func (carriedOut) input()  {}
func (withdrew) input()    {}
func (ranOut) input()      {}
func (policyEnded) input() {}

// transition is a case as it will be.
type transition struct {
	c    storage.Case
	k    content
	refs []storage.CaseReference

	// evidenceUntil is as in storage.CaseMove.
	evidenceUntil time.Time

	// news reports that the person is told to look.
	news bool
}

// advance decides what becomes of a case. It reports false if the input does not fit the state
// of the case: then nothing happens. It depends on nothing but its arguments, and changes
// none of them.
func advance(c storage.Case, k content, in input, at time.Time) (transition, bool) {
	if c.State.IsFinal() {
		return transition{}, false
	}
	t := transition{c: c, k: k.clone()}
	switch in := in.(type) {
	case resulted:
		return t.resulted(in, at)
	case named:
		k := t.k.check(t.c.Method)
		t.k.Claimed = in.claimed
		return t, t.c.State == storage.CaseOpen && k != nil && k.State == checkAsked && k.Step != nil && k.Step.Upload != nil
	case steppedBack:
		return t.steppedBack(at)
	case mistyped:
		return t.mistyped()
	case decided:
		return t.decided(in.opinion)
	case undone:
		return t.undone(at)
	case carriedOut:
		return t.carriedOut(at)
	case simulated:
		return t.simulated(in, at)
	case withdrew:
		return t.withdrew(at), true
	case ranOut:
		if k.Waiting != nil || c.State == storage.CaseReview || at.Before(k.finishBy()) {
			return transition{}, false
		}
		t.news = true
		return t.end(storage.CaseExpired, at), true
	case policyEnded:
		t.news = true
		return t.end(storage.CaseExpired, at, ReasonPolicyEnded), true
	}
	return transition{}, false
}

// resulted records the result of a method and moves the case on.
func (t transition) resulted(in resulted, at time.Time) (transition, bool) {
	if t.k.Waiting != nil || !slices.Contains(t.k.Terms.Rule.methods(), in.method) {
		return transition{}, false
	}
	k := t.k.check(in.method)
	if k == nil {
		t.k.Checks = append(t.k.Checks, check{Method: in.method})
		k = &t.k.Checks[len(t.k.Checks)-1]
	}
	if k.State == checkAccepted || k.State == checkRefused || k.State == checkReview {
		return transition{}, false
	}
	if t.c.State == storage.CaseReview && in.anew {
		return transition{}, false
	}
	if in.anew {
		*k = check{Method: in.method, Attempt: k.Attempt + 1, Events: k.Events}
		t.c.Method, t.k.Reasons = in.method, nil
	}
	k.Events++
	t.k.Claimed = cmp.Or(in.claimed, t.k.Claimed)
	t.k.Unasked = false
	k.Memory, k.Step, k.Reasons, k.Facts = in.memory, nil, nil, nil
	switch r := in.result.(type) {
	case Ask:
		k.State, k.Step = checkAsked, &step{Ask: &r}
	case SendCode:
		k.State, k.Step = checkAsked, &step{Code: in.code}
	case Upload:
		k.State, k.Step = checkAsked, &step{Upload: &r}
	case GoTo:
		k.State, k.Step = checkAsked, &step{GoTo: &r}
		t.refer(k, r.Reference)
	case Wait:
		k.State, k.Step = checkWaiting, &step{Wait: &r}
		t.refer(k, r.Reference)
	case Review:
		k.State, k.Facts = checkReview, r.Facts
	case Accept:
		k.State, k.Found = checkAccepted, in.found
	case Refuse:
		k.State, k.Reasons = checkFailed, r.Reasons
		if len(r.Reasons) == 0 || !canRetry(r.Reasons) {
			k.State = checkRefused
		}
	default:
		return transition{}, false
	}
	return t.settle(at), true
}

// refer names the attempt at the other side.
func (t *transition) refer(k *check, reference string) {
	if reference == "" || reference == k.Reference {
		return
	}
	k.Reference = reference
	ref := storage.CaseReference{Method: k.Method, Reference: reference}
	t.refs = append(t.refs, ref)
	t.k.Forget = append(t.k.Forget, ref)
}

// settle derives the state of the case from its checks.
func (t transition) settle(at time.Time) transition {
	if t.c.State == storage.CaseReview { // until its reviewers have decided
		return t
	}
	switch t.k.Terms.Rule.verdict(t.k.state) {
	case accepted:
		return t.accept(at)
	case refused:
		if t.c.Appeals != "" { // a person decides, whatever machines say
			return t.review(review{Facts: []Text{factRefused}}, at)
		}
		t.news = t.c.State != storage.CaseOpen
		return t.end(storage.CaseDeclined, at, t.k.refusals()...)
	}
	for _, k := range t.k.Checks {
		if k.State == checkReview {
			return t.review(review{Method: k.Method, Facts: k.Facts}, at)
		}
	}
	current := t.k.check(t.c.Method)
	waits := slices.IndexFunc(t.k.Checks, func(k check) bool { return k.State == checkWaiting })
	switch {
	case current != nil && current.State == checkAsked:
		return t.open(at)
	case waits >= 0:
		t.c.Method, t.c.State = t.k.Checks[waits].Method, storage.CasePending
		return t
	}
	for _, k := range t.k.Checks {
		if k.State == checkAsked {
			t.c.Method = k.Method
			return t.open(at)
		}
	}
	if current != nil {
		t.k.Reasons = current.Reasons
	}
	t.c.Method = ""
	return t.open(at)
}

// open makes it the person's turn. The time to finish begins again only after a wait that
// was not theirs.
func (t transition) open(at time.Time) transition {
	if t.c.State != storage.CaseOpen {
		t.k.Since, t.k.Nudged = at, false
	}
	t.c.State = storage.CaseOpen
	return t
}

// review hands the case to reviewers.
func (t transition) review(r review, at time.Time) transition {
	t.c.State, t.c.Round, t.c.Escalated = storage.CaseReview, t.c.Round+1, false
	t.c.DueAt = at.Add(t.k.Terms.Promise)
	t.k.Review = &r
	if r.Method != "" {
		t.c.Method = r.Method
	}
	return t
}

// accept ends an accepted case, unless a reviewer has to look at the name.
func (t transition) accept(at time.Time) transition {
	found, ok := t.k.Terms.Rule.found(t.k.check)
	if !ok {
		return t.open(at)
	}
	if found.NameDiffers && !t.k.Vouched {
		return t.review(review{Facts: []Text{factName}}, at)
	}
	t.k.Member = &found
	t.c.Method = found.Method
	t.news = t.c.State != storage.CaseOpen
	return t.end(storage.CaseApproved, at)
}

// taken is what becomes of an approval because a proof belongs to somebody else: a reviewer
// decides, and the person is told no more than that.
func (t transition) taken(before storage.Case, at time.Time) transition {
	t.c.EndedAt, t.c.Method, t.k.Member, t.k.Reasons = before.EndedAt, before.Method, nil, nil
	t.evidenceUntil, t.news = time.Time{}, false
	return t.review(review{Facts: []Text{factTaken}, Taken: true}, at)
}

// superseded is what becomes of an approval because the host has recorded another status
// since the case began.
func (t transition) superseded(at time.Time) transition {
	t.k.Member = nil
	return t.end(storage.CaseExpired, at, ReasonSuperseded)
}

// end ends the case.
func (t transition) end(state storage.CaseState, at time.Time, reasons ...Reason) transition {
	t.c.State, t.c.EndedAt = state, at
	t.k.Waiting, t.k.Reasons, t.k.Claimed = nil, reasons, ""
	switch state {
	case storage.CaseApproved:
		t.evidenceUntil = at.Add(t.k.Terms.Keep)
	case storage.CaseDeclined:
		t.evidenceUntil = at.Add(t.k.Terms.Keep)
		if slices.ContainsFunc(reasons, func(r Reason) bool { return r.Public() == ReasonOther }) {
			t.k.Retry = at.Add(retryAfter)
		}
	default:
		t.evidenceUntil = at
	}
	for i := range t.k.Checks { // nothing is kept that nobody needs any more
		t.k.Checks[i].Step, t.k.Checks[i].Memory = nil, nil
		t.k.Checks[i].Found = t.k.Checks[i].Found.withoutName()
	}
	t.k.Member = t.k.Member.withoutName()
	return t
}

// steppedBack drops the step that the person is in.
func (t transition) steppedBack(at time.Time) (transition, bool) {
	k := t.k.check(t.c.Method)
	if t.c.State != storage.CaseOpen || k == nil || k.State != checkAsked {
		return transition{}, false
	}
	k.State, k.Step, k.Memory = checkFailed, nil, nil
	t.c.Method = ""
	return t.settle(at), true
}

// mistyped counts a wrong code.
func (t transition) mistyped() (transition, bool) {
	k := t.k.check(t.c.Method)
	if t.c.State != storage.CaseOpen || k == nil || k.Step == nil || k.Step.Code == nil || k.Step.Code.Tries >= maxCodeTries {
		return transition{}, false
	}
	wrong := *k.Step.Code
	wrong.Tries++
	k.Step = &step{Code: &wrong}
	return t, true
}

// state returns the state of a method.
func (k *content) state(method string) checkState {
	if c := k.check(method); c != nil {
		return c.State
	}
	return ""
}

// refusals are the reasons of all methods that have refused for good.
func (k *content) refusals() []Reason {
	var all []Reason
	for _, c := range k.Checks {
		if c.State == checkRefused {
			all = append(all, c.Reasons...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// finishBy is when the case expires unless it is finished.
func (k *content) finishBy() time.Time { return k.Since.Add(k.Terms.Finish) }

// clone returns a copy whose checks and review can be changed.
func (k content) clone() content {
	k.Checks = slices.Clone(k.Checks)
	k.Forget = slices.Clone(k.Forget)
	if k.Review != nil {
		r := *k.Review
		r.Opinions = slices.Clone(r.Opinions)
		k.Review = &r
	}
	return k
}

// canRetry reports whether a method can be tried again after these reasons.
func canRetry(reasons []Reason) bool {
	return !slices.ContainsFunc(reasons, func(r Reason) bool { return !r.CanRetry() })
}

// The facts that the service itself finds, for reviewers.
var (
	factName    = Text{English: "The proof has another name than the account"}
	factRefused = Text{English: "The methods have not found this person to be a member"}
	factTaken   = Text{English: "This proof has already made another account a member"}
)
