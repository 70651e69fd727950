package developer

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// document is the dashboard's data about an application beside its registration and its
// searched fields: storage.Application.Document.
type document struct {
	// Draft is an unpublished brand, and Previous the one before the published. Either may
	// equal the published one.
	Draft    *brand `json:"draft,omitempty"`
	Previous *brand `json:"previous,omitempty"`

	// Review is the last request and its decision.
	Review review `json:"review,omitzero"`

	// Changes are the pending changes of a production application, and Decided is the last
	// approved registration, to compare with.
	Changes *proposal `json:"changes,omitempty"`
	Decided *decided  `json:"decided,omitempty"`

	// Webhooks are the hosts that an operator has approved for webhooks and streams alone.
	Webhooks []string `json:"webhooks,omitempty"`

	// Live is the client ID of the copy in production, and Copied reports that it is
	// complete. Both are of an application of the sandbox.
	Live   string `json:"live,omitempty"`
	Copied bool   `json:"copied,omitempty"`

	// Program is that of an application that a program has registered.
	Program *program `json:"program,omitempty"`
}

// program is what a registration token says about the application that it has registered.
type program struct {
	// Token is its name and Organization that of the token; Hosts are those that the program may
	// have addresses on.
	Token        string   `json:"token"`
	Organization string   `json:"organization"`
	Hosts        []string `json:"hosts,omitempty"`
}

// review is a request for review and its decision.
type review struct {
	AskedAt   time.Time `json:"asked_at,omitzero"`
	AskedBy   string    `json:"asked_by,omitempty"`
	Note      string    `json:"note,omitempty"`
	DecidedAt time.Time `json:"decided_at,omitzero"`
	Reason    string    `json:"reason,omitempty"`
}

// askedAt is the time of the pending request.
func (d document) askedAt() time.Time {
	if d.Changes != nil {
		return d.Changes.At
	}
	return d.Review.AskedAt
}

// askedBy reports whether a user made or contributed to the pending request.
func (d document) askedBy(userID string) bool {
	return d.Review.AskedBy == userID || d.Changes != nil && slices.Contains(d.Changes.By, userID)
}

// brand is the look of an application on the screens.
type brand struct {
	// The pictures are as picture.ToPNG draws them.
	Logo         []byte `json:"logo,omitempty"`
	LogoDark     []byte `json:"logo_dark,omitempty"`
	Wordmark     []byte `json:"wordmark,omitempty"`
	WordmarkDark []byte `json:"wordmark_dark,omitempty"`

	Color string `json:"color,omitempty"`
}

// brandOf returns the published brand.
func brandOf(c provider.Client) brand {
	return brand{Logo: c.Logo, LogoDark: c.LogoDark, Wordmark: c.Wordmark, WordmarkDark: c.WordmarkDark, Color: c.ButtonColor}
}

// brandedClient returns c with a brand.
func brandedClient(c provider.Client, b brand) provider.Client {
	c.Logo, c.LogoDark, c.Wordmark, c.WordmarkDark, c.ButtonColor = b.Logo, b.LogoDark, b.Wordmark, b.WordmarkDark, b.Color
	return c
}

// bytes is the size of a brand's pictures.
func (b *brand) bytes() (n int64) {
	if b == nil {
		return 0
	}
	for _, field := range pictureFields {
		n += int64(len(*b.picture(field)))
	}
	return n
}

// differs reports whether there is a brand, and it differs from the published one.
func (b *brand) differs(published brand) bool { return b != nil && len(b.changes(published)) > 0 }

func readDocument(a storage.Application) (d document, err error) {
	if len(a.Document) == 0 {
		return document{}, nil
	}
	if err := json.Unmarshal(a.Document, &d); err != nil {
		return document{}, fmt.Errorf("read document of application %q: %w", a.ClientID, err)
	}
	return d, nil
}

// bytes returns the stored form.
func (d document) bytes() []byte {
	b, err := json.Marshal(d)
	if err != nil {
		panic(err) // it has texts and bytes
	}
	return b
}
