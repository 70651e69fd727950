package unknown

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/storage"
)

// maxFindings is the number of findings of a trial: a document can have a thousand addresses.
const maxFindings = 20

// Trial is what the owner of a document finds out about it.
type Trial struct {
	// Wrong are the reasons for which the document makes no client; Notes are what is left out
	// of one. They are sentences in English that quote nothing of the document.
	Wrong, Notes []string

	// Client is the registration that it makes, unless something is wrong.
	Client storage.Client

	// Wait is how long to wait before another trial; zero for one that has been made.
	Wait time.Duration
}

// noAnswer is the finding for every failure to connect: who asks learns nothing about a network.
const noAnswer = "Nobody answers at this address as a public web server over https does, within 5 seconds."

// Try reads the document at an address as Resolve does, within the same limits, and keeps
// nothing: no row, no memory, no line of the audit log.
func (s *Clients) Try(ctx context.Context, id string) (Trial, error) {
	if err := s.Policy.validateAddress(id); err != nil {
		return Trial{Wrong: findings([]error{fmt.Errorf("the address %w", err)})}, nil
	}
	if err := s.Policy.refuseDenied(ctx, hostOf(id)); err != nil {
		return denied(err)
	}
	wait, err := s.Limits.Allow(ctx, ratelimit.Document, ratelimit.Key{Account: hostOf(id)})
	if err != nil || wait > 0 {
		return Trial{Wait: wait}, err
	}
	found, err := fetch(ctx, s.HTTP, id)
	if err != nil {
		return Trial{Wrong: []string{fetchFinding(err)}}, ctx.Err()
	}
	m, wrong := s.Policy.examine(id, found.text)
	if len(wrong) > 0 {
		return Trial{Wrong: findings(wrong)}, nil
	}
	return s.admitted(ctx, id, m, found)
}

// admitted is the trial of a document in which nothing is wrong.
func (s *Clients) admitted(ctx context.Context, id string, m metadata, found fetched) (Trial, error) {
	now := s.Clock()
	record, err := s.Policy.read(id, found.text, now)
	if err != nil {
		return Trial{}, err
	}
	client, err := registry.Enabled(record)
	if err == nil {
		err = s.Policy.Admit(ctx, client)
	}
	if err != nil {
		return denied(err)
	}
	if err := s.nameIt(ctx, &record); err != nil {
		return Trial{}, err
	}
	record.Document.FreshUntil = now.Add(found.life)
	return Trial{Client: record, Notes: leftOut(m, record)}, nil
}

// denied is the trial of a document with a host that may have no clients.
func denied(err error) (Trial, error) {
	if errors.Is(err, registry.ErrDisabled) {
		return Trial{Wrong: []string{"The document is of a host, or leads to one, that may have no clients here."}}, nil
	}
	return Trial{}, err
}

// fetchFinding says why there is no document.
func fetchFinding(err error) string {
	var none unreached
	switch {
	case errors.Is(err, outbound.ErrTooLarge):
		return fmt.Sprintf("The document is larger than %d KiB.", MaxBody>>10)
	case errors.As(err, &none), errors.Is(err, outbound.ErrForbiddenAddress):
		return noAnswer
	default:
		return sentence(err)
	}
}

// findings are errors as sentences.
func findings(wrong []error) []string {
	var said []string
	for _, err := range wrong[:min(len(wrong), maxFindings)] {
		said = append(said, sentence(err))
	}
	if more := len(wrong) - maxFindings; more > 0 {
		said = append(said, fmt.Sprintf("There are %d more.", more))
	}
	return said
}

// sentence writes what an error says as one. The name of a member stays as it is.
func sentence(err error) string {
	said := err.Error()
	switch first, _, _ := strings.Cut(said, " "); first {
	case "is":
		said = "The document " + said
	case "the", "there":
		said = "T" + said[1:]
	}
	return said + "."
}

// leftOut says which members of a document its client is without.
func leftOut(m metadata, c storage.Client) (notes []string) {
	if c.Document.Name == "" {
		notes = append(notes, "client_name is missing, or is not shown: it has hidden characters, letters of several scripts, more than 60 characters, or is like a name that people trust here.")
	}
	if m.PolicyURL != c.PolicyURL {
		notes = append(notes, "policy_uri is left out: it is not an https address of the domain of the document.")
	}
	if m.TermsURL != c.TermsURL {
		notes = append(notes, "tos_uri is left out: it is not an https address of the domain of the document.")
	}
	return notes
}
