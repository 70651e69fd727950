package desk

// route is a page, with its form, which is nil for a page without one.
type route struct {
	path string
	show handler
	act  handler
}

// routes returns every page of the desk. All of them are for reviewers.
func (d *Desk) routes() []route {
	return []route{
		{path: "/{$}", show: d.showInbox, act: d.takeFromInbox},
		{path: "/case/{case}", show: d.showCase, act: d.decide},
		{path: "/evidence/{sealed}", show: d.serveEvidence},
	}
}
