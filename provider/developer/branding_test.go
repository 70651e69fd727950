package developer_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// square returns a picture in one colour.
func square(t testing.TB, side int, c color.Color) []byte {
	t.Helper()
	p := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		p.Set(i%side, i/side, c)
	}
	var b bytes.Buffer
	testkit.OK(t, png.Encode(&b, p))
	return b.Bytes()
}

// upload fills in the form of a page that has these values and a file, and follows.
func (b *browser) upload(p page, file []byte, values ...string) page {
	b.t.Helper()
	action, fields := p.form(b.t, values...)
	return b.follow(b.multipart(action, fields, file))
}

func (b *browser) multipart(action string, fields url.Values, file []byte) page {
	b.t.Helper()
	return b.multiparts(action, fields, map[string][]byte{"logo": file})
}

// uploads fills in the form of a page with files in these fields, and follows.
func (b *browser) uploads(p page, files map[string][]byte, values ...string) page {
	b.t.Helper()
	action, fields := p.form(b.t, values...)
	return b.follow(b.multiparts(action, fields, files))
}

func (b *browser) multiparts(action string, fields url.Values, files map[string][]byte) page {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, list := range fields {
		if _, isFile := files[name]; isFile {
			continue
		}
		for _, value := range list {
			testkit.OK(b.t, form.WriteField(name, value))
		}
	}
	for name, file := range files {
		w := testkit.Must(form.CreateFormFile(name, "logo.png"))(b.t)
		testkit.Must(w.Write(file))(b.t)
	}
	testkit.OK(b.t, form.Close())
	r := b.request(http.MethodPost, action, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return b.do(r)
}

const (
	brandingPath = "/developer/o/river/sandbox/shop/branding"
	signInLight  = brandingPath + "/preview/signin/light"
)

func TestBrandingIsADraftUntilItIsPublished(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	p := b.open(brandingPath)
	if p.StatusCode != http.StatusOK || strings.Contains(p.body, "Not published yet") {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
	p = b.upload(p, square(t, 600, color.NRGBA{0xd0, 0x20, 0x20, 0xff}), "color", "#FFD400", "action", "preview")
	if !strings.Contains(p.body, "Not published yet") || !strings.Contains(p.body, "1.43:1") || !strings.Contains(p.body, `value="#ffd400"`) {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
	if c := w.client(storage.Sandbox, "shop"); c.ButtonColor != "" || c.Logo != nil {
		t.Errorf("people see %q and %d bytes of a draft", c.ButtonColor, len(c.Logo))
	}
	logo := b.get(brandingPath + "/logo")
	head, err := png.DecodeConfig(strings.NewReader(logo.body))
	if err != nil || head.Width != 512 || logo.Header.Get("Content-Type") != "image/png" {
		t.Errorf("logo: %s, %v", logo.Status, err)
	}

	// Without a file, and with a field as it is, nothing of the draft changes.
	p = b.submit(b.open(brandingPath), "action", "publish", "logo", "-")
	c := w.client(storage.Sandbox, "shop")
	if c.ButtonColor != "#ffd400" || string(c.Logo) != logo.body || strings.Contains(p.body, "Not published yet") {
		t.Errorf("published: %q, %d bytes\n%s", c.ButtonColor, len(c.Logo), p.body)
	}
	changes := w.changes(river)
	if len(changes) != 1 || changes[0].What != "branding.publish" || changes[0].ClientID != "shop" || changes[0].UserID != dev || len(changes[0].Fields) != 2 {
		t.Errorf("recorded: %+v", changes)
	}

	p = b.submit(p, "action", "publish", "color", "", "remove_logo", "on", "logo", "-")
	if c := w.client(storage.Sandbox, "shop"); c.ButtonColor != "" || c.Logo != nil {
		t.Errorf("removed: %q, %d bytes", c.ButtonColor, len(c.Logo))
	}
	b.submit(p, "action", "undo")
	if c := w.client(storage.Sandbox, "shop"); c.ButtonColor != "#ffd400" || string(c.Logo) != logo.body {
		t.Errorf("taken back: %q, %d bytes", c.ButtonColor, len(c.Logo))
	}
	if got := w.changes(river)[0].What; got != "branding.undo" {
		t.Errorf("recorded: %q", got)
	}
}

func TestBrandingDraftIsDiscarded(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.ButtonColor = "#0f766e" })
	b := w.as(dev)
	p := b.submit(b.open(brandingPath), "color", "#ffd400", "action", "preview", "logo", "-")
	p = b.submit(p, "action", "discard")
	if strings.Contains(p.body, "Not published yet") || !strings.Contains(p.body, `value="#0f766e"`) {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
}

func TestBrandingSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	for _, c := range map[string]struct {
		file        []byte
		color, want string
	}{
		"an SVG":             {[]byte("<svg onload='alert(1)'/>"), "", "SVG files can contain scripts"},
		"no picture":         {[]byte("hello"), "", "Choose a PNG, JPEG, WebP or GIF"},
		"half a picture":     {square(t, 40, color.White)[:60], "", "is damaged"},
		"a large picture":    {square(t, 2049, color.White), "", "Choose an image of up to 2048 pixels"},
		"a large file":       {make([]byte, 600<<10), "", "Choose a file of up to 512 KiB"},
		"the name of one":    {nil, "red", "Enter a colour as #rrggbb"},
		"an injected colour": {nil, "#fff000;}", "Enter a colour as #rrggbb"},
	} {
		p := b.upload(b.open(brandingPath), c.file, "color", c.color, "action", "publish")
		says(t, p, http.StatusUnprocessableEntity, c.want)
	}
	if got := w.client(storage.Sandbox, "shop"); got.ButtonColor != "" || got.Logo != nil {
		t.Errorf("published: %q, %d bytes", got.ButtonColor, len(got.Logo))
	}
}

func TestBrandingOfTwoMembersAtOnceIsNotLost(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	first, second := w.as(dev), w.as(owner)
	one, other := first.open(brandingPath), second.open(brandingPath)
	first.submit(one, "color", "#0f766e", "action", "publish", "logo", "-")
	p := second.submit(other, "color", "#ffd400", "action", "publish", "logo", "-")
	if !strings.Contains(p.body, "Someone else changed this") {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	if got := w.client(storage.Sandbox, "shop").ButtonColor; got != "#0f766e" {
		t.Errorf("the colour is %q", got)
	}
}

func TestPreviewsShowTheDraftToMembersAlone(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	b.upload(b.open(brandingPath), square(t, 40, color.White), "color", "#ffd400", "action", "preview")
	for _, screen := range []string{"signin", "consent", "error"} {
		for _, scheme := range []string{"light", "dark"} {
			p := w.as(viewer).get(brandingPath + "/preview/" + screen + "/" + scheme)
			if p.StatusCode != http.StatusOK || !strings.Contains(p.body, `data-scheme="`+scheme+`"`) || !strings.Contains(p.body, "App shop") ||
				!strings.Contains(p.body, "button-ffd400.") {
				t.Errorf("%s %s: %s\n%s", screen, scheme, p.Status, p.body)
			}
			if screen != "error" && !strings.Contains(p.body, brandingPath+"/logo") {
				t.Errorf("%s %s has no logo", screen, scheme)
			}
		}
	}
	p := b.get(signInLight + "?color=%230f766e")
	if !strings.Contains(p.body, "button-0f766e.") {
		t.Errorf("the colour that is being chosen is not shown\n%s", p.body)
	}
	p = b.get(signInLight + "?color=" + url.QueryEscape(`"><script>`))
	if p.StatusCode != http.StatusOK || strings.Contains(p.body, "<script>") {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	for _, address := range []string{brandingPath, signInLight, brandingPath + "/logo"} {
		says(t, w.as(lakeOwner).get(address), http.StatusNotFound)
		says(t, w.newBrowser().get(address), http.StatusSeeOther)
	}
	says(t, b.get(brandingPath+"/preview/mail/light"), http.StatusNotFound)
}

func TestViewersDoNotChangeTheBrand(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	action, fields := w.as(dev).open(brandingPath).form(t, "action", "publish")
	b := w.as(viewer)
	p := b.open(brandingPath)
	if p.StatusCode != http.StatusOK || strings.Contains(p.body, `<form method="post"`) {
		t.Errorf("%s\n%s", p.Status, p.body)
	}
	_, own := b.open("/developer/o/river/members").form(t, "action", "remove")
	fields.Set("csrf", own.Get("csrf"))
	fields.Set("color", "#ffd400")
	says(t, b.multipart(action, fields, nil), http.StatusForbidden)
	if got := w.client(storage.Sandbox, "shop").ButtonColor; got != "" {
		t.Errorf("the colour is %q", got)
	}
}

// TestBrandingKeepsTheRestOfTheRegistration has a registration that was changed while the
// page was open.
func TestBrandingKeepsTheRestOfTheRegistration(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	p := b.open(brandingPath)
	c := w.client(storage.Sandbox, "shop")
	secret := testkit.Must(w.sandbox.Clients().Secret(t.Context(), "shop"))(w.t)
	c.RedirectURIs = append(c.RedirectURIs, "https://app.test/second")
	w.ok(w.sandbox.Clients().Save(t.Context(), c))
	b.submit(p, "color", "#ffd400", "action", "publish", "logo", "-")
	got := w.client(storage.Sandbox, "shop")
	kept, err := w.sandbox.Clients().Secret(t.Context(), "shop")
	if err != nil || kept != secret || len(got.RedirectURIs) != 2 || got.ButtonColor != "#ffd400" {
		t.Errorf("%+v, same secret %v, %v", got, kept == secret, err)
	}
}
