package developer

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// hookPages are the webhooks of an application, and what has been sent to them.
type hookPages struct {
	*frame
	drafts *drafts
}

// routes are none where no application has webhooks.
func (d *hookPages) routes() []route {
	if !d.hasWebhooks(storage.Production) && !d.hasWebhooks(storage.Sandbox) {
		return nil
	}
	return []route{
		{path: "/o/{org}/{env}/{client}/webhooks", looks: viewers, show: d.there(d.showWebhooks), posts: developers, act: d.there(d.addWebhook), mild: inTheSandbox, keep: d.there(d.keepWebhook)},
		{path: "/o/{org}/{env}/{client}/webhooks/{receiver}", looks: viewers, show: d.there(d.showReceiver), posts: developers, act: d.there(d.changeReceiver), mild: mildReceiver, gives: actsBut(screens.ActionDisable, screens.ActionDelete)},
	}
}

// hasWebhooks reports whether the applications of an environment can have webhooks.
func (d *frame) hasWebhooks(env string) bool {
	p := d.provider(env)
	return p != nil && p.Rooms().Installation().Webhooks
}

// there is a page of an environment with webhooks.
func (d *hookPages) there(h handler) handler {
	return func(r *request) error {
		if !d.hasWebhooks(r.env) {
			return provider.ErrScreenNotFound
		}
		return h(r)
	}
}

// mildReceiver are the forms that send nothing to a new place: a test names nobody, and what is sent
// again goes where it has gone before.
func mildReceiver(r *request) bool {
	return inTheSandbox(r) || slices.Contains([]string{screens.ActionTest, screens.ActionReplay, screens.ActionDisable}, r.posted(ui.FieldAction))
}

// showWebhooks lists the receivers of an application.
func (d *hookPages) showWebhooks(r *request) error {
	return d.renderWebhooks(r, signals.Receiver{Kind: string(storage.WebhookReceiver)}, http.StatusOK)
}

// renderWebhooks shows the list, with what is entered for another one.
func (d *hookPages) renderWebhooks(r *request, entered signals.Receiver, status int, problems ...ui.Problem) error {
	p, err := d.applicationPage(r, screens.SectionWebhooks)
	if err != nil {
		return err
	}
	reviewed, err := d.reviewed(r.Request.Context(), r.app)
	if err != nil {
		return err
	}
	found, err := d.provider(r.env).Signals().List(r.Request.Context(), storage.ReceiverFilter{ClientID: r.app.ClientID, Counted: true})
	if err != nil {
		return err
	}
	view := screens.WebhooksView{
		Page: p, Form: r.Form(problems...), MayChange: r.may(developers), Most: signals.MaxReceivers, Inboxes: r.env == storage.Sandbox,
		Kind: ui.ReceiverKind(entered.Kind), Address: entered.Address, Description: entered.Description,
		Names: namesOf(entered), Asymmetric: entered.Asymmetric,
	}
	for _, found := range found {
		view.Receivers = append(view.Receivers, d.receiverRow(r, found, reviewed))
	}
	r.Render(status, screens.Webhooks(view))
	return nil
}

// receiverRow shows a receiver in the list.
func (d *hookPages) receiverRow(r *request, found signals.Receiver, reviewed func(address string) bool) screens.Receiver {
	state := ui.ReceiverState(found.State)
	switch {
	case found.Stopped:
		state = ui.ReceiverStopped
	case state == ui.ReceiverUnverified && !reviewed(found.Address):
		state = screens.ReceiverReviewed
	}
	return screens.Receiver{
		URL: d.hooksPath(r, found.ID), Kind: ui.ReceiverKind(found.Kind), State: state,
		Address: found.Address, Description: found.Description, Waiting: found.Waiting, Dead: found.Dead,
	}
}

func (d *hookPages) hooksPath(r *request, more ...string) string {
	return d.path(append([]string{"o", r.org.ID, r.env, r.app.ClientID, "webhooks"}, more...)...)
}

