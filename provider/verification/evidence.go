package verification

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/bonafide-id/bonafide/provider/internal/picture"
	requests "github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/verification/internal/blobs"
	"github.com/bonafide-id/bonafide/storage"
)

// evidenceLimits are those of one person, for all open cases.
var evidenceLimits = storage.EvidenceLimits{Count: 24, Bytes: 96 << 20}

// ErrNoEvidence means that there is no such file in the case, or that it is shredded.
var ErrNoEvidence = errors.New("verification: no such evidence")

// sealedKey is what the store has encrypted as the key of evidence. All of it is gone once
// the evidence is shredded.
type sealedKey struct {
	Key        []byte   `json:"key"`
	Editors    []string `json:"editors,omitempty"`
	Generators []string `json:"generators,omitempty"`

	// Likenesses are as in a picture.Document.
	Likenesses []uint64 `json:"likenesses,omitempty"`
}

const sealedEvidence = "evidence"

// evidenceName binds a key to its file, case and person: a row that is moved to another one
// does not open.
func evidenceName(e storage.Evidence, c storage.Case) string {
	return e.ID + " " + c.ID + " " + c.Subject
}

// openKey returns the key of evidence. ErrNoEvidence once it is shredded.
func (s *evidenceFiles) openKey(e storage.Evidence, c storage.Case) (sealedKey, error) {
	if e.Key == nil || e.CaseID != c.ID {
		return sealedKey{}, ErrNoEvidence
	}
	var k sealedKey
	if err := s.unseal(sealedEvidence, evidenceName(e, c), e.Key, &k); err != nil {
		return sealedKey{}, err
	}
	return k, nil
}

// document is a file as it is kept.
type document struct {
	content    []byte
	mediaType  string
	likenesses []uint64
	software   picture.Software
}

var errPDF = errors.New("is a PDF, which is not taken")

const typePDF = "application/pdf"

// drawn returns a file as it is kept: a picture drawn anew, and nothing else. A PDF cannot
// be: where it is taken it stays as it is, and is never shown.
func drawn(ctx context.Context, raw []byte, takesPDF bool) (document, error) {
	if bytes.HasPrefix(raw, []byte("%PDF-")) {
		switch {
		case !takesPDF:
			return document{}, errPDF
		case len(raw) > picture.MaxDocumentBytes:
			return document{}, picture.ErrDocumentTooLarge
		}
		return document{content: raw, mediaType: typePDF}, nil
	}
	d, err := picture.DrawDocument(ctx, raw)
	return document{d.Content, d.MediaType, d.Likenesses, d.Software}, err
}

// addEvidence keeps a file for a requirement of the present step of the person's case, in
// place of an earlier one. ErrNoCase, ErrNotNow, errTooMuchEvidence, or an error of drawn.
func (s *evidenceFiles) addEvidence(ctx context.Context, userID, caseID, kind string, raw []byte) error {
	c, err := s.Store.Case(ctx, caseID)
	if errors.Is(err, storage.ErrNotFound) || err == nil && c.Subject != userID {
		return ErrNoCase
	}
	if err != nil {
		return fmt.Errorf("read case: %w", err)
	}
	wanted, err := s.requirement(c, kind)
	if err != nil {
		return err
	}
	d, err := drawn(picture.Of(ctx, "user "+userID, "network "+requests.Network(ctx)), raw, wanted.PDF)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(raw)
	e := storage.Evidence{
		ID: newEvidenceID(), CaseID: c.ID, Kind: kind, MediaType: d.mediaType, Size: int64(len(d.content)),
		Digest: s.Provider.Rooms().People.Digest(sealedEvidence, string(digest[:])), AddedAt: s.Clock(), ShredAt: s.Clock().Add(maxKeep),
	}
	if len(d.likenesses) > 0 {
		e.Likeness = d.likenesses[0]
	}
	if err := s.keep(ctx, e, c, d); err != nil {
		return err
	}
	return s.removeReplaced(ctx, c, e)
}

var errTooMuchEvidence = errors.New("verification: too many files")

