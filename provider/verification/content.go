package verification

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// content is the part of a case that only the service reads: the store has it encrypted,
// for this case of this subject.
type content struct {
	// Created is the CreatedAt of the case: see elapsed.
	Created time.Time `json:"created"`

	// Terms are those of the policy when the case began: a change of the policy does not
	// touch open cases.
	Terms terms `json:"terms"`

	Checks []check `json:"checks,omitempty"`

	// Reasons are why the case was sent back, or how it ended.
	Reasons []Reason `json:"reasons,omitempty"`

	// Retry is when a declined case can be followed by another one; zero for at once.
	Retry time.Time `json:"retry,omitzero"`

	// Since is when it last became the person's turn; the time to finish runs from there.
	Since time.Time `json:"since"`

	// Claimed is the name that the person says the files have; empty for none, and once the
	// case has ended.
	Claimed string `json:"claimed,omitempty"`

	// Unasked reports that a callback came while the other side could not be asked.
	Unasked bool `json:"unasked,omitempty"`

	// Review is what a reviewer decides; nil before a review.
	Review *review `json:"review,omitempty"`

	// Waiting is a decision that is carried out when its time has come; nil for none.
	Waiting *opinion `json:"waiting,omitempty"`

	// ShowsPending reports that the recorded status is a pending one of this case, HostsWord
	// that the host has recorded one since it began: then the case records none.
	ShowsPending bool `json:"shows_pending,omitempty"`
	HostsWord    bool `json:"hosts_word,omitempty"`

	// Replaces is the case that has recorded the membership that this one renews; empty for
	// none.
	Replaces string `json:"replaces,omitempty"`

	// Held is the end of the membership that a renewal finds, and HeldForever that it has
	// none: an approval never shortens it.
	Held        time.Time `json:"held,omitzero"`
	HeldForever bool      `json:"held_forever,omitempty"`

	// Vouched reports that reviewers have approved what speaks against the whole case.
	Vouched bool `json:"vouched,omitempty"`

	// Member is the membership that an approval has recorded; nil before.
	Member *finding `json:"member,omitempty"`

	// Nudged reports that the person was reminded to finish. Reminded counts the reminders
	// before the end of the membership; Ended reports that the membership has, or is that of
	// another case.
	Nudged   bool `json:"nudged,omitempty"`
	Reminded int  `json:"reminded,omitempty"`
	Ended    bool `json:"ended,omitempty"`

	// Ending is the end of the membership that is being carried out; nil for none.
	Ending *ending `json:"ending,omitempty"`

	// Forget are references whose method still has to delete what the other side keeps.
	Forget []storage.CaseReference `json:"forget,omitempty"`

	// Hold is the last hold of the evidence; nil for none.
	Hold *hold `json:"hold,omitempty"`

	// Unrecorded reports that Config.Record has yet to be told of the present status.
	Unrecorded bool `json:"unrecorded,omitempty"`

	// ClientID is the application whose flow the person came from, and ReturnTo the address
	// that continues the flow; each may be empty.
	ClientID string `json:"client,omitempty"`
	ReturnTo string `json:"return_to,omitempty"`

	Language string `json:"language,omitempty"`
}

// ending is why a membership ends before its time.
type ending struct {
	Reason string `json:"reason,omitempty"`
}

// terms are what a policy says about a case.
type terms struct {
	Rule      shape         `json:"rule"`
	Reviewers int           `json:"reviewers"`
	Finish    time.Duration `json:"finish"`
	Promise   time.Duration `json:"promise"`
	Keep      time.Duration `json:"keep"`
}

// shape is a rule without its verifiers: either one method, or several rules.
type shape struct {
	Method string  `json:"by,omitempty"`
	All    bool    `json:"all,omitempty"`
	Of     []shape `json:"of,omitempty"`
}

// checkState is the state of a method in a case.
type checkState string

const (
	checkAsked    checkState = "asked"    // the person has to do something
	checkWaiting  checkState = "waiting"  // a machine or the other side works
	checkReview   checkState = "review"   // a reviewer decides
	checkAccepted checkState = "accepted" // the person is a member, by this method
	checkFailed   checkState = "failed"   // the method can be tried again
	checkRefused  checkState = "refused"  // the method has refused for good
)

// check is a method in a case.
type check struct {
	Method  string     `json:"method"`
	State   checkState `json:"state"`
	Attempt int        `json:"attempt"`

	// Events counts the events that the verifier has answered.
	Events int `json:"events,omitempty"`

	// Step is what the person has to do, or the machine waits for; nil in other states.
	Step *step `json:"step,omitempty"`

	// Memory is what the verifier remembers, Reference the attempt at the other side.
	Memory    []byte `json:"memory,omitempty"`
	Reference string `json:"reference,omitempty"`

	Reasons []Reason `json:"reasons,omitempty"`
	Facts   []Text   `json:"facts,omitempty"`
	Found   *finding `json:"found,omitempty"`
}

