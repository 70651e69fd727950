package security

import (
	"context"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/security"
)

// hasChoice reports whether the owner decides about the second step: an app always asks for
// it, and without passkeys there is none.
func (o *owner) hasChoice() bool { return o.has.Passkey && o.has.SignsIn() && !o.has.TOTP }

// showStep asks whether to turn the second step on or off.
func (p *frame) showStep(w http.ResponseWriter, r *http.Request, o *owner) error {
	return p.renderStep(w, r, o, "")
}

func (p *frame) renderStep(w http.ResponseWriter, r *http.Request, o *owner, problem security.Problem) error {
	if !o.hasChoice() {
		p.Site.Redirect(w, p.link(homePath))
		return nil
	}
	form, status := p.form(w, r, problem)
	form.Hidden = append(form.Hidden, ui.Field{Name: ui.FieldAction, Value: wanted(o)})
	p.Site.Render(w, r, status, security.Step(security.StepView{
		Page: p.Site.PageView(r, nil), Form: form, On: o.set.Account.SecondStep, BackURL: p.link(homePath),
	}))
	return nil
}

// The values of ui.FieldAction: what the page has asked, whatever has happened since.
const (
	turnOn  = "on"
	turnOff = "off"
)

func wanted(o *owner) string {
	if o.set.Account.SecondStep {
		return turnOff
	}
	return turnOn
}

// setStep turns the second step on or off.
func (p *frame) setStep(w http.ResponseWriter, r *http.Request, o *owner) error {
	if !o.hasChoice() || r.PostForm.Get(ui.FieldAction) != wanted(o) {
		return p.again(w, r)
	}
	on := !o.set.Account.SecondStep
	c := change{
		do: func(ctx context.Context, proof storage.Proof) error {
			return p.Store.SetSecondStep(ctx, o.UserID, on, proof)
		},
		show: p.renderStep, event: event.SecondStepOff, mail: ui.MailSecondStepOff, notice: security.StepTurnedOff,
	}
	if on {
		c.event, c.mail, c.notice = event.SecondStepOn, ui.MailSecondStepOn, security.StepTurnedOn
	}
	return p.change(w, r, o, c)
}
