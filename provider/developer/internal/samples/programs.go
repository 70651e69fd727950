package samples

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
)

// Program is one of others at which people sign in, and what it wants of its registration. The lab
// of programs, provider/internal/lab/programs, runs each with the same files.
type Program struct {
	// ID is its name in addresses, Title what it is called.
	ID    string `json:"id"`
	Title string `json:"title"`

	// Kind is what it is registered as.
	Kind string `json:"kind"`

	// RedirectURIs are where it gets the response on the machine of whoever tries it: the first, or
	// the next whose port is free.
	RedirectURIs []string `json:"redirects"`

	// Afterwards is the path at which people arrive after a sign-out, and Backchannel where it is
	// told of one. It has those that are not nil.
	Afterwards  *string `json:"afterwards"`
	Backchannel *string `json:"backchannel"`

	// Needs are the settings that it does not work without.
	Needs []Need `json:"needs"`

	// Files are what it is configured by, and Run how it is started in a shell, where that is short.
	Files []string `json:"files"`
	Run   string   `json:"run"`
}

// Need is a setting that differs from that of a new application.
type Need string

// What programs need: access tokens that are JWTs, no refresh token, and no demand of PKCE.
const (
	NeedJWT       Need = "jwt"
	NeedNoRefresh Need = "no_refresh"
	NeedNoPKCE    Need = "no_pkce"
)

// programFolder is where their templates are, a folder for each.
const programFolder = "templates/programs/"

// programs are all, by title.
var programs = func() (all []Program) {
	text, err := sources.ReadFile(programFolder + "programs.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		panic(err)
	}
	return all
}()

// Programs returns all, by title.
func Programs() []Program { return slices.Clone(programs) }

// ProgramNamed returns the program with an ID.
func ProgramNamed(id string) (Program, bool) {
	i := slices.IndexFunc(programs, func(p Program) bool { return p.ID == id })
	if i < 0 {
		return Program{}, false
	}
	return programs[i], true
}

// template is the path of the template of one of its files.
func (p Program) template(file string) string {
	return programFolder + p.ID + "/" + path.Base(file) + ".tmpl"
}

// ForPrograms returns what configures each program for an application of a kind that speaks the
// dialect standard, by title.
func ForPrograms(a Application, kind string) ([]Sample, error) {
	if a.Dialect != provider.Standard {
		return nil, nil
	}
	v, err := newValues(a)
	if err != nil {
		return nil, err
	}
	var all []Sample
	for _, p := range programs {
		if p.Kind != kind || !v.IsWeb() {
			continue
		}
		s := Sample{ID: p.ID, Title: p.Title, Run: p.Run, Secret: !v.Public, Needs: p.Needs}
		for _, file := range p.Files {
			text, err := execute(p.template(file), v)
			if err != nil {
				return nil, fmt.Errorf("fill %s of %s: %w", file, p.ID, err)
			}
			s.Files = append(s.Files, File{Name: file, Text: text})
		}
		all = append(all, s)
	}
	return all, nil
}
