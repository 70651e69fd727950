package verification

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// archive is a service for a card of two sides and a letter, on which nobody else works.
type archive struct {
	*lab.Fixture
	*Service
	folder string
	clock  func() time.Time
}

func newArchive(t *testing.T) archive {
	t.Helper()
	w := lab.New(t).WithUsers()
	a := archive{Fixture: w, folder: filepath.Join(t.TempDir(), "evidence"), clock: w.Now}
	blobs := testkit.Must(Folder(a.folder))(w.T)
	a.Service = a.service(w.Store.(storage.Verification), blobs)
	return a
}

// service is the service on another store, or with other blobs.
func (a archive) service(store storage.Verification, blobs Blobs) *Service {
	a.T.Helper()
	file := func(name string, pdf bool) Requirement {
		return Requirement{Name: name, Title: Text{English: name}, PDF: pdf}
	}
	s := testkit.Must(New(Config{
		Provider: a.Provider, Store: store, Blobs: blobs, Clock: a.clock, Logger: slog.New(slog.NewTextHandler(a.Log, nil)),
		Policies: Policies{{Group: "student", Rule: By(Document(DocumentConfig{
			Require: []Requirement{file("front", false), file("back", false), file("letter", true)},
		}))}},
	}))(a.T)
	return s
}

// begin starts a case of a user that waits for files.
func (a archive) begin(id, userID string, u Upload) storage.Case {
	a.T.Helper()
	c := storage.Case{ID: id, Subject: userID, Group: "student", State: storage.CaseOpen, Method: "document", CreatedAt: a.Now().Truncate(time.Microsecond)}
	c.Content = a.sealed(c, content{
		Terms:   terms{Rule: shape{Method: "document"}, Keep: 7 * day, Finish: 14 * day},
		Checks:  []check{{Method: "document", State: checkAsked, Attempt: 1, Step: &step{Upload: &u}}},
		Created: c.CreatedAt, Since: c.CreatedAt,
	})
	h := testkit.Must(a.history(a.T.Context(), userID, c.Group))(a.T)
	started, created, err := a.Service.Store.StartCase(a.T.Context(), c, h.latest(), storage.PersonBasis{HasAccount: true})
	a.OK(err)
	if !created {
		a.T.Fatalf("%s has a case", userID)
	}
	return started
}

// submitted are the files that a person submits.
func (a archive) submitted(c storage.Case) ([]Evidence, error) {
	a.T.Helper()
	k := testkit.Must(a.open(c))(a.T)
	v, u, err := a.upload(c, k)
	a.OK(err)
	return a.uploaded(a.T.Context(), c, k, v, u)
}

func (a archive) sealed(c storage.Case, k content) []byte {
	a.T.Helper()
	sealed := testkit.Must(a.seal(c, k))(a.T)
	return sealed
}

// review moves a case to review, and has a reviewer take it for a quarter of an hour.
func (a archive) review(c storage.Case, reviewer string) storage.Case {
	a.T.Helper()
	ctx := a.T.Context()
	c.State, c.DueAt, c.Round = storage.CaseReview, a.Now().Add(time.Hour), 1
	moved := testkit.Must(a.Service.Store.MoveCase(ctx, storage.CaseMove{Case: c, At: a.Now()}, storage.PersonBasis{HasAccount: true}))(a.T)
	taken := testkit.Must(a.Service.Store.TakeCase(ctx, storage.Reviewer{ID: reviewer}, c.ID, a.Now(), a.Now().Add(15*time.Minute)))(a.T)
	if taken.Version != moved.Version {
		a.T.Fatalf("the case is %+v", taken)
	}
	return taken
}

// photo is the picture of a card, different for each seed.
func photo(seed uint64) []byte {
	p := image.NewRGBA(image.Rect(0, 0, 90, 60))
	random := rand.New(rand.NewPCG(seed, 1))
	for y := range 6 {
		for x := range 9 {
			tone := uint8(random.UintN(256))
			for i := range 100 {
				p.SetRGBA(x*10+i%10, y*10+i/10, color.RGBA{tone, tone, tone, 255})
			}
		}
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, p, &jpeg.Options{Quality: 95})
	return b.Bytes()
}

// add sends a file and returns it.
func (a archive) add(c storage.Case, kind string, raw []byte) EvidenceFile {
	a.T.Helper()
	ctx := a.T.Context()
	a.OK(a.addEvidence(ctx, c.Subject, c.ID, kind, raw))
	files := testkit.Must(a.Evidence(ctx, c.ID))(a.T)
	return files[len(files)-1]
}

