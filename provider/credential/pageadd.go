package credential

import (
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/credential"
)

// showAdd shows the offer of a group that the person is verified in, and what others will see. It
// makes nothing: the wallet comes back with the person, who signs in and allows it.
func (p pages) showAdd(v *visit) error {
	k, ok := p.cfg.Kinds.of(v.Request.PathValue("group"))
	if !ok {
		return provider.ErrScreenNotFound
	}
	return p.renderAdd(v, k, http.StatusOK)
}

func (p pages) renderAdd(v *visit, k Kind, code int, problems ...ui.Problem) error {
	statuses, err := p.cfg.Provider.People().Statuses(v.context(), v.User.UserID, k.Group)
	if err != nil {
		return err
	}
	status := statuses[0]
	view := screens.AddView{
		Page: v.Page(), Notice: screens.Notice(v.Room().Notice()), State: p.state(k, status), TellsHow: k.Provenance, HomeURL: p.base + "/",
	}
	view.Group, view.Subgroups = p.cfg.Provider.Rooms().Pages.GroupWords(view.Locale, k.Group, verifiedSubgroups(status)...)
	switch view.State {
	case screens.StateReady:
		view.OfferURI, view.Until = p.offerLink(k.Group), lastDay(k.expiry(p.cfg.Clock(), status.ExpiresAt))
		if view.Size, view.Symbol, err = picture.QR(view.OfferURI); err != nil {
			return fmt.Errorf("draw offer: %w", err)
		}
		if view.Form, err = p.codeForm(v, k, problems); err != nil {
			return err
		}
	case screens.StatePending:
	default:
		view.VerifyURL = p.groups()
	}
	v.Render(code, screens.Add(view))
	return nil
}

// atWithdraw asks whether to end a credential, and ends it. Nobody learns whether there is one of
// somebody else.
func (p pages) atWithdraw(v *visit) error {
	found, err := p.cfg.Store.Credentials(v.context(), storage.CredentialFilter{ID: v.Request.PathValue("id"), Subject: v.User.UserID})
	if err != nil {
		return fmt.Errorf("read credential: %w", err)
	}
	if len(found) == 0 {
		return provider.ErrScreenNotFound
	}
	view := screens.WithdrawView{Page: v.Page(), Form: v.Form(), HomeURL: p.base + "/"}
	if view.Proof, err = p.proof(v, view.Locale, found[0]); err != nil {
		return err
	}
	switch {
	case view.Proof.State != screens.ProofActive: // it has ended in this moment
		v.Redirect(view.HomeURL)
	case v.Request.Method == http.MethodPost:
		return p.withdraw(v, found[0], view.HomeURL)
	default:
		v.Render(http.StatusOK, screens.Withdraw(view))
	}
	return nil
}

func (p pages) withdraw(v *visit, c storage.Credential, homeURL string) error {
	ended, err := p.end(v.context(), c, storage.EndedByOwner)
	switch {
	case err != nil:
		return err
	case ended:
		v.Room().RedirectWith(homeURL, ui.Notice(screens.NoticeWithdrawn))
	default:
		v.Redirect(homeURL)
	}
	return nil
}
