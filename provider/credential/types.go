package credential

import (
	"net/http"

	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/credential"
)

// typeMetadata says what a credential is called, and its claims (SD-JWT-based Verifiable Credentials
// section 5).
type typeMetadata struct {
	VCT     string        `json:"vct"`
	Name    string        `json:"name"`
	Display []typeDisplay `json:"display"`
	Claims  []typeClaim   `json:"claims"`
}

type typeDisplay struct {
	Locale string `json:"locale"`
	Name   string `json:"name"`
}

type typeClaim struct {
	Path    []string       `json:"path"`
	SD      string         `json:"sd"`
	Display []claimDisplay `json:"display"`
}

type claimDisplay struct {
	Locale string `json:"locale"`
	Label  string `json:"label"`
}

// serveType serves the metadata of the type of a credential, at its vct.
func (s *Service) serveType(w http.ResponseWriter, r *http.Request) {
	k, ok := s.cfg.Kinds.of(r.PathValue("group"))
	if !ok {
		s.fail(w, r, errNoType)
		return
	}
	public(documentLife, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.typeOf(k)) })(w, r)
}

var errNoType = &refusal{code: "invalid_request", status: http.StatusNotFound,
	description: "There is no such type of credentials."}

func (s *Service) typeOf(k Kind) typeMetadata {
	locales := s.locales()
	m := typeMetadata{VCT: s.typeURL(k), Name: s.groupName(locales[0], k)}
	for _, l := range locales {
		m.Display = append(m.Display, typeDisplay{l.Lang, s.groupName(l, k)})
	}
	for _, name := range k.claimNames() {
		c := typeClaim{Path: []string{name}, SD: "always"}
		for _, l := range locales {
			c.Display = append(c.Display, claimDisplay{l.Lang, screens.ClaimWords(l, name)})
		}
		m.Claims = append(m.Claims, c)
	}
	return m
}

// locales are the languages in which credentials and claims have names, English first.
func (s *Service) locales() []*ui.Locale { return s.cfg.Provider.Rooms().Pages.Locales() }

// groupName returns what the group of a credential is called.
func (s *Service) groupName(l *ui.Locale, k Kind) string {
	title, _ := s.cfg.Provider.Rooms().Pages.GroupWords(l, k.Group)
	return title.Text
}
