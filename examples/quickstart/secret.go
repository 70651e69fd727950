package main

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// The names of the files in data. A secret has its first name until there is a database
// that it opens, so that a first start that was cut short can be told from a database
// that was lost.
const (
	secretName   = "secret"
	previousName = "secret.previous"
	draftName    = ".secret-of-a-first-start"
	databaseName = "identity.db"
)

// file is the path of the database when it is SQLite's.
func (e *environment) file() string { return filepath.Join(e.Data, databaseName) }

func (e *environment) evidenceFolder() string {
	return cmp.Or(e.Evidence, filepath.Join(e.Data, "evidence"))
}

func (e *environment) secretFile() string { return filepath.Join(e.Data, secretName) }

func (e *environment) draftFile() string { return filepath.Join(e.Data, draftName) }

// readSecret returns the secret in a file; the error wraps fs.ErrNotExist when there is
// none.
func readSecret(path string) ([]byte, error) {
	text, err := readFile(path, 64<<10)
	if err != nil {
		return nil, err
	}
	return decodeSecret(path, string(text))
}

func decodeSecret(path, text string) ([]byte, error) {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		// The decoder's error would quote the secret.
		return nil, fmt.Errorf("%s: is not base64", path)
	}
	return secret, nil
}

// previousSecrets returns the secrets that are being changed, one in each line of a file
// that need not be there.
func (e *environment) previousSecrets() (secrets [][]byte, err error) {
	path := filepath.Join(e.Data, previousName)
	text, err := readFile(path, 64<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		secret, err := decodeSecret(path, line)
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// draftSecret returns the secret of a first start: a new one, or that of a first start
// that was cut short, under which there may be a database.
func (e *environment) draftSecret() ([]byte, error) {
	secret, err := readSecret(e.draftFile())
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := makeSecret(e.Data, e.draftFile()); err != nil {
		return nil, fmt.Errorf("make secret: %w", err)
	}
	return readSecret(e.draftFile())
}

// keepSecret gives a draft its lasting name, and removes what first starts that were
// killed have left of theirs.
func (e *environment) keepSecret() error {
	if err := os.Link(e.draftFile(), e.secretFile()); err != nil {
		return err
	}
	abandoned, err := filepath.Glob(filepath.Join(e.Data, ".secret-[0-9]*"))
	if err != nil {
		return err
	}
	for _, path := range append(abandoned, e.draftFile()) {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return syncFolder(e.Data)
}

// makeSecret writes a new secret to path. It appears there complete or not at all,
// and the first of several processes wins: a half-written or replaced secret would
// make what the database holds unreadable for good.
func makeSecret(folder, path string) error {
	var secret [32]byte
	_, _ = rand.Read(secret[:])                      // never fails: the program stops when there is no randomness
	draft, err := os.CreateTemp(folder, ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(draft.Name()) }()
	_, err = fmt.Fprintln(draft, base64.StdEncoding.EncodeToString(secret[:]))
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes the names in a folder survive a power cut.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" { // has no way to sync a folder
		return nil
	}
	f, err := os.Open(folder) //nolint:gosec // the operator's folder
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
