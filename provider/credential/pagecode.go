package credential

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/credential"
)

// offerLimit is the limit of offers per user. Each is a row for minutes, and two more once its digits are
// shown.
var offerLimit = provider.Limit{Burst: 10, Every: 2 * time.Minute}

// codePath is where a user adds the credential of a group by a code.
func (p pages) codePath(k Kind) string { return p.base + "/add/" + k.Group + "/code" }

// codeForm returns the form that makes an offer to any wallet; without an action if there are none.
func (p pages) codeForm(v *visit, k Kind, problems []ui.Problem) (form ui.Form, err error) {
	if p.anyWallet == nil {
		return form, nil
	}
	may, err := p.anyWallet.MayHave(v.context(), k.scope())
	if err != nil {
		return form, err
	}
	if !may {
		p.cfg.Logger.WarnContext(v.context(), "Config.AnyWallet is no public client of the dialect standard with the grant and the scope",
			slog.String("client", p.cfg.AnyWallet), slog.String("scope", k.scope()))
		return form, nil
	}
	form = v.Form(problems...)
	form.Action = p.codePath(k)
	return form, nil
}

// shownOffer is an offer as a form knows it: for the user who has made it.
type shownOffer struct {
	Name  string `json:"n"`
	Terms string `json:"t"`
	Group string `json:"g"`
	User  string `json:"u"`
}

func (p pages) shownPurpose() string { return "vci offer " + p.issuer }

// atCode makes an offer that one wallet gets, and shows its digits to the user who has made it when a wallet
// has it. A page that is loaded again begins with the way that most wallets take.
func (p pages) atCode(v *visit) error {
	k, ok := p.cfg.Kinds.of(v.Request.PathValue("group"))
	if !ok {
		return provider.ErrScreenNotFound
	}
	statuses, err := p.cfg.Provider.People().Statuses(v.context(), v.User.UserID, k.Group)
	if err != nil {
		return err
	}
	sealed := v.Request.PostForm.Get(screens.FieldOffer)
	switch {
	case v.Request.Method != http.MethodPost, p.state(k, statuses[0]) != screens.StateReady:
		v.Redirect(p.base + "/add/" + k.Group)
		return nil
	case sealed == "":
		return p.makeOffer(v, k)
	default:
		return p.showDigits(v, k, sealed)
	}
}

// makeOffer makes an offer, and shows it.
func (p pages) makeOffer(v *visit, k Kind) error {
	wait, err := p.cfg.Provider.Rooms().Pages.Allow(v.context(), "credential offer", v.User.UserID, offerLimit)
	if err != nil {
		return err
	}
	if wait > 0 {
		return p.renderAdd(v, k, v.Room().TooMany(wait), ui.Problem{Code: ui.TooManyAttempts, Count: int(math.Ceil(wait.Minutes()))})
	}
	name, terms, err := p.anyWallet.Offer(v.Screen, k.scope())
	switch {
	case errors.Is(err, room.ErrOfferOver):
		return provider.ErrScreenNotFound
	case err != nil || name == "":
		return err
	}
	return p.showOffer(v, k, shownOffer{name, terms, k.Group, v.User.UserID}, http.StatusOK)
}

// showOffer shows an offer. The page has nothing but its name: who reads it can have the code, and no
// digits.
func (p pages) showOffer(v *visit, k Kind, o shownOffer, code int) error {
	raw, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode offer: %w", err)
	}
	view := screens.CodeView{
		Page: v.Page(), Form: v.Form(), OfferURI: p.offerLink(o.Name), Early: code != http.StatusOK, AgainURL: p.base + "/add/" + k.Group, HomeURL: p.base + "/",
	}
	view.Group, _ = p.cfg.Provider.Rooms().Pages.GroupWords(view.Locale, k.Group)
	view.Form.Hidden = append(view.Form.Hidden, ui.Field{
		Name: screens.FieldOffer, Value: base64.RawURLEncoding.EncodeToString(p.cfg.Provider.Keys().Seal(p.shownPurpose(), raw)),
	})
	if view.Size, view.Symbol, err = picture.QR(view.OfferURI); err != nil {
		return fmt.Errorf("draw offer: %w", err)
	}
	v.Room().RenderSecret(code, screens.Code(view))
	return nil
}

// showDigits allows a wallet that has the code of an offer what was shown, and shows its digits. Before a
// wallet has it there are none: who sees this screen would see all that it takes.
func (p pages) showDigits(v *visit, k Kind, sealed string) error {
	o, ok := p.openOffer(sealed)
	if !ok || o.User != v.User.UserID || o.Group != k.Group {
		return p.offerOver(v, k)
	}
	digits, err := p.anyWallet.Digits(v.Screen, o.Name, o.Terms)
	switch {
	case errors.Is(err, room.ErrOfferOpen):
		return p.showOffer(v, k, o, http.StatusUnprocessableEntity)
	case errors.Is(err, room.ErrOfferOver):
		return p.offerOver(v, k)
	case err != nil || digits == "":
		return err
	}
	v.Room().RenderSecret(http.StatusOK, screens.Digits(screens.DigitsView{Page: v.Page(), Digits: digits, HomeURL: p.base + "/"}))
	return nil
}

// openOffer returns the offer of a form; false if it is none.
func (p pages) openOffer(sealed string) (o shownOffer, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		raw, err = p.cfg.Provider.Keys().Open(p.shownPurpose(), raw)
	}
	return o, err == nil && json.Unmarshal(raw, &o) == nil
}

// offerOver says that an offer is over.
func (p pages) offerOver(v *visit, k Kind) error {
	v.Room().RedirectWith(p.base+"/add/"+k.Group, ui.Notice(screens.NoticeOfferOver))
	return nil
}
