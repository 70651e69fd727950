package developer

import (
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/storage"
)

// linkErrors links the error pages of both environments, for members of the application's
// organization, to the log entry of the request.
func (d *logPages) linkErrors() {
	for _, env := range []string{storage.Production, storage.Sandbox} {
		if p := d.provider(env); p != nil {
			p.Rooms().Pages.LinkErrors(func(failed room.FailedRequest) string { return d.lineOf(env, failed) })
		}
	}
}

// lineOf returns the address of the log entry of a failed request; "" for a user who is not
// a member, or if that is unknown now.
func (d *logPages) lineOf(env string, failed room.FailedRequest) string {
	ctx := failed.Request.Context()
	user, err := d.Provider.Rooms().Pages.SignedIn(failed.Request)
	if err != nil || user.UserID == "" {
		return ""
	}
	a, err := d.Store.Application(ctx, env, failed.ClientID)
	if err != nil {
		return ""
	}
	if _, err := storage.One(d.Store.Members(ctx, a.OrganizationID, user.UserID)); err != nil {
		return ""
	}
	return d.absolute(d.path("o", a.OrganizationID, env, a.ClientID, "log") + logQuery(storage.LogFilter{RequestID: failed.RequestID}))
}
