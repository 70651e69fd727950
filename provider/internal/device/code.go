package device

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// maxShown limits what the page shows again of what was entered, in bytes.
const maxShown = 64

// readCode returns a code as people type it in the form in which it is shown. It reports whether
// there can be such a code.
func readCode(typed string) (string, bool) {
	code, ok := engine.ReadUserCode(typed)
	if !ok {
		return "", false
	}
	return engine.ShownCode(code), true
}

// kept is a code that has been entered in a browser, while its user signs in. Only that browser
// fills it in again: a link that somebody sends brings no code along, unless the host lets links do
// so.
type kept struct {
	Code    string `json:"c"`
	Browser []byte `json:"b"`
}

func (p *Pages) keptPurpose() string { return "device code " + p.Site.Issuer }

// entry is the page that asks for a code, to return to with this one; empty for none.
func (p *Pages) entry(w http.ResponseWriter, r *http.Request, code string) (authflow.Return, error) {
	if code == "" {
		return authflow.Return{Address: p.Site.Link(Path)}, nil
	}
	browser := sha256.Sum256([]byte(p.Site.Browser(w, r)))
	plain, err := json.Marshal(kept{code, browser[:]})
	if err != nil {
		return authflow.Return{}, fmt.Errorf("encode device code: %w", err)
	}
	return authflow.Return{Address: p.Site.Link(Path, web.CodeParameter, p.Site.Secrets.SealString(p.keptPurpose(), plain))}, nil
}

// known returns the code that a request has with it, or "": of its form, of what that has shown,
// of the address that led to a sign-in, or of that with which a device has led here.
func (p *Pages) known(r *http.Request) string {
	if code, ok := readCode(r.PostForm.Get(ui.FieldUserCode)); ok {
		return code
	}
	if s, err := p.seen(r); err == nil {
		return s.Code
	}
	var k kept
	browser := sha256.Sum256([]byte(p.Site.Cookies.Get(r, session.Browser)))
	plain, err := p.Site.Secrets.OpenString(p.keptPurpose(), web.Parameter(r, web.CodeParameter))
	if err == nil && json.Unmarshal(plain, &k) == nil && bytes.Equal(k.Browser, browser[:]) {
		return k.Code
	}
	if code, ok := readCode(r.URL.Query().Get(ui.FieldUserCode)); ok && p.Complete {
		return code
	}
	return ""
}
