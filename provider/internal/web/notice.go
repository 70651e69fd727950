package web

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/ui"
)

// NoticeParameter carries a notice of what has just happened.
const NoticeParameter = "notice"

// noticeLife is how long a notice is shown when its page is reloaded.
const noticeLife = 5 * time.Minute

// Notice returns the parameter for a notice. It is valid only in this browser, and briefly:
// a forged link must not tell people that their password was changed.
func (s *Site) Notice(w http.ResponseWriter, r *http.Request, n ui.Notice) string {
	at := strconv.FormatInt(s.Clock().Unix(), 10)
	mac := s.Secrets.MAC("notice "+s.Issuer, []byte(n), []byte(at), []byte(s.Browser(w, r)))
	return string(n) + "." + at + "." + base64.RawURLEncoding.EncodeToString(mac[:])
}

// Noticed returns the notice for the page of a request, or none.
func (s *Site) Noticed(r *http.Request) ui.Notice {
	parts := strings.Split(asks(r, NoticeParameter), ".")
	if len(parts) != 3 {
		return ""
	}
	mac, err := base64.RawURLEncoding.DecodeString(parts[2])
	browser := s.Cookies.Get(r, session.Browser)
	if err != nil || !s.Secrets.VerifyMAC("notice "+s.Issuer, mac, []byte(parts[0]), []byte(parts[1]), []byte(browser)) {
		return ""
	}
	at, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || !clock.Within(s.Clock(), time.Unix(at, 0), noticeLife) {
		return ""
	}
	return ui.Notice(parts[0])
}
