package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/theme"
)

// Pictures are the brand's pictures, each a PNG from package picture, or nil.
type Pictures struct {
	Logo, LogoDark, Wordmark, WordmarkDark, Favicon []byte

	// Own shows the mark of this product if there is no logo.
	Own bool
}

// Link is a link at the foot of every page.
type Link struct {
	Label, URL string

	// Translations are labels by language tag.
	Translations map[string]string
}

// dress adds the brand's pictures, which are served under names with a digest.
func (f *files) dress(b *ui.Brand, p Pictures) {
	b.Logo = f.brandPicture(p.Logo, p.LogoDark)
	b.Wordmark = f.brandPicture(p.Wordmark, p.WordmarkDark)
	b.FaviconURL = f.brandAsset(p.Favicon)
	if p.Own && b.Logo.URL == "" {
		b.Logo.URL = f.base + "/assets/" + ui.AssetName("icon.svg")
	}
}

func (f *files) brandPicture(light, dark []byte) ui.Picture {
	p := ui.Picture{URL: f.brandAsset(light), DarkURL: f.brandAsset(dark)}
	if len(light) == 0 {
		return p
	}
	if len(dark) == 0 {
		dark = light
	}
	p.Plate, p.DarkPlate = f.platesOf(light).day, f.platesOf(dark).night
	return p.In(f.theme.Scheme())
}

// brandAsset returns the address of a brand's picture, "" for none.
func (f *files) brandAsset(png []byte) string {
	if len(png) == 0 {
		return ""
	}
	sum := sha256.Sum256(png)
	a := ui.Asset{Name: "logo-" + hex.EncodeToString(sum[:8]) + ".png", MediaType: picture.Type, Bytes: png}
	f.assets.Store(a.Name, a)
	return f.base + "/assets/" + a.Name
}

// AddPicture serves a picture of the host's, before the first page, and returns it.
func (f *files) AddPicture(png []byte) ui.Picture {
	return f.brandPicture(png, nil)
}

// ClientPicture returns a logo or wordmark of an application.
func (f *files) ClientPicture(ctx context.Context, light, dark storage.Digest) ui.Picture {
	p := ui.Picture{URL: f.ImageURL(light), DarkURL: f.ImageURL(dark)}
	if light.IsZero() {
		return p
	}
	if dark.IsZero() {
		dark = light
	}
	p.Plate, p.DarkPlate = f.storedPlates(ctx, light).day, f.storedPlates(ctx, dark).night
	return p.In(f.theme.Scheme())
}

// plates are the backgrounds of a picture in light and dark mode.
type plates struct{ day, night ui.Plate }

// The measurements of a picture never change, so its digest is their key. The limit is for
// memory.
const (
	plateLife = 24 * time.Hour
	maxPlates = 10_000
)

// storedPlates returns the plates of a stored picture. One that is unreadable, or older than
// silhouettes, has none.
func (f *files) storedPlates(ctx context.Context, digest storage.Digest) plates {
	known, err := f.known.Get(digest, func() (plates, error) {
		image, err := f.images.Image(ctx, digest)
		if err != nil || len(image.Silhouette) == 0 {
			return plates{}, err
		}
		silhouette, ok := picture.ParseSilhouette(image.Silhouette)
		if !ok {
			f.logger.ErrorContext(ctx, "how a picture looks cannot be read: it may not be seen", slog.String("picture", f.ImageURL(digest)))
			return plates{}, nil
		}
		return f.platesFor(silhouette), nil
	})
	if err != nil {
		return plates{}
	}
	return known
}

// platesOf returns the plates of a brand's picture, before the first page.
func (f *files) platesOf(png []byte) plates {
	silhouette, err := picture.SilhouetteOf(context.Background(), png)
	if err != nil {
		return plates{}
	}
	return f.platesFor(silhouette)
}

func (f *files) platesFor(silhouette picture.Silhouette) plates {
	day, night := f.theme.Surfaces()
	return plates{plateOn(silhouette, day), plateOn(silhouette, night)}
}

// plateOn returns the plate for a picture that is invisible on a surface: the one that it
// stands out from, if any.
func plateOn(s picture.Silhouette, surface theme.Color) ui.Plate {
	const most = 0.1 // of the outline may be lost
	const white, dark = 1, 0.01
	lost, onWhite, onDark := s.Lost(surface.Luminance()), s.Lost(white), s.Lost(dark)
	switch {
	case lost <= most || lost <= min(onWhite, onDark):
		return ui.PlateNone
	case onWhite <= onDark:
		return ui.PlateLight
	default:
		return ui.PlateDark
	}
}

// brandIn returns the brand for a page in a language.
func (s *Site) brandIn(l *ui.Locale) ui.Brand {
	b := s.Brand
	for _, link := range s.Links {
		label := ui.Label{Text: link.Label, Lang: ui.Undetermined}
		if translated := link.Translations[l.Lang]; translated != "" {
			label = ui.Label{Text: translated}
		}
		b.Links = append(b.Links, ui.Link{Label: label, URL: link.URL})
	}
	return b
}
