package blobs

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func sealedFrames(t *testing.T, key, plain []byte) []byte {
	t.Helper()
	r := testkit.Must(Seal(key, bytes.NewReader(plain)))(t)
	sealed := testkit.Must(io.ReadAll(r))(t)
	return sealed
}

func openedFrames(key, sealed []byte) ([]byte, error) {
	r, err := Open(key, bytes.NewReader(sealed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestFramesOpenAsTheyWere(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte{7}, KeySize)
	for _, size := range []int{0, 1, frameSize - 1, frameSize, frameSize + 1, 3 * frameSize, 3*frameSize + 17} {
		plain := bytes.Repeat([]byte("evidence"), size/8+1)[:size]
		sealed := sealedFrames(t, key, plain)
		if size >= 8 && bytes.Contains(sealed, []byte("evidence")) {
			t.Errorf("%d bytes are in clear", size)
		}
		r := testkit.Must(Open(key, iotest.OneByteReader(bytes.NewReader(sealed))))(t)
		if err := iotest.TestReader(r, plain); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestFramesThatWereChangedDoNotOpen(t *testing.T) {
	t.Parallel()
	const step = frameSize + frameOverage
	key := bytes.Repeat([]byte{7}, KeySize)
	plain := bytes.Repeat([]byte("0123456789abcdef"), 3*frameSize/16)
	sealed := sealedFrames(t, key, plain)
	frame := func(i int) []byte { return sealed[i*step : (i+1)*step] }
	flipped := slices.Clone(sealed)
	flipped[2*step+5] ^= 1
	for name, c := range map[string]struct {
		key, sealed []byte
		right       int // how much of the beginning may come out
	}{
		"nothing":                      {key, nil, 0},
		"another key":                  {bytes.Repeat([]byte{8}, KeySize), sealed, 0},
		"a bit of the last frame":      {key, flipped, 2 * frameSize},
		"without the last frame":       {key, sealed[:2*step], frameSize},
		"without the first frame":      {key, sealed[step:], 0},
		"two frames in another order":  {key, slices.Concat(frame(1), frame(0), frame(2)), 0},
		"a frame twice":                {key, slices.Concat(frame(0), frame(0), frame(1), frame(2)), frameSize},
		"cut off within a frame":       {key, sealed[:step+100], frameSize},
		"something behind it":          {key, append(slices.Clone(sealed), 'x'), 2 * frameSize},
		"frames of a file of this key": {key, slices.Concat(frame(0), sealedFrames(t, key, plain[:frameSize])), frameSize},
	} {
		out, err := openedFrames(c.key, c.sealed)
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if len(out) > c.right || !bytes.HasPrefix(plain, out) {
			t.Errorf("%s: %d bytes come out", name, len(out))
		}
	}
	if _, err := Seal(key[:16], bytes.NewReader(plain)); err == nil {
		t.Error("a short key seals")
	}
}

func TestFramesPassOnErrors(t *testing.T) {
	t.Parallel()
	key, broken := bytes.Repeat([]byte{7}, KeySize), errors.New("broken")
	for name, frames := range map[string]func([]byte, io.Reader) (io.Reader, error){"seal": Seal, "open": Open} {
		r := testkit.Must(frames(key, iotest.ErrReader(broken)))(t)
		if _, err := io.ReadAll(r); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
