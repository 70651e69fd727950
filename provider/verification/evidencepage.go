package verification

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/verification"
)

// uploadPatience is how long a person has to send a file, over a slow line.
const uploadPatience = 2 * time.Minute

// uploadLimit is for one person: a loop that sends and removes files fills no database.
var uploadLimit = provider.Limit{Burst: 40, Every: 5 * time.Minute}

// evidenceRoutes receive files, and show them to their person.
func (s *casePages) evidenceRoutes() []route {
	upload := provider.Upload{Bytes: picture.MaxDocumentBytes, Patience: uploadPatience, Admit: s.admitFile}
	return []route{
		{"/case/{id}/evidence", s.Provider.Pages().Upload(upload, signedIn(s.atEvidence))},
		{"/case/{id}/evidence/submit", s.page(s.atSubmit)},
		{"/case/{id}/evidence/name", s.page(s.atName)},
		{"/case/{id}/evidence/{evidence}", s.page(onlyLooked(s.showFile))},
		{"/case/{id}/evidence/{evidence}/remove", s.page(s.atRemove)},
	}
}

// admitFile decides whether a file is read: of somebody whose case asks for files now.
func (s *casePages) admitFile(screen *provider.Screen) (admitted bool, err error) {
	r := &request{screen}
	if r.User.UserID == "" {
		r.SignIn(0)
		return false, nil
	}
	c, err := s.own(r)
	if err != nil {
		return false, err
	}
	if !c.asksForFiles() {
		return false, s.toCase(r, c.ID)
	}
	return true, nil
}

// asksForFiles reports whether it is the person's turn to send files.
func (c RecordedCase) asksForFiles() bool {
	_, asked := c.Step.(Upload)
	return asked && c.State == storage.CaseOpen
}

// atEvidence shows which files are asked for, or keeps one, with the name that was entered
// beside it. The last that was missing sends all. Each is kept although the other is wrong:
// nothing has to be entered twice.
func (s *casePages) atEvidence(r *request) error {
	c, err := s.own(r)
	if err != nil {
		return err
	}
	if !c.asksForFiles() {
		return s.toCase(r, c.ID)
	}
	if !r.posts() {
		return s.showUpload(r, c, http.StatusOK)
	}
	kind, problem := r.posted(screens.FieldKind), screens.UploadMissing
	err = s.counting(r.context(), c.UserID, func(ctx context.Context) error {
		err := s.allow(ctx, limited{"verification: files", c.UserID, uploadLimit})
		if sent, ok := r.Uploaded(); ok && err == nil {
			problem, err = s.takeFile(r, c, kind, sent)
		}
		return err
	})
	var problems []ui.Problem
	if problem != "" {
		problems = append(problems, screens.NotTaken(r.Page().Locale, kind, problem))
	}
	name, sends := r.posted(screens.FieldName), r.posted(ui.FieldAction) == screens.ActionSubmit
	switch {
	case err != nil:
	case sends && problem == "":
		_, err = s.caseSteps.submit(r.context(), c.UserID, c.ID, r.version(), name)
	case r.Request.PostForm.Has(screens.FieldName):
		if named, failed := s.caseSteps.claim(r.context(), c.UserID, c.ID, r.version(), name); failed == nil {
			c = named
		} else {
			err = failed
		}
	}
	if err == nil && problem == "" && !sends {
		r.Room().RedirectWith(s.path("case", c.ID, "evidence"), ui.Notice(screens.NoticeFileReceived))
		return nil
	}
	return s.answeredUpload(r, c, err, problems...)
}

// answeredUpload answers a form of the page of files by what has become of it, as answered
// does: what is wrong stands beside its field.
func (s *casePages) answeredUpload(r *request, c RecordedCase, err error, problems ...ui.Problem) error {
	l := r.Page().Locale
	var over LimitError
	var missing missingFilesError
	switch {
	case errors.As(err, &over):
		return s.showUpload(r, c, r.Room().TooMany(over.Wait), screens.TooMany(l, s.until(over)))
	case errors.Is(err, errNameless):
		problem := screens.NameMissing(l)
		if utf8.RuneCountInString(r.posted(screens.FieldName)) > maxName {
			problem = screens.TooLong(l, screens.FieldName, maxName)
		}
		problems = append(problems, problem)
	case errors.As(err, &missing):
		for _, kind := range missing.kinds {
			problems = append(problems, screens.NotTaken(l, kind, screens.UploadMissing))
		}
	case err != nil || len(problems) == 0:
		return s.answered(r, c, err)
	}
	return s.showUpload(r, c, http.StatusUnprocessableEntity, problems...)
}

// takeFile keeps a file, or returns why it is not taken.
func (s *casePages) takeFile(r *request, c RecordedCase, kind string, sent provider.UploadedFile) (screens.UploadProblem, error) {
	if sent.TooLarge {
		return screens.UploadTooLarge, nil
	}
	err := s.evidenceFiles.addEvidence(r.context(), r.User.UserID, c.ID, kind, sent.Content)
	for _, refused := range []struct {
		err     error
		problem screens.UploadProblem
	}{
		{picture.ErrDocumentTooLarge, screens.UploadTooLarge}, {picture.ErrDocumentTooWide, screens.UploadTooWide},
		{picture.ErrDocumentWork, screens.UploadWork}, {picture.ErrFormat, screens.UploadFormat},
		{picture.ErrHEIC, screens.UploadHEIC}, {picture.ErrSVG, screens.UploadSVG}, {picture.ErrDamaged, screens.UploadDamaged},
		{errPDF, screens.UploadPDF}, {errTooMuchEvidence, screens.UploadFull},
	} {
		if errors.Is(err, refused.err) {
			return refused.problem, nil
		}
	}
	return "", err
}

