package developer

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// decided is a registration as an operator has approved it, as far as needed to list later
// changes.
type decided struct {
	Values   map[string]string   `json:"values,omitempty"`
	Lists    map[string][]string `json:"lists,omitempty"`
	Pictures map[string]string   `json:"pictures,omitempty"` // their digests
}

func decidedOn(c provider.Client) *decided {
	d := &decided{map[string]string{}, map[string][]string{}, map[string]string{}}
	for _, f := range registeredFields(c) {
		if f.value != "" {
			d.Values[f.name] = f.value
		}
		if len(f.values) > 0 {
			d.Lists[f.name] = f.values
		}
	}
	b := brandOf(c)
	for _, field := range pictureFields {
		if digest := digestOf(*b.picture(field)); digest != "" {
			d.Pictures[field] = digest
		}
	}
	return d
}

func digestOf(picture []byte) string {
	if len(picture) == 0 {
		return ""
	}
	sum := sha256.Sum256(picture)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// since returns the fields of a registration that have changed. Of a picture it says only
// that.
func (d *decided) since(c provider.Client) map[string]storage.ChangedField {
	fields := map[string]storage.ChangedField{}
	if d == nil { // nothing has been decided before
		return fields
	}
	for _, f := range registeredFields(c) {
		for _, change := range append(changed(f.name, d.Values[f.name], f.value), changedList(f.name, d.Lists[f.name], f.values)...) {
			fields[f.name] = change
		}
	}
	b := brandOf(c)
	for _, field := range pictureFields {
		if d.Pictures[field] != digestOf(*b.picture(field)) {
			fields[field] = storage.ChangedField{Name: field}
		}
	}
	return fields
}
