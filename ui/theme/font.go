package theme

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
)

// Font is that of all text of the screens.
type Font struct {
	// Name is its family, of letters, digits, spaces and -_ only; without Regular, one that
	// devices have, such as Georgia.
	// Defaults to the device's own.
	Name string `json:"name,omitempty"`

	// Regular and Bold are files in WOFF2 of at most 1 MiB, which the provider serves
	// itself. In JSON they are in base64. A variable font needs no Bold.
	// Defaults to none; without Bold, browsers embolden Regular.
	Regular []byte `json:"regular,omitempty"`
	Bold    []byte `json:"bold,omitempty"`
}

var family = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 _-]*$`)

// addFont keeps the files of a font and returns its rules.
func (t *Theme) addFont(f Font) (string, error) {
	switch {
	case f.Name == "" && len(f.Regular) == 0 && len(f.Bold) == 0:
		return "", nil
	case len(f.Name) > 64, !family.MatchString(f.Name):
		return "", &Error{"Font.Name", fmt.Errorf("%q is not 1 to 64 letters, digits, spaces and -_", f.Name)}
	case len(f.Bold) > 0 && len(f.Regular) == 0:
		return "", &Error{"Font.Regular", errors.New("is missing; Font.Bold needs it")}
	}
	var css string
	for _, file := range []struct {
		field, weight string
		content       []byte
	}{{"Font.Regular", "400", f.Regular}, {"Font.Bold", "600 900", f.Bold}} {
		if len(file.content) == 0 {
			continue
		}
		variable, err := checkWOFF2(file.content)
		if err != nil {
			return "", &Error{file.field, err}
		}
		if variable && len(f.Bold) == 0 {
			file.weight = "100 900"
		}
		name := t.add("font", "woff2", "font/woff2", file.content)
		css += fmt.Sprintf("@font-face {\n  font-family: %q;\n  font-weight: %s;\n  font-display: swap;\n  src: url(%s) format(\"woff2\");\n}\n",
			f.Name, file.weight, name)
		t.served = true
	}
	return css + inTokens(fmt.Sprintf("  --font: %q;\n", f.Name)), nil
}

const (
	maxFont     = 1 << 20
	woff2Header = 48
)

var errWOFF2 = errors.New("is not a font in WOFF2")

// checkWOFF2 reads the header and the directory of a font (WOFF 2.0 sections 4 and 5), and
// reports whether its weight is variable. Browsers check what is in the tables.
func checkWOFF2(font []byte) (variable bool, err error) {
	if len(font) > maxFont {
		return false, errors.New("is larger than 1 MiB")
	}
	if len(font) < woff2Header || string(font[:4]) != "wOF2" || int(binary.BigEndian.Uint32(font[8:])) != len(font) {
		return false, errWOFF2
	}
	rest := font[woff2Header:]
	for range binary.BigEndian.Uint16(font[12:]) {
		const arbitrary, fvar, glyf, loca = 63, 47, 10, 11
		if len(rest) == 0 {
			return false, errWOFF2
		}
		tag, version := rest[0]&0x3f, rest[0]>>6
		rest = rest[1:]
		if tag == arbitrary {
			if len(rest) < 4 {
				return false, errWOFF2
			}
			rest = rest[4:]
		}
		numbers := 1
		if transformed := version != 0; transformed != (tag == glyf || tag == loca) {
			numbers = 2 // the length that it is stored with as well
		}
		for range numbers {
			if rest, err = skipNumber(rest); err != nil {
				return false, err
			}
		}
		variable = variable || tag == fvar
	}
	return variable, nil
}

// skipNumber skips a UIntBase128.
func skipNumber(b []byte) ([]byte, error) {
	for i := 0; i < 5 && i < len(b); i++ {
		if b[i]&0x80 == 0 {
			return b[i+1:], nil
		}
	}
	return nil, errWOFF2
}
