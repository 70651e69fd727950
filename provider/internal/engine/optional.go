package engine

import (
	"context"
	"slices"
)

// readOptional reads which of the scopes of a request its user may leave out.
func (r *AuthorizeRequest) readOptional() {
	r.Optional = slices.DeleteFunc(slices.Clone(r.Scopes), func(s string) bool { return !r.Client.IsOptional(s) })
}

// Without returns a request as it is answered when its user leaves out these of its
// Optional scopes. Something of it has to remain.
func (e *Engine) Without(ctx context.Context, r *AuthorizeRequest, leftOut []string) (*AuthorizeRequest, error) {
	if len(leftOut) == 0 {
		return r, nil
	}
	narrower := *r
	narrower.Scopes = slices.DeleteFunc(slices.Clone(r.Scopes), func(s string) bool {
		return slices.Contains(leftOut, s) && slices.Contains(r.Optional, s)
	})
	var err error
	if narrower.read, err = e.readByFosite(ctx, r.Form, narrower.Scopes); err != nil {
		return nil, e.diagnose(r, refusal(err))
	}
	return &narrower, nil
}
