package applications

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/unknown"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// showHosts lists the hosts of applications that nobody has registered, or leads to one.
func (r *Room) showHosts(q *frame.Request) error {
	sought := strings.TrimSpace(q.Query(screens.FieldSearch))
	page, err := q.Page(desk.SectionHosts)
	if err != nil {
		return err
	}
	v := screens.HostsView{Page: page, SearchURL: q.Path("hosts"), Search: sought, Off: r.Provider.Rooms().Hosts.Off()}
	if sought != "" {
		h, err := r.host(q.Context(), sought)
		if err == nil {
			q.Redirect(q.Path("hosts", h.Host))
			return nil
		}
		if !errors.Is(err, action.ErrNoTarget) {
			return err
		}
		v.Wrong = true
	}
	at, err := q.After("hosts")
	if err != nil {
		return err
	}
	found, err := r.Provider.Rooms().Hosts.List(q.Context(), at, frame.Many+1)
	if err != nil {
		return err
	}
	if len(found) > frame.Many {
		found = found[:frame.Many]
		v.MoreURL = q.NextURL(found[frame.Many-1].Host, "hosts")
	}
	for _, h := range found {
		v.Rows = append(v.Rows, hostRow(q, h))
	}
	q.Render(http.StatusOK, screens.Hosts(v))
	return nil
}

// hostRow shows a host in a list.
func hostRow(q *frame.Request, h unknown.Host) screens.HostRow {
	return screens.HostRow{
		Host: h.Host, Device: h.Host == storage.DeviceHost, URL: q.Path("hosts", h.Host), State: hostState(h),
		Applications: frame.AtMost(h.Applications, storage.CountedClients), Documents: frame.AtMost(h.Documents, storage.CountedClients),
		People: frame.AtMost(h.People, storage.CountedPeople), First: h.FirstSeen, Last: h.LastUsed,
	}
}

// hostState is what becomes of the applications of a host: a denial goes before the configuration.
func hostState(h unknown.Host) screens.State {
	if h.Denial.Host != "" {
		return screens.StateDenied
	}
	return map[unknown.Standing]screens.State{
		unknown.Admitted: screens.StateAdmitted, unknown.Trusted: screens.StateTrusted,
		unknown.Refused: screens.StateRefused, unknown.Off: screens.StateOff,
	}[h.Standing]
}

// showHost shows a host with its applications.
func (r *Room) showHost(q *frame.Request) error {
	h, err := r.host(q.Context(), q.Value("id"))
	if err != nil {
		return missing(err)
	}
	page, err := q.Page(desk.SectionHosts)
	if err != nil {
		return err
	}
	at, err := q.After("host", h.Host)
	if err != nil {
		return err
	}
	found, err := r.Provider.Rooms().Hosts.ListClients(q.Context(), h.Host, at, frame.Many+1)
	if err != nil {
		return err
	}
	v := screens.HostView{Page: page, HostRow: hostRow(q, h), ListURL: q.Path("hosts"), Acts: r.hostActs(q, h)}
	if d := h.Denial; d.Host != "" {
		v.Denial = &screens.Denial{Host: d.Host, URL: q.Path("hosts", d.Host), Reason: d.Reason, By: d.By, At: d.At}
	}
	if len(found) > frame.Many {
		found = found[:frame.Many]
		v.MoreURL = q.NextURL(found[frame.Many-1].Client.ID, "host", h.Host)
	}
	for _, c := range found {
		v.Apps = append(v.Apps, unknownRow(q, c))
	}
	q.Render(http.StatusOK, screens.HostScreen(v))
	return nil
}

// hostActs leave out what there is nothing of to do.
func (r *Room) hostActs(q *frame.Request, h unknown.Host) (all []screens.Act) {
	for _, a := range r.acts(q, action.Host, "hosts", h.Host) {
		switch {
		case a.Name == action.DenyHost && h.Denial.Host == "" && r.Provider.Rooms().Hosts.CanDeny(h.Host),
			a.Name == action.AllowHost && h.Denial.Host == h.Host:
			all = append(all, a)
		}
	}
	return all
}

// unknownStates are the states of an application that nobody has registered.
func unknownStates(c room.UnknownClient[provider.Client]) []screens.State {
	if c.Denial.Host != "" {
		return []screens.State{screens.StateDenied}
	}
	return clientStates(c.Client)
}

// unknownRow shows an application that nobody has registered in a list.
func unknownRow(q *frame.Request, c room.UnknownClient[provider.Client]) screens.ApplicationRow {
	row := screens.ApplicationRow{Name: c.Client.Name, ID: c.Client.ID, URL: q.Path("applications", c.Client.ID), States: unknownStates(c), Unknown: true}
	if c.CallsItself != "" {
		row.Name = c.CallsItself
	}
	return row
}
