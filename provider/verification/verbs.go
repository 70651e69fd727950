package verification

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// Verifiers returns a verifier for each group with a policy, for provider.Config.Verifiers.
// It sends people to the pages of the service, which has to be mounted.
func (p Policies) Verifiers() map[string]provider.Verifier { return nil }

// Start begins a case, or returns the one that the person has open for the group: then it
// reports false. ErrNoPolicy, provider.ErrNoUser; a LimitError if a declined case does not
// allow another one yet. With Appeals, ErrNotNow if that case cannot be appealed against.
func (s *Service) Start(ctx context.Context, r Request) (c RecordedCase, created bool, err error) {
	return RecordedCase{}, false, errors.ErrUnsupported
}

// Case returns a case, or ErrNoCase. A decision that is due is carried out first.
func (s *Service) Case(ctx context.Context, id string) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// Cases returns the matching cases, the latest first.
func (s *Service) Cases(ctx context.Context, f storage.CaseFilter) ([]RecordedCase, error) {
	return nil, errors.ErrUnsupported
}

// Withdraw ends a case at the person's request: it shreds the evidence at once. ErrNoCase if
// it is not this user's, ErrNotNow if it has ended.
func (s *Service) Withdraw(ctx context.Context, userID, id string) error {
	return errors.ErrUnsupported
}

// Report gives a case the result of a method that is decided elsewhere, such as on the page
// of a HostPage verifier: an Accept, Refuse, Review or Wait. ErrNotNow unless the person was
// sent there, or the method waits.
func (s *Service) Report(ctx context.Context, caseID, method string, r Result) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// Revoke ends a user's membership in a group that a case has recorded, and reports whether
// it was in force. The reason is one of the words of storage.Status, or a sentence, which the
// person may read. EndMemberships is for many.
func (s *Service) Revoke(ctx context.Context, userID, group, reason string) (ended bool, err error) {
	return false, errors.ErrUnsupported
}

// RevokeCase is Revoke for the membership that a case has recorded.
func (s *Service) RevokeCase(ctx context.Context, caseID, reason string) (ended bool, err error) {
	return false, errors.ErrUnsupported
}

// Take gives a reviewer the case with this ID or, if that is empty, the one that is due
// first, until a time. ErrNoCase if there is none that the reviewer may take.
func (s *Service) Take(ctx context.Context, by storage.Reviewer, id string, until time.Time) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// Return gives back a case that the reviewer has taken.
func (s *Service) Return(ctx context.Context, by storage.Reviewer, id string) error {
	return errors.ErrUnsupported
}

// Decide records the decision of a reviewer who has taken the case. It is carried out after
// ten seconds, until which Undo takes it back; DecisionRecuse at once. ErrNotNow if the case
// has another version, ErrForbidden if the reviewer may not decide it, a provider.FieldError
// for an invalid field of the decision.
func (s *Service) Decide(ctx context.Context, by storage.Reviewer, id string, version int64, d Decision) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// Undo takes back the decision of a reviewer that waits to be carried out, and gives the
// reviewer the case until a time. ErrNotNow if it has been carried out.
func (s *Service) Undo(ctx context.Context, by storage.Reviewer, id string, until time.Time) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// Decisions returns the decisions about a case, the earliest first. A reviewer who has yet
// to decide must not see those of the round.
func (s *Service) Decisions(ctx context.Context, caseID string) ([]RecordedDecision, error) {
	return nil, errors.ErrUnsupported
}

// The steps of a person. Each names the version that the person has seen; another is
// ErrNotNow, and ErrNoCase a case of somebody else.

// choose begins a method, again if it has failed. A LimitError after too many tries.
func (s *Service) choose(ctx context.Context, userID, id string, version int64, method string) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// answer sends the fields of an Ask.
func (s *Service) answer(ctx context.Context, userID, id string, version int64, form map[string]string) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// enterCode sends a mailed code. errWrongCode, or a LimitError without a Wait when its tries
// are over: then only sendAgain helps.
func (s *Service) enterCode(ctx context.Context, userID, id string, version int64, entered string) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// sendAgain mails another code to the same address.
func (s *Service) sendAgain(ctx context.Context, userID, id string, version int64) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// submit tells that all files of an Upload are there.
func (s *Service) submit(ctx context.Context, userID, id string, version int64) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// comeBack tells that the person has come back from a GoTo.
func (s *Service) comeBack(ctx context.Context, userID, id string, query map[string]string) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// stepBack returns the person from a step to the choice of methods.
func (s *Service) stepBack(ctx context.Context, userID, id string, version int64) (RecordedCase, error) {
	return RecordedCase{}, errors.ErrUnsupported
}

// wayBack returns where the person continues when nothing is left to do: the address of the
// flow, while that lasts, or the home of the application, with its name; empty for neither.
func (s *Service) wayBack(ctx context.Context, c RecordedCase) (address, application string, err error) {
	return "", "", errors.ErrUnsupported
}

// serveCallback receives a callback of the other side.
func (s *Service) serveCallback(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusNotFound)
}

var errWrongCode = errors.New("verification: the code is not the one that was sent")
