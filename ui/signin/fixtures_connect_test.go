package signin

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var connectFixtures = []audiencetest.Fixture{
	{Name: "connect", Render: func(p ui.Page) templ.Component {
		return Connect(ConnectView{
			Page: fromClient(p), Upstream: ui.UpstreamButton{Title: "Google", Mark: ui.MarkGoogle}, Name: audiencetest.Ada.Name, Email: audiencetest.Ada.Email,
			SignInURL: "/signin?ticket=t1&flow=f1", CancelURL: "/signin?flow=f1",
		})
	}},
	{Name: "connect-plain", Render: func(p ui.Page) templ.Component {
		return Connect(ConnectView{Page: p, Upstream: ui.UpstreamButton{Title: "University of Somewhere"}, Email: audiencetest.Ada.Email, SignInURL: "/signin?ticket=t1"})
	}},
}
