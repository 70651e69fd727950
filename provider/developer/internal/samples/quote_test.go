package samples

import (
	"encoding/json"
	"errors"
	"html"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// hostile are strings that would end a string, call a function or begin a comment, were
// they written bare.
var hostile = []string{
	`plain`, `it's`, `"`, `'"'`, "`id`", `$(id)`, `${HOME}`, `#{1+1}`, `{$x}`, `%(x)s`, `\`, `\'`, `\"`, `\\'`, `\n`, `\u0027`,
	"new\nline", "tab\treturn\r", "\b\f\v\x01\x7f", "*/ // # <!--", `</script><b>`, "?>", "ünï🙂", "\u2028\u2029", `'; id; '`, `!!`, "*?[a]~",
}

func TestAttackValuesDoNotEndStrings(t *testing.T) {
	t.Parallel()
	quote := func(t *testing.T, language, s string) string {
		t.Helper()
		switch f := quoting[language].(type) {
		case func(string) string:
			return f(s)
		case func(string) (string, error):
			quoted := testkit.Must(f(s))(t)
			return quoted
		default:
			t.Fatalf("no quoting for %s", language)
			return ""
		}
	}
	// A program prints all strings, with a separator that none of them has.
	read := func(between string, program ...string) func(t *testing.T, quoted []string) []string {
		return func(t *testing.T, quoted []string) []string {
			t.Helper()
			runner{needs: program[:1]}.require(t)
			args := append([]string{}, program[1:]...)
			args[len(args)-1] = strings.Replace(args[len(args)-1], "STRINGS", strings.Join(quoted, between), 1)
			out, err := exec.CommandContext(t.Context(), program[0], args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return strings.Split(strings.TrimSuffix(string(out), "\x1e"), "\x1e")
		}
	}
	each := func(f func(quoted string) (string, error)) func(t *testing.T, quoted []string) []string {
		return func(t *testing.T, quoted []string) []string {
			t.Helper()
			var all []string
			for _, q := range quoted {
				s := testkit.Must(f(q))(t)
				all = append(all, s)
			}
			return all
		}
	}
	for name, l := range map[string]struct {
		quoting string
		read    func(t *testing.T, quoted []string) []string
	}{
		"Go": {"go", each(strconv.Unquote)},
		"JSON": {"json", each(func(quoted string) (s string, err error) {
			err = json.Unmarshal([]byte(quoted), &s)
			return s, err
		})},
		"HTML": {"html", each(func(quoted string) (string, error) {
			inner := quoted[1 : len(quoted)-1]
			if strings.ContainsAny(inner, `"<>`) {
				return "", errors.New("it ends: " + quoted)
			}
			return html.UnescapeString(inner), nil
		})},
		"Shell":      {"sh", read(" ", "bash", "-c", `printf '%s\036' STRINGS`)},
		"JavaScript": {"json", read(", ", "node", "-e", `process.stdout.write([STRINGS].join("\x1e"))`)},
		"Python":     {"json", read(", ", "python3", "-X", "utf8", "-c", `import sys; sys.stdout.write("\x1e".join([STRINGS]))`)},
		"PHP":        {"php", read(", ", "php", "-r", `echo implode("\x1e", [STRINGS]);`)},
		"Ruby":       {"ruby", read(", ", "ruby", "-Ku", "-e", "# encoding: utf-8\n$stdout.binmode; print [STRINGS].join(\"\\x1e\")")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quoted := make([]string, len(hostile))
			for i, s := range hostile {
				quoted[i] = quote(t, l.quoting, s)
			}
			if diff := cmp.Diff(hostile, l.read(t, quoted)); diff != "" {
				t.Errorf("(-registered +read):\n%s", diff)
			}
		})
	}
}
