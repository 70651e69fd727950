package picture

import (
	"cmp"
	"image"
	"slices"

	"golang.org/x/image/draw"
)

const (
	// A likeness compares places in this many rows, each with its right neighbour.
	likenessSide = 8

	// brighter is what the left one has to be brighter by, of 255: noise and another
	// compression change less.
	brighter = 8

	// unsure is how close to that a comparison is one that comes out otherwise in a copy,
	// and maxUnsure how many of them are looked for.
	unsure, maxUnsure = 4, 4
)

// likenessOf returns a perceptual hash: one bit for each place of a coarse grid, set where
// it is brighter than its right neighbour. Behind it are the hashes that a copy in another
// size or compression can have: so an index finds copies by equality.
func likenessOf(p *image.RGBA) (likenesses []uint64) {
	type doubt struct {
		bit  uint64
		from int
	}
	coarse := image.NewRGBA(image.Rect(0, 0, likenessSide+1, likenessSide))
	draw.BiLinear.Scale(coarse, coarse.Rect, p, p.Rect, draw.Src, nil)
	var hash uint64
	var doubtful []doubt
	for row := range likenessSide {
		left := brightness(coarse, 0, row)
		for column := range likenessSide {
			right := brightness(coarse, column+1, row)
			bit := uint64(1) << (row*likenessSide + column)
			over := left - right - brighter
			if over > 0 {
				hash |= bit
			}
			if from := max(over, -over); from <= unsure {
				doubtful = append(doubtful, doubt{bit, from})
			}
			left = right
		}
	}
	if hash == 0 {
		return nil
	}
	likenesses = []uint64{hash}
	slices.SortStableFunc(doubtful, func(a, b doubt) int { return cmp.Compare(a.from, b.from) })
	for _, c := range doubtful[:min(len(doubtful), maxUnsure)] {
		for _, h := range likenesses {
			likenesses = append(likenesses, h^c.bit)
		}
	}
	return slices.DeleteFunc(likenesses, func(h uint64) bool { return h == 0 })
}

// brightness is that of a pixel, 0 to 255.
func brightness(p *image.RGBA, x, y int) int {
	pixel := p.Pix[p.PixOffset(x, y):]
	return (299*int(pixel[0]) + 587*int(pixel[1]) + 114*int(pixel[2])) / 1000
}
