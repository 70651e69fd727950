package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/provider/verification/academic"
	"github.com/bonafide-id/bonafide/storage"
)

// verified is what the file says about how people become verified members of groups.
type verified struct {
	// Verifiers are the methods, by the names that Policies have for them.
	Verifiers map[string]method `json:"verifiers"`

	// Policies are those that verification.ReadPolicies reads.
	Policies policies `json:"policies"`
}

// policies is JSON as it stands, whose keys verification.ReadPolicies checks.
type policies struct{ json.RawMessage }

// method is a verifier of the file: one of its fields is set.
type method struct {
	// Title and Hint name it in the list in which people choose, and say what to have at hand.
	Title verification.Text `json:"title"`
	Hint  verification.Text `json:"hint"`

	EmailDomain *emailDomain `json:"email_domain"`
	Invitation  *invitation  `json:"invitation"`
	Roster      *roster      `json:"roster"`
	Document    *document    `json:"document"`
}

type emailDomain struct {
	Domains []string `json:"domains"`
	Except  []string `json:"except"`
	Alumni  bool     `json:"alumni"`

	// Academic accepts all domains of package academic.
	Academic bool `json:"academic"`
}

type invitation struct{}

type roster struct {
	Roster  string   `json:"roster"`
	Source  string   `json:"source"`
	Columns []column `json:"columns"`
}

type column struct {
	Name  string            `json:"name"`
	Label verification.Text `json:"label"`
	Hint  verification.Text `json:"hint"`
	Kind  string            `json:"kind"`
}

type document struct {
	Require []requirement `json:"require"`
}

type requirement struct {
	Name  string              `json:"name"`
	Title verification.Text   `json:"title"`
	Must  []verification.Text `json:"must"`
}

// read returns the policies of a file; none if it has none.
func (v *verified) read() (verification.Policies, error) {
	if v == nil {
		return nil, nil
	}
	var verifiers []verification.Verifier
	for _, name := range slices.Sorted(maps.Keys(v.Verifiers)) {
		verifier, err := v.Verifiers[name].verifier(name)
		if err != nil {
			return nil, fmt.Errorf("verification.verifiers.%s: %w", name, err)
		}
		verifiers = append(verifiers, verifier)
	}
	return verification.ReadPolicies(v.Policies.RawMessage, verifiers...)
}

func (m method) verifier(name string) (verification.Verifier, error) {
	var all []verification.Verifier
	if d := m.EmailDomain; d != nil {
		cfg := verification.EmailDomainConfig{Name: name, Domains: d.Domains, Except: d.Except, Alumni: d.Alumni}
		if d.Academic {
			cfg.Institution = academic.Institution
		}
		all = append(all, verification.EmailDomain(cfg))
	}
	if m.Invitation != nil {
		verifier := verification.Invitation()
		verifier.Name = name
		all = append(all, verifier)
	}
	if r := m.Roster; r != nil {
		cfg := verification.RosterConfig{Name: name, Roster: r.Roster, Source: r.Source}
		for _, c := range r.Columns {
			cfg.Columns = append(cfg.Columns, verification.RosterColumn{Name: c.Name, Label: c.Label, Hint: c.Hint, Kind: c.Kind})
		}
		all = append(all, verification.Roster(cfg))
	}
	if d := m.Document; d != nil {
		cfg := verification.DocumentConfig{Name: name}
		for _, r := range d.Require {
			cfg.Require = append(cfg.Require, verification.Requirement{Name: r.Name, Title: r.Title, Must: r.Must})
		}
		all = append(all, verification.Document(cfg))
	}
	if len(all) != 1 {
		return verification.Verifier{}, errors.New("needs exactly one of email_domain, invitation, roster and document")
	}
	v := all[0]
	if m.Title.English != "" {
		v.Title = m.Title
	}
	if m.Hint.English != "" {
		v.Asks = m.Hint
	}
	return v, nil
}

// verifiers returns the verifiers of the groups with a policy and, in a demo, of all others.
func (e *environment) verifiers(demo bool) (map[string]provider.Verifier, error) {
	policies, err := e.Verification.read()
	if err != nil {
		return nil, err
	}
	all := policies.Verifiers()
	if demo {
		for group, v := range demoVerifiers(e.BaseURL, e.Groups) {
			if all[group] == nil {
				all[group] = v
			}
		}
	}
	return all, nil
}

// openVerification mounts the pages of verification beside the provider of an environment, and
// returns their service; nil if there is none.
func (s *service) openVerification(r *router, e *environment, p opened) (*verification.Service, error) {
	if e.Verification == nil {
		return nil, nil
	}
	records, ok := p.store.(storage.Verification)
	if !ok {
		return nil, errors.New("verification: this database keeps no cases")
	}
	policies, err := e.Verification.read()
	if err != nil {
		return nil, err
	}
	blobs, err := verification.Folder(e.evidenceFolder())
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	v, err := verification.New(verification.Config{
		Provider: p.Provider, Store: records, Policies: policies, Blobs: blobs, Mailer: p.mailer, Logger: s.log.With("base_url", e.BaseURL),
	})
	if err != nil {
		return nil, err
	}
	r.add(e.BaseURL+"/verification", s.cfg.BaseURL, v, "/")
	return v, nil
}
