package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// shift is how long ago a member of the staff may have authenticated: the desk shows what
// people have sent, and an unlocked browser must not be enough for that the next day.
const shift = 8 * time.Hour

// stepUp is how long ago somebody may have authenticated who uses a power, or opens the page of
// one. Whoever has opened it has fillingIn time, so that nothing is lost that was entered or
// chosen.
const (
	stepUp    = 5 * time.Minute
	fillingIn = 10 * time.Minute
)

// postLimit is that of one member of the staff: far more than anybody decides.
var postLimit = provider.Limit{Burst: 60, Every: 2 * time.Second}

// Answer answers a request for a page. Mount calls it; only a room whose page the provider
// serves in another way than as a Screen does, too.
func (f *Frame) Answer(s *provider.Screen, p Route, h Handler) error {
	return f.leadsHome(s, f.answer(s, p, h))
}

// leadsHome has the error page of who works here lead to the desk. Everybody else does not learn
// that there is one.
func (f *Frame) leadsHome(s *provider.Screen, err error) error {
	var shown provider.ScreenError
	if !errors.As(err, &shown) || errors.Is(err, storage.ErrUnavailable) || f.Admit == nil && s.User.UserID == "" {
		return err
	}
	if staff, unknown := f.who(s); unknown != nil || !staff.Works() {
		return err
	}
	shown.HomeURL = f.Path()
	return shown
}

func (f *Frame) answer(s *provider.Screen, p Route, h Handler) error {
	r, err := f.Enter(s, p)
	if r == nil || err != nil {
		return err
	}
	for _, values := range s.Request.PostForm {
		if len(values) > 1 { // readers of the first and of the last may each believe another
			return Malformed("a field is given twice")
		}
	}
	if s.Request.Method == http.MethodPost {
		if err := r.Allow("desk_post", postLimit); err != nil {
			return err
		}
	}
	if r.Value(partMatter) != "" {
		if over, err := r.useMatter(); over || err != nil {
			return err
		}
	}
	return h(r)
}

// Enter returns who asks for a page, or nil if the request is answered. For everybody else
// there is nothing here.
func (f *Frame) Enter(s *provider.Screen, p Route) (*Request, error) {
	if f.Admit == nil && s.User.UserID == "" {
		s.SignIn(0)
		return nil, nil
	}
	staff, err := f.who(s)
	if err != nil {
		return nil, Unavailable(err)
	}
	if !staff.Works() {
		return nil, NotFound
	}
	r := &Request{Screen: s, Frame: f, Staff: staff}
	r.act()
	if !p.Needs(staff) {
		return nil, r.Refuse(Refusal{Action: p.Path})
	}
	power, age := r.demands(p)
	if !power && r.isIdle() {
		age = idle
	}
	enough, err := r.authenticated(power, age)
	switch {
	case err != nil:
		return nil, err
	case enough:
		r.noteUse()
		return r, nil
	case f.Admit != nil:
		return nil, r.authenticateElsewhere()
	case power:
		s.Confirm(age)
	default:
		s.SignIn(age)
	}
	return nil, nil
}

// who asks the host who sends a request, for it may change at any time. A host that cannot
// say, or says what cannot be recorded, admits nobody.
func (f *Frame) who(s *provider.Screen) (staff action.Staff, err error) {
	if f.Admit != nil {
		staff, err = f.admitted(s.Request)
	} else {
		staff, err = f.StaffOf(s.Request.Context(), s.User.UserID)
		staff.ID = cmp.Or(staff.ID, s.User.UserID)
		staff.AuthenticatedAt, staff.Methods = time.Time{}, nil
	}
	if err == nil && staff.Works() {
		err = checkID(staff.ID)
	}
	return staff, err
}

// checkID returns what is wrong with the ID of a member of the staff. One that begins as the
// name of an actor would be read for a client, a command or the host wherever a name is recorded
// or sought.
func checkID(id string) error {
	if id == "" {
		return errors.New("desk: Config.Admit names a member of the staff without an ID")
	}
	kind, _, named := strings.Cut(id, ":")
	if id == "host" || named && slices.Contains([]string{"staff", "client", "command", "host"}, kind) {
		return fmt.Errorf("desk: the ID of a member of the staff is %q, which is how the audit log names others", id)
	}
	return nil
}

// demands returns what a page asks of the authentication of who opens it.
func (r *Request) demands(p Route) (power bool, age time.Duration) {
	post := r.Request.Method == http.MethodPost
	switch {
	case p.Power && post && (p.Mild == nil || !p.Mild(r)):
		return true, stepUp + fillingIn
	case p.Power && !post, post && p.Act != nil && (p.Mild == nil || !p.Mild(r)):
		return true, stepUp
	}
	return false, shift
}

// authenticated reports whether somebody has authenticated as a page demands: for a power at
// the highest level of the account, for a stolen password is not enough of who has more.
func (r *Request) authenticated(power bool, age time.Duration) (bool, error) {
	if r.Frame.Admit == nil {
		if power {
			return r.Confirmed(age)
		}
		return r.Fresh(age), nil
	}
	since := r.Frame.Now().Sub(r.Staff.AuthenticatedAt)
	return since < age && since > -time.Minute && (!power || slices.ContainsFunc(r.Staff.Methods, isStrong)), nil
}

// isStrong reports whether a method (RFC 8176) is more than one factor, or one that cannot be
// given away.
func isStrong(method string) bool {
	return slices.Contains([]string{"mfa", "mca", "hwk", "pop", "sc"}, method)
}

// authenticateElsewhere sends somebody whom the host admits to the host's own sign-in.
func (r *Request) authenticateElsewhere() error {
	if r.Frame.SignInURL == "" {
		return provider.ScreenError{Status: http.StatusForbidden, Code: "forbidden", Err: errors.New("desk: the sign-in of the staff is too old, or too weak")}
	}
	to, err := url.Parse(r.Frame.SignInURL)
	if err != nil {
		return err
	}
	query := to.Query()
	back := r.Request.URL.RequestURI()
	if r.Request.Method == http.MethodPost {
		back = r.Request.URL.Path
	}
	query.Set("return_to", back)
	to.RawQuery = query.Encode()
	http.Redirect(r.Writer, r.Request, to.String(), http.StatusSeeOther)
	return nil
}

// admitted asks the host's own sign-in.
func (f *Frame) admitted(r *http.Request) (action.Staff, error) {
	return host.Call(r.Context(), func(ctx context.Context) (action.Staff, error) { return f.Admit(r.WithContext(ctx)) })
}
