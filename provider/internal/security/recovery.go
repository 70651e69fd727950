package security

import (
	"net/http"

	"github.com/bonafide-id/bonafide/ui/security"
)

// stopRecovery stops the recovery of the account.
func (p *Pages) stopRecovery(w http.ResponseWriter, r *http.Request, o *owner) error {
	if _, err := p.StopRecovery(r, o.set.Account, "by the user"); err != nil {
		return err
	}
	p.home(w, r, security.RecoveryStopped)
	return nil
}
