package verification

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/storage"
)

// The limits on what a verifier answers.
const (
	maxMemory    = 8 << 10
	maxFields    = 16
	maxFacts     = 16
	maxReference = 255
	maxURL       = 4096
	minAgain     = time.Minute
)

// ask asks a verifier what happens after an event, and returns its result as an input of the
// case. It changes nothing: the case does, when it moves. The mailed code is for the mail.
func (s *engine) ask(ctx context.Context, v *Verifier, c storage.Case, k content, e Event, anew bool) (in resulted, mailed string, err error) {
	asked, err := s.caseFor(ctx, v, c, k, anew)
	if err != nil {
		return resulted{}, "", err
	}
	e.At = s.Clock()
	result, err := call(ctx, s.places(v), func(ctx context.Context) (Result, error) { return v.Next(ctx, asked, e) })
	if err != nil {
		return resulted{}, "", fmt.Errorf("method %q: %w", v.Name, err)
	}
	in, mailed, err = s.admit(v, c, asked.Name, result, e.At)
	if err == nil && len(asked.Memory) > maxMemory {
		err = fmt.Errorf("it remembers more than %d bytes", maxMemory)
	}
	if err != nil {
		return resulted{}, "", fmt.Errorf("%w: method %q: %w", errVerifier, v.Name, err)
	}
	in.memory, in.anew = asked.Memory, anew
	return in, mailed, nil
}

// caseFor returns a case as its verifier sees it.
func (s *engine) caseFor(ctx context.Context, v *Verifier, c storage.Case, k content, anew bool) (*Case, error) {
	who, err := s.person(ctx, c.Subject)
	if err != nil {
		return nil, err
	}
	email, err := s.Provider.Rooms().People.VerifiedEmail(ctx, c.Subject)
	if err != nil {
		return nil, err
	}
	asked := &Case{
		ID: c.ID, Subject: c.Subject, Group: c.Group, Subgroups: s.group(c.Group).Subgroups, Email: email, Name: who.name,
		Renewal: c.Renewal, Attempt: 1, Language: k.Language,
		ReturnURL:   s.absolute(s.path(returnPath) + "?case=" + c.ID),
		RedirectURI: s.absolute(s.path("return", v.Name)),
		CallbackURL: s.absolute(s.path("callback", v.Name)),
		Open: func(ctx context.Context, id string) (io.ReadCloser, error) {
			return s.evidenceFiles.openEvidence(ctx, c, id)
		},
		Digest: func(purpose, value string) [][32]byte {
			return [][32]byte{s.Provider.Rooms().People.Digest("verifier", purpose, value)}
		},
		lookup: s.lookup,
	}
	events := 0
	if of := k.check(v.Name); of != nil {
		events, asked.Attempt, asked.Memory = of.Events, of.Attempt, slices.Clone(of.Memory)
		if anew {
			asked.Attempt, asked.Memory = of.Attempt+1, nil
		}
	}
	key := s.Provider.Rooms().People.Digest("event", c.ID, v.Name, strconv.Itoa(events))
	asked.Key = hex.EncodeToString(key[:16])
	return asked, nil
}

// admit checks the result of a verifier, and reduces it to what is kept.
func (s *engine) admit(v *Verifier, c storage.Case, name Name, result Result, at time.Time) (in resulted, mailed string, err error) {
	in = resulted{method: v.Name, result: result}
	switch r := result.(type) {
	case Ask:
		if len(r.Fields) == 0 || len(r.Fields) > maxFields {
			return in, "", fmt.Errorf("it asks for %d fields, which is not from 1 to %d", len(r.Fields), maxFields)
		}
	case SendCode:
		in.code, mailed, err = s.newCode(c, v.Name, r.Address, at)
		in.result = SendCode{}
	case Upload:
		err = s.admitUpload(v, r)
	case GoTo:
		err = s.admitAddress(r.URL, r.Reference)
	case Wait:
		if !r.Again.IsZero() && r.Again.Before(at.Add(minAgain)) {
			r.Again = at.Add(minAgain)
			in.result = r
		}
		if len(r.Reference) > maxReference {
			err = errors.New("its reference is too long")
		}
	case Review:
		if !v.CanReview || len(r.Facts) > maxFacts {
			err = errors.New("it hands over to a reviewer without CanReview, or with too many facts")
		}
	case Accept:
		if !r.Until.IsZero() && !at.Before(r.Until) { // it was one, once
			in.result = Refuse{[]Reason{ReasonNotCurrent}}
			break
		}
		in.found, err = s.admitFinding(v, c.Group, name, r, at)
		in.result = Accept{}
	case Refuse:
		if len(r.Reasons) > maxFacts {
			err = errors.New("it has too many reasons")
		}
	default:
		err = errors.New("it has returned no result")
	}
	return in, mailed, err
}

