package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// load returns the packages of a module that are promised.
func load(folder string, patterns []string) (*apidiff.Module, error) {
	// The compiler's own export data: nothing is read from the source, and what is built is in the cache.
	const mode = packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedExportFile | packages.NeedModule
	found, err := packages.Load(&packages.Config{Mode: mode, Dir: folder}, patterns...)
	if err != nil {
		return nil, err
	}
	m := &apidiff.Module{}
	for _, p := range found {
		for _, e := range p.Errors {
			err = errors.Join(err, e)
		}
		if p.Module != nil && promised(p.Name, p.PkgPath) {
			m.Path = p.Module.Path
			m.Packages = append(m.Packages, p.Types)
		}
	}
	if err == nil && len(m.Packages) == 0 {
		err = fmt.Errorf("%s has no package", folder)
	}
	return m, err
}

// promised reports whether hosts can rely on a package. Of those for tests they can on one.
func promised(name, importPath string) bool {
	isInternal := strings.Contains(importPath+"/", "/internal/")
	isForTests := strings.HasSuffix(importPath, "test") && path.Base(importPath) != "providertest"
	return name != "main" && !isInternal && !isForTests
}

// keep writes the packages of a release as apidiff -m -w does, with the release as the comment of the
// archive. Where they lie on this machine is no part of it.
func keep(file, release string, m *apidiff.Module) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := zip.NewWriter(f)
	err = w.SetComment(release)
	entry := func(name string, write func(io.Writer) error) {
		if err == nil {
			var e io.Writer
			if e, err = w.Create(name); err == nil {
				err = write(e)
			}
		}
	}
	entry("module", func(e io.Writer) error { _, err := io.WriteString(e, m.Path); return err })
	for _, p := range m.Packages {
		entry(p.Path()+".x", func(e io.Writer) error { return gcexportdata.Write(e, token.NewFileSet(), p) })
	}
	return errors.Join(err, w.Close(), f.Close())
}

// kept reads what keep has written.
func kept(file string) (release string, m *apidiff.Module, err error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return "", nil, err
	}
	defer z.Close()
	m = &apidiff.Module{}
	for _, e := range z.File {
		content, err := fs.ReadFile(z, e.Name)
		if err != nil {
			return "", nil, err
		}
		name, isPackage := strings.CutSuffix(e.Name, ".x")
		if !isPackage {
			m.Path = string(content)
			continue
		}
		// Each has what it refers to: apidiff knows the types of other packages by their names.
		p, err := gcexportdata.Read(bytes.NewReader(content), token.NewFileSet(), map[string]*types.Package{}, name)
		if err != nil {
			return "", nil, err
		}
		m.Packages = append(m.Packages, p)
	}
	return z.Comment, m, nil
}
