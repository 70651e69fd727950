package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/draw"
)

// card is a picture with something to recognize: a dark half, a light one, a bright corner.
func card(width, height int, seed uint64) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(seed, seed))
	const side = 6
	var tones [side][side]uint8
	for y := range side {
		for x := range side {
			tones[y][x] = uint8(random.UintN(256))
		}
	}
	for y := range height {
		for x := range width {
			tone := tones[y*side/height][x*side/width]
			p.SetNRGBA(x, y, color.NRGBA{tone, tone, uint8(x * 255 / width), 255})
		}
	}
	return p
}

// exif is the content of an EXIF segment with an orientation, a place and a program.
func exif(order binary.AppendByteOrder, orientation uint16, software string) []byte {
	b := []byte("II*\x00")
	if order.String() == "BigEndian" {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	entry := func(tag, kind uint16, count uint32) {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), kind), count)
	}
	entry(0x0112, 3, 1)
	b = append(order.AppendUint16(b, orientation), 0, 0)
	entry(0x0131, 2, uint32(len(software)))
	b = order.AppendUint32(b, 8+2+2*12+4)
	b = order.AppendUint32(b, 0)
	return append(append(b, software...), " 48.8583N 2.2944E"...)
}

// withEXIF puts EXIF data into a JPEG.
func withEXIF(photo, data []byte) []byte {
	data = append([]byte("Exif\x00\x00"), data...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(data)+2))
	return slices.Concat(photo[:2], segment, data, photo[2:])
}

func draws(t *testing.T, raw []byte) (Document, image.Image) {
	t.Helper()
	d, err := DrawDocument(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	decode := map[string]func([]byte) (image.Image, error){
		"image/jpeg": func(b []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(b)) },
		"image/png":  func(b []byte) (image.Image, error) { return png.Decode(bytes.NewReader(b)) },
	}[d.MediaType]
	p, err := decode(d.Content)
	if err != nil || len(d.Content) > MaxDocumentBytes {
		t.Fatalf("%s of %d bytes: %v", d.MediaType, len(d.Content), err)
	}
	return d, p
}

func TestDocumentsAreDrawnUpright(t *testing.T) {
	t.Parallel()
	// Upright, its four corners differ.
	corners := [4]color.NRGBA{red, {20, 160, 40, 255}, {20, 40, 200, 255}, {240, 230, 40, 255}}
	paint := func(at [4]int) []byte {
		p := image.NewNRGBA(image.Rect(0, 0, 64, 64))
		for y := range 64 {
			for x := range 64 {
				p.SetNRGBA(x, y, corners[at[y/32*2+x/32]])
			}
		}
		return asJPEG(t, p)
	}
	// For each orientation, the upright corner that is stored at the top left, top right,
	// bottom left and bottom right (TIFF 6.0, Orientation).
	for orientation, stored := range map[uint16][4]int{
		1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 3: {3, 2, 1, 0}, 4: {2, 3, 0, 1},
		5: {0, 2, 1, 3}, 6: {1, 3, 0, 2}, 7: {3, 1, 2, 0}, 8: {2, 0, 3, 1},
		9: {0, 1, 2, 3}, 0: {0, 1, 2, 3}, // no orientations
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			_, p := draws(t, withEXIF(paint(stored), exif(order, orientation, "x")))
			for i, want := range corners {
				if got := p.At(i%2*32+16, i/2*32+16); !near(got, want) {
					t.Errorf("orientation %d, %v: corner %d is %v, want %v", orientation, order, i, got, want)
				}
			}
		}
	}
	_, p := draws(t, withEXIF(asJPEG(t, painted(40, 20)), exif(binary.BigEndian, 6, "x")))
	if got := p.Bounds().Size(); got != image.Pt(20, 40) {
		t.Errorf("a picture that was stored on its side is %v", got)
	}
}

