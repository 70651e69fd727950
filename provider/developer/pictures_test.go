package developer_test

import (
	"image/color"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// fourPictures are pictures of an application by their fields, each in a colour of its own.
func fourPictures(t testing.TB) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		"logo": square(t, 40, color.NRGBA{0xd0, 0x20, 0x20, 0xff}), "logo_dark": square(t, 40, color.NRGBA{0xf0, 0x90, 0x90, 0xff}),
		"wordmark": square(t, 60, color.NRGBA{0x20, 0xd0, 0x20, 0xff}), "wordmark_dark": square(t, 60, color.NRGBA{0x90, 0xf0, 0x90, 0xff}),
	}
}

// picturesOf are those that people see of an application, by their fields.
func picturesOf(c provider.Client) map[string][]byte {
	return map[string][]byte{"logo": c.Logo, "logo_dark": c.LogoDark, "wordmark": c.Wordmark, "wordmark_dark": c.WordmarkDark}
}

func TestPicturesArePublishedRemovedAndBroughtBack(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	none := picturesOf(provider.Client{})
	p := b.uploads(b.open(brandingPath), fourPictures(t), "action", "preview")
	if diff := cmp.Diff(none, picturesOf(w.client(storage.Sandbox, "shop"))); diff != "" {
		t.Errorf("people see a draft: %s", diff)
	}
	drawn, seen := map[string][]byte{}, map[string]bool{}
	for field := range none {
		picture := b.get(brandingPath + "/" + field)
		if picture.StatusCode != http.StatusOK || picture.Header.Get("Content-Type") != "image/png" || seen[picture.body] {
			t.Errorf("%s: %s", field, picture.Status)
		}
		drawn[field], seen[picture.body] = []byte(picture.body), true
		if !strings.Contains(p.body, `src="`+brandingPath+"/"+field+`"`) {
			t.Errorf("the page does not show %s", field)
		}
	}

	p = b.uploads(p, nil, "action", "publish")
	if diff := cmp.Diff(drawn, picturesOf(w.client(storage.Sandbox, "shop"))); diff != "" {
		t.Errorf("published: %s", diff)
	}
	var names []string
	for _, f := range w.changes(river)[0].Fields {
		names = append(names, f.Name)
		if f.Before != "" || f.After != "on" {
			t.Errorf("the activity does not say that %s was added: %+v", f.Name, f)
		}
	}
	if diff := cmp.Diff([]string{"logo", "logo_dark", "wordmark", "wordmark_dark"}, names); diff != "" {
		t.Errorf("recorded: %s", diff)
	}

	p = b.uploads(p, nil, "action", "publish", "remove_logo_dark", "on", "remove_wordmark_dark", "on")
	if f := w.changes(river)[0].Fields; len(f) != 2 || f[0].Before != "on" || f[0].After != "" {
		t.Errorf("the activity does not say that pictures were removed: %+v", f)
	}
	got := w.client(storage.Sandbox, "shop")
	if got.LogoDark != nil || got.WordmarkDark != nil || len(got.Logo) == 0 || len(got.Wordmark) == 0 {
		t.Errorf("removed the dark ones: %d %d %d %d bytes", len(got.Logo), len(got.LogoDark), len(got.Wordmark), len(got.WordmarkDark))
	}
	if gone := b.get(brandingPath + "/logo_dark"); gone.StatusCode != http.StatusNotFound {
		t.Errorf("a removed picture: %s", gone.Status)
	}
	b.submit(p, "action", "undo")
	if diff := cmp.Diff(drawn, picturesOf(w.client(storage.Sandbox, "shop"))); diff != "" {
		t.Errorf("brought back: %s", diff)
	}
}

func TestPicturesThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	good := square(t, 40, color.White)
	for name, c := range map[string]struct {
		files       map[string][]byte
		field, want string
	}{
		"no picture by night":        {map[string][]byte{"logo": good, "logo_dark": []byte("hello")}, "logo_dark", "Choose a PNG, JPEG, WebP or GIF"},
		"an SVG for a wordmark":      {map[string][]byte{"wordmark": []byte("<svg onload='alert(1)'/>")}, "wordmark", "SVG files can contain scripts"},
		"half a picture":             {map[string][]byte{"wordmark": good, "wordmark_dark": good[:60]}, "wordmark_dark", "is damaged"},
		"a large file":               {map[string][]byte{"wordmark": make([]byte, 600<<10)}, "wordmark", "Choose a file of up to 512 KiB"},
		"a logo for the night alone": {map[string][]byte{"logo_dark": good}, "logo_dark", "Add a light-mode image too"},
		"a wordmark for it alone":    {map[string][]byte{"wordmark_dark": good}, "wordmark_dark", "Add a light-mode image too"},
	} {
		p := b.uploads(b.open(brandingPath), c.files, "color", "", "action", "publish")
		if p.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(p.body, c.want) || !strings.Contains(p.body, `id="`+c.field+`-problem"`) {
			t.Errorf("%s: %s\n%s", name, p.Status, p.body)
		}
	}
	if diff := cmp.Diff(picturesOf(provider.Client{}), picturesOf(w.client(storage.Sandbox, "shop"))); diff != "" {
		t.Errorf("published: %s", diff)
	}

	p := b.uploads(b.open(brandingPath), fourPictures(t), "color", "", "action", "publish")
	p = b.uploads(p, nil, "remove_logo", "on", "action", "publish")
	says(t, p, http.StatusUnprocessableEntity, `id="logo_dark-problem"`)
}

func TestPreviewsShowThePicturesOfTheirScheme(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	pictures := fourPictures(t)
	shows := func(what, address, want string) {
		t.Helper()
		if p := w.as(viewer).get(address); p.StatusCode != http.StatusOK || !strings.Contains(p.body, `src="`+brandingPath+want+`"`) {
			t.Errorf("%s: %s has no %s\n%s", what, address, want, p.body)
		}
	}
	const consent = brandingPath + "/preview/consent/"
	b.uploads(b.open(brandingPath), map[string][]byte{"logo": pictures["logo"], "logo_dark": pictures["logo_dark"]}, "color", "", "action", "preview")
	shows("logo", consent+"light", "/logo")
	shows("logo", consent+"dark", "/logo_dark")
	p := b.uploads(b.open(brandingPath), map[string][]byte{"wordmark": pictures["wordmark"], "wordmark_dark": pictures["wordmark_dark"]}, "color", "", "action", "preview")
	shows("wordmark", consent+"light", "/wordmark")
	shows("wordmark", consent+"dark", "/wordmark_dark")

	const arabic = consent + "light?lang=ar"
	if !strings.Contains(p.body, `src="`+arabic+`"`) {
		t.Errorf("the page has no preview from right to left\n%s", p.body)
	}
	if p := b.get(arabic); !strings.Contains(p.body, `lang="ar" dir="rtl"`) {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	if p := b.open(brandingPath); !strings.Contains(p.body, `lang="en"`) {
		t.Error("the preview has changed the language of who looks at it")
	}
	for _, address := range []string{brandingPath + "/wordmark", brandingPath + "/logo_dark"} {
		says(t, w.as(lakeOwner).get(address), http.StatusNotFound)
		says(t, w.newBrowser().get(address), http.StatusSeeOther)
	}
	says(t, b.get(brandingPath+"/secret"), http.StatusNotFound)
}