// namesOf are the signals to choose from; a receiver that names none has all.
func namesOf(of signals.Receiver) []screens.Value {
	chosen := of.Signals
	if len(chosen) == 0 {
		chosen = signals.Names()
	}
	return valuesOf(signals.Names(), chosen)
}

// reviewed returns whether an application may have events sent to an address: of a reviewed one an
// operator has read each host, as one of its redirect URIs or of its own.
func (d *hookPages) reviewed(ctx context.Context, app storage.Application) (func(address string) bool, error) {
	c, err := d.provider(app.Environment).Clients().Get(ctx, app.ClientID)
	if err != nil {
		return nil, notFound(err)
	}
	if !d.drafts.forms.vouched(app.Environment, c) {
		return func(string) bool { return true }, nil
	}
	kept, err := readDocument(app)
	hosts := append(hostsOf(lacking(c.RedirectURIs, []string{d.tryCallback()})), kept.Webhooks...)
	return func(address string) bool { return slices.Contains(hosts, hostKey(address)) }, err
}

// agreed is reviewed for a stream, which an application makes itself: then it asks, too.
func (d *hookPages) agreed(env string) func(ctx context.Context, clientID, address string) (bool, error) {
	return func(ctx context.Context, clientID, address string) (bool, error) {
		app, err := d.Store.Application(ctx, env, clientID)
		if errors.Is(err, storage.ErrNotFound) { // it is one of the host's own
			return true, nil
		}
		var reviewed func(string) bool
		if err == nil {
			reviewed, err = d.reviewed(ctx, app)
		}
		if err != nil || reviewed(address) {
			return err == nil, err
		}
		err = d.drafts.askHost(ctx, act{by: byProgram(clientID), org: storage.Organization{ID: app.OrganizationID}, app: app}, hostKey(address))
		if errors.Is(err, storage.ErrLimit) { // it is not asked for more
			err = nil
		}
		return false, err
	}
}

// maxWebhookText limits the description of a receiver in characters.
const maxWebhookText = 120

// enteredReceiver returns a receiver as it is entered, and what is wrong with it.
func (d *hookPages) enteredReceiver(r *request, now signals.Receiver) (signals.Receiver, []ui.Problem) {
	var problems []ui.Problem
	now.Signals = nil
	for _, name := range signals.Names() {
		if r.posted(screens.FieldNames+"."+name) != "" {
			now.Signals = append(now.Signals, name)
		}
	}
	if len(now.Signals) == 0 {
		problems = append(problems, screens.EventsProblem(r.Page()))
	}
	now.Description = strings.TrimSpace(r.posted(screens.FieldDescription))
	if utf8.RuneCountInString(now.Description) > maxWebhookText {
		problems = append(problems, ui.Problem{Code: ui.NameInvalid, Field: screens.FieldDescription})
	}
	now.Asymmetric = now.Kind == string(storage.WebhookReceiver) && r.posted(screens.FieldAsymmetric) != ""
	return now, problems
}

// enteredWebhook is enteredReceiver of a new one.
func (d *hookPages) enteredWebhook(r *request) (signals.Receiver, []ui.Problem) {
	wanted := signals.Receiver{ClientID: r.app.ClientID, Kind: string(storage.WebhookReceiver)}
	if r.env == storage.Sandbox && r.posted(ui.FieldKind) == string(ui.KindInbox) {
		wanted.Kind = string(storage.InboxReceiver)
		return d.enteredReceiver(r, wanted)
	}
	wanted.Address = strings.TrimSpace(r.posted(screens.FieldWebhook))
	wanted, problems := d.enteredReceiver(r, wanted)
	if wanted.Address == "" {
		problems = append(problems, ui.Problem{Code: ui.AddressNotCalled, Field: screens.FieldWebhook})
	}
	return wanted, problems
}

// keepWebhook shows the entered values again.
func (d *hookPages) keepWebhook(r *request) error {
	wanted, problems := d.enteredWebhook(r)
	return d.renderWebhooks(r, wanted, http.StatusForbidden, append([]ui.Problem{{Code: ui.ConfirmFirst}}, problems...)...)
}