// isElsewhere reports whether the other side works on it, or has the person.
func (c *check) isElsewhere() bool {
	return c.Reference != "" && c.Step != nil && (c.Step.GoTo != nil || c.Step.Wait != nil)
}

// step is a Result that waits for something. One of its fields is set.
type step struct {
	Ask    *Ask    `json:"ask,omitempty"`
	Code   *code   `json:"code,omitempty"`
	Upload *Upload `json:"upload,omitempty"`
	GoTo   *GoTo   `json:"go_to,omitempty"`
	Wait   *Wait   `json:"wait,omitempty"`
}

// code is a code that was mailed to an address. It is valid until a time, for a few tries.
type code struct {
	Address string    `json:"address"`
	Digest  [32]byte  `json:"digest"`
	SentAt  time.Time `json:"sent_at"`
	Tries   int       `json:"tries,omitempty"`
}

// finding is the membership that a method has found, without what proves it.
type finding struct {
	Subgroups []string  `json:"subgroups,omitempty"`
	Until     time.Time `json:"until,omitzero"` // zero for that of the policy
	Source    string    `json:"source,omitempty"`
	Method    string    `json:"method,omitempty"`
	Level     int       `json:"level,omitempty"`
	Proved    []proof   `json:"proved,omitempty"`
	At        time.Time `json:"at"`

	// NoSubgroup reports that methods which all have to accept agree on no subgroup.
	NoSubgroup bool `json:"no_subgroup,omitempty"`

	// Name is that of the proof; nil for none, and once the case has ended.
	Name *Name `json:"name,omitempty"`

	// NameDiffers reports that the proof has another name than the account.
	NameDiffers bool `json:"name_differs,omitempty"`
}

// proof is a fact by its keyed digest.
type proof struct {
	Kind   string         `json:"kind"`
	Digest storage.Digest `json:"digest"`
}

// review is what reviewers decide: a method or, if that is empty, the whole case.
type review struct {
	Method string `json:"method,omitempty"`
	Facts  []Text `json:"facts,omitempty"`

	// Taken reports that a proof belongs to somebody else.
	Taken bool `json:"taken,omitempty"`

	// Opinions are the decisions of this round that wait for a second one, or that differ.
	Opinions []opinion `json:"opinions,omitempty"`
}

// opinion is a decision of a reviewer.
type opinion struct {
	ID        string               `json:"id"`
	Kind      storage.DecisionKind `json:"kind"`
	Reviewer  string               `json:"reviewer"`
	Subject   string               `json:"subject,omitempty"`
	Reasons   []Reason             `json:"reasons,omitempty"`
	Subgroups []string             `json:"subgroups,omitempty"`
	Until     time.Time            `json:"until,omitzero"`
	Kinds     []string             `json:"kinds,omitempty"`
	At        time.Time            `json:"at"`
}

// maxContent limits the encoded content of a case.
const maxContent = 256 << 10

const sealedCase = "case"

func caseName(c storage.Case) string { return c.ID + " " + c.Subject }

// seal returns the content as the store has it.
func (s *core) seal(c storage.Case, k content) ([]byte, error) {
	plain, err := json.Marshal(k)
	if err != nil {
		return nil, fmt.Errorf("encode case: %w", err)
	}
	if len(plain) > maxContent {
		return nil, fmt.Errorf("the content of a case has more than %d bytes", maxContent)
	}
	return s.Provider.Rooms().People.Seal(sealedCase, caseName(c), plain), nil
}

// open returns the content of a case.
func (s *core) open(c storage.Case) (content, error) {
	var k content
	if err := s.unseal(sealedCase, caseName(c), c.Content, &k); err != nil {
		return content{}, err
	}
	return k.elapsed(c), nil
}

// unseal decodes what was sealed for a record of a kind. provider.ErrSealed if the record is
// damaged, or its key is gone: work for others goes on without it.
func (s *core) unseal(kind, name string, sealed []byte, into any) error {
	plain, err := s.Provider.Rooms().People.Open(kind, name, sealed)
	if err != nil {
		return fmt.Errorf("open %s: %w", kind, err)
	}
	if err := json.Unmarshal(plain, into); err != nil {
		return fmt.Errorf("decode %s: %w: %w", kind, provider.ErrSealed, err)
	}
	return nil
}

// check returns the check of a method, or nil.
func (k *content) check(method string) *check {
	for i := range k.Checks {
		if k.Checks[i].Method == method {
			return &k.Checks[i]
		}
	}
	return nil
}

// maxCodeTries is how often a mailed code can be tried, codeLife how long.
const (
	maxCodeTries = 5
	codeLife     = 15 * time.Minute
)
