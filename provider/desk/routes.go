package desk

// route is a page, with its form, which is nil for a page without one.
type route struct {
	path  string
	needs func(Staff) bool
	show  handler
	act   handler

	// power reports that it takes a sign-in of the last minutes: its form decides for many
	// people at once.
	power bool
}

// routes returns every page of the desk. The file of a roster has one of its own: see
// rosterFile.
func (d *Desk) routes() []route {
	return []route{
		{path: "/{$}", needs: Staff.works, show: d.showHome, act: d.takeFromInbox},
		{path: "/case/{case}", needs: Staff.reviews, show: d.showCase, act: d.decide},
		{path: "/evidence/{sealed}", needs: Staff.reviews, show: d.serveEvidence},
		{path: "/rosters", needs: Staff.operates, show: d.showRosters},
		{path: "/rosters/{roster}", needs: Staff.operates, show: d.showRoster, act: d.changeRoster, power: true},
		{path: "/codes", needs: Staff.operates, show: d.showCodes, act: d.changeCodes, power: true},
		{path: "/holds", needs: Staff.operates, show: d.showHolds, act: d.changeHold, power: true},
		{path: "/numbers", needs: Staff.operates, show: d.showNumbers},
	}
}

// works reports whether somebody has any role here.
func (s Staff) works() bool { return s.reviews() || s.operates() }
