package provider

import (
	"errors"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// Upload describes a page to which people send one file at a time (Pages.Upload).
type Upload struct {
	// Bytes is the maximum size of the file.
	Bytes int64

	// Patience is the time limit for a request with a file, which people send over slow
	// lines. It is in place of the limit of other pages, and of those of the http.Server.
	Patience time.Duration

	// Admit decides before the file is read whether somebody may send one: its Screen has
	// no form. The function that it returns is called when the request is over; without one
	// it has answered.
	Admit func(s *Screen) (done func(), err error)
}

// UploadedFile is a file that somebody has sent.
type UploadedFile struct {
	// Field is the name of its field. Of several files the first one is taken that is not
	// empty.
	Field string

	// Content is nil if the file is TooLarge.
	Content  []byte
	TooLarge bool
}

// Upload is Screen for a page to whose form people send a file as multipart/form-data. The
// file is kept in memory alone.
func (p Pages) Upload(u Upload, h func(s *Screen) error) http.Handler {
	return p.server.BesideUpload(web.Upload{
		Bytes: u.Bytes, Patience: u.Patience,
		Admit: func(w http.ResponseWriter, r *http.Request) (done func(), err error) {
			err = p.onScreen(func(s *Screen) error {
				if u.Admit == nil {
					return errors.New("provider: Upload.Admit is missing")
				}
				done, err = u.Admit(s)
				return err
			})(w, r)
			return done, err
		},
	}, p.onScreen(h))
}

// Uploaded returns the file of a posted form, and false if none was chosen.
func (s *Screen) Uploaded() (UploadedFile, bool) {
	file, ok := web.UploadedTo(s.Request.Context())
	return UploadedFile(file), ok
}
