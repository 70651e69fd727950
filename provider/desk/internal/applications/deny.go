package applications

import (
	"context"
	"errors"
	"strconv"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/unknown"
	"github.com/bonafide-id/bonafide/storage"
)

// host reads a host of applications that nobody has registered. action.ErrNoTarget for what is
// none: one from which nobody has come can be denied, too.
func (r *Room) host(ctx context.Context, name string) (unknown.Host, error) {
	h, err := r.Provider.Rooms().Hosts.Get(ctx, name)
	var wrong *provider.FieldError
	if errors.As(err, &wrong) {
		return h, action.ErrNoTarget
	}
	return h, err
}

// hostRevision names the denial that holds for a host: it alone is what is acted on.
func hostRevision(h unknown.Host) string {
	if h.Denial.Host == "" {
		return "allowed"
	}
	return h.Denial.Host + "@" + strconv.FormatInt(h.Denial.At.UnixMicro(), 10)
}

// hostEffect returns what an order would do to a host, which void judges.
func (r *Room) hostEffect(ctx context.Context, o action.Order, void func(unknown.Host) string) (action.Effect, error) {
	h, err := r.host(ctx, o.Target)
	if err != nil {
		return action.Effect{}, err
	}
	e := action.Effect{Revision: hostRevision(h), Void: void(h), Facts: []action.Fact{
		{Name: factHost, Value: h.Host},
		{Name: factApplications, Value: frame.AtMost(h.Applications, storage.CountedClients)},
		{Name: factPeople, Value: frame.AtMost(h.People, storage.CountedPeople)},
	}}
	if h.Denial.Host != "" {
		e.Facts = append(e.Facts, action.Fact{Name: factDenied, Value: h.Denial.Host}, action.Fact{Name: factReason, Value: h.Denial.Reason})
	}
	return e, nil
}

func (r *Room) checkDeny(ctx context.Context, o action.Order) (action.Effect, error) {
	if _, err := reason(o); err != nil {
		return action.Effect{}, err
	}
	return r.hostEffect(ctx, o, func(h unknown.Host) string {
		switch {
		case h.Denial.Host != "":
			return voidDenied
		case h.Host == storage.DeviceHost && !r.Provider.Rooms().Hosts.CanDeny(h.Host):
			return voidDevice
		}
		return ""
	})
}

func (r *Room) deny(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	why, err := reason(o)
	if err != nil {
		return action.Result{}, err
	}
	h, err := r.stillHost(ctx, o, revision)
	if err != nil {
		return action.Result{}, err
	}
	if h.Denial.Host != "" {
		return action.Result{}, provider.ErrChanged
	}
	return action.Result{}, r.Provider.Rooms().Hosts.Deny(ctx, h.Host, why)
}

func (r *Room) checkAllow(ctx context.Context, o action.Order) (action.Effect, error) {
	return r.hostEffect(ctx, o, func(h unknown.Host) string {
		if h.Denial.Host != h.Host { // that of a host above is not lifted here
			return voidNotDenied
		}
		return ""
	})
}

func (r *Room) allow(ctx context.Context, o action.Order, revision string) (action.Result, error) {
	h, err := r.stillHost(ctx, o, revision)
	if err != nil {
		return action.Result{}, err
	}
	if h.Denial.Host != h.Host {
		return action.Result{}, provider.ErrChanged
	}
	return action.Result{}, r.Provider.Rooms().Hosts.Allow(ctx, h.Host, h.Denial.At)
}

// stillHost reads a host that has a revision.
func (r *Room) stillHost(ctx context.Context, o action.Order, revision string) (unknown.Host, error) {
	h, err := r.host(ctx, o.Target)
	if err == nil && hostRevision(h) != revision {
		err = provider.ErrChanged
	}
	return h, err
}