// showUpload shows which files are asked for, and which are there.
func (s *casePages) showUpload(r *request, c RecordedCase, code int, problems ...ui.Problem) error {
	recorded, k, err := s.engine.read(r.context(), c.ID)
	if err != nil {
		return err
	}
	v, u, err := s.evidenceFiles.upload(recorded, k)
	if errors.Is(err, ErrNotNow) { // the host has removed the verifier, or it has just moved on
		return provider.ErrScreenNotFound
	}
	if err != nil {
		return err
	}
	there, err := s.evidenceFiles.files(r.context(), recorded, false)
	if err != nil {
		return err
	}
	p, err := s.casePage(r, c)
	if err != nil {
		return err
	}
	name, err := s.caseSteps.claimed(r.context(), recorded, k)
	if err != nil {
		return err
	}
	view := screens.UploadView{
		CasePage: p, Form: s.formOf(r, c, problems...), Title: translated(p.Locale, v.Title), Reasons: public(u.Reasons),
		Other: s.formOf(r, c), CanChoose: len(c.Methods) > 1, KeepDays: int(k.Terms.Keep / day), Submit: s.formOf(r, c, problems...),
	}
	view.Form.Action = s.path("case", c.ID, "evidence")
	if v.ComparesName {
		view.Name, view.Entered, view.Named = name, r.posted(screens.FieldName), s.formOf(r, c, problems...)
		view.Named.Action = s.path("case", c.ID, "evidence", "name")
	}
	view.Submit.Action = s.path("case", c.ID, "evidence", "submit")
	for _, q := range v.Upload {
		f := s.fileView(r, c.ID, k, u, q, there)
		if f.State != screens.FileMissing || u.asks(q.Name) {
			view.Files = append(view.Files, f)
		}
	}
	r.Render(code, screens.Upload(view))
	return nil
}

// fileView is a requirement with the file that is there.
func (s *casePages) fileView(r *request, caseID string, k content, u Upload, q Requirement, there []EvidenceFile) screens.File {
	l := r.Page().Locale
	f := screens.File{Kind: q.Name, Title: translated(l, q.Title), Example: q.Example, PDF: q.PDF, State: screens.FileMissing}
	for _, must := range q.Must {
		f.Must = append(f.Must, translated(l, must))
	}
	i := slices.IndexFunc(there, func(e EvidenceFile) bool { return e.Kind == q.Name && !e.Replaced && e.ShreddedAt.IsZero() })
	if i < 0 {
		return f
	}
	e := there[i]
	switch {
	case !u.asks(q.Name):
		f.State = screens.FileGood
	case e.AddedAt.Before(k.Since):
		f.State = screens.FileAgain
	default:
		f.State = screens.FileSent
		f.Remove = r.Form()
		f.Remove.Action = s.path("case", caseID, "evidence", e.ID, "remove")
	}
	if e.MediaType != typePDF {
		f.PreviewURL = s.path("case", caseID, "evidence", e.ID)
	}
	return f
}

// atRemove removes a file.
func (s *casePages) atRemove(r *request) error {
	c, err := s.own(r)
	if err != nil {
		return err
	}
	if !r.posts() {
		return s.toCase(r, c.ID)
	}
	err = s.evidenceFiles.removeEvidence(r.context(), r.User.UserID, c.ID, r.Request.PathValue("evidence"))
	switch {
	case errors.Is(err, ErrNoCase):
		return provider.ErrScreenNotFound
	case err == nil:
		r.Room().RedirectWith(s.path("case", c.ID, "evidence"), ui.Notice(screens.NoticeFileRemoved))
		return nil
	default:
		return s.answered(r, c, err)
	}
}

// atName keeps which name the files have.
func (s *casePages) atName(r *request) error {
	c, err := s.own(r)
	if err != nil {
		return err
	}
	if !r.posts() {
		return s.toCase(r, c.ID)
	}
	err = s.allow(r.context(), limited{"verification: files", c.UserID, uploadLimit})
	if err == nil {
		_, err = s.caseSteps.claim(r.context(), c.UserID, c.ID, r.version(), r.posted(screens.FieldName))
	}
	return s.answeredUpload(r, c, err)
}

// atSubmit sends the files to the reviewers.
func (s *casePages) atSubmit(r *request) error {
	c, err := s.own(r)
	if err != nil {
		return err
	}
	if !r.posts() {
		return s.toCase(r, c.ID)
	}
	_, err = s.caseSteps.submit(r.context(), c.UserID, c.ID, r.version(), r.posted(screens.FieldName))
	return s.answeredUpload(r, c, err)
}

// showFile shows a picture to the person who has sent it. A PDF is never shown: it is not
// drawn anew.
func (s *casePages) showFile(r *request) error {
	own, err := s.own(r)
	if err != nil {
		return err
	}
	e, content, err := s.readFile(r.context(), own.ID, r.Request.PathValue("evidence"))
	if errors.Is(err, ErrNoEvidence) || err == nil && e.MediaType == typePDF {
		return provider.ErrScreenNotFound
	}
	if err != nil {
		return err
	}
	h := r.Writer.Header()
	h.Set("Content-Type", e.MediaType)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = r.Writer.Write(content)
	return nil
}

// readFile reads a file to its end: one that is damaged is never answered in part.
func (s *casePages) readFile(ctx context.Context, caseID, id string) (storage.Evidence, []byte, error) {
	c, err := s.Store.Case(ctx, caseID)
	if err != nil {
		return storage.Evidence{}, nil, err
	}
	e, file, err := s.evidenceFiles.openFile(ctx, c, id)
	if err != nil {
		return e, nil, err
	}
	content, err := io.ReadAll(file)
	return e, content, errors.Join(err, file.Close())
}
