package provider

import (
	"context"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/internal/picture"
)

// The reasons for which a logo is refused, by New, Clients.Save and LogoPNG. Find them with
// errors.Is.
var (
	// ErrLogoTooLarge is for a file of more than 512 KiB.
	ErrLogoTooLarge = picture.ErrTooLarge
	// ErrLogoTooWide is for a picture of more than 2048 pixels a side.
	ErrLogoTooWide = picture.ErrTooWide
	// ErrLogoSVG is for an SVG, which can carry scripts.
	ErrLogoSVG = picture.ErrSVG
	// ErrLogoFormat is for what is not a PNG, JPEG, WebP or GIF, whatever its name says.
	ErrLogoFormat = picture.ErrFormat
	// ErrLogoDamaged is for a picture that cannot be decoded, as one that was cut off,
	// or an animated WebP.
	ErrLogoDamaged = picture.ErrDamaged
	// ErrLogoWork is for a picture that takes too much work to draw: one of more than
	// 1024x1024 pixels with 16 bits a colour, or a JPEG of more than 32 scans.
	ErrLogoWork = picture.ErrWork
)

// LogoPNG returns a picture as it is served as a logo, for a preview: a PNG of at most
// 512 KiB and 512 pixels a side that holds nothing but pixels, and of an animated GIF the
// first frame. Clients.Save takes it as it takes the picture. One picture is drawn at a time:
// it waits its turn until ctx ends.
func LogoPNG(ctx context.Context, logo []byte) ([]byte, error) {
	drawn, _, err := picture.ToPNG(ctx, logo)
	if err != nil {
		return nil, fmt.Errorf("provider: logo: %w", err)
	}
	return drawn, nil
}
