package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bonafide-id/bonafide/provider"
)

// checkAnchor returns an error unless checkpoints can be written into a folder; empty for none. It
// is not made: one that is on no other disk keeps nothing from who has this one.
func checkAnchor(folder string) error {
	if folder == "" {
		return nil
	}
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = errors.New("is no folder")
	}
	if err != nil {
		return fmt.Errorf("desk.anchor: %w", err)
	}
	return nil
}

// anchorIn returns a function that writes a checkpoint of the audit log into a folder, each once
// and under the number of its blocks; nil for no folder. A file that is there is never written
// again: another text in it is an error, for then the log was put back.
func anchorIn(folder string) func(context.Context, provider.Checkpoint) error {
	if folder == "" {
		return nil
	}
	return func(_ context.Context, c provider.Checkpoint) error {
		path := filepath.Join(folder, fmt.Sprintf("checkpoint-%012d.txt", c.Size))
		err := writeOnce(path, c.Signed)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		kept, err := os.ReadFile(path) //nolint:gosec // of the operator's folder
		if err == nil && !bytes.Equal(kept, c.Signed) {
			err = fmt.Errorf("%s has another checkpoint of as many blocks: verify the audit log with it", path)
		}
		return err
	}
}

// writeOnce writes a file that is not there, whole or not at all: fs.ErrExist if it is.
func writeOnce(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".checkpoint-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}
