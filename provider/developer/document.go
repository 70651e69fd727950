package developer

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// document is what the dashboard keeps about an application beside its registration and
// what it looks for: storage.Application.Document.
type document struct {
	// Draft is a brand that has not been published, and Previous the one that was before
	// the one that is. Both may be what is published by now.
	Draft    *brand `json:"draft,omitempty"`
	Previous *brand `json:"previous,omitempty"`

	// Review is what was asked and decided last.
	Review review `json:"review,omitzero"`

	// Changes are what waits for an operator of an application that is in production, and
	// Decided is the registration that was decided on last, to compare with.
	Changes *proposal `json:"changes,omitempty"`
	Decided *decided  `json:"decided,omitempty"`

	// Live is the client ID of the copy in production, and Copied says that it is whole.
	// Both are of an application of the sandbox.
	Live   string `json:"live,omitempty"`
	Copied bool   `json:"copied,omitempty"`
}

// review is what was asked and decided about an application.
type review struct {
	AskedAt   time.Time `json:"asked_at,omitzero"`
	AskedBy   string    `json:"asked_by,omitempty"`
	Note      string    `json:"note,omitempty"`
	DecidedAt time.Time `json:"decided_at,omitzero"`
	Reason    string    `json:"reason,omitempty"`
}

// askedAt is since when something waits for an operator.
func (d document) askedAt() time.Time {
	if d.Changes != nil {
		return d.Changes.At
	}
	return d.Review.AskedAt
}

// askedBy reports whether a user has asked for what waits, or has had a part in it.
func (d document) askedBy(userID string) bool {
	return d.Review.AskedBy == userID || d.Changes != nil && slices.Contains(d.Changes.By, userID)
}

// brand is what an application can make its own on the screens.
type brand struct {
	// The pictures are as provider.LogoPNG draws them.
	Logo         []byte `json:"logo,omitempty"`
	LogoDark     []byte `json:"logo_dark,omitempty"`
	Wordmark     []byte `json:"wordmark,omitempty"`
	WordmarkDark []byte `json:"wordmark_dark,omitempty"`

	Color string `json:"color,omitempty"`
}

// brandOf returns the brand that is published.
func brandOf(c provider.Client) brand {
	return brand{Logo: c.Logo, LogoDark: c.LogoDark, Wordmark: c.Wordmark, WordmarkDark: c.WordmarkDark, Color: c.ButtonColor}
}

// brandedClient returns c with a brand.
func brandedClient(c provider.Client, b brand) provider.Client {
	c.Logo, c.LogoDark, c.Wordmark, c.WordmarkDark, c.ButtonColor = b.Logo, b.LogoDark, b.Wordmark, b.WordmarkDark, b.Color
	return c
}

// bytes is how much the pictures of a brand take.
func (b *brand) bytes() (n int64) {
	if b == nil {
		return 0
	}
	for _, field := range pictureFields {
		n += int64(len(*b.picture(field)))
	}
	return n
}

// differs reports whether there is a brand that is another than the one published.
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

// bytes returns what is stored.
func (d document) bytes() []byte {
	b, err := json.Marshal(d)
	if err != nil {
		panic(err) // it has texts and bytes
	}
	return b
}
