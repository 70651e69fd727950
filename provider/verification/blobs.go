package verification

import (
	"context"
	"io"
	"time"

	"github.com/bonafide-id/bonafide/provider/verification/internal/blobs"
)

// Blobs keeps encrypted files by name: a [Folder], or a bucket of an object storage. They
// belong to one service, which deletes whatever it does not know. Names are at most 64 of
// a-z, 0-9, - and a dot. Methods are safe for concurrent use.
type Blobs interface {
	// Put stores a file, durably. A file that is stored in part is removed, or is not found.
	Put(ctx context.Context, name string, content io.Reader) error

	// Open returns a file. An error that is fs.ErrNotExist means that there is none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)

	// Delete removes a file. It returns nil if there is none.
	Delete(ctx context.Context, name string) error

	// Names returns up to limit names after the given one, in order, of files that were
	// stored before a time, and of those that were stored in part, if they are kept.
	Names(ctx context.Context, before time.Time, after string, limit int) ([]string, error)
}

// Folder keeps files in a folder of their own, which it makes if there is none: not in the
// database, whose backups would have them for as long as they are kept. The folder can be
// read and written by the user of this process alone (0700, files 0600), and is on a disk
// that all processes of the service share. A path that begins no such folder is an error.
func Folder(path string) (Blobs, error) {
	f, err := blobs.OpenFolder(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}
