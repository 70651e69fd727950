package flows

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"regexp"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestLogosThatNobodyHasAreRemoved(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	save := func(id string, logo []byte) {
		t.Helper()
		err := w.Clients().Save(t.Context(), provider.Client{ID: id, Dialect: provider.V3, Public: true, RedirectURIs: []string{lab.CallbackURI}, Logo: logo})
		testkit.OK(t, err)
	}
	has := func(want int) {
		t.Helper()
		if got := w.Count("images"); got != want {
			t.Errorf("%d logos are stored, want %d", got, want)
		}
	}
	save("red", lab.Square(t, 10))
	save("blue", lab.Square(t, 10))
	has(1)
	save("red", lab.Square(t, 20)) // blue still has the first
	has(2)
	save("blue", nil)
	has(1)
	save("blue", lab.Square(t, 20))
	w.OK(w.Clients().Delete(t.Context(), "red", 0))
	w.OK(w.RemoveDeleted(t.Context()))
	has(1)
	p := w.Alice().Open(lab.AuthorizeURL("client_id", "blue", "code_challenge", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "code_challenge_method", "S256"))
	logo := regexp.MustCompile(`/images/[0-9a-f]{64}\.png`).FindString(p.Text)
	if served := w.NewBrowser().Get(logo); logo == "" || served.StatusCode != http.StatusOK || served.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the logo that blue has, %q: %s", logo, served.Status)
	}
	w.OK(w.Clients().Delete(t.Context(), "blue", 0))
	w.OK(w.RemoveDeleted(t.Context()))
	has(0)
}

// TestLogoIsReadAndSavedAgain has one that an earlier version drew, larger than a new one
// may be.
func TestLogoIsReadAndSavedAgain(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	noise := image.NewGray(image.Rect(0, 0, 1000, 1000))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(random.Uint32())
	}
	var b bytes.Buffer
	testkit.OK(t, png.Encode(&b, noise))
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "noisy", Dialect: provider.V3, Public: true, RedirectURIs: []string{lab.CallbackURI}}))
	before := testkit.Must(w.Store.Client(t.Context(), "noisy"))(w.T)
	before.Logo = sha256.Sum256(b.Bytes())
	w.OK(w.Store.SaveImage(t.Context(), storage.Image{Digest: before.Logo, MediaType: "image/png", Bytes: b.Bytes()}))
	w.OK(w.Store.SaveClient(t.Context(), before))
	before = testkit.Must(w.Store.Client(t.Context(), "noisy"))(w.T)
	read := testkit.Must(w.Clients().Get(t.Context(), "noisy"))(w.T)
	if len(read.Logo) <= 512<<10 {
		t.Fatalf("%d bytes prove nothing", len(read.Logo))
	}
	w.OK(w.Clients().Save(t.Context(), read))
	after, err := w.Store.Client(t.Context(), "noisy")
	if err != nil || after.Version != before.Version {
		t.Errorf("saved as it was read it is another: %v", err)
	}
	read.Name = "Noise"
	w.OK(w.Clients().Save(t.Context(), read))
	if after, err := w.Store.Client(t.Context(), "noisy"); err != nil || after.Logo != before.Logo || after.Name != "Noise" {
		t.Errorf("with another name: logo %x, want %x; %v", after.Logo, before.Logo, err)
	}
	listed, err := w.Clients().List(t.Context(), "", 1)
	if err != nil || len(listed) != 1 || listed[0].Logo != nil {
		t.Errorf("the list has logos: %v", err)
	}
}

func TestLogoIsServedSmallAndRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	var b bytes.Buffer
	testkit.OK(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 2000, 1000))))
	drawn, _, err := picture.ToPNG(t.Context(), b.Bytes())
	w.OK(err)
	client := provider.Client{ID: "large", Dialect: provider.V3, Public: true, RedirectURIs: []string{lab.CallbackURI}, Logo: b.Bytes()}
	w.OK(w.Clients().Save(t.Context(), client))
	registered := testkit.Must(w.Clients().Get(t.Context(), "large"))(w.T)
	if !bytes.Equal(registered.Logo, drawn) {
		t.Error("another picture is registered than a preview shows")
	}
	if head, err := png.DecodeConfig(bytes.NewReader(drawn)); err != nil || head.Width != 512 || head.Height != 256 {
		t.Errorf("it has %d by %d pixels: %v", head.Width, head.Height, err)
	}
	for logo, want := range map[string]error{
		"<svg/>": picture.ErrSVG, "PNG": picture.ErrFormat, "GIF89a": picture.ErrDamaged,
		string(make([]byte, 512<<10+1)): picture.ErrTooLarge,
	} {
		client.Logo = []byte(logo)
		err := w.Clients().Save(t.Context(), client)
		if field := new(provider.FieldError); !errors.As(err, &field) || field.Field != "Logo" || !errors.Is(err, want) {
			t.Errorf("%.10q: %v, want %v", logo, err, want)
		}
		if _, _, err := picture.ToPNG(t.Context(), []byte(logo)); !errors.Is(err, want) {
			t.Errorf("%.10q: %v, want %v", logo, err, want)
		}
	}
}
