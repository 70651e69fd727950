package applications

import (
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// period is the number of days of which requests are counted.
const period = 30

// oldSecret is the age from which a secret is said to be old.
const oldSecret = 365 * 24 * time.Hour

// showApplication shows an application.
func (r *Room) showApplication(q *frame.Request) error {
	a, err := r.application(q.Context(), q.Value("id"))
	if err != nil {
		return missing(err)
	}
	if err := q.Looked("", provider.Event{Name: event.StaffLooked, ClientID: a.client.ID, Detail: "application"}); err != nil {
		return err
	}
	page, err := q.Page(desk.SectionApplications)
	if err != nil {
		return err
	}
	v := screens.ApplicationView{
		Page: page, ListURL: q.Path("applications"), Redirects: a.client.RedirectURIs, Scopes: a.client.Scopes,
		ApplicationRow: screens.ApplicationRow{Name: a.client.Name, ID: a.client.ID, States: states(a)},
		TrailURL:       q.Path("trail") + "?" + url.Values{screens.FieldApplication: {a.client.ID}}.Encode(),
		Acts:           r.acts(q, action.Application, "applications", a.client.ID),
	}
	if a.known {
		v.Organization, v.OrganizationURL, v.Kind = a.org.Name, q.Path("organizations", a.org.ID), a.app.Kind
		v.ReviewURL, v.Reason = r.reviewURL(q, a.app), r.Dashboard.StopReason(a.app)
		if !a.org.Stopped.At.IsZero() {
			v.Reason = a.org.Stopped.Reason
		}
		for _, m := range a.members {
			if m.Role == storage.RoleOwner {
				v.Owners = append(v.Owners, m.UserID)
			}
		}
	}
	if err := r.addUnknown(q, &v); err != nil {
		return err
	}
	if err := r.addSecrets(q, &v); err != nil {
		return err
	}
	if err := r.addNumbers(q, a, &v); err != nil {
		return err
	}
	q.Render(http.StatusOK, screens.ApplicationScreen(v))
	return nil
}

// addSecrets adds the secrets by their age.
func (r *Room) addSecrets(q *frame.Request, v *screens.ApplicationView) error {
	secrets, err := r.Provider.Clients().ListSecrets(q.Context(), v.ID)
	if err != nil {
		return err
	}
	for _, s := range secrets {
		v.Secrets = append(v.Secrets, screens.Secret{
			Created: s.CreatedAt, Used: s.LastUsedAt, Ends: s.ExpiresAt, Old: q.Frame.Now().Sub(s.CreatedAt) > oldSecret,
		})
	}
	return nil
}

// addNumbers adds the counts of requests by day.
func (r *Room) addNumbers(q *frame.Request, a application, v *screens.ApplicationView) error {
	first := day(q.Frame.Now()).AddDate(0, 0, 1-period)
	v.Requests = screens.Series{Name: screens.SeriesRequests, Counts: make([]int, period)}
	v.Errors = screens.Series{Name: screens.SeriesErrors, Counts: make([]int, period)}
	for i := range period {
		v.Days = append(v.Days, first.AddDate(0, 0, i))
	}
	if !a.known {
		return nil
	}
	counts, err := r.Dashboard.Store.LogDays(q.Context(), r.environment, a.client.ID, first)
	if err != nil {
		return err
	}
	for _, c := range counts {
		i := int(c.Day.Sub(first) / (24 * time.Hour))
		switch {
		case i < 0 || i >= period:
		case c.Outcome == string(activity.OK):
			v.Requests.Counts[i] += c.Count
		case c.Outcome == string(activity.Failed):
			v.Errors.Counts[i] += c.Count
		}
	}
	return nil
}

// acts are the actions on a target of a kind that who asks may do.
func (r *Room) acts(q *frame.Request, kind action.Kind, noun, id string) (all []screens.Act) {
	for _, rule := range action.Table() {
		if rule.Target != kind || !q.Staff.Is(rule.Roles...) {
			continue
		}
		for _, a := range r.Actions() {
			if a.Name == rule.Name {
				all = append(all, screens.Act{Name: a.Name, URL: q.Path(noun, id, "do", a.Name)})
			}
		}
	}
	return all
}
