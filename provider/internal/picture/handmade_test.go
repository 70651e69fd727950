package picture

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
)

// Pictures in formats that nothing of the standard library writes.

// cmykJPEG is 8 pixels a side, of half of each ink, as programs of Adobe write it.
func cmykJPEG() []byte {
	segment := func(marker byte, data ...byte) []byte {
		b := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2))
		return append(b, data...)
	}
	// One code of one bit, which says that nothing differs.
	huffman := func(class byte) []byte {
		return segment(0xc4, append([]byte{class, 1}, make([]byte, 16)...)...)
	}
	return slices.Concat(
		[]byte{0xff, 0xd8},
		segment(0xee, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0)...),
		segment(0xdb, append([]byte{0}, slices.Repeat([]byte{1}, 64)...)...),
		segment(0xc0, 8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0),
		huffman(0x00), huffman(0x10),
		segment(0xda, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0),
		[]byte{0, 0xff, 0xd9},
	)
}

// The chunks of lossy WebP files of 16 by 8 pixels in red, the second of which is half
// transparent, as Chromium writes them.
var (
	lossyWebP = unbase64("kAEAnQEqEAAIAAJAOCWgAnS6AAOYAP7vmsfxa1synC/+0s/+lY/9Kx/CoAA=")
	alphaWebP = unbase64("AQdQwIgIAAThf9xCRP9TAQ==")
)

func unbase64(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// webpFile is one of chunks: names, each followed by its content.
func webpFile(chunks ...any) []byte {
	body := []byte("WEBP")
	for i := 0; i < len(chunks); i += 2 {
		content := chunks[i+1].([]byte)
		body = append(body, chunks[i].(string)...)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(content)))
		body = append(body, content...)
		if len(content)%2 == 1 {
			body = append(body, 0)
		}
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// Flags of canvasWebP.
const (
	hasAlpha  = 1 << 4
	hasFrames = 1 << 1
)

// canvasWebP is the VP8X chunk of an extended WebP file.
func canvasWebP(width, height uint32, flags byte) []byte {
	b := []byte{flags, 0, 0, 0}
	for _, n := range []uint32{width - 1, height - 1} {
		b = append(b, byte(n), byte(n>>8), byte(n>>16))
	}
	return b
}

// losslessWebP is the VP8L chunk of a red picture of any size: each of its colours has one
// code, of no bits, so that the pixels take no room.
func losslessWebP(width, height uint64) []byte {
	var bits uint64
	var n int
	out := []byte{0x2f}
	put := func(value uint64, size int) {
		for i := range size {
			bits |= value >> i & 1 << n
			if n++; n == 8 {
				out, bits, n = append(out, byte(bits)), 0, 0
			}
		}
	}
	put(width-1, 14)
	put(height-1, 14)
	put(0, 4) // alpha is not used, version 0
	put(0, 3) // no transform, no colour cache, one group of codes
	for _, symbol := range []uint8{red.G, red.R, red.B, red.A, 0} {
		put(1, 1) // a simple code
		put(0, 1) // of one symbol
		put(1, 1) // of 8 bits
		put(uint64(symbol), 8)
	}
	put(0, 16)
	return out
}
