package inbox

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/verification"
)

// sealedEvidence is the purpose for which addresses of evidence are sealed, and evidenceLife
// how long one can be opened.
const (
	sealedEvidence = "desk evidence"
	evidenceLife   = 5 * time.Minute
)

// evidenceLimit is that of one reviewer: far more than anybody looks at, and too few to copy
// an archive.
var evidenceLimit = provider.Limit{Burst: 300, Every: time.Second}

// opening is what the address of a file says: who may open it, and until when. It is sealed,
// so that it can be neither made nor read.
type opening struct {
	Reviewer string    `json:"r"`
	User     string    `json:"u"`
	Case     string    `json:"c"`
	Subject  string    `json:"s"`
	File     string    `json:"f"`
	Until    time.Time `json:"t"`
}

// evidenceURL returns the address of a file for one reviewer, for a few minutes.
func (d *Inbox) evidenceURL(r *request, c verification.RecordedCase, id string) string {
	plain, err := json.Marshal(opening{r.by.ID, r.by.Subject, c.ID, c.UserID, id, d.frame.Now().Add(evidenceLife)})
	if err != nil {
		panic(err) // strings and a time always have a JSON form
	}
	return d.frame.Path("evidence", base64.RawURLEncoding.EncodeToString(d.provider.Keys().Seal(sealedEvidence, plain)))
}

// opened returns what an address says, if it is this reviewer's and still valid.
func (d *Inbox) opened(r *request) (o opening, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(r.Value("sealed"))
	if err != nil {
		return o, false
	}
	plain, err := d.provider.Keys().Open(sealedEvidence, sealed)
	if err != nil || json.Unmarshal(plain, &o) != nil {
		return o, false
	}
	return o, o.Reviewer == r.by.ID && o.User == r.by.Subject && d.frame.Now().Before(o.Until)
}

// serveEvidence serves a file to the reviewer who has its case. It is no page of this origin:
// whatever is in it runs nothing and sends nothing, and no cache keeps it. What is no picture
// is not shown at all, but downloaded.
func (d *Inbox) serveEvidence(r *request) error {
	if err := r.Allow("desk_evidence", evidenceLimit); err != nil {
		return err
	}
	o, ok := d.opened(r)
	if !ok {
		return provider.ErrScreenNotFound
	}
	file, content, err := d.Verification.OpenEvidence(r.Context(), r.by, o.Case, o.File)
	if isOver(err) || errors.Is(err, verification.ErrNoEvidence) {
		return provider.ErrScreenNotFound
	}
	if err != nil {
		return err
	}
	defer content.Close()
	if err := r.Looked(o.Case, provider.Event{Name: event.EvidenceOpened, UserID: o.Subject, Detail: o.File}); err != nil {
		return err
	}
	h := r.Writer.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	if isPicture(file.MediaType) {
		h.Set("Content-Type", file.MediaType)
	} else {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", `attachment; filename="evidence`+extension(file.MediaType)+`"`)
	}
	r.Writer.WriteHeader(http.StatusOK)
	if _, err := io.Copy(r.Writer, content); err != nil {
		panic(http.ErrAbortHandler) // what was sent in part must not pass for the whole
	}
	return nil
}

// isPicture reports whether a file is shown on the page: it was drawn anew when it came.
func isPicture(mediaType string) bool { return mediaType == "image/png" || mediaType == "image/jpeg" }

func extension(mediaType string) string {
	if mediaType == "application/pdf" {
		return ".pdf"
	}
	return ""
}
