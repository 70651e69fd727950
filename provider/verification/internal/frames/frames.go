package verification

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A sealed file is a sequence of frames of AES-256-GCM, so that a page can stream it and
// nothing of it is used before it is authenticated. The nonce of a frame is its number and
// whether it is the last one: frames cannot be left out, repeated, moved or cut off. Each
// file has a key of its own.
const (
	frameSize    = 64 << 10
	frameOverage = 16 // the tag

	dataKeySize = 32
)

// errDamagedFile means that a sealed file is not as it was written, or has another key.
var errDamagedFile = errors.New("verification: the file does not open")

// sealFrames returns a reader of the sealed form of content.
func sealFrames(key []byte, content io.Reader) (io.Reader, error) {
	return newFrames(key, content, frameSize, func(a cipher.AEAD, nonce, frame []byte) ([]byte, error) {
		return a.Seal(nil, nonce, frame, nil), nil
	})
}

// openFrames returns a reader of what sealFrames has sealed. Its errors that are not of the
// reader are errDamagedFile.
func openFrames(key []byte, sealed io.Reader) (io.Reader, error) {
	return newFrames(key, sealed, frameSize+frameOverage, func(a cipher.AEAD, nonce, frame []byte) ([]byte, error) {
		plain, err := a.Open(nil, nonce, frame, nil)
		if err != nil {
			return nil, errDamagedFile
		}
		return plain, nil
	})
}

// frames turns each frame of a file into another.
type frames struct {
	from *bufio.Reader
	aead cipher.AEAD
	turn func(a cipher.AEAD, nonce, frame []byte) ([]byte, error)

	frame  []byte // what is read
	number uint64
	rest   []byte // what is not yet returned
	err    error
}

func newFrames(key []byte, from io.Reader, size int, turn func(a cipher.AEAD, nonce, frame []byte) ([]byte, error)) (io.Reader, error) {
	block, err := aes.NewCipher(key)
	if err != nil || len(key) != dataKeySize {
		return nil, fmt.Errorf("verification: key of a file: %w", errors.Join(err, errDamagedFile))
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("verification: key of a file: %w", err)
	}
	return &frames{from: bufio.NewReaderSize(from, size), aead: aead, turn: turn, frame: make([]byte, size)}, nil
}

// Read implements io.Reader.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.rest, f.err = f.next()
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// next turns the next frame. With the last one it returns io.EOF.
func (f *frames) next() ([]byte, error) {
	n, err := io.ReadFull(f.from, f.frame)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	_, err = f.from.Peek(1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	nonce := binary.BigEndian.AppendUint64(make([]byte, 3, 12), f.number)
	nonce = append(nonce, 0)
	if err != nil {
		nonce[11] = 1
	}
	f.number++
	out, wrong := f.turn(f.aead, nonce, f.frame[:n])
	if wrong != nil {
		return nil, wrong
	}
	return out, err
}
