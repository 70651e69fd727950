package developer

import (
	"errors"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
)

// The limits on posts of one user, on all pages together: each change is an entry of the
// activity log, and each picture takes processor time.
var (
	changes = provider.Limit{Burst: 60, Every: 6 * time.Second}
	uploads = provider.Limit{Burst: 10, Every: 20 * time.Second}

	// documents is on addresses at which the provider reads a document, for nobody but the user.
	documents = provider.Limit{Burst: 6, Every: 10 * time.Second}
)

var errTooMany = errors.New("the user has posted too many forms")

// bounded counts a post. One too many has no effect, and loses nothing: reloading the error
// page posts it again.
func (d *frame) bounded(r *request) error {
	if r.Request.Method != http.MethodPost {
		return nil
	}
	if err := d.allow(r, "dashboard change", changes); err != nil || !r.hasFile() {
		return err
	}
	return d.allow(r, "dashboard upload", uploads)
}

func (d *frame) allow(r *request, what string, limit provider.Limit) error {
	wait, err := d.Provider.Rooms().Pages.Allow(r.Request.Context(), what, r.User.UserID, limit)
	if err == nil && wait > 0 {
		return provider.ScreenError{Status: http.StatusTooManyRequests, Code: ui.ErrorTooMany, Wait: wait, Err: errTooMany}
	}
	return err
}

// hasFile reports whether a file has been chosen in the posted form.
func (r *request) hasFile() bool {
	if r.Request.MultipartForm == nil {
		return false
	}
	for _, files := range r.Request.MultipartForm.File {
		for _, file := range files {
			if file.Size > 0 {
				return true
			}
		}
	}
	return false
}
