package verification

import (
	"context"
	"io"
)

// Blobs keeps encrypted files by name: a folder, a bucket of an object storage. Names are of
// a-z, 0-9 and -. Methods are safe for concurrent use.
type Blobs interface {
	// Put stores a file. A file that is stored in part is removed, or is not found.
	Put(ctx context.Context, name string, content io.Reader) error

	// Open returns a file. An error that is fs.ErrNotExist means that there is none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)

	// Delete removes a file. It returns nil if there is none.
	Delete(ctx context.Context, name string) error
}