func TestDocumentsLoseAllButTheirPixels(t *testing.T) {
	t.Parallel()
	const script = "<script>alert(1)</script>"
	data := exif(binary.BigEndian, 1, "Adobe Photoshop 25.1")
	photo := withEXIF(asJPEG(t, card(80, 50, 1)), data)
	plain := asPNG(t, card(80, 50, 1))
	for name, raw := range map[string][]byte{
		"a JPEG with a place":        append(slices.Clone(photo), script...),
		"a PNG with a place":         slices.Concat(plain[:33], chunk("eXIf", data), plain[33:], []byte(script)),
		"a WebP with a place":        webpFile("VP8X", canvasWebP(16, 8, 0), "VP8L", losslessWebP(16, 8), "EXIF", append(data, script...)),
		"a ZIP behind a PNG":         append(slices.Clone(plain), "PK\x03\x04 48.8583N"+script...),
		"a PDF behind a JPEG":        append(slices.Clone(photo), "%PDF-1.7"+script...),
		"a second JPEG behind a PNG": slices.Concat(plain, photo, []byte(script)),
	} {
		d, _ := draws(t, raw)
		for _, left := range []string{"48.8583N", "Photoshop", "script", "Exif", "PK\x03\x04", "%PDF"} {
			if bytes.Contains(d.Content, []byte(left)) {
				t.Errorf("%s keeps %q", name, left)
			}
		}
	}
}

