package desk_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// hears is a place with olga, its operator, at whose dashboard app has a webhook.
func hears(t *testing.T) (w *place, olga *lab.Browser, hook string) {
	t.Helper()
	w = newPlaceWith(t, given{desk: func(w *place, c *desk.Config) { c.Dashboard = dashboard(w.Fixture) }})
	w.hires("olga", desk.RoleOperator)
	olga = w.reviewer("olga")
	shows(t, olga.Open("/desk/receivers"), http.StatusOK, "Nobody is told of changes yet.")
	return w, olga, hooked(w.Fixture)
}

func (w *place) hook(id string) signals.Receiver {
	w.T.Helper()
	of, err := storage.One(w.Signals().List(w.T.Context(), storage.ReceiverFilter{ID: id, Counted: true}))
	w.OK(err)
	return of
}

// switches does an action on a receiver as it is.
func switches(b *lab.Browser, hook, action string, values ...string) lab.Page {
	b.T.Helper()
	address := "/desk/receivers/" + hook + "/do/" + action
	p := send(b, address, "check", values...)
	return send(b, address, "do", append(values, "revision", hiddenOf(p, "revision"))...)
}

func TestReceiversAreShown(t *testing.T) {
	t.Parallel()
	w, olga, hook := hears(t)
	page := "/desk/receivers/" + hook
	for address, says := range map[string][]string{
		"/desk/receivers":           {page, "hooks.example", "Failed: 1", "Not tested", "Waiting: 0"},
		"/desk/receivers?q=app":     {page},
		"/desk/receivers?q=another": {"This application has no webhook or stream."},
		page:                        {hook, "hooks.example", "ping", "422 no thanks", "Failed", "msg_1", "send_again?message=-1"},
	} {
		p := olga.Open(address)
		shows(t, p, http.StatusOK, says...)
		if strings.Contains(p.Text, "secret") {
			t.Errorf("%s shows the path of an address, which may be a secret", address)
		}
	}
	for _, path := range []string{"/desk/receivers/none", "/desk/receivers/none/do/switch_off", page + "/do/stop_application"} {
		shows(t, olga.Open(path), http.StatusNotFound)
	}
	w.hires("aude", desk.RoleAuditor)
	w.hires("sam", desk.RoleSupport)
	for _, name := range []string{"rita", "aude", "sam"} {
		b := w.reviewer(name)
		for _, path := range []string{"/desk/receivers", page, page + "/do/switch_off"} {
			shows(t, b.Open(path), http.StatusNotFound)
		}
	}
}

func TestReceiverIsSwitched(t *testing.T) {
	t.Parallel()
	w, olga, hook := hears(t)
	page := "/desk/receivers/" + hook
	shows(t, olga.Open(page+"/do/switch_off"), http.StatusOK, "Nobody but the staff can switch it on or remove it.", "hooks.example", "app")
	shows(t, switches(olga, hook, "switch_off"), http.StatusOK, "Done.", "Switched off by staff", "/do/switch_on")
	if of := w.hook(hook); of.State != "disabled" || !of.Stopped {
		t.Errorf("%+v", of)
	}
	shows(t, olga.Open(page+"/do/switch_off"), http.StatusOK, "It is switched off.")
	shows(t, olga.Open(page+"/do/send_again"), http.StatusOK, "It is switched off.")
	shows(t, switches(olga, hook, "switch_on"), http.StatusOK, "Done.", "Not tested")
	if of := w.hook(hook); of.State != "unverified" || of.Stopped || of.Waiting != 1 { // a ping
		t.Errorf("%+v", of)
	}

	// What was looked at is a condition of the write.
	p := send(olga, page+"/do/switch_off", "check")
	of := w.hook(hook)
	of.State = "disabled"
	_, _, err := w.Signals().Save(t.Context(), of)
	w.OK(err)
	shows(t, send(olga, page+"/do/switch_off", "do", "revision", hiddenOf(p, "revision")), http.StatusConflict, "Something has changed.")
	if w.hook(hook).Stopped {
		t.Error("it is stopped as it was not seen")
	}
}

func TestMessagesAreSentAgain(t *testing.T) {
	t.Parallel()
	w, olga, hook := hears(t)
	shows(t, olga.Open("/desk/receivers/"+hook+"/do/send_again?message=x"), http.StatusUnprocessableEntity, "This value cannot be used.")
	shows(t, olga.Open("/desk/receivers/"+hook+"/do/send_again?message=7"), http.StatusOK, "There is no message that has ended.")
	shows(t, switches(olga, hook, "send_again", "message", "-1"), http.StatusOK, "Done.")
	if of := w.hook(hook); of.Dead != 0 || of.Waiting != 1 {
		t.Errorf("%+v", of)
	}
	shows(t, olga.Open("/desk/receivers/"+hook+"/do/send_again"), http.StatusOK, "There is no message that has ended.")

	// All that are dead, and the same act twice.
	w.MustExec(`UPDATE deliveries SET state = 'dead', ended_at = ?1`, w.Now().UnixMicro())
	p := send(olga, "/desk/receivers/"+hook+"/do/send_again", "check")
	shows(t, p, http.StatusOK, "Messages")
	for _, status := range []int{http.StatusOK, http.StatusConflict} {
		shows(t, send(olga, "/desk/receivers/"+hook+"/do/send_again", "do", "revision", hiddenOf(p, "revision")), status)
	}
	if of := w.hook(hook); of.Dead != 0 || of.Waiting != 1 {
		t.Errorf("%+v", of)
	}
}

func TestReceiversHavePages(t *testing.T) {
	t.Parallel()
	w, olga, hook := hears(t)
	store := w.Store.(storage.Signals)
	one, err := storage.One(store.Receivers(t.Context(), storage.ReceiverFilter{ID: hook}))
	w.OK(err)
	for i := range 50 {
		one.ID, one.ClientID, one.Revision = "more_"+time.Unix(int64(i), 0).UTC().Format("0405"), "", 0
		w.OK(store.SaveReceiver(t.Context(), one, 0))
	}
	p := olga.Open("/desk/receivers")
	shows(t, p, http.StatusOK, "more_0049")
	if strings.Contains(p.Text, hook) {
		t.Fatal("all are on one page")
	}
	_, rest, _ := strings.Cut(p.Text, `href="?after=`)
	after, _, _ := strings.Cut(rest, `"`)
	shows(t, olga.Open("/desk/receivers?after="+after), http.StatusOK, hook)
}

// Off means off: without Config.Signals there is neither a page nor an operation.
func TestNoReceiversWhereNobodyIsTold(t *testing.T) {
	t.Parallel()
	var d *desk.Desk
	w := newPlaceWith(t, given{provider: func(c *provider.Config) { c.Signals = signals.Config{} }, after: func(made *desk.Desk) { d = made }})
	w.hires("olga", desk.RoleOperator)
	olga := w.reviewer("olga")
	for _, path := range []string{"/desk/receivers", "/desk/receivers/x", "/desk/receivers/x/do/switch_off"} {
		shows(t, olga.Open(path), http.StatusNotFound)
	}
	if p := olga.Open("/desk/health"); strings.Contains(p.Text, "/desk/receivers") {
		t.Error("there is a link")
	}
	for _, route := range d.Served() {
		if strings.Contains(route, "receivers") {
			t.Errorf("%s is served", route)
		}
	}
}
