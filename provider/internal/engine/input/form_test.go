package input

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestReadForm(t *testing.T) {
	read := func(body string) (url.Values, error) {
		r := httptest.NewRequest(http.MethodPost, "/oauth/token", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return ReadForm(r)
	}

	t.Run("ParametersWithoutValueCountAsOmitted", func(t *testing.T) {
		form := testkit.Must(read("grant_type=refresh_token&scope=&redirect_uri&client_secret="))(t)
		if diff := cmp.Diff(url.Values{"grant_type": {"refresh_token"}}, form); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("KeepsAnEmptyVerifierToBeRefused", func(t *testing.T) {
		form := testkit.Must(read("code=x&code_verifier="))(t)
		if !form.Has("code_verifier") {
			t.Error("the code_verifier is gone, as if the client had never used PKCE")
		}
	})

	t.Run("RefusesARepeatedParameterEvenWithoutValue", func(t *testing.T) {
		if _, err := read("code=x&code="); err == nil {
			t.Error("accepted")
		}
	})
}

// TestParseForm tests that a body that is read in one piece is understood as net/http
// understands it: a request that is read in two ways is judged as one and used as the other.
func TestParseForm(t *testing.T) {
	const limit = 3 << 10
	request := func(body string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/oauth/token", strings.NewReader(body))
		r.Header.Set("Content-Type", formType)
		return r
	}
	for _, body := range []string{
		"", "a=b", "a=b&a=c", "a=%20+%2B", "a=%zz", "a;b=c", "&&", "=x", "a", "a=\x00\xff",
		"a=" + strings.Repeat("x", limit-2), "a=" + strings.Repeat("x", limit-1), "a=" + strings.Repeat("x", 2*limit),
	} {
		short, long := request(body), request(body)
		long.ContentLength = -1 // as of a chunked body
		gotErr, wantErr := ParseForm(short, limit), ParseForm(long, limit)
		if (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
			t.Errorf("%.20q: %v, and of unknown length %v", body, gotErr, wantErr)
		}
		if wantErr != nil {
			continue
		}
		if diff := cmp.Diff([]url.Values{long.PostForm, long.Form}, []url.Values{short.PostForm, short.Form}); diff != "" {
			t.Errorf("%.20q: %s", body, diff)
		}
	}

	t.Run("ReadsAllOfABodyOfAnotherLength", func(t *testing.T) { // as a host leaves that unpacks it
		for _, length := range []int64{0, 1, 3, 5, 9} {
			r := request("a=b&c")
			r.ContentLength = length
			if err := ParseForm(r, limit); err != nil || len(r.PostForm) != 2 {
				t.Errorf("5 bytes that say to be %d are read as %v: %v", length, r.PostForm, err)
			}
			r = request("a=" + strings.Repeat("x", limit))
			r.ContentLength = length
			if err := ParseForm(r, limit); !errors.Is(err, errTooLarge) {
				t.Errorf("more than the limit that says to be %d: %v", length, err)
			}
		}
	})

	t.Run("RefusesABodyThatBreaksOff", func(t *testing.T) {
		r := request("a=b")
		r.Body = io.NopCloser(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a=b"))))
		if ParseForm(r, limit) == nil {
			t.Errorf("read as %v", r.PostForm)
		}
	})

	t.Run("LeavesAFormThatIsRead", func(t *testing.T) {
		r := request("a=b")
		for range 2 {
			if err := ParseForm(r, limit); err != nil || r.PostForm.Get("a") != "b" {
				t.Errorf("%v %v", r.PostForm, err)
			}
		}
	})
}