func TestDocumentsTellTheirSoftware(t *testing.T) {
	t.Parallel()
	plain := asPNG(t, card(80, 50, 1))
	text := func(s string) []byte { return slices.Concat(plain[:33], chunk("tEXt", []byte(s)), plain[33:]) }
	for name, c := range map[string]struct {
		raw  []byte
		want Software
	}{
		"nothing":                          {plain, Software{}},
		"a format that cameras write, too": {text("x\x00Photoshop 3.0"), Software{}},
		"an editor in EXIF":                {withEXIF(asJPEG(t, painted(8, 8)), exif(binary.LittleEndian, 1, "Adobe Photoshop 25.1")), Software{Editors: []string{"Adobe Photoshop"}}},
		"two editors in a PNG":             {text("Software\x00GIMP 2.10 after Snapseed"), Software{Editors: []string{"GIMP", "Snapseed"}}},
		"the words for a generator":        {text("parameters\x00a card, Steps: 20, CFG scale: 7"), Software{Generators: []string{"Stable Diffusion"}}},
		"the term of the IPTC":             {text("XML:com.adobe.xmp\x00http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"), Software{Generators: []string{"a generator (IPTC)"}}},
	} {
		d, _ := draws(t, c.raw)
		if diff := cmp.Diff(c.want, d.Software); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestLikenessSurvivesCopying(t *testing.T) {
	t.Parallel()
	cards := uint64(12)
	if testing.Short() {
		cards = 3
	}
	for seed := range cards {
		from := card(600, 400, seed)
		original, _ := draws(t, asPNG(t, from))
		if n := len(original.Likenesses); n == 0 || n > 16 {
			t.Fatalf("card %d has %d likenesses", seed, n)
		}
		smaller := image.NewNRGBA(image.Rect(0, 0, 301, 200))
		draw.CatmullRom.Scale(smaller, smaller.Rect, from, from.Rect, draw.Src, nil)
		for name, raw := range map[string][]byte{
			"a JPEG":                      asJPEG(t, from),
			"a smaller copy":              asPNG(t, smaller),
			"a smaller JPEG with a place": withEXIF(asJPEG(t, smaller), exif(binary.BigEndian, 1, "x")),
		} {
			copied, _ := draws(t, raw)
			if !slices.Contains(copied.Likenesses, original.Likenesses[0]) || !slices.Contains(original.Likenesses, copied.Likenesses[0]) {
				t.Errorf("card %d: %s differs by %d bits", seed, name, bits.OnesCount64(copied.Likenesses[0]^original.Likenesses[0]))
			}
		}
		if other, _ := draws(t, asPNG(t, card(600, 400, seed+100))); slices.Contains(other.Likenesses, original.Likenesses[0]) {
			t.Errorf("two different cards are alike")
		}
	}
	for name, p := range map[string]image.Image{"an empty sheet": painted(300, 200), "a point": painted(1, 1)} {
		if d, _ := draws(t, asJPEG(t, p)); len(d.Likenesses) != 0 {
			t.Errorf("%s is like others", name)
		}
	}
}

func TestDocumentsAreShownOnWhite(t *testing.T) {
	t.Parallel()
	p := painted(80, 50)
	for i := range 80 * 25 {
		p.Pix[4*i+3] = 0
	}
	_, drawn := draws(t, asPNG(t, p))
	if got := drawn.At(40, 10); !near(got, color.NRGBA{255, 255, 255, 255}) {
		t.Errorf("what is transparent is %v", got)
	}
	if got := drawn.At(40, 40); !near(got, red) {
		t.Errorf("what is not is %v", got)
	}
}

func TestLargeDocumentsAreMadeSmaller(t *testing.T) {
	t.Parallel()
	d, p := draws(t, asJPEG(t, painted(4200, 525)))
	if got := p.Bounds().Size(); got != image.Pt(4096, 512) || d.MediaType != "image/jpeg" {
		t.Errorf("is %v, %s", got, d.MediaType)
	}
	if got := p.At(2000, 256); !near(got, red) {
		t.Errorf("is %v", got)
	}
	noise := painted(300, 200)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		if i%4 != 3 {
			noise.Pix[i] = uint8(random.Uint32())
		}
	}
	for _, lossless := range []bool{true, false} {
		content, mediaType, err := onWhite(noise, 300).encode(lossless, 20<<10)
		if err != nil || mediaType != "image/jpeg" || len(content) > 20<<10 {
			t.Errorf("noise is %d bytes of %s: %v", len(content), mediaType, err)
		}
	}
}

func TestDocumentsThatAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long and does nothing at once")
	}
	t.Parallel()
	wideJPEG := asJPEG(t, painted(16, 8))
	start := bytes.Index(wideJPEG, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint32(wideJPEG[start+5:], 60000<<16|60000)
	for name, c := range map[string]struct {
		raw  []byte
		want error
	}{
		"nothing":                             {nil, ErrFormat},
		"text":                                {[]byte("my card.png"), ErrFormat},
		"a PDF":                               {[]byte("%PDF-1.7\n"), ErrFormat},
		"a GIF":                               {asGIF(t), ErrFormat},
		"HTML":                                {[]byte("<!DOCTYPE html><script>alert(1)</script>"), ErrFormat},
		"an SVG":                              {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), ErrSVG},
		"what a telephone stores":             {[]byte("\x00\x00\x00\x24ftypheic\x00\x00\x00\x00mif1heic"), ErrHEIC},
		"9 MiB":                               {make([]byte, 9<<20), ErrDocumentTooLarge},
		"a PNG of 4 gigapixels":               {widePNG(t, 65535, 65535), ErrDocumentTooWide},
		"a PNG of 2 gigapixels a side":        {widePNG(t, 1<<31-1, 1<<31-1), ErrDamaged},
		"a PNG of 36 megapixels":              {widePNG(t, 6000, 6000), ErrDocumentTooWide},
		"a PNG of 12001 by 1":                 {widePNG(t, 12001, 1), ErrDocumentTooWide},
		"a JPEG of 3.6 gigapixels":            {wideJPEG, ErrDocumentTooWide},
		"a WebP of 268 megapixels":            {webpFile("VP8L", losslessWebP(16384, 16384)), ErrDocumentTooWide},
		"a JPEG of 2000 scans":                {manyScans(2048, 2000), ErrDocumentWork},
		"a progressive JPEG of 16 megapixels": {manyScans(4096, 1), ErrDocumentWork},
		"32 scans of 12 megapixels":           {manyScans(3520, 32), ErrDocumentWork},
		"16 bits a colour on 9 megapixels":    {deepPNG(t, 3000), ErrDocumentWork},
		"half a JPEG":                         {asJPEG(t, card(80, 50, 1))[:700], ErrDamaged},
		"half a PNG":                          {asPNG(t, card(80, 50, 1))[:200], ErrDamaged},
	} {
		if d, err := DrawDocument(t.Context(), c.raw); !errors.Is(err, c.want) || d.Content != nil {
			t.Errorf("%s: %d bytes, error %v, want %v", name, len(d.Content), err, c.want)
		}
	}
	if _, err := DrawDocument(t.Context(), manyScans(3520, 1)); err != nil {
		t.Errorf("a progressive JPEG of 12 megapixels: %v", err)
	}
}

func FuzzOrientation(f *testing.F) {
	f.Add(exif(binary.BigEndian, 6, "x"))
	f.Add(exif(binary.LittleEndian, 8, "x"))
	f.Add([]byte("II*\x00\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if o := tiffOrientation(b); o < 0 || o > 8 {
			t.Errorf("orientation %d", o)
		}
		if o := orientationOf(append([]byte("EXIF"), b...)); o < 1 || o > 8 {
			t.Errorf("orientation %d", o)
		}
	})
}
