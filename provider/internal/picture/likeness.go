package picture

import (
	"cmp"
	"image"
	"slices"

	"golang.org/x/image/draw"
)

const (
	// likenessSide is the number of rows and columns of the grid.
	likenessSide = 8

	// brighter is the least difference of brightness, of 255, that sets a bit: noise and
	// another compression change less.
	brighter = 8

	// unsure is the distance from that within which a copy may differ in a bit, maxUnsure
	// the maximum number of such bits.
	unsure, maxUnsure = 4, 4
)

// likenessOf returns a perceptual hash (dHash): one bit for each place of a coarse grid, set
// if it is brighter than its right neighbour. The hashes that a copy in another size or
// compression may have follow, so that an index finds copies by equality.
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

// brightness returns the brightness of a pixel, 0 to 255.
func brightness(p *image.RGBA, x, y int) int {
	pixel := p.Pix[p.PixOffset(x, y):]
	return (299*int(pixel[0]) + 587*int(pixel[1]) + 114*int(pixel[2])) / 1000
}
