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
	// Verifiers are the methods by name; each has one of the keys below.
	Verifiers map[string]method `json:"verifiers"`

	// Policies are lists of group and rule, which names verifiers, and optionally holds, renew_from, finish, promise, reviewers,
	// tries, keep, framework and ended.
	Policies policies `json:"policies"`
}

// policies is JSON as it stands, whose keys verification.ReadPolicies checks.
type policies struct{ json.RawMessage }

// method is a verifier of the file: one of its fields is set.
type method struct {
	// Title names it where people choose; hint says what to have at hand.
	// Defaults to what the screens have in all languages.
	Title verification.Text `json:"title"`
	Hint  verification.Text `json:"hint"`

	// EmailDomain takes an address at a domain.
	EmailDomain *emailDomain `json:"email_domain"`

	// Invitation takes a code that an operator has issued: {}.
	Invitation *invitation `json:"invitation"`

	// Roster takes what matches a row of a list that an operator has imported.
	Roster *roster `json:"roster"`

	// Document takes pictures that a reviewer looks at.
	Document *document `json:"document"`
}

type emailDomain struct {
	// Domains are those that count, but for those in except; no top-level domain.
	Domains []string `json:"domains"`
	Except  []string `json:"except"`

	// Alumni accepts addresses of former members.
	Alumni bool `json:"alumni"`

	// Academic accepts the domains of 26,000 schools.
	Academic bool `json:"academic"`
}

type invitation struct{}

type roster struct {
	// Roster is the name of the list; source is whose it is.
	Roster string `json:"roster"`
	Source string `json:"source"`

	// Columns are what people enter.
	Columns []column `json:"columns"`
}

type column struct {
	// Name is that of the column; label and hint are for people, as text and translations; kind is text, given_name,
	// family_name, email or date.
	Name  string            `json:"name"`
	Label verification.Text `json:"label"`
	Hint  verification.Text `json:"hint"`
	Kind  string            `json:"kind"`
}

type document struct {
	// Require are the pictures.
	Require []requirement `json:"require"`
}

type requirement struct {
	// Name is that of a picture, title what people read; must is what they make sure of and reviewers answer, such as
	// "Your name can be read".
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
	file, err := v.Policies.MarshalJSON() // null for none
	if err != nil {
		return nil, err
	}
	return verification.ReadPolicies(file, verifiers...)
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