// addWebhook makes a receiver, and shows its key, once. To one whose host no operator has read
// nothing is sent until one has.
func (d *hookPages) addWebhook(r *request) error {
	if r.posted(ui.FieldAction) != screens.ActionAdd {
		return forbidden("no such action")
	}
	reviewed, err := d.reviewed(r.Request.Context(), r.app)
	if err != nil {
		return err
	}
	wanted, problems := d.enteredWebhook(r)
	if len(problems) > 0 {
		return d.renderWebhooks(r, wanted, http.StatusUnprocessableEntity, problems...)
	}
	ctx, sender := r.Request.Context(), d.provider(r.env).Signals()
	waits := wanted.Address != "" && !reviewed(wanted.Address)
	if waits {
		wanted.State = string(storage.ReceiverUnverified)
	}
	var saved signals.Receiver
	var key string
	fields := append(changed(screens.FieldWebhook, "", wanted.Address), changedList(screens.FieldNames, nil, wanted.Signals)...)
	err = d.registered(ctx, r.does(), "webhook.add", fields, func(ctx context.Context) (err error) {
		saved, key, err = sender.Save(ctx, wanted)
		return err
	})
	if err != nil {
		return d.renderWrong(r, wanted, err)
	}
	if waits {
		if err := d.drafts.askHost(ctx, r.does(), hostKey(wanted.Address)); err != nil {
			return d.renderWrong(r, wanted, errors.Join(err, sender.Delete(context.WithoutCancel(ctx), saved.ID))) // of which nobody is asked
		}
		if r.app, err = d.Store.Application(ctx, r.env, r.app.ClientID); err != nil { // which waits now
			return notFound(err)
		}
	}
	d.warnOwners(ctx, r.does(), ui.MailAddressesChanged)
	return d.renderReceiver(r, saved, key, http.StatusOK)
}

// renderWrong shows what is entered, and why it is not accepted.
func (d *hookPages) renderWrong(r *request, wanted signals.Receiver, err error) error {
	var wrong *provider.FieldError
	switch {
	case errors.Is(err, signals.ErrLimit):
		return d.renderWebhooks(r, wanted, http.StatusConflict, ui.Problem{Code: ui.TooMany, Count: signals.MaxReceivers})
	case errors.Is(err, storage.ErrLimit): // of hosts that wait
		return d.renderWebhooks(r, wanted, http.StatusConflict, ui.Problem{Code: ui.TooMany, Count: mostHosts})
	case errors.Is(err, signals.ErrThere):
		return d.renderWebhooks(r, wanted, http.StatusConflict, screens.AddressProblem(r.Page()))
	case errors.As(err, &wrong):
		return d.renderWebhooks(r, wanted, http.StatusUnprocessableEntity, ui.Problem{Code: ui.AddressNotCalled, Field: screens.FieldWebhook})
	}
	return notFound(err)
}

// failing mails the owners of an application of which a receiver takes no messages, or was stopped.
func (d *hookPages) failing(env string) func(context.Context, signals.Receiver) {
	return func(ctx context.Context, of signals.Receiver) {
		app, err := d.Store.Application(ctx, env, of.ClientID)
		var org storage.Organization
		if err == nil {
			org, err = d.Store.Organization(ctx, app.OrganizationID)
		}
		switch {
		case errors.Is(err, storage.ErrNotFound): // it is the host's, or one of the host's own applications
		case err != nil:
			d.Logger.WarnContext(ctx, "owners could not be mailed about a webhook", slog.String("client", of.ClientID), slog.Any("error", err))
		default:
			page := []string{"o", org.ID, env, app.ClientID}
			if d.hasWebhooks(env) { // with Shared Signals alone it has no page
				page = append(page, "webhooks", of.ID)
			}
			kind := ui.MailWebhookFailing
			if of.Stopped {
				kind = ui.MailWebhookStopped
			}
			d.tellOwners(ctx, act{org: org, app: app}, kind, d.path(page...))
		}
	}
}

// revisionOf is a revision as a form has it.
func revisionOf(of signals.Receiver) string { return strconv.FormatInt(of.Revision, 10) }