func (a archive) blobs() []string {
	a.T.Helper()
	entries := testkit.Must(os.ReadDir(a.folder))(a.T)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// read opens a file as the service does.
func read(s *Service, c storage.Case, id string) ([]byte, error) {
	r, err := s.openEvidence(context.Background(), c, id)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	return content, errors.Join(err, r.Close())
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	t.Run("OpensForTheReviewerWhoHasTakenTheCase", func(t *testing.T) {
		t.Parallel()
		a := newArchive(t)
		ctx, rita := t.Context(), storage.Reviewer{ID: "rita"}
		c := a.begin("c1", "alice", Upload{})
		f := a.add(c, "front", photo(1))
		other := a.begin("c2", "bob", Upload{})
		foreign := a.add(other, "front", photo(2))
		if _, _, err := a.OpenEvidence(ctx, rita, c.ID, f.ID); !errors.Is(err, ErrForbidden) {
			t.Errorf("before it is taken: %v", err)
		}
		a.review(c, "rita")
		got, r, err := a.OpenEvidence(ctx, rita, c.ID, f.ID)
		a.OK(err)
		drawn, err := io.ReadAll(r)
		a.OK(errors.Join(err, r.Close()))
		if _, err := jpeg.Decode(bytes.NewReader(drawn)); err != nil || int64(len(drawn)) != got.Size || got.MediaType != "image/jpeg" {
			t.Errorf("%+v, %d bytes, %v", got, len(drawn), err)
		}
		for name, refused := range map[string]struct {
			by       storage.Reviewer
			caseID   string
			evidence string
			want     error
		}{
			"another reviewer":               {storage.Reviewer{ID: "rob"}, c.ID, f.ID, ErrForbidden},
			"nobody":                         {storage.Reviewer{}, c.ID, f.ID, ErrForbidden},
			"the person, by another account": {storage.Reviewer{ID: "rita", Subject: "alice"}, c.ID, f.ID, ErrForbidden},
			"a case that was not taken":      {rita, other.ID, foreign.ID, ErrForbidden},
			"a file of another case":         {rita, c.ID, foreign.ID, ErrNoEvidence},
			"no file":                        {rita, c.ID, "x", ErrNoEvidence},
			"no case":                        {rita, "x", f.ID, ErrNoCase},
		} {
			if _, _, err := a.OpenEvidence(ctx, refused.by, refused.caseID, refused.evidence); !errors.Is(err, refused.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		a.Advance(16 * time.Minute)
		if _, _, err := a.OpenEvidence(ctx, rita, c.ID, f.ID); !errors.Is(err, ErrForbidden) {
			t.Errorf("after the time is over: %v", err)
		}
	})
	t.Run("DoesNotOpenInAnotherCase", func(t *testing.T) {
		t.Parallel()
		a := newArchive(t)
		f := a.add(a.begin("c1", "alice", Upload{}), "front", photo(1))
		other := a.begin("c2", "bob", Upload{})
		a.MustExec(`UPDATE evidence SET case_id = 'c2'`)
		if content, err := read(a.Service, other, f.ID); !errors.Is(err, provider.ErrSealed) {
			t.Errorf("a row that was moved opens: %d bytes, %v", len(content), err)
		}
		a.MustExec(`UPDATE cases SET subject = 'bob' || subject WHERE id = 'c1'`)
		a.MustExec(`UPDATE evidence SET case_id = 'c1'`)
		c := testkit.Must(a.Service.Store.Case(t.Context(), "c1"))(a.T)
		if content, err := read(a.Service, c, f.ID); !errors.Is(err, provider.ErrSealed) {
			t.Errorf("a case that was moved opens: %d bytes, %v", len(content), err)
		}
	})
	t.Run("IsInClearNowhere", func(t *testing.T) {
		t.Parallel()
		a := newArchive(t)
		c := a.begin("c1", "alice", Upload{})
		pdf := []byte("%PDF-1.7\n" + strings.Repeat("canary in a letter ", 9000))
		f := a.add(c, "letter", pdf)
		if got, err := read(a.Service, c, f.ID); err != nil || !bytes.Equal(got, pdf) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		content := testkit.Must(os.ReadFile(filepath.Join(a.folder, f.ID)))(a.T)
		for where, text := range map[string]string{"the file": string(content), "the database": a.Dump(), "the log": a.Log.String()} {
			if strings.Contains(text, "canary") || strings.Contains(text, "%PDF") {
				t.Errorf("it is in clear in %s", where)
			}
		}
	})
	t.Run("IsTakenFromItsPersonForWhatIsAsked", func(t *testing.T) {
		t.Parallel()
		a := newArchive(t)
		ctx := t.Context()
		c := a.begin("c1", "alice", Upload{Kinds: []string{"front", "letter"}})
		pdf := []byte("%PDF-1.7\n")
		for name, refused := range map[string]struct {
			user, caseID, kind string
			raw                []byte
			want               error
		}{
			"somebody else":           {"bob", c.ID, "front", photo(1), ErrNoCase},
			"no case":                 {"alice", "x", "front", photo(1), ErrNoCase},
			"what is not asked":       {"alice", c.ID, "back", photo(1), ErrNotNow},
			"what there is not":       {"alice", c.ID, "selfie", photo(1), ErrNotNow},
			"a PDF for a picture":     {"alice", c.ID, "front", pdf, errPDF},
			"a PDF that is too large": {"alice", c.ID, "letter", append(pdf, make([]byte, 8<<20)...), nil},
			"what is no picture":      {"alice", c.ID, "front", []byte("text"), nil},
		} {
			if err := a.addEvidence(ctx, refused.user, refused.caseID, refused.kind, refused.raw); err == nil || refused.want != nil && !errors.Is(err, refused.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		a.review(c, "rita")
		if err := a.addEvidence(ctx, "alice", c.ID, "front", photo(1)); !errors.Is(err, ErrNotNow) {
			t.Errorf("in review: %v", err)
		}
		if left := a.blobs(); left != nil {
			t.Errorf("%q are left", left)
		}
	})
	t.Run("ReplacesAnEarlierFile", func(t *testing.T) {
		t.Parallel()
		a := newArchive(t)
		c := a.begin("c1", "alice", Upload{})
		first, back, second := a.add(c, "front", photo(1)), a.add(c, "back", photo(2)), a.add(c, "front", photo(3))
		if _, err := read(a.Service, c, first.ID); !errors.Is(err, ErrNoEvidence) {
			t.Errorf("the first: %v", err)
		}
		for _, f := range []EvidenceFile{back, second} {
			if _, err := read(a.Service, c, f.ID); err != nil {
				t.Error(err)
			}
		}
		want := []string{back.ID, second.ID}
		slices.Sort(want)
		if diff := cmp.Diff(want, a.blobs()); diff != "" {
			t.Errorf("files:\n%s", diff)
		}
	})
	t.Run("IsRemovedByItsPersonWhileTheCaseIsOpen", func(t *testing.T) {
		t.Parallel()
		a := newArchive(t)
		ctx := t.Context()
		c := a.begin("c1", "alice", Upload{})
		front, back := a.add(c, "front", photo(1)), a.add(c, "back", photo(2))
		if err := a.removeEvidence(ctx, "bob", c.ID, front.ID); !errors.Is(err, ErrNoCase) {
			t.Errorf("by somebody else: %v", err)
		}
		a.OK(a.removeEvidence(ctx, "alice", c.ID, front.ID))
		if _, err := read(a.Service, c, front.ID); !errors.Is(err, ErrNoEvidence) {
			t.Errorf("what is removed: %v", err)
		}
		if diff := cmp.Diff([]string{back.ID}, a.blobs()); diff != "" {
			t.Errorf("files:\n%s", diff)
		}
		a.review(c, "rita")
		if err := a.removeEvidence(ctx, "alice", c.ID, back.ID); !errors.Is(err, ErrNotNow) {
			t.Errorf("in review: %v", err)
		}
	})
	t.Run("HasAQuotaInTheWrite", func(t *testing.T) {
		t.Parallel()
		a := newArchive(t)
		c := a.begin("c1", "alice", Upload{})
		refused := 0
		for i := range evidenceLimits.Count + 6 { // as at once: before anything is replaced
			e := storage.Evidence{ID: fmt.Sprint("e", i), CaseID: c.ID, Kind: "front", MediaType: "image/jpeg", Size: 1, AddedAt: a.Now(), ShredAt: a.Now().Add(day)}
			err := a.keep(t.Context(), e, c, document{content: []byte("x")})
			if errors.Is(err, errTooMuchEvidence) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if n := len(a.blobs()); refused != 6 || n != evidenceLimits.Count {
			t.Errorf("%d are refused, %d are kept", refused, n)
		}
		e := storage.Evidence{ID: "large", CaseID: c.ID, Kind: "front", MediaType: "image/jpeg", Size: evidenceLimits.Bytes, AddedAt: a.Now()}
		if err := a.keep(t.Context(), e, c, document{content: []byte("x")}); !errors.Is(err, errTooMuchEvidence) {
			t.Errorf("too many bytes: %v", err)
		}
	})
}

func TestEvidenceIsSubmittedWithWhatIsMissing(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	ctx := t.Context()
	c := a.begin("c1", "alice", Upload{})
	a.add(c, "front", photo(1))
	a.add(c, "letter", []byte("%PDF-1.7\n"))
	var missing missingFilesError
	if _, err := a.submitted(c); !errors.As(err, &missing) || !slices.Equal(missing.kinds, []string{"back"}) {
		t.Errorf("without the back: %v", err)
	}
	back := a.add(c, "back", photo(2))
	files := testkit.Must(a.submitted(c))(a.T)
	kinds := func(files []Evidence) (kinds []string) {
		for _, f := range files {
			kinds = append(kinds, f.Kind)
		}
		return kinds
	}
	if diff := cmp.Diff([]string{"front", "back", "letter"}, kinds(files)); diff != "" {
		t.Error(diff)
	}
	result, err := nextOfDocument(ctx, nil, Event{Kind: Uploaded, Evidence: files})
	if diff := cmp.Diff(Review{Facts: []Text{factPDF}}, result); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}

	// Sent back, only the back is asked for again, and the old one is none.
	k := testkit.Must(a.open(c))(a.T)
	k.Since = a.Now()
	k.Checks[0].Step.Upload = &Upload{Kinds: []string{"back"}, Reasons: []Reason{ReasonUnreadable}}
	c.Content = a.sealed(c, k)
	c = testkit.Must(a.Service.Store.MoveCase(ctx, storage.CaseMove{Case: c, At: a.Now()}, storage.PersonBasis{HasAccount: true}))(a.T)
	if _, err := a.submitted(c); !errors.As(err, &missing) || !slices.Equal(missing.kinds, []string{"back"}) {
		t.Errorf("with the old back: %v", err)
	}
	if err := a.addEvidence(ctx, "alice", c.ID, "front", photo(3)); !errors.Is(err, ErrNotNow) {
		t.Errorf("the front, which is good: %v", err)
	}
	if err := a.removeEvidence(ctx, "alice", c.ID, files[0].ID); !errors.Is(err, ErrNotNow) {
		t.Errorf("removing the front, which is good: %v", err)
	}
	again := a.add(c, "back", photo(4))
	files = testkit.Must(a.submitted(c))(a.T)
	if diff := cmp.Diff([]string{"front", "back", "letter"}, kinds(files)); diff != "" || files[1].ID != again.ID || again.ID == back.ID {
		t.Errorf("%+v\n%s", files, diff)
	}
}

func TestEvidenceTellsWhatWasNoticed(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	ctx := t.Context()
	c := a.begin("c1", "alice", Upload{})
	edited := append(photo(1)[:2:2], "\xff\xfe\x00\x1eAdobe Photoshop 25.0 (Macint)"...)
	edited = append(edited, photo(1)[2:]...)
	a.add(c, "front", edited)
	a.add(c, "front", edited) // of the same person
	other := a.begin("c2", "bob", Upload{})
	a.add(other, "back", photo(1)) // the picture without its metadata
	files, err := a.Evidence(ctx, "c2")
	a.OK(err)
	if f := files[0]; f.Alike != 1 || f.Editors != nil {
		t.Errorf("the copy: %+v", f)
	}
	files = testkit.Must(a.Evidence(ctx, "c1"))(a.T)
	f := files[len(files)-1]
	if diff := cmp.Diff([]string{"Adobe Photoshop"}, f.Editors); diff != "" || f.Alike != 1 {
		t.Errorf("the original: %+v", f)
	}
	if diff := cmp.Diff([]Text{factEditor, factAlike}, f.facts()); diff != "" {
		t.Error(diff)
	}
	a.OK(a.removeEvidence(ctx, "alice", "c1", f.ID))
	if files, err = a.Evidence(ctx, "c1"); err != nil || files[len(files)-1].Editors != nil {
		t.Errorf("what was noticed outlives the file: %+v, %v", files, err)
	}
	if files, err = a.Evidence(ctx, "c2"); err != nil || files[0].Alike != 1 {
		t.Errorf("a removed file is forgotten as a copy: %+v, %v", files, err)
	}
}

func TestEvidenceOfARenewalIsNobodyElses(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	ctx := t.Context()
	c := a.begin("c1", "alice", Upload{})
	a.add(c, "front", photo(1))
	c.State, c.EndedAt = storage.CaseWithdrawn, a.Now()
	_, err := a.Service.Store.MoveCase(ctx, storage.CaseMove{Case: c, At: a.Now(), EvidenceUntil: a.Now().Add(time.Hour)}, storage.PersonBasis{HasAccount: true})
	a.OK(err)
	if f := a.add(a.begin("c2", "alice", Upload{}), "front", photo(1)); f.Alike != 0 {
		t.Errorf("her own card: %+v", f)
	}
}

// restored opens a copy of the database as it was.
func (a archive) restored(blobs Blobs, copied string) *Service {
	a.T.Helper()
	store := testkit.Must(sqlite.Open(a.T.Context(), copied))(a.T)
	a.T.Cleanup(func() { _ = store.Close() })
	return a.service(store, blobs)
}
