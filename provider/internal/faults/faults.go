// Package faults makes a sandbox fail as an application has asked for, so that its
// developers see whether it notices. Outside of a sandbox there are no [Faults]: the
// methods of nil do nothing.
package faults

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
)

// Faults are those of a provider's applications.
type Faults struct {
	Options
	rotated rotatedKeys
}

// Options are what Faults work with.
type Options struct {
	// Of is the host's function.
	Of func(ctx context.Context, clientID string) (sandbox.Fault, error)

	Grants interface {
		RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error)
	}
	Clock func() time.Time
}

// New returns the faults that the host's function tells of.
func New(o Options) *Faults { return &Faults{Options: o} }

// errAsked is the cause of what fails here.
var errAsked = errors.New("the application has asked for this fault")

// of returns the fault of an application now.
func (f *Faults) of(ctx context.Context, clientID string) (sandbox.Fault, error) {
	if f == nil || clientID == "" {
		return sandbox.NoFault, nil
	}
	fault, err := host.Call(ctx, func(ctx context.Context) (sandbox.Fault, error) { return f.Of(ctx, clientID) })
	if err == nil && fault != sandbox.NoFault && !slices.Contains(sandbox.Faults(), fault) {
		err = fmt.Errorf("%q is no fault", fault)
	}
	if err != nil {
		return sandbox.NoFault, fmt.Errorf("%w: Faults: %w", host.ErrFailed, err)
	}
	return fault, nil
}

// Authorize is asked before an authorization request is answered. An *engine.Error is for
// the application.
func (f *Faults) Authorize(ctx context.Context, clientID string) error {
	fault, err := f.of(ctx, clientID)
	if err != nil {
		return err
	}
	// The status keeps what was asked for from the alarms of the operator.
	switch fault {
	case sandbox.AuthorizeDenied:
		return &protocol.Error{Code: protocol.AccessDenied, Description: "The user did not allow it.", Status: http.StatusBadRequest, Cause: errAsked}
	case sandbox.AuthorizeUnavailable:
		return &protocol.Error{Code: protocol.TemporarilyUnavailable, Description: "The service cannot answer now. Please try again in a moment.",
			Status: http.StatusBadRequest, Cause: errAsked}
	case sandbox.AuthorizeError:
		return &protocol.Error{Code: protocol.ServerError, Description: "Something went wrong on our side. The request was not carried out.",
			Status: http.StatusBadRequest, Cause: errAsked}
	default:
		return nil
	}
}

// slow is how long the token endpoint waits: less than a request may take.
const slow = 5 * time.Second

// Token is asked before the token endpoint does anything.
func (f *Faults) Token(ctx context.Context, clientID string) error {
	fault, err := f.of(ctx, clientID)
	switch {
	case err != nil:
		return err
	case fault == sandbox.TokenUnavailable:
		return protocol.Unavailable(errAsked)
	case fault == sandbox.TokenSlow:
		timer := time.NewTimer(slow)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Refresh is asked before a grant is refreshed: engine.ErrNoUser when it has ended it.
func (f *Faults) Refresh(ctx context.Context, g storage.Grant) error {
	fault, err := f.of(ctx, g.ClientID)
	if err != nil || fault != sandbox.RefreshRevoked {
		return err
	}
	if _, err := f.Grants.RevokeGrants(ctx, storage.GrantFilter{ID: g.ID}, f.Clock()); err != nil {
		return fmt.Errorf("revoke grant: %w", err)
	}
	return issue.ErrNoUser
}
