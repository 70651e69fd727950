package trail

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/bonafide-id/bonafide/storage"
)

// Checkpoint is the head of the log after its first Size blocks.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   storage.Digest
}

// ErrCheckpoint means that a text is not a checkpoint of this log, or was changed.
var ErrCheckpoint = errors.New("provider: not a checkpoint that this provider has signed")

// sign returns a checkpoint as a signed note.
func (k *Keys) sign(c Checkpoint) ([]byte, error) {
	signer, err := k.signer()
	if err != nil {
		return nil, fmt.Errorf("signer of checkpoints: %w", err)
	}
	text := fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
	return note.Sign(&note.Note{Text: text}, signer)
}

// Open returns the content of a signed checkpoint of this log, under any name that it has had.
// ErrCheckpoint if it is none.
func (k *Keys) Open(signed []byte) (Checkpoint, error) {
	origin, _, _ := strings.Cut(string(signed), "\n")
	verifier, err := note.NewVerifier(k.verifierKey(origin))
	if err != nil {
		return Checkpoint{}, ErrCheckpoint
	}
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return Checkpoint{}, ErrCheckpoint
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 {
		return Checkpoint{}, ErrCheckpoint
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 1 || lines[1] != strconv.FormatInt(size, 10) {
		return Checkpoint{}, ErrCheckpoint
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return Checkpoint{}, ErrCheckpoint
	}
	return Checkpoint{Origin: origin, Size: size, Root: storage.Digest(root)}, nil
}
