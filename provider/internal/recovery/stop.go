package recovery

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// showStop asks somebody who has followed the link of a mail whether to stop the recovery.
// Opening the link changes nothing.
func (p *Pages) showStop(w http.ResponseWriter, r *http.Request, _ *authflow.Page) error {
	_, running, err := p.linked(r)
	if err != nil {
		return err
	}
	state := screens.StopGone
	if running {
		state = screens.StopAsked
	}
	p.renderStop(w, r, state)
	return nil
}

// stop stops the recovery.
func (p *Pages) stop(w http.ResponseWriter, r *http.Request, _ *authflow.Page) error {
	of, running, err := p.linked(r)
	if err != nil {
		return err
	}
	state := screens.StopGone
	if running {
		stopped, err := p.StopRecovery(r, of, "by the link of a mail")
		if err != nil {
			return err
		}
		if stopped {
			state = screens.StopDone
		}
	}
	p.renderStop(w, r, state)
	return nil
}

// linked returns the account of the link, and whether the recovery that the mail was about is
// running.
func (p *Pages) linked(r *http.Request) (of storage.Account, running bool, err error) {
	id, startedAt, err := p.OpenStop(r)
	if err != nil {
		return storage.Account{}, false, err
	}
	set, err := p.Store.Authenticators(r.Context(), id)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return storage.Account{}, false, fmt.Errorf("read recovery: %w", err)
	}
	running = err == nil && isRunning(set.Running, p.Clock()) && set.Running.StartedAt.Truncate(time.Microsecond).Equal(startedAt)
	return set.Account, running, nil
}

func (p *Pages) renderStop(w http.ResponseWriter, r *http.Request, state screens.StopState) {
	p.Site.Render(w, r, http.StatusOK, screens.RecoverStop(screens.RecoverStopView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, nil), State: state, SignInURL: p.Site.Link("/signin"),
	}))
}
