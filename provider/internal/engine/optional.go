package engine

import (
	"context"
	"slices"
)

// readOptional reads which of the scopes of a request its user may leave out.
func (r *AuthorizeRequest) readOptional() {
	r.whole = r.Scopes
	r.Optional = slices.DeleteFunc(slices.Clone(r.Scopes), func(s string) bool { return !r.Client.IsOptional(s) })
}

// LeaveOut takes those of the Optional scopes that are named out of a request, in place of
// those that were left out before. Others are passed over, and so is all when nothing of
// the request would remain.
func (e *Engine) LeaveOut(ctx context.Context, r *AuthorizeRequest, scopes []string) error {
	leftOut := slices.DeleteFunc(slices.Clone(r.Optional), func(s string) bool { return !slices.Contains(scopes, s) })
	if len(leftOut) == len(r.whole) {
		leftOut = nil
	}
	if slices.Equal(leftOut, r.LeftOut) {
		return nil
	}
	granted := slices.DeleteFunc(slices.Clone(r.whole), func(s string) bool { return slices.Contains(leftOut, s) })
	read, err := e.readByFosite(ctx, r.Form, granted)
	if err != nil {
		return e.diagnose(r, AsError(err))
	}
	r.LeftOut, r.Scopes, r.read = leftOut, granted, read
	return nil
}
