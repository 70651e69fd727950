package verification

import (
	"strings"

	"github.com/bonafide-id/bonafide/provider"
)

// returnByState sends a person who comes back to Case.RedirectURI to the Case.ReturnURL of
// the case that the state begins with, with all parameters. Whose case it is, and whether the
// state is the one that was sent, is decided there.
func (s *casePages) returnByState(r *request) error {
	query := r.Request.URL.Query()
	id, _, ok := strings.Cut(query.Get("state"), ".")
	if !ok {
		return provider.ErrScreenNotFound
	}
	query.Set("case", id)
	r.Redirect(s.path("return") + "?" + query.Encode())
	return nil
}