// keep stores the content first, then the row: a process that is killed in between leaves
// content that nothing opens, for sweepOrphans.
func (s *evidenceFiles) keep(ctx context.Context, e storage.Evidence, c storage.Case, d document) error {
	k := sealedKey{Key: make([]byte, blobs.KeySize), Editors: d.software.Editors, Generators: d.software.Generators, Likenesses: d.likenesses}
	_, _ = rand.Read(k.Key) // never fails: the program stops without randomness
	plain, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("encode key of evidence: %w", err)
	}
	e.Key = s.Provider.Rooms().People.Seal(sealedEvidence, evidenceName(e, c), plain)
	sealed, err := blobs.Seal(k.Key, bytes.NewReader(d.content))
	if err != nil {
		return err
	}
	if err := s.Blobs.Put(ctx, e.ID, sealed); err != nil {
		return fmt.Errorf("%w: keep evidence: %w", storage.ErrUnavailable, err)
	}
	err = s.Store.AddEvidence(ctx, e, c.Subject, evidenceLimits)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, storage.ErrEnded):
		err = ErrNotNow
	case errors.Is(err, storage.ErrLimit):
		err = errTooMuchEvidence
	default: // the row may be there
		return fmt.Errorf("record evidence: %w", err)
	}
	return errors.Join(err, s.Blobs.Delete(context.WithoutCancel(ctx), e.ID))
}

func newEvidenceID() string {
	var id [16]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// removeReplaced shreds what a file replaces, or the file itself if a later one is there: of
// a form that is sent twice at a time, one is left.
func (s *evidenceFiles) removeReplaced(ctx context.Context, c storage.Case, by storage.Evidence) error {
	all, err := s.Store.Evidence(ctx, storage.EvidenceID{CaseID: c.ID})
	if err != nil {
		return fmt.Errorf("list evidence: %w", err)
	}
	last := by
	for _, e := range all {
		if e.Kind == by.Kind && e.Key != nil && e.AddedAt.After(last.AddedAt) {
			last = e
		}
	}
	for _, e := range all {
		if e.Kind != by.Kind || e.ID == last.ID || e.Key == nil {
			continue
		}
		if err := s.removeEvidence(ctx, c.Subject, c.ID, e.ID); err != nil {
			return err
		}
	}
	return nil
}

// removeEvidence shreds a file of a case of the person. ErrNoCase if it is not theirs,
// ErrNotNow if the present step does not ask for it: what a reviewer has found to be good
// stays.
func (s *evidenceFiles) removeEvidence(ctx context.Context, userID, caseID, id string) error {
	c, err := s.Store.Case(ctx, caseID)
	if errors.Is(err, storage.ErrNotFound) || err == nil && c.Subject != userID {
		return ErrNoCase
	}
	if err != nil {
		return fmt.Errorf("read case: %w", err)
	}
	e, err := storage.One(s.Store.Evidence(ctx, storage.EvidenceID{ID: id}))
	if errors.Is(err, storage.ErrNotFound) || err == nil && e.CaseID != caseID {
		return ErrNoCase
	}
	if err != nil {
		return fmt.Errorf("read evidence: %w", err)
	}
	if _, err := s.requirement(c, e.Kind); err != nil {
		return err
	}
	err = s.Store.RemoveEvidence(ctx, id, userID, s.Clock())
	if errors.Is(err, storage.ErrEnded) {
		return ErrNotNow
	}
	if err != nil {
		return fmt.Errorf("remove evidence: %w", err)
	}
	s.deleteLeftovers(ctx)
	return nil
}

// openEvidence opens evidence of a case. ErrNoEvidence if there is none, or it is shredded.
func (s *evidenceFiles) openEvidence(ctx context.Context, c storage.Case, id string) (io.ReadCloser, error) {
	_, content, err := s.openFile(ctx, c, id)
	return content, err
}

func (s *evidenceFiles) openFile(ctx context.Context, c storage.Case, id string) (storage.Evidence, io.ReadCloser, error) {
	e, err := storage.One(s.Store.Evidence(ctx, storage.EvidenceID{ID: id}))
	if errors.Is(err, storage.ErrNotFound) {
		return e, nil, ErrNoEvidence
	}
	if err != nil {
		return e, nil, fmt.Errorf("read evidence: %w", err)
	}
	k, err := s.openKey(e, c)
	if err != nil {
		return e, nil, err
	}
	sealed, err := s.Blobs.Open(ctx, e.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil, ErrNoEvidence
	}
	if err != nil {
		return e, nil, fmt.Errorf("open evidence: %w", err)
	}
	plain, err := blobs.Open(k.Key, sealed)
	if err != nil {
		_ = sealed.Close()
		return e, nil, err
	}
	return e, openedFile{plain, sealed}, nil
}

// openedFile is the content of a file, and what closes it.
type openedFile struct {
	io.Reader
	io.Closer
}
