package records

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// maxValue bounds a value of a filter.
const maxValue = 200

// oneDay is how long a time may be in which a network is sought: more would be a list of who
// was where.
const oneDay = 48 * time.Hour

// filter is what is sought in the audit log.
type filter struct {
	screens.TrailFilter
	match provider.EventFilter

	// wrong is the field that is wrong, or empty.
	wrong string
	// nothing reports that no event can match.
	nothing bool
}

// readFilter reads the filter of an address.
func readFilter(q url.Values) (f filter, err error) {
	for _, field := range []struct {
		name string
		to   *string
	}{
		{screens.FieldPerson, &f.Person}, {screens.FieldApplication, &f.Application}, {screens.FieldStaff, &f.Staff},
		{screens.FieldMatter, &f.Matter}, {screens.FieldEvent, &f.Event}, {screens.FieldNetwork, &f.Network},
		{screens.FieldFrom, &f.From}, {screens.FieldUntil, &f.Until},
	} {
		if *field.to = strings.TrimSpace(q.Get(field.name)); len(*field.to) > maxValue {
			return filter{}, frame.Malformed("too long a filter")
		}
	}
	f.match = provider.EventFilter{UserID: f.Person, ClientID: f.Application, Matter: f.Matter, Network: f.Network, Actor: actor(f.Staff)}
	f.readEvent()
	f.readDays()
	return f, nil
}

// actor is how the log names who acts: an ID alone is that of a member of the staff.
func actor(name string) string {
	if name == "" || name == "host" || strings.Contains(name, ":") {
		return name
	}
	return frame.ActorPrefix + name
}

// readEvent reads a name, or the beginning of some.
func (f *filter) readEvent() {
	prefix, several := strings.CutSuffix(f.Event, "*")
	if !several {
		f.match.Name = f.Event
		return
	}
	for _, name := range event.Names() {
		if strings.HasPrefix(name, prefix) {
			f.match.Names = append(f.match.Names, name)
		}
	}
	f.nothing = len(f.match.Names) == 0
}

// readDays reads the first and the last day, in UTC.
func (f *filter) readDays() {
	day := func(name, value string) (t time.Time) {
		if value == "" {
			return t
		}
		t, err := time.Parse(time.DateOnly, value)
		if err != nil {
			f.wrong = name
		}
		return t
	}
	f.match.From, f.match.Until = day(screens.FieldFrom, f.From), day(screens.FieldUntil, f.Until)
	if !f.match.Until.IsZero() {
		f.match.Until = f.match.Until.AddDate(0, 0, 1)
	}
	short := !f.match.From.IsZero() && !f.match.Until.IsZero() && f.match.Until.Sub(f.match.From) <= oneDay
	if f.wrong == "" && f.Network != "" && !short {
		f.wrong = screens.FieldNetwork
	}
}

// values are the filter as the parameters of an address.
func (f filter) values() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		screens.FieldPerson: f.Person, screens.FieldApplication: f.Application, screens.FieldStaff: f.Staff, screens.FieldMatter: f.Matter,
		screens.FieldEvent: f.Event, screens.FieldNetwork: f.Network, screens.FieldFrom: f.From, screens.FieldUntil: f.Until,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// with is the filter with another value, as the query of an address.
func (f filter) with(name, value string) string {
	if value == "" {
		return ""
	}
	q := f.values()
	q.Set(name, value)
	if name == screens.FieldNetwork && (f.From == "" || f.Until == "") {
		return ""
	}
	return "?" + q.Encode()
}

// read is the event of a look at the lines of the filter, as what is read.
func (f filter) read(name string, what string) provider.Event {
	if fields := slices.Sorted(maps.Keys(f.values())); len(fields) > 0 {
		what += " by " + strings.Join(fields, ", ")
	}
	return provider.Event{Name: name, UserID: f.Person, ClientID: f.Application, Detail: what}
}

// names is what a list is filtered by, for its cursor.
func (f filter) names() []string {
	q := f.values()
	names := []string{"trail"}
	for name := range q {
		names = append(names, name+"="+q.Get(name))
	}
	slices.Sort(names)
	return names
}
