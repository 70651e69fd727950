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

// format is an accepted format. Package image is not asked for the decoder: it knows all that
// the host has linked.
type format struct {
	begins string // a question mark is any byte
	header func(io.Reader) (image.Config, error)
	pixels func(io.Reader) (image.Image, error)
	scans  func(raw []byte) int // an upper bound of the passes over the pixels

	lossless bool
}

var formats = []format{
	{"\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode, oneScan, true},
	{"\xff\xd8", jpeg.DecodeConfig, jpeg.Decode, scansOfJPEG, false},
	{"RIFF????WEBPVP8", webp.DecodeConfig, webp.Decode, oneScan, false},
	{"GIF8?a", gif.DecodeConfig, gif.Decode, oneScan, true},
}

// formatOf detects the format by content: the name of a file proves nothing.
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

// isSVG chooses the error of a refused file.
func isSVG(raw []byte) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(raw[:min(len(raw), 4<<10)], []byte("\ufeff")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(bytes.ToLower(head), []byte("<svg"))
}
