package service

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var (
	bikes = HostRow{
		Host: "riverbikes.example", URL: "/desk/hosts/riverbikes.example", State: StateTrusted, Applications: "2", Documents: "1", People: "1000+",
		First: audiencetest.Day(2026, time.March, 1), Last: audiencetest.Now,
	}
	device  = HostRow{Host: "localhost", Device: true, URL: "/desk/hosts/localhost", State: StateAdmitted, Applications: "500+", Documents: "0", People: "3", First: audiencetest.Now}
	nobodys = ApplicationRow{Name: "Ada", ID: "https://riverbikes.example/client", URL: "/desk/applications/c1", Unknown: true, States: []State{StateActive, StateUnreviewed}}
)

var hostFixtures = []audiencetest.Fixture{
	{Name: "hosts", Render: func(p ui.Page) templ.Component {
		denied := HostRow{Host: "c1.example", URL: "/desk/hosts/c1.example", State: StateDenied, Applications: "0", Documents: "0", People: "0"}
		return Hosts(HostsView{Page: page(p, desk.SectionHosts), SearchURL: "/desk/hosts", Rows: []HostRow{bikes, denied, device}, MoreURL: "?after=c1"})
	}},
	{Name: "hosts-none", Render: func(p ui.Page) templ.Component {
		return Hosts(HostsView{Page: page(p, desk.SectionHosts), SearchURL: "/desk/hosts", Search: "Museum", Wrong: true, Off: true})
	}},
	{Name: "host", Render: func(p ui.Page) templ.Component {
		return HostScreen(HostView{
			Page: page(p, desk.SectionHosts), HostRow: bikes, ListURL: "/desk/hosts", Apps: []ApplicationRow{nobodys}, MoreURL: "?after=c1",
			Acts: []Act{{"deny_host", "/desk/hosts/riverbikes.example/do/deny_host"}},
		})
	}},
	{Name: "host-denied", Render: func(p ui.Page) templ.Component {
		denied := HostRow{Host: "c1.riverbikes.example", State: StateDenied, Applications: "0", Documents: "0", People: "0"}
		return HostScreen(HostView{
			Page: page(p, desk.SectionHosts), HostRow: denied, ListURL: "/desk/hosts",
			Denial: &Denial{Host: bikes.Host, URL: bikes.URL, Reason: "Museum", By: "staff:Ada", At: audiencetest.Now},
		})
	}},
	{Name: "host-device", Render: func(p ui.Page) templ.Component {
		return HostScreen(HostView{Page: page(p, desk.SectionHosts), HostRow: device, ListURL: "/desk/hosts", Apps: []ApplicationRow{nobodys}})
	}},
	{Name: "application-unknown", Render: func(p ui.Page) templ.Component {
		return ApplicationScreen(ApplicationView{
			Page: page(p, desk.SectionApplications), ApplicationRow: nobodys, ListURL: "/desk/applications", TrailURL: "/desk/trail", Days: days,
			Redirects: []string{"https://riverbikes.example/terms"}, Scopes: []string{"openid"}, Requests: counted(SeriesRequests), Errors: counted(SeriesErrors),
			Nobody: &Unknown{
				Calls: "Ada", Hosts: []Link{{bikes.Host, bikes.URL}}, Came: audiencetest.Day(2026, time.March, 1), Goes: audiencetest.Now,
				Document: &Document{
					Fetched: audiencetest.Now, Fresh: audiencetest.Now, Changed: audiencetest.Now, Gone: audiencetest.Now,
					Lines: []DocumentLine{{LineKept, "{"}, {LineGone, `  "c1": 1`}, {LineNew, `  "c1": 2`}, {LineKept, "}"}},
				},
			},
		})
	}},
	{Name: "application-unknown-nameless", Render: func(p ui.Page) templ.Component {
		return ApplicationScreen(ApplicationView{
			Page: page(p, desk.SectionApplications), ApplicationRow: nobodys, ListURL: "/desk/applications", TrailURL: "/desk/trail", Days: days,
			Requests: counted(SeriesRequests), Errors: counted(SeriesErrors), Nobody: &Unknown{Hosts: []Link{{device.Host, device.URL}}},
		})
	}},
}
