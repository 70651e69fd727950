package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// partial is the end of the name of a file that is being written.
const partial = ".part"

var blobName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,58}(\.part)?$`)

// Folder is a folder of encrypted files on a disk. Its methods are those of verification.Blobs.
type Folder struct{ root *os.Root }

// OpenFolder opens a folder, which it makes if there is none. It fails if other users of the
// computer can read or write it.
func OpenFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("verification: folder of evidence: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("verification: folder of evidence: %w", err)
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, fmt.Errorf("verification: folder of evidence: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" { // which has no such bits
		return nil, fmt.Errorf("verification: folder of evidence: %s is open to other users of this computer (%v): it must be 0700", path, info.Mode().Perm())
	}
	return &Folder{root}, nil
}

// Put writes a file under another name first: a process that is killed leaves nothing that
// is found, and a file that is found is on the disk as a whole.
func (f *Folder) Put(ctx context.Context, name string, content io.Reader) (err error) {
	if !blobName.MatchString(name) || strings.HasSuffix(name, partial) {
		return fmt.Errorf("verification: %q is no name of a file", name)
	}
	file, err := f.root.OpenFile(name+partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("verification: store file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = f.root.Remove(name + partial)
			err = fmt.Errorf("verification: store file: %w", err)
		}
	}()
	_, err = io.Copy(file, content)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = f.root.Rename(name+partial, name)
	}
	if err == nil {
		err = f.sync()
	}
	return err
}

// sync makes the names durable.
func (f *Folder) sync() error {
	if runtime.GOOS == "windows" { // has no way to sync a folder
		return nil
	}
	folder, err := f.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Open returns a file, or fs.ErrNotExist.
func (f *Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	if !blobName.MatchString(name) {
		return nil, fmt.Errorf("verification: open file: %w", fs.ErrNotExist)
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("verification: open file: %w", err)
	}
	return file, nil
}

// Delete removes a file. It returns nil if there is none.
func (f *Folder) Delete(_ context.Context, name string) error {
	if !blobName.MatchString(name) {
		return nil
	}
	if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("verification: delete file: %w", err)
	}
	return nil
}

// Names returns up to limit names after the given one, in order, of files that were written
// before a time. What has another form than a name is not the service's, and stays.
func (f *Folder) Names(ctx context.Context, before time.Time, after string, limit int) ([]string, error) {
	entries, err := fs.ReadDir(f.root.FS(), ".") // in order
	if err != nil {
		return nil, fmt.Errorf("verification: list files: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if len(names) == limit || ctx.Err() != nil {
			break
		}
		if entry.Name() <= after || !blobName.MatchString(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) { // deleted since
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("verification: list files: %w", err)
		}
		if info.ModTime().Before(before) {
			names = append(names, filepath.Base(entry.Name()))
		}
	}
	return names, ctx.Err()
}
