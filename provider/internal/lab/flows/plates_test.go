package flows

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// whiteDot is a picture that nobody sees by day.
func whiteDot(t *testing.T) []byte {
	t.Helper()
	p := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for y := 8; y < 24; y++ {
		for x := 8; x < 24; x++ {
			p.Set(x, y, color.White)
		}
	}
	var b bytes.Buffer
	testkit.OK(t, png.Encode(&b, p))
	return b.Bytes()
}

func TestPlatesOfPictures(t *testing.T) {
	t.Parallel()
	challenged := []string{"code_challenge", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "code_challenge_method", "S256"}
	isSeen := func(w *lab.Fixture) bool {
		body := w.NewBrowser().Open(lab.AuthorizeURL(append(challenged, "client_id", "dot")...)).Text
		if !strings.Contains(body, "/images/") {
			w.T.Fatal("no logo is shown")
		}
		return strings.Contains(body, "day-dark")
	}
	save := func(w *lab.Fixture) storage.Client {
		w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "dot", Dialect: provider.V3, Public: true, RedirectURIs: []string{lab.CallbackURI}, Logo: whiteDot(t)}))
		c := testkit.Must(w.Store.Client(t.Context(), "dot"))(w.T)
		return c
	}
	t.Run("AreKnownOnceOneIsSaved", func(t *testing.T) {
		t.Parallel()
		w := lab.New(t).WithUsers()
		c := save(w)
		if kept, err := w.Store.Image(t.Context(), c.Logo); err != nil || kept.Silhouette == nil {
			t.Errorf("kept without a silhouette: %v", err)
		}
		if !isSeen(w) {
			t.Error("a white logo is shown on white")
		}
	})
}
