package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/share"
	"github.com/bonafide-id/bonafide/ui"
)

// Upload describes a form with one file that is larger, and takes longer, than those of
// other forms.
type Upload struct {
	// Bytes limits the file, and Patience the whole request.
	Bytes    int64
	Patience time.Duration

	// Memory has the bytes of files that are received or worked on. A file takes them as it
	// arrives: whoever sends nothing holds nothing.
	Memory *share.Pool

	// Admit decides before the body is read whether it is, and what it counts for; false if it
	// has answered.
	Admit func(w http.ResponseWriter, r *http.Request) (parts []share.Part, admitted bool, err error)
}

// UploadedFile is the file of a form. One that is TooLarge has no Content.
type UploadedFile struct {
	Field    string
	Content  []byte
	TooLarge bool
}

type uploadedKey struct{}

// receivedFile is a file with the memory that it takes.
type receivedFile struct {
	UploadedFile
	memory *share.Hold
}

// heldReader takes memory for what is read.
type heldReader struct {
	io.Reader
	memory *share.Hold
}

func (r heldReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if !r.memory.Take(int64(n)) {
		return 0, errMemory
	}
	return n, err
}

// UploadedTo returns the file of a request that BesideUpload has read.
func UploadedTo(ctx context.Context) (UploadedFile, bool) {
	file, ok := ctx.Value(uploadedKey{}).(*UploadedFile)
	if !ok {
		return UploadedFile{}, false
	}
	return *file, file.Field != ""
}

// BesideUpload is Beside for a page whose form has a file.
func (s *Server) BesideUpload(u Upload, h Handler) http.Handler {
	act := s.site.Page(func(w http.ResponseWriter, r *http.Request) error {
		parts, admitted, err := u.Admit(w, r)
		if err != nil || !admitted {
			return err
		}
		file := &receivedFile{memory: u.Memory.Hold(parts...)}
		defer file.memory.Release()
		r = r.WithContext(context.WithValue(r.Context(), uploadedKey{}, &file.UploadedFile))
		return s.site.guard(func(r *http.Request) error { return u.read(r, file) }, h)(w, r)
	})
	return s.beside(h, act, u.Patience)
}

const (
	maxParts = 32

	// What is too large is read nevertheless, as far as somebody may send by mistake: most
	// browsers show no answer to a form that they have not sent to its end.
	maxReadAnyway = 96 << 20
)

var (
	errNoUpload = errors.New("the form of a file is not multipart/form-data")
	errParts    = errors.New("a form has too many parts")
	errMemory   = errors.New("the files that are being received take all memory for them")
)

// read parses the form in memory: nothing of a file is ever on the disk in clear.
func (u Upload) read(r *http.Request, file *receivedFile) error {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "multipart/form-data" {
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: errNoUpload}
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxReadAnyway)
	form, err := u.parts(r, file)
	if err == nil {
		err = checkFields(form, "")
	}
	if err != nil {
		return uploadError(err)
	}
	r.PostForm, r.Form = form, form
	return nil
}

// parts reads the fields of a form and its first file that is not empty.
func (u Upload) parts(r *http.Request, file *receivedFile) (url.Values, error) {
	reader, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	form, size := url.Values{}, 0
	for range maxParts {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return nil, err
		}
		if part.FileName() != "" {
			if err := u.readFile(part, file); err != nil {
				return nil, err
			}
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, MaxForm+1))
		if err != nil {
			return nil, err
		}
		if size += len(value); size > MaxForm {
			return nil, &http.MaxBytesError{Limit: MaxForm}
		}
		if name := part.FormName(); name != "" && part.Header.Get("Content-Type") == "" {
			form.Add(name, string(value))
		}
	}
	return nil, errParts
}

func (u Upload) readFile(part *multipart.Part, file *receivedFile) error {
	if file.Field != "" || part.FormName() == "" {
		_, err := io.Copy(io.Discard, part)
		return err
	}
	content, err := io.ReadAll(heldReader{io.LimitReader(part, u.Bytes+1), file.memory})
	if err != nil || len(content) == 0 {
		return err
	}
	file.UploadedFile = UploadedFile{Field: part.FormName(), Content: content}
	if int64(len(content)) > u.Bytes {
		file.Content, file.TooLarge = nil, true
		file.memory.Release()
		_, err = io.Copy(io.Discard, part)
	}
	return err
}

// uploadError is the error page for a form that cannot be read.
func uploadError(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &PageError{Status: http.StatusRequestEntityTooLarge, Code: ui.ErrorTooLarge, Cause: err}
	case errors.Is(err, errMemory):
		return &PageError{Status: http.StatusServiceUnavailable, Code: ui.ErrorUnavailable, Wait: 10 * time.Second, Cause: err}
	}
	return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
}
