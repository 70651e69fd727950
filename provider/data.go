package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// resource is what a data endpoint tells about the user of an access token.
type resource struct {
	// opens reports whether a scope value lets a token read the resource.
	opens func(scope string) bool

	tell func(context.Context, engine.Access) (answer, error)
}

// answer is the body of a data response. Many requests may share it: nobody changes
// it.
type answer struct {
	body      []byte
	mediaType string
}

// answerSources are all that an answer is made from. They are compared by identity:
// what is read anew is another.
type answerSources struct {
	resource *resource
	issued   *engine.Issued
	client   *engine.Client
	person   *storage.Person
}

// maxAnswers bounds how many answers are kept, of some kilobyte each.
const maxAnswers = 1024

// data is the endpoint of a resource. With a callback its answer is a script.
func (p *Provider) data(of *resource) screen {
	return func(w http.ResponseWriter, r *http.Request) error {
		callback, err := parseCallback(r)
		if err != nil {
			return err
		}
		a, err := p.access(r)
		if err == nil && !slices.ContainsFunc(a.Scopes, of.opens) {
			err = errScope
		}
		if err == nil && callback != "" && !a.Client.Dialect.JSONP {
			return badRequest("This application cannot use callbacks.")
		}
		var found answer
		if err == nil {
			found, err = p.answerOf(r.Context(), of, a)
		}
		if callback != "" {
			return p.writeScript(w, r, callback, found.body, err)
		}
		if err != nil {
			return err
		}
		writeBody(w, http.StatusOK, found.mediaType, found.body)
		return nil
	}
}

// answerOf returns the answer to a request with this access. While all that it is
// made from is in memory, so is the answer; what the host tells about people is asked
// each time.
func (p *Provider) answerOf(ctx context.Context, of *resource, a engine.Access) (answer, error) {
	if p.cfg.Users.Person != nil {
		return of.answer(ctx, a)
	}
	person, err := p.recent.person(ctx, a.Grant.Subject)
	if err != nil {
		return answer{}, fmt.Errorf("read person: %w", err)
	}
	if endsSoon(person, p.cfg.Clock()) {
		return of.answer(ctx, a)
	}
	return p.answers.Get(answerSources{of, a.Issued, a.Client, person}, func() (answer, error) {
		return of.answer(ctx, a)
	})
}

// endsSoon reports whether a status of a person ends while an answer would be kept.
func endsSoon(person *storage.Person, now time.Time) bool {
	return slices.ContainsFunc(person.Statuses, func(s storage.Status) bool {
		return s.ExpiresAt.After(now) && s.ExpiresAt.Before(now.Add(recentAge))
	})
}

func (of *resource) answer(ctx context.Context, a engine.Access) (answer, error) {
	found, err := of.tell(ctx, a)
	if errors.Is(err, ErrNoUser) || errors.Is(err, engine.ErrNoUser) {
		return answer{}, errTokenOwner
	}
	return found, err
}

var errTokenOwner = &engine.Error{
	Code: engine.InvalidToken, Status: http.StatusUnauthorized,
	Description: "The user no longer exists.",
}
