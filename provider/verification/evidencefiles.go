package verification

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// EvidenceFile is a file that a person has submitted for a case.
type EvidenceFile struct {
	ID string

	// Kind is the Name of its Requirement.
	Kind      string
	MediaType string
	Size      int64
	AddedAt   time.Time

	// Replaced reports that a later file of the case is for the same requirement.
	Replaced bool

	// ShredAt is when it is shredded, and ShreddedAt when that was done: then it cannot be
	// opened. HeldUntil postpones it. Each may be zero.
	ShredAt, ShreddedAt, HeldUntil time.Time

	// Unreadable reports that the key of the file cannot be decrypted: it cannot be opened.
	Unreadable bool

	// Editors and Generators are the programs that the file said it was made with, before it
	// was drawn anew. They prove nothing.
	Editors, Generators []string

	// Alike is in how many cases of other people there is the same file, or a picture that
	// looks alike.
	Alike int
}

// upload returns the step of a case in which its person sends files, and the verifier that
// asks for them. ErrNotNow if it is in another one.
func (s *evidenceFiles) upload(c storage.Case, k content) (*Verifier, Upload, error) {
	_, v, step, err := s.current(c, k, func(s *step) bool { return s.Upload != nil })
	if err != nil {
		return nil, Upload{}, err
	}
	return v, *step.Upload, nil
}

// asks reports whether a step asks for a kind of file.
func (u Upload) asks(kind string) bool {
	return len(u.Kinds) == 0 || slices.Contains(u.Kinds, kind)
}

// requirement returns what the present step asks for under a name. ErrNotNow if it does not.
func (s *evidenceFiles) requirement(c storage.Case, kind string) (Requirement, error) {
	k, err := s.open(c)
	if err != nil {
		return Requirement{}, err
	}
	v, u, err := s.upload(c, k)
	if err != nil {
		return Requirement{}, err
	}
	i := slices.IndexFunc(v.Upload, func(r Requirement) bool { return r.Name == kind })
	if i < 0 || !u.asks(kind) {
		return Requirement{}, ErrNotNow
	}
	return v.Upload[i], nil
}

// missingFilesError are the requirements of a step without a file.
type missingFilesError struct{ kinds []string }

func (e missingFilesError) Error() string {
	return fmt.Sprintf("verification: no file for %q", e.kinds)
}

func (e missingFilesError) Unwrap() error { return errIncomplete }

// uploaded returns the files that the person submits with a step, with what was noticed
// about them: those that it asks for and those of its verifier that it does not ask for
// again. A missingFilesError if one was not sent since the person was asked.
func (s *evidenceFiles) uploaded(ctx context.Context, c storage.Case, k content, v *Verifier, u Upload) ([]Evidence, error) {
	files, err := s.files(ctx, c, true)
	if err != nil {
		return nil, err
	}
	var submitted []Evidence
	var missing missingFilesError
	for _, r := range v.Upload {
		i := slices.IndexFunc(files, func(f EvidenceFile) bool {
			return f.Kind == r.Name && !f.Replaced && !f.Unreadable && f.ShreddedAt.IsZero()
		})
		if i < 0 || u.asks(r.Name) && files[i].AddedAt.Before(k.Since) {
			if u.asks(r.Name) {
				missing.kinds = append(missing.kinds, r.Name)
			}
			continue
		}
		f := files[i]
		submitted = append(submitted, Evidence{ID: f.ID, Kind: f.Kind, MediaType: f.MediaType, Size: f.Size, Facts: f.facts()})
	}
	if len(missing.kinds) > 0 {
		return nil, missing
	}
	return submitted, nil
}

// files returns the evidence of a case, the earliest first, shredded included. It is compared
// with that of other cases, for reviewers.
func (s *evidenceFiles) files(ctx context.Context, c storage.Case, compared bool) ([]EvidenceFile, error) {
	all, err := s.Store.Evidence(ctx, storage.EvidenceID{CaseID: c.ID})
	if err != nil {
		return nil, fmt.Errorf("list evidence: %w", err)
	}
	files := make([]EvidenceFile, len(all))
	for i, e := range all {
		files[i] = EvidenceFile{
			ID: e.ID, Kind: e.Kind, MediaType: e.MediaType, Size: e.Size, AddedAt: e.AddedAt,
			ShredAt: e.ShredAt, ShreddedAt: e.ShreddedAt, HeldUntil: e.HeldUntil,
		}
		for j := range files[:i] {
			files[j].Replaced = files[j].Replaced || files[j].Kind == e.Kind
		}
		if e.Key == nil {
			continue
		}
		k, err := s.openKey(e, c)
		if err != nil {
			s.Logger.ErrorContext(ctx, "a file of evidence cannot be read", slog.String("case", c.ID), slog.Any("error", err))
			files[i].Unreadable = true
			continue
		}
		files[i].Editors, files[i].Generators = k.Editors, k.Generators
		if !compared {
			continue
		}
		if files[i].Alike, err = s.alike(ctx, e, c, k.Likenesses); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// maxOwnCases is how many earlier cases of a person are compared.
const maxOwnCases = 50

// alike counts the cases of other people with the same file, or a picture that looks alike:
// one who sends the same card for a renewal is no forger.
func (s *evidenceFiles) alike(ctx context.Context, e storage.Evidence, c storage.Case, likenesses []uint64) (int, error) {
	n := 0
	if len(likenesses) == 0 {
		likenesses = []uint64{0} // of no picture
	}
	for _, likeness := range likenesses {
		found, err := s.Store.CountEvidence(ctx, storage.EvidenceFilter{NotOf: c.ID, Digest: e.Digest, Likeness: likeness})
		if err != nil {
			return 0, fmt.Errorf("compare evidence: %w", err)
		}
		n = max(n, found)
	}
	if n == 0 {
		return 0, nil
	}
	own, err := s.Store.Cases(ctx, storage.CaseFilter{Subject: c.Subject, Limit: maxOwnCases})
	if err != nil {
		return 0, fmt.Errorf("compare evidence: %w", err)
	}
	for _, other := range own {
		if other.ID == c.ID {
			continue
		}
		all, err := s.Store.Evidence(ctx, storage.EvidenceID{CaseID: other.ID})
		if err != nil {
			return 0, fmt.Errorf("compare evidence: %w", err)
		}
		if slices.ContainsFunc(all, func(o storage.Evidence) bool {
			return o.Digest == e.Digest || o.Likeness != 0 && slices.Contains(likenesses, o.Likeness)
		}) {
			n--
		}
	}
	return max(n, 0), nil
}

// The facts about files, for reviewers.
var (
	factEditor    = Text{English: "A picture was saved by an image editor"}
	factGenerator = Text{English: "A picture says that it was made by a generator"}
	factAlike     = Text{English: "Another person has sent a picture like this"}
	factPDF       = Text{English: "A file is a PDF, which is not drawn anew: open it with care"}
)

func (f EvidenceFile) facts() (facts []Text) {
	for _, c := range []struct {
		holds bool
		fact  Text
	}{
		{len(f.Editors) > 0, factEditor}, {len(f.Generators) > 0, factGenerator},
		{f.Alike > 0, factAlike}, {f.MediaType == typePDF, factPDF},
	} {
		if c.holds {
			facts = append(facts, c.fact)
		}
	}
	return facts
}

// kinds are the requirements that an Upload asks for.
func (u Upload) kinds(v *Verifier) []string {
	if len(u.Kinds) > 0 {
		return slices.Clone(u.Kinds)
	}
	var all []string
	for _, r := range v.Upload {
		all = append(all, r.Name)
	}
	return all
}
