package lab

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// Square returns a picture in one colour.
func Square(t *testing.T, shade uint8) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 4, 4))
	for i := range picture.Pix {
		picture.Pix[i] = shade
	}
	picture.SetGray(0, 0, color.Gray{shade ^ 0xff})
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
