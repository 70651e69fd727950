package account

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Strangers must not be able to keep a user from resetting a password or signing up by
// requesting codes until the address reaches its daily limit. In a known browser, the owner
// has a separate share of mails. Elsewhere, the strangers' mails help: the links in each
// carry a pass, which proves that the browser belongs to a reader of the mailbox, and gives
// a share as well. It proves nothing else, and a code is still needed.
//
// What remains: an owner without any of the last day's mails, because they are held back or
// were deleted unread, waits as long as strangers go on. And while another reader of the
// mailbox uses up the share of the passes, neither gets a mail by it: that reader could set
// a new password just as well.

// passLife is how long a pass is valid: as long as mails are counted.
const passLife = 24 * time.Hour

// pass is the content of the links in a mail. It is sealed, because links are kept in many
// places that must not reveal their owner.
type pass struct {
	EmailKey string `json:"e"`
	Made     int64  `json:"t"`
}

func (p *Pages) sealPassPurpose() string { return "mailbox " + p.Site.Issuer }

// mailLink returns the absolute address of a page, with the pass of a mail to this address.
func (p *Pages) mailLink(page, to string) string {
	link := p.Site.BaseURL + page
	key, err := mailbox.EmailKey(to)
	if err != nil {
		return link // of an account from before there was such a rule
	}
	plain, err := json.Marshal(pass{key, p.Clock().Unix()})
	if err != nil {
		return link
	}
	return link + "?" + url.Values{web.MailboxParameter: {p.Site.Secrets.SealString(p.sealPassPurpose(), plain)}}.Encode()
}

// readsMailbox reports whether the request carries a pass of this address. An invalid or
// old one counts as none.
func (p *Pages) readsMailbox(r *http.Request, emailKey string) bool {
	plain, err := p.Site.Secrets.OpenString(p.sealPassPurpose(), web.Parameter(r, web.MailboxParameter))
	var carried pass
	if err != nil || json.Unmarshal(plain, &carried) != nil || carried.EmailKey != emailKey {
		return false
	}
	return clock.Within(p.Clock(), time.Unix(carried.Made, 0), passLife)
}

// MailCaller identifies, to the limits, the source of a request for mail to an address. All
// passes of an address share one limit.
func (p *Pages) MailCaller(r *http.Request, emailKey string, account storage.Account) ratelimit.Key {
	by := p.caller(r, emailKey, account)
	if by.Device == "" && p.readsMailbox(r, emailKey) {
		by.Device = "mailbox"
	}
	return by
}

// codeCaller identifies, to the limits, the source of a code entry: each code has five
// tries, but a known browser is not counted with its address.
func (p *Pages) codeCaller(r *http.Request, c CodeRequest) (ratelimit.Key, error) {
	key, err := mailbox.EmailKey(c.Email)
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
