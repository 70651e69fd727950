package developer_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
)

func TestUploadsAreLimitedForEachPerson(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(lake, storage.Sandbox, "boat")
	b := w.as(dev)
	p := b.open(brandingPath)
	logo := func(shade uint8) map[string][]byte {
		return map[string][]byte{"logo": square(t, 8, color.NRGBA{shade, 0, 0, 0xff})}
	}
	for i := range 10 {
		p = b.uploads(p, logo(uint8(i)), "action", "preview")
	}
	kept := b.get(brandingPath + "/logo").body
	refused := b.uploads(p, logo(99), "action", "preview")
	if refused.StatusCode != http.StatusTooManyRequests || b.get(brandingPath+"/logo").body != kept {
		t.Fatalf("the eleventh picture: %s", refused.Status)
	}
	wait, err := strconv.Atoi(refused.Header.Get("Retry-After"))
	if err != nil || wait < 1 || wait > 20 || !strings.Contains(refused.body, "Too many changes at once") {
		t.Errorf("Retry-After %d, %v:\n%s", wait, err, refused.body)
	}
	says(t, b.uploads(p, nil, "action", "preview", "color", "#123456"), http.StatusOK)
	other := w.as(lakeOwner)
	path := "/developer/o/" + lake + "/sandbox/boat/branding"
	says(t, other.uploads(other.open(path), logo(1), "action", "preview"), http.StatusOK)
	w.advance(time.Duration(wait) * time.Second)
	if p := b.uploads(b.open(brandingPath), logo(99), "action", "preview"); p.StatusCode != http.StatusOK || b.get(brandingPath+"/logo").body == kept {
		t.Errorf("the same after Retry-After: %s", p.Status)
	}
}

func TestSavesAreLimitedForEachPersonAndLoseNothing(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(owner)
	p := b.open("/developer/o/" + river + "/settings")
	for i := range 60 {
		p = b.submit(p, "name", "River "+strconv.Itoa(i))
	}
	made := len(w.changes(river))
	action, fields := p.form(t, "name", "River at last")
	refused := b.post(action, fields)
	if refused.StatusCode != http.StatusTooManyRequests || len(w.changes(river)) != made {
		t.Fatalf("the 61st save: %s, %d lines", refused.Status, len(w.changes(river)))
	}
	w.advance(6 * time.Second)
	if p := b.follow(b.post(action, fields)); !strings.Contains(p.body, "River at last") { // as the browser does that reloads the page
		t.Errorf("reloaded after a while: %s", p.Status)
	}
}

func TestPicturesOfAnOrganizationHaveAQuota(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *developer.Config) { c.Quotas.PictureBytes = 2500 })
	w.withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Sandbox, "till")
	b := w.as(dev)
	noise := func(seed uint8) map[string][]byte { // some 800 bytes
		p := image.NewGray(image.Rect(0, 0, 28, 28))
		for i := range p.Pix {
			p.Pix[i] = uint8(i*i*7) ^ seed ^ uint8(i>>3)*31
		}
		var drawn bytes.Buffer
		w.ok(png.Encode(&drawn, p))
		return map[string][]byte{"logo": drawn.Bytes()}
	}
	stored := func(client string) int64 {
		a, err := w.store.Application(t.Context(), storage.Sandbox, client)
		w.ok(err)
		return a.PictureBytes
	}
	p := b.uploads(b.open(brandingPath), noise(1), "action", "publish") // the draft stays, and what is published
	if n := stored("shop"); n < 1250 || n > 2500 {
		t.Fatalf("%d bytes prove nothing", n)
	}
	const tillPath = "/developer/o/" + river + "/sandbox/till/branding"
	till := b.open(tillPath)
	refused := b.uploads(till, noise(2), "action", "publish", "color", "#123456")
	if refused.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(refused.body, "no room for more images") ||
		!strings.Contains(refused.body, "#123456") || stored("till") != 0 || w.client(storage.Sandbox, "till").Logo != nil {
		t.Errorf("beyond the quota: %s, %d bytes are kept", refused.Status, stored("till"))
	}
	copied := b.submit(b.open("/developer/o/"+river+"/sandbox/shop"), "action", "copy")
	if !strings.Contains(copied.body, "no room for more images") {
		t.Errorf("a copy beyond the quota: %s", copied.Status)
	}
	if found, err := w.store.Applications(t.Context(), storage.ApplicationFilter{Environment: storage.Production, OrganizationID: river}); err != nil || len(found) > 0 {
		t.Errorf("left of the copy: %v, %v", found, err)
	}
	b.uploads(p, nil, "action", "publish", "remove_logo", "on")
	if p := b.uploads(b.open(tillPath), noise(2), "action", "preview"); p.StatusCode != http.StatusOK || stored("till") == 0 {
		t.Errorf("with room made: %s", p.Status)
	}
}
