package developer

import (
	"context"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// act is what somebody does to an organization, or to an application of it: what the activity
// log records, and what the owners are told.
type act struct {
	by  string // the user, or who stands for one
	org storage.Organization
	app storage.Application
}

// does is the act of the user of a page.
func (r *request) does() act { return act{r.User.UserID, r.org, r.app} }

// recorded makes one write of the dashboard's store, and records it in the activity log, and in
// the audit log with events, in its step: none happens without the other.
func (d *frame) recorded(
	ctx context.Context, a act, what string, fields []storage.ChangedField, write func(context.Context) error, events ...provider.Event,
) error {
	return d.noting(ctx, d.Provider, a, what, fields, func(ctx context.Context) error { return d.inStep(ctx, write, events...) })
}

// registered is recorded for a write to the registration of the application. That of the sandbox is
// in another database, and its entry follows it.
func (d *frame) registered(ctx context.Context, a act, what string, fields []storage.ChangedField, write func(context.Context) error) error {
	return d.noting(ctx, d.provider(a.app.Environment), a, what, fields, write)
}

// noting makes a write in a step of a provider, and an entry of the activity log in the same step
// if both are in one store.
func (d *frame) noting(
	ctx context.Context, p *provider.Provider, a act, what string, fields []storage.ChangedField, write func(context.Context) error,
) error {
	entry := d.entry(a, what, fields)
	in, isRecorded := ctx, func() bool { return false }
	if p.Rooms().Events.IsKeptIn(d.Store) {
		in, isRecorded = audit.Noting(ctx, entry)
	}
	if err := write(in); err != nil || isRecorded() {
		return err
	}
	d.append(ctx, entry)
	return nil
}

func (d *frame) entry(a act, what string, fields []storage.ChangedField) storage.Change {
	return storage.Change{
		OrganizationID: a.org.ID, At: d.Clock(), UserID: a.by,
		Environment: a.app.Environment, ClientID: a.app.ClientID, What: what, Fields: bounded(fields),
	}
}

// recordAct writes an entry to the activity log of the organization and the application, of what
// has happened.
func (d *frame) recordAct(ctx context.Context, a act, what string, fields []storage.ChangedField) {
	d.append(ctx, d.entry(a, what, fields))
}

// append writes an entry of what has happened. If that fails, the operator's log has the entry, and
// it is written later.
func (d *frame) append(ctx context.Context, entry storage.Change) {
	// A caller that disconnects cannot keep a change out of the log.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	err := d.Store.AppendChange(ctx, entry)
	if err == nil {
		return
	}
	d.Logger.ErrorContext(ctx, "activity log entry could not be recorded yet", slog.String("organization", entry.OrganizationID),
		slog.String("user", entry.UserID), slog.String("client", entry.ClientID), slog.String("what", entry.What), slog.Any("error", err))
	d.later(func(ctx context.Context) error { return d.Store.AppendChange(ctx, entry) })
}
