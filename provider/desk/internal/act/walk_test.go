package act_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// try carries an order out, once more; strike has one of its statements fail. It reports whether
// anything says that it is done.
type try func(strike func(act func() error) error) (done bool, err error)

// way is one on which an order comes, with the actions that come so, and whether statements fail
// alone or with all that follow.
type way struct {
	name  string
	alone bool
	leads func(action.Rule) bool
	begin func(o order) try
}

var ways = []way{
	{"Plan", true, func(r action.Rule) bool { return !isShown(r) }, order.byPlan},
	{"Break", false, func(r action.Rule) bool { return r.Wait == 0 }, order.byBreak},
	{"Page", false, func(r action.Rule) bool { return !r.Eyes }, order.byPage},
	{"API", true, func(r action.Rule) bool { return !r.Eyes && !r.Withheld }, order.byAPI},
}

func isShown(r action.Rule) bool { return r.Name == action.ShowValue || r.Name == action.ShowSensitive }

// carry does an order with its record.
func (o order) carry(by storage.Actor) error {
	by.Name, by.On.At = "staff:olga", o.Now()
	_, err := o.action.Carry(o.T.Context(), o.store, by, o.order, o.revision)
	return err
}

func (o order) byPlan() try {
	now, digest := o.Now(), storage.Digest{1}
	o.OK(o.store.CreatePlan(o.T.Context(), storage.Plan{
		ID: "p", Action: o.action.Name, Kind: string(o.action.Target), Reason: "x", Digest: digest, ProposedBy: "staff:olga", ProposedAt: now, ExpiresAt: now.Add(time.Hour),
	}, []storage.PlanTarget{{Number: 1, ID: "target", Revision: "r"}}))
	o.OK(o.store.MovePlan(o.T.Context(), "p", storage.PlanMove{To: storage.PlanRunning, Digest: digest, Staff: "staff:oleg", At: now}))
	target := func() storage.PlanTarget {
		targets := testkit.Must(o.store.PlanTargets(o.T.Context(), "p", "", 0, 1))(o.T)
		return targets[0]
	}
	return func(strike func(func() error) error) (bool, error) {
		by := storage.Actor{Target: storage.TargetID{Plan: "p", Number: 1}, Again: target().BegunAt}
		err := strike(func() error { return o.carry(by) })
		return target().State == storage.TargetDone, err
	}
}

func (o order) byBreak() try {
	n := 0
	return func(strike func(func() error) error) (bool, error) {
		n++
		by := storage.Actor{Break: &storage.Break{ID: fmt.Sprint("b", n), Staff: "olga", Action: "x", At: o.Now()}}
		err := strike(func() error { return o.carry(by) })
		breaks, listed := o.store.Breaks(o.T.Context(), storage.BreakFilter{Open: true, Limit: 200})
		o.OK(listed)
		return slices.ContainsFunc(breaks, func(b storage.Break) bool { return b.Done }), err
	}
}

// atDesk opens the desk, with a matter about alice, whose caller has proved all.
func (o order) atDesk(staff string) {
	d := testkit.Must(desk.New(o.desk))(o.T)
	mux := http.NewServeMux()
	mux.Handle("/desk/", d)
	mux.Handle("/", o.Provider)
	o.Server.Config.Handler = mux
	now := o.Now()
	o.OK(o.store.OpenMatter(o.T.Context(), storage.Matter{ID: "m", Staff: staff, Role: "operator", Subject: "alice", Reason: "caller", OpenedAt: now, EndsAt: now.Add(time.Hour / 2)}))
	o.MustExec(`UPDATE matters SET proof = ?1, proved_until = ?2`, int(storage.SessionProof), now.Add(time.Hour/2).UnixMicro())
}

var revisions = regexp.MustCompile(`name="revision" value="([^"]*)"`)

func (o order) byPage() try {
	address := map[action.Kind]string{
		action.Person: "/desk/matters/m", action.Application: "/desk/applications/" + o.order.Target, action.Host: "/desk/hosts/" + o.order.Target,
		action.Receiver: "/desk/receivers/" + o.order.Target, action.Organization: "/desk/organizations/" + o.order.Target, action.Service: "/desk/service",
	}[o.action.Target] + "/do/" + o.action.Name
	o.atDesk("olga")
	b := o.NewBrowser()
	_, form := b.Get(address).Form(o.T)
	fields := url.Values{"csrf": form["csrf"], "action": {"check"}}
	for name, value := range o.order.Values {
		fields.Set(name, value)
	}
	checked := b.Post(address, fields)
	revision := revisions.FindStringSubmatch(checked.Text)
	if revision == nil {
		o.T.Fatalf("%s: %s\n%s", address, checked.Status, checked.Text)
	}
	fields.Set("revision", revision[1])
	fields.Set("action", "do")
	return func(strike func(func() error) error) (done bool, err error) {
		err = strike(func() error {
			p := b.Post(address, fields)
			if done = p.StatusCode == http.StatusSeeOther || isShown(o.action.Rule) && p.StatusCode == http.StatusOK; done {
				return nil
			}
			return o.failed(p.Response, p.Text)
		})
		return done, err
	}
}

