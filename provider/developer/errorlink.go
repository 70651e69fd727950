package developer

import (
	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// linkErrors has the error pages of both environments lead a member of the organization
// that the application belongs to from the number of the request to its line in the log.
func (d *Dashboard) linkErrors() {
	for _, env := range []string{storage.Production, storage.Sandbox} {
		if p := d.provider(env); p != nil {
			p.Pages().LinkErrors(func(failed provider.FailedRequest) string { return d.lineOf(env, failed) })
		}
	}
}

// lineOf returns the address of the line of a request that has failed; "" for whoever is no
// member, or when nobody can tell now.
func (d *Dashboard) lineOf(env string, failed provider.FailedRequest) string {
	ctx := failed.Request.Context()
	user, err := d.Provider.Pages().SignedIn(failed.Request)
	if err != nil || user.UserID == "" {
		return ""
	}
	a, err := d.Store.Application(ctx, env, failed.ClientID)
	if err != nil {
		return ""
	}
	if _, err := d.Store.Member(ctx, a.OrganizationID, user.UserID); err != nil {
		return ""
	}
	return d.absolute(d.path("o", a.OrganizationID, env, a.ClientID, "log") + logQuery(storage.LogFilter{RequestID: failed.RequestID}))
}
