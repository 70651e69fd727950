package developer

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// shownDeliveries is how many messages of a receiver its page has.
const shownDeliveries = 50

// maxReplayed is how many dead messages are sent again together.
const maxReplayed = 1000

// receiver returns the one in the path, if it is the application's.
func (d *hookPages) receiver(r *request) (signals.Receiver, error) {
	found, err := d.provider(r.env).Signals().List(r.Request.Context(), storage.ReceiverFilter{
		ID: r.value("receiver"), ClientID: r.app.ClientID, Counted: true,
	})
	if err == nil && len(found) == 0 {
		err = provider.ErrScreenNotFound
	}
	if err != nil {
		return signals.Receiver{}, err
	}
	return found[0], nil
}

func (d *hookPages) showReceiver(r *request) error {
	of, err := d.receiver(r)
	if err != nil {
		return err
	}
	return d.renderReceiver(r, of, "", http.StatusOK)
}

// renderReceiver shows a receiver, with a key that was just made.
func (d *hookPages) renderReceiver(r *request, of signals.Receiver, key string, status int, problems ...ui.Problem) error {
	view, err := d.receiverView(r, of, problems...)
	if err != nil {
		return err
	}
	if view.Key = key; key != "" {
		r.Room().RenderSecret(status, screens.ReceiverScreen(view))
		return nil
	}
	r.Render(status, screens.ReceiverScreen(view))
	return nil
}

func (d *hookPages) receiverView(r *request, of signals.Receiver, problems ...ui.Problem) (screens.ReceiverView, error) {
	p, err := d.applicationPage(r, screens.SectionWebhooks)
	if err != nil {
		return screens.ReceiverView{}, err
	}
	reviewed, err := d.reviewed(r.Request.Context(), r.app)
	if err != nil {
		return screens.ReceiverView{}, err
	}
	sent, err := d.provider(r.env).Signals().Deliveries(r.Request.Context(), storage.DeliveryFilter{ReceiverID: of.ID, Limit: shownDeliveries})
	if err != nil {
		return screens.ReceiverView{}, notFound(err)
	}
	view := screens.ReceiverView{
		Page: p, Form: r.Form(problems...), Receiver: d.receiverRow(r, of, reviewed),
		BackURL: d.hooksPath(r), RefreshURL: d.hooksPath(r, of.ID), Version: revisionOf(of),
		Names: namesOf(of), Asymmetric: of.Asymmetric, MayChange: r.may(developers),
		Failing: of.FailingSince, Next: of.NextAt, PublicKey: of.PublicKey, Former: of.FormerKeyUntil,
	}
	view.Form.Action = view.RefreshURL // also on the page that answers the form for a new one
	for _, m := range sent {
		shown := screens.Delivery{
			ID: m.MessageID, Number: strconv.FormatInt(m.Number, 10), Type: m.Name, State: ui.MessageState(m.State), At: m.At, Answer: m.Answer,
			MayReplay: view.MayChange && m.State != string(storage.DeliveryWaiting) && m.Name != signals.Ping && of.Kind != string(storage.InboxReceiver),
		}
		if view.MayChange { // it names users as the application does, and the log does not
			shown.Body = m.Body
		}
		view.Deliveries = append(view.Deliveries, shown)
	}
	return view, nil
}

// changeReceiver does what its page offers.
func (d *hookPages) changeReceiver(r *request) error {
	of, err := d.receiver(r)
	if err != nil {
		return err
	}
	reviewed, err := d.reviewed(r.Request.Context(), r.app)
	if err != nil {
		return err
	}
	sender, here := d.provider(r.env).Signals(), d.hooksPath(r, of.ID)
	do := func(what string, fields []storage.ChangedField, done func() error, write func(context.Context) error) error {
		fields = append(changed(screens.FieldWebhook, "", of.Address), fields...)
		err := d.registered(r.Request.Context(), r.does(), what, fields, write)
		switch {
		case errors.Is(err, provider.ErrChanged):
			return r.done(here, screens.NoticeSomebodyElse)
		case errors.Is(err, signals.ErrStopped):
			return forbidden("an operator has switched it off")
		case err != nil:
			return notFound(err)
		}
		return done()
	}
	says := func(notice screens.Notice) func() error { return func() error { return r.done(here, notice) } }
	saves := func(wanted signals.Receiver) func(context.Context) error {
		return func(ctx context.Context) error {
			_, _, err := sender.Save(ctx, wanted)
			return err
		}
	}
	action := r.posted(ui.FieldAction)
	switch action {
	case screens.ActionTest:
		if !reviewed(of.Address) {
			return forbidden("the host of the webhook waits for an operator")
		}
		return do("webhook.test", nil, says(screens.NoticeWebhookTested), func(ctx context.Context) error { return sender.Test(ctx, of.ID) })
	case screens.ActionReplay:
		again := storage.DeliveryFilter{ReceiverID: of.ID, State: storage.DeliveryDead, Limit: maxReplayed}
		if posted := r.posted(screens.FieldDelivery); posted != "" {
			number, err := strconv.ParseInt(posted, 10, 64)
			if err != nil {
				return forbidden("no such message")
			}
			again = storage.DeliveryFilter{ReceiverID: of.ID, Numbers: []int64{number}}
		}
		return do("webhook.replay", nil, says(screens.NoticeSentAgain), func(ctx context.Context) error {
			_, err := sender.Replay(ctx, again)
			return err
		})
	case screens.ActionDelete:
		return do("webhook.remove", nil, func() error { return r.done(d.hooksPath(r), screens.NoticeDeleted) },
			func(ctx context.Context) error { return sender.Delete(ctx, of.ID) })
	case screens.ActionDisable:
		of.State = string(storage.ReceiverDisabled)
		return do("webhook.disable", nil, says(screens.NoticeWebhookOff), saves(of))
	}
	if r.posted(screens.FieldVersion) != revisionOf(of) { // reloading a page with a key makes no other
		return r.done(here, screens.NoticeSomebodyElse)
	}
	switch action {
	case screens.ActionEnable:
		done := screens.NoticeWebhookTested
		of.State = string(storage.ReceiverEnabled)
		if of.Kind == string(storage.WebhookReceiver) && !reviewed(of.Address) { // it waits for an operator, as when it was added
			of.State, done = string(storage.ReceiverUnverified), screens.NoticeSaved
		}
		return do("webhook.enable", nil, says(done), saves(of))
	case screens.ActionRotate:
		var key string
		return do("webhook.rotate", nil, func() error {
			d.warnOwners(r.Request.Context(), r.does(), ui.MailSecretShown)
			if now, err := d.receiver(r); err == nil { // else as it was
				of = now
			}
			return d.renderReceiver(r, of, key, http.StatusOK)
		}, func(ctx context.Context) (err error) {
			key, err = sender.Rotate(ctx, of.ID)
			return err
		})
	case screens.ActionSave:
		wanted, problems := d.enteredReceiver(r, of)
		if len(problems) > 0 {
			return d.renderReceiver(r, wanted, "", http.StatusUnprocessableEntity, problems...)
		}
		return do("webhook.change", changedReceiver(of, wanted), says(screens.NoticeSaved), saves(wanted))
	}
	return forbidden("no such action")
}

// changedReceiver are the fields in which two receivers differ.
func changedReceiver(before, after signals.Receiver) []storage.ChangedField {
	fields := changedList(screens.FieldNames, before.Signals, after.Signals)
	fields = append(fields, changed(screens.FieldDescription, before.Description, after.Description)...)
	return append(fields, changed(screens.FieldAsymmetric, onOff(before.Asymmetric), onOff(after.Asymmetric))...)
}
