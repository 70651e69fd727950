package sqlstore

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// factors are the proofs of a session, or NULL for none. Every request of a signed-in user
// reads them, so that they have a form of their own: one factor after the other with a space
// between, each "method,at,since,credential" with times in microseconds, empty for zero, and
// the credential in base64url. A level above zero follows as a number after another comma, and
// so it does, with a "u" after one more, for a factor that is undated.
type factors []storage.Factor

const undatedMark = "u"

// Scan implements sql.Scanner.
func (f *factors) Scan(column any) error {
	switch v := column.(type) {
	case nil:
		*f = nil
		return nil
	case string:
		return f.parse(v)
	default:
		return fmt.Errorf("sqlstore: factors are stored as %T", column)
	}
}

func (f *factors) parse(text string) error {
	parsed := make(factors, 0, strings.Count(text, " ")+1)
	for one := range strings.SplitSeq(text, " ") {
		method, rest, _ := strings.Cut(one, ",")
		at, rest, _ := strings.Cut(rest, ",")
		since, rest, whole := strings.Cut(rest, ",")
		credential, level, leveled := strings.Cut(rest, ",")
		factor := storage.Factor{Method: storage.Method(method)}
		var err error
		if factor.At, err = parseTime(at); err == nil {
			factor.Since, err = parseTime(since)
		}
		if err == nil && credential != "" {
			factor.Credential, err = base64.RawURLEncoding.DecodeString(credential)
		}
		if err == nil && leveled {
			level, rest, factor.Undated = strings.Cut(level, ",")
			if factor.Level, err = parseLevel(level); factor.Undated && rest != undatedMark {
				return fmt.Errorf("sqlstore: %q is no factor", one)
			}
		}
		if err != nil || !whole || method == "" {
			return fmt.Errorf("sqlstore: %q is no factor", one)
		}
		parsed = append(parsed, factor)
	}
	*f = parsed
	return nil
}

func parseLevel(text string) (storage.Assurance, error) {
	n, err := strconv.ParseUint(text, 10, 8)
	return storage.Assurance(n), err
}

func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMicro(n).UTC(), err
}

// factorsText writes factors as parse reads them.
func factorsText(of []storage.Factor) (any, error) {
	if len(of) == 0 {
		return nil, nil
	}
	text := make([]byte, 0, 64*len(of))
	for i, f := range of {
		if f.Method == "" || strings.ContainsAny(string(f.Method), " ,") {
			return nil, fmt.Errorf("sqlstore: a factor has the method %q", f.Method)
		}
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(text, f.Method...)
		text = appendTime(text, f.At)
		text = appendTime(text, f.Since)
		text = append(text, ',')
		text = base64.RawURLEncoding.AppendEncode(text, f.Credential)
		if f.Level != storage.AnyAssurance || f.Undated {
			text = strconv.AppendUint(append(text, ','), uint64(f.Level), 10)
		}
		if f.Undated {
			text = append(text, ","+undatedMark...)
		}
	}
	return string(text), nil
}

func appendTime(text []byte, t time.Time) []byte {
	text = append(text, ',')
	if t.IsZero() {
		return text
	}
	return strconv.AppendInt(text, storage.UnixMicro(t), 10)
}
