package account

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Nobody may be kept from resetting a password or signing up by strangers who ask for
// codes in their place until the address has got all that it gets in a day. In a
// browser that is known, the owner has a share of mails of its own. Elsewhere, what
// strangers have asked for is what helps: each of those mails has links with a pass,
// which proves that the browser is one of somebody who reads the mailbox, and gives a
// share as well. It is no proof of anything else, and a code is needed all the same.
//
// What remains: who has none of the last day's mails at hand, because they are held
// back or were deleted unread, waits as long as strangers go on. And while somebody
// who reads the mailbox, too, uses up the share of the passes, neither gets a mail by
// it: that one could set a new password just as well.

// passLife is how long a pass can be used: for as long as mails are counted.
const passLife = 24 * time.Hour

// pass is what the links of a mail carry. It is sealed, as links are kept in many a
// place that is not to tell whose they are.
type pass struct {
	EmailKey string `json:"e"`
	Made     int64  `json:"t"`
}

func (p *Pages) sealPassPurpose() string { return "mailbox " + p.Site.Issuer }

// mailLink returns the absolute address of a page, with the pass of a mail to this
// address.
func (p *Pages) mailLink(page, to string) string {
	link := p.Site.BaseURL + page
	key, err := EmailKey(to)
	if err != nil {
		return link // of an account from before there was such a rule
	}
	plain, err := json.Marshal(pass{key, p.Clock().Unix()})
	if err != nil {
		return link
	}
	return link + "?" + url.Values{web.MailboxParameter: {p.Site.Secrets.SealString(p.sealPassPurpose(), plain)}}.Encode()
}

// readsMailbox reports whether the request carries a pass of this address. One that
// is not, or is too old, is as good as none.
func (p *Pages) readsMailbox(r *http.Request, emailKey string) bool {
	plain, err := p.Site.Secrets.OpenString(p.sealPassPurpose(), web.Parameter(r, web.MailboxParameter))
	var carried pass
	if err != nil || json.Unmarshal(plain, &carried) != nil || carried.EmailKey != emailKey {
		return false
	}
	return clock.Within(p.Clock(), time.Unix(carried.Made, 0), passLife)
}

// mailCaller identifies, to the limits, who asks for a mail to an address. All passes of an
// address have one share of mails together.
func (p *Pages) mailCaller(r *http.Request, emailKey string, account storage.Account) ratelimit.Key {
	by := p.caller(r, emailKey, account)
	if by.Device == "" && p.readsMailbox(r, emailKey) {
		by.Device = "mailbox"
	}
	return by
}

// codeCaller identifies, to the limits, who enters a code: the five tries are of
// the code, but a browser that is known is not counted with its address.
func (p *Pages) codeCaller(r *http.Request, c CodeRequest) (ratelimit.Key, error) {
	key, err := EmailKey(c.Email)
	if err != nil {
		key = c.Email // nobody's
	}
	account, err := p.Accounts.ByEmail(r.Context(), key)
	if err != nil {
		return ratelimit.Key{}, err
	}
	by := p.caller(r, key, account)
	by.Account = hex.EncodeToString(c.ID)
	return by, nil
}