func (s *engine) admitUpload(v *Verifier, r Upload) error {
	if len(v.Upload) == 0 {
		return errors.New("it asks for files and has no Upload")
	}
	for _, kind := range r.Kinds {
		if !slices.ContainsFunc(v.Upload, func(q Requirement) bool { return q.Name == kind }) {
			return fmt.Errorf("it asks for %q, which is none of its Upload", kind)
		}
	}
	return nil
}

// admitAddress refuses an address that is no page, or that anybody on the way could read.
func (s *engine) admitAddress(address, reference string) error {
	u, err := url.Parse(address)
	plain := strings.HasPrefix(s.Provider.Rooms().Installation().BaseURL, "http://") // for development
	switch {
	case err != nil || len(address) > maxURL || strings.ContainsAny(address, "\\\r\n\t "):
		return errors.New("it leads to what is no address")
	case len(reference) > maxReference:
		return errors.New("its reference is too long")
	case u.Scheme == "" && u.Host == "" && strings.HasPrefix(u.Path, "/") && !strings.HasPrefix(u.Path, "//"),
		u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http" && plain):
		return nil
	default:
		return errors.New("it leads neither to an https address nor to a path of the host")
	}
}

// admitFinding reduces a membership to what is kept: of the proofs only digests, and of the
// name whether it differs.
func (s *engine) admitFinding(v *Verifier, group string, name Name, r Accept, at time.Time) (*finding, error) {
	known := s.group(group).Subgroups
	for _, subgroup := range r.Subgroups {
		if !slices.Contains(known, subgroup) {
			return nil, fmt.Errorf("group %q has no subgroup %q", group, subgroup)
		}
	}
	if len(r.Proved) > maxFacts || utf8.RuneCountInString(r.Source) > 200 {
		return nil, errors.New("it has found too much")
	}
	f := &finding{
		Subgroups: r.Subgroups, Until: r.Until, Source: r.Source, Method: v.Name, Level: v.Proof.Level, At: at,
		NameDiffers: name.differs(r.Name),
	}
	if r.Name != (Name{}) {
		f.Name = &r.Name
	}
	for _, fact := range r.Proved {
		if !factKind.MatchString(fact.Kind) || fact.Value == "" {
			return nil, fmt.Errorf("it has proved a fact of the kind %q", fact.Kind)
		}
		f.Proved = append(f.Proved, proof{fact.Kind, s.proofDigest(fact)})
	}
	return f, nil
}

// newCode returns a code for an address, as the case keeps it and as it is mailed.
func (s *engine) newCode(c storage.Case, method, address string, at time.Time) (*code, string, error) {
	if _, err := mailbox.EmailKey(address); err != nil {
		return nil, "", errors.New("it sends a code to what is no address")
	}
	if s.Mailer == nil {
		return nil, "", errors.New("it sends a code, and the service has no Mailer")
	}
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		return nil, "", fmt.Errorf("read random numbers: %w", err)
	}
	mailed := fmt.Sprintf("%08d", n)
	return &code{Address: address, Digest: s.mailedDigest(c, method, mailed), SentAt: at}, mailed, nil
}

// mailedDigest is of this case alone: a code of another one does not fit.
func (s *engine) mailedDigest(c storage.Case, method, code string) [32]byte {
	return s.Provider.Rooms().People.Digest("code", c.ID, method, code)
}

// group returns a group of the catalogue.
func (s *core) group(name string) catalogue.Group {
	i := slices.IndexFunc(s.groups, func(g catalogue.Group) bool { return g.Name == name })
	if i < 0 {
		return catalogue.Group{Name: name}
	}
	return s.groups[i]
}

// path returns the path of a page of the service: its parts, escaped.
func (s *core) path(parts ...string) string {
	path := s.base + "/"
	for i, part := range parts {
		if i > 0 {
			path += "/"
		}
		path += url.PathEscape(part)
	}
	return path
}

// absolute returns the absolute address of a path of the service.
func (s *core) absolute(path string) string { return s.baseURL + strings.TrimPrefix(path, s.base) }
