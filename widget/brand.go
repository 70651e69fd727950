package widget

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// Brand is what the button says and shows of its provider. The zero value is
// Bonafide in blue.
type Brand struct {
	// Name completes the label, as in "Verify with Bonafide": one line of at
	// most 60 characters. "Bonafide" when empty.
	Name string `json:"name"`

	// Color is the colour of the button, and LabelColor that of its label:
	// #rrggbb, both or none. The caller sees to their contrast. Blue and white
	// when empty.
	Color      string `json:"color"`
	LabelColor string `json:"labelColor"`

	// Mark is the provider's logo in one colour: the data of an SVG path in a
	// box of 24 by 24, filled by the even-odd rule, at most 1,000 bytes. It is
	// no image, because strict pages admit none of other sites. A check mark
	// when empty.
	Mark string `json:"mark,omitempty"`

	// FedCM has the button ask the browser for the account before it opens anything
	// (Federated Credential Management API), which takes a provider that answers.
	FedCM bool `json:"fedcm,omitempty"`

	// Code is the name of the provider in programs, such as AcmeID: then pages may say
	// AcmeID.signIn for Bonafide.signIn, and listen to acmeid:success. 2 to 31 ASCII letters
	// and digits, a letter first. None when empty.
	Code string `json:"-"`
}

// maxMark is checked apart: a regular expression that counts so far takes 3 ms of every start.
const maxMark = 1000

var (
	hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
	pathData = regexp.MustCompile(`^[MmZzLlHhVvCcSsQqTtAa0-9eE+\-., ]*$`)
)

func (b Brand) withDefaults() Brand {
	if b.Name == "" {
		b.Name = "Bonafide"
	}
	if b.Color == "" && b.LabelColor == "" {
		b.Color, b.LabelColor = "#0b5cff", "#ffffff"
	}
	return b
}

func (b Brand) validate() error {
	if !utf8.ValidString(b.Name) || utf8.RuneCountInString(b.Name) > 60 {
		return errors.New("brand: Name must be at most 60 characters")
	}
	for _, r := range b.Name {
		if !unicode.IsPrint(r) {
			return errors.New("brand: Name must be one line of printable characters")
		}
	}
	if !hexColor.MatchString(b.Color) {
		return fmt.Errorf("brand: Color must be #rrggbb, got %q", b.Color)
	}
	if !hexColor.MatchString(b.LabelColor) {
		return fmt.Errorf("brand: LabelColor must be #rrggbb, got %q", b.LabelColor)
	}
	if len(b.Mark) > maxMark || !pathData.MatchString(b.Mark) {
		return errors.New("brand: Mark must be the data of an SVG path of at most 1000 bytes")
	}
	if b.Code != "" && !isCode(b.Code) {
		return errors.New("brand: Code must be 2 to 31 letters and digits, a letter first, and not Bonafide")
	}
	return nil
}

// initCall is the statement that ends the served script. Marshal escapes what
// could end a string, a script element or a line in JavaScript.
func (b Brand) initCall() ([]byte, error) {
	settings, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("brand: %w", err)
	}
	return fmt.Appendf(nil, "Bonafide.init(%s);\n", settings), nil
}