// failed is why a request was not answered with what was asked for.
func (o order) failed(p *http.Response, text string) error {
	switch p.StatusCode {
	case http.StatusConflict, http.StatusPreconditionFailed:
		return provider.ErrChanged
	case http.StatusNotFound:
		return action.ErrNoTarget
	case http.StatusServiceUnavailable:
		if p.Header.Get("Retry-After") == "" || strings.Contains(text, lab.ErrDisk.Error()) || strings.Contains(text, errHost.Error()) {
			o.T.Errorf("%s %v: %s", p.Status, p.Header, text)
		}
		return storage.ErrUnavailable
	}
	o.T.Fatalf("%s: %s", p.Status, text)
	return nil
}

func (o order) byAPI() try {
	const root = "/desk/api/v1"
	o.atDesk("client:robot")
	p, body := o.NewBrowser().Asserted(lab.TokenPath, lab.ClientKeys()["ES256"].Sign(o.T, o.Assertion("robot")),
		"grant_type", "client_credentials", "resource", o.Server.URL+root)
	token := lab.Granted(o.T, p, body)
	kinds := map[action.Kind]string{action.Person: "/people/", action.Application: "/applications/", action.Host: "/hosts/", action.Receiver: "/receivers/", action.Organization: "/organizations/"}
	address := root + kinds[o.action.Target] + o.order.Target + "/" + o.action.Name
	values := testkit.Must(json.Marshal(o.order.Values))(o.T)
	post := func(address, tag string) (*http.Response, string) {
		r := testkit.Must(http.NewRequestWithContext(o.T.Context(), http.MethodPost, o.Server.URL+address, strings.NewReader(string(values))))(o.T)
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Desk-Matter": {"m"}}
		if tag != "" {
			r.Header.Set("If-Match", tag)
			r.Header.Set("Idempotency-Key", "once")
		}
		p, err := http.DefaultClient.Do(r)
		o.OK(err)
		defer p.Body.Close()
		text := testkit.Must(io.ReadAll(p.Body))(o.T)
		return p, string(text)
	}
	checked, text := post(address+"/check", "")
	if checked.StatusCode != http.StatusOK {
		o.T.Fatalf("%s: %s %s", address, checked.Status, text)
	}
	return func(strike func(func() error) error) (done bool, err error) {
		err = strike(func() error {
			p, text := post(address, checked.Header.Get("ETag"))
			if done = p.StatusCode == http.StatusOK; done {
				return nil
			}
			return o.failed(p, text)
		})
		return done, err
	}
}

// Whatever statement of an act fails, alone or with all that follow, and whatever call of the host:
// either what the act is for is in force, or nothing says that it is, and it can be done again. In
// short, each act comes on one of its ways, in turn.
func TestActThatFailsHalfWay(t *testing.T) {
	t.Parallel()
	for i, f := range faults() {
		name := f.name + f.of
		if f.ofHost {
			name += "AtTheHost"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := f.begun(t)
			before := o.effects(f)
			o.OK(o.carry(storage.Actor{}))
			want := changed(before, o.effects(f))
			var leading []way
			for _, way := range ways {
				if way.leads(o.action.Rule) {
					leading = append(leading, way)
				}
			}
			if testing.Short() {
				leading = leading[i%len(leading):][:1]
			}
			for _, way := range leading {
				t.Run(way.name, func(t *testing.T) {
					t.Parallel()
					f.walk(t, way.begin, want, way.alone)
				})
			}
		})
	}
}

// walk does an action again and again, in which one more statement goes well each time.
func (f fault) walk(t *testing.T, begin func(order) try, want []string, alone bool) {
	t.Helper()
	o := f.begun(t)
	try, before := begin(o), o.effects(f)
	o.down = f.ofHost
	for n := 1; n < 400; n++ {
		var over bool
		done, err := try(func(act func() error) error {
			o.tap.Open(n, alone)
			err := act()
			over = len(o.tap.Close()) < n
			return err
		})
		switch {
		case isShown(o.action.Rule) && !done && len(changed(before, o.effects(f))) > 0:
			t.Fatalf("statement %d fails: recorded as seen, and not shown: %v", n, err)
		case over && o.down && !done:
			o.down = false
		case done || over: // it may be in force, and not known to be
			got := changed(before, o.effects(f))
			if !slices.Equal(got, want) || !done && !errors.Is(err, provider.ErrChanged) && !errors.Is(err, action.ErrNoTarget) {
				t.Fatalf("statement %d fails: done %v, with %v in place of %v in force: %v", n, done, got, want, err)
			}
			return
		}
		if !alone || n%8 == 0 { // nobody tries as often, and a database that is away takes nothing back
			o.Exec(`DELETE FROM attempts`)
		}
	}
	t.Fatal("never done")
}
