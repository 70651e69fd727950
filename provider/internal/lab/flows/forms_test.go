package flows

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestEmptySignInNamesBothFields(t *testing.T) {
	t.Parallel()
	b := lab.New(t).NewBrowser()
	p := b.Submit(b.Open("/signin"), "email", "", "password", "")
	lab.Shown(t, p, http.StatusUnprocessableEntity)
	said := testkit.Text(lab.MainOf(t, p))
	for _, sentence := range []string{"Enter your email address", "Enter your password"} {
		if n := strings.Count(said, sentence); n != 1 {
			t.Errorf("says %d times %q: %s", n, sentence, said)
		}
	}
}
