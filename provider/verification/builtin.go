package verification

import (
	"errors"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// english is a text of the screens.
func english(text string) Text { return Text{English: text} }

// orText is a text of the host, or one of the screens.
func orText(t Text, text string) Text {
	if t.English == "" && len(t.Translations) == 0 {
		return english(text)
	}
	return t
}

// within names the wrong field of a verifier's config as one of the policy; nil for none.
func within(field string, err error) error {
	var wrong *provider.FieldError
	if errors.As(err, &wrong) {
		return &provider.FieldError{Field: field + "." + wrong.Field, Err: wrong.Err}
	}
	if err != nil {
		return wrongField(field, "%w", err)
	}
	return nil
}

// proofDigest returns the keyed digest of a fact, which is all that is kept of it. The row of
// a roster has the same one, so that the members whose rows vanish are known.
func (s *core) proofDigest(f Fact) storage.Digest {
	return s.Provider.Rooms().People.Digest("proof", f.Kind, f.Value)
}
