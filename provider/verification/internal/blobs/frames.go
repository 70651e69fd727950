// Package blobs encrypts files of evidence so that they can be streamed, and keeps them in a folder.
//
// A sealed file is a sequence of frames of AES-256-GCM: a page streams it, and nothing of it
// is used before it is authenticated. The nonce of a frame is its number and whether it is
// the last one: frames cannot be left out, repeated, moved or cut off. Each file has a key of
// its own.
package blobs

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// KeySize is the size of a key in bytes.
const KeySize = 32

const (
	frameSize    = 64 << 10
	frameOverage = 16 // the tag
)

// ErrDamaged means that a sealed file is not as it was written, or has another key.
var ErrDamaged = errors.New("verification: the file does not open")

// Seal returns a reader of the sealed form of content. It fails if the key has another size.
func Seal(key []byte, content io.Reader) (io.Reader, error) {
	return newReader(key, content, frameSize, func(a cipher.AEAD, nonce, frame []byte) ([]byte, error) {
		return a.Seal(nil, nonce, frame, nil), nil
	})
}

// Open returns a reader of what Seal has sealed. Its errors that are not of the
// reader are ErrDamaged.
func Open(key []byte, sealed io.Reader) (io.Reader, error) {
	return newReader(key, sealed, frameSize+frameOverage, func(a cipher.AEAD, nonce, frame []byte) ([]byte, error) {
		plain, err := a.Open(nil, nonce, frame, nil)
		if err != nil {
			return nil, ErrDamaged
		}
		return plain, nil
	})
}

// reader turns each frame of a file into another.
type reader struct {
	from *bufio.Reader
	aead cipher.AEAD
	turn func(a cipher.AEAD, nonce, frame []byte) ([]byte, error)

	frame  []byte // what is read
	number uint64
	rest   []byte // what is not yet returned
	err    error
}

func newReader(key []byte, from io.Reader, size int, turn func(a cipher.AEAD, nonce, frame []byte) ([]byte, error)) (io.Reader, error) {
	block, err := aes.NewCipher(key)
	if err != nil || len(key) != KeySize {
		return nil, fmt.Errorf("verification: key of a file: %w", errors.Join(err, ErrDamaged))
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("verification: key of a file: %w", err)
	}
	return &reader{from: bufio.NewReaderSize(from, size), aead: aead, turn: turn, frame: make([]byte, size)}, nil
}

// Read implements io.Reader.
func (f *reader) Read(p []byte) (int, error) {
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
func (f *reader) next() ([]byte, error) {
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
