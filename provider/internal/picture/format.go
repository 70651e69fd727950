package picture

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// format is one that a picture may have. Package image is not asked for one: it knows
// whatever decoders the host has linked for purposes of its own.
type format struct {
	begins string // a question mark is any byte
	header func(io.Reader) (image.Config, error)
	pixels func(io.Reader) (image.Image, error)
	scans  func(raw []byte) int // how often its pixels are passed over, or more

	lossless bool
}

var formats = []format{
	{"\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode, oneScan, true},
	{"\xff\xd8", jpeg.DecodeConfig, jpeg.Decode, scansOfJPEG, false},
	{"RIFF????WEBPVP8", webp.DecodeConfig, webp.Decode, oneScan, false},
	{"GIF8?a", gif.DecodeConfig, gif.Decode, oneScan, true},
}

// formatOf goes by the content: the name of a file says nothing.
func formatOf(raw []byte, among []format) (format, error) {
	for _, f := range among {
		if f.begin(raw) {
			return f, nil
		}
	}
	if isSVG(raw) {
		return format{}, ErrSVG
	}
	return format{}, ErrFormat
}

func (f format) begin(raw []byte) bool {
	if len(raw) < len(f.begins) {
		return false
	}
	for i := range len(f.begins) {
		if f.begins[i] != '?' && f.begins[i] != raw[i] {
			return false
		}
	}
	return true
}

// isSVG only decides what is said about a file that is refused in any case.
func isSVG(raw []byte) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(raw[:min(len(raw), 4<<10)], []byte("\ufeff")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(bytes.ToLower(head), []byte("<svg"))
}
