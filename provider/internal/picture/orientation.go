package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// exifMarks precede EXIF data in each format. A false match turns a picture at worst.
var exifMarks = []string{"Exif\x00\x00", "eXIf", "EXIF"}

// maxExifEntries exceeds what cameras write.
const maxExifEntries = 512

// orientationOf returns the EXIF orientation of a picture, 1 to 8: how the telephone was held.
// It is applied to the pixels, because the metadata is removed.
func orientationOf(raw []byte) int {
	for _, mark := range exifMarks {
		_, after, found := bytes.Cut(raw, []byte(mark))
		if !found {
			continue
		}
		if mark == "EXIF" && len(after) > 4 { // of a WebP, with its size
			after = bytes.TrimPrefix(after[4:], []byte(exifMarks[0]))
		}
		if o := tiffOrientation(after); o != 0 {
			return o
		}
	}
	return 1
}

// tiffOrientation returns the tag 0x0112 of the first directory, or zero.
func tiffOrientation(b []byte) int {
	var order binary.ByteOrder
	switch {
	case len(b) < 8:
		return 0
	case string(b[:4]) == "II*\x00":
		order = binary.LittleEndian
	case string(b[:4]) == "MM\x00*":
		order = binary.BigEndian
	default:
		return 0
	}
	at := uint64(order.Uint32(b[4:]))
	if at+2 > uint64(len(b)) {
		return 0
	}
	entries := b[at+2:]
	for range min(order.Uint16(b[at:]), maxExifEntries) {
		if len(entries) < 12 {
			return 0
		}
		if order.Uint16(entries) == 0x0112 {
			if o := order.Uint16(entries[8:]); o >= 1 && o <= 8 {
				return int(o)
			}
			return 0
		}
		entries = entries[12:]
	}
	return 0
}

// upright turns a picture from an EXIF orientation.
func (s sheet) upright(orientation int) sheet {
	if orientation == 1 {
		return s
	}
	width, height := s.Rect.Dx(), s.Rect.Dy()
	to := image.Rect(0, 0, width, height)
	if orientation >= 5 {
		to = image.Rect(0, 0, height, width)
	}
	turned := sheet{image.NewRGBA(to)}
	for y := range to.Dy() {
		for x := range to.Dx() {
			fromX, fromY := x, y
			if orientation >= 5 { // stored on its side
				fromX, fromY = y, x
			}
			switch orientation {
			case 2, 3, 7, 8:
				fromX = width - 1 - fromX
			}
			switch orientation {
			case 3, 4, 6, 7:
				fromY = height - 1 - fromY
			}
			copy(turned.Pix[turned.PixOffset(x, y):][:4], s.Pix[s.PixOffset(fromX, fromY):])
		}
	}
	return turned
}
