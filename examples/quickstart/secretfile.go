package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// readSecrets reads what the file keeps in files of its own: every key that holds a
// secret has one with _file behind its name.
func (e *environment) readSecrets() error {
	if err := fromFile(&e.Database, e.DatabaseFile, "database"); err != nil {
		return err
	}
	if e.SMTP != nil {
		if err := fromFile(&e.SMTP.Password, e.SMTP.PasswordFile, "smtp.password"); err != nil {
			return err
		}
	}
	for i := range e.Upstreams {
		key, r := e.Upstreams[i].registration()
		if r == nil {
			continue
		}
		if err := fromFile(&r.Secret, r.SecretFile, fmt.Sprintf("upstreams[%d].%s.client_secret", i, key)); err != nil {
			return err
		}
	}
	for i := range e.Users {
		u := &e.Users[i]
		if err := fromFile(&u.Password, u.PasswordFile, fmt.Sprintf("users[%d].password", i)); err != nil {
			return err
		}
	}
	for i := range e.Clients {
		c := &e.Clients[i]
		if err := fromFile(&c.Secret, c.SecretFile, fmt.Sprintf("clients[%d].client_secret", i)); err != nil {
			return err
		}
	}
	return nil
}

// fromFile reads the value of a key from a file, if one is named: one line, of which
// the end is no part.
func fromFile(value *string, path, key string) error {
	if path == "" {
		return nil
	}
	if *value != "" {
		return fmt.Errorf("%s and %s_file are both there; keep one", key, key)
	}
	text, err := readFile(path, 64<<10)
	if err != nil {
		return fmt.Errorf("%s_file: %w", key, err)
	}
	line := strings.TrimRight(string(text), "\r\n")
	switch {
	case line == "":
		return fmt.Errorf("%s_file: %s is empty", key, path)
	case strings.ContainsAny(line, "\r\n"):
		return fmt.Errorf("%s_file: %s has more than one line", key, path)
	}
	*value = line
	return nil
}

// readFile reads a file of at most max bytes: a path that leads astray must not fill
// the memory. A byte order mark, which some editors put before a text, is no part of it: nobody
// sees it, and no other side has it in its secret.
func readFile(path string, max int64) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, max+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > max:
		return nil, fmt.Errorf("%s: has more than %d bytes", path, max)
	case bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")):
		return nil, fmt.Errorf("%s begins with the byte order mark of UTF-16; save it as UTF-8", path)
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil
}
