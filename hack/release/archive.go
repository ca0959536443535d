// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// file is a file of an archive. Its time is that of the commit, and its owner is root.
type file struct {
	name    string
	mode    int64
	content []byte
}

const (
	readable   = 0o644
	executable = 0o755
)

// filesOf returns the files below a folder, sorted, with their names below prefix.
func filesOf(folder, prefix string) ([]file, error) {
	var files []file
	tree := os.DirFS(folder)
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		files = append(files, file{name: path.Join(prefix, name), mode: readable, content: content})
		return err //nolint:wrapcheck // it is wrapped below
	})
	if err != nil {
		return nil, fmt.Errorf("read the files of %s: %w", filepath.Base(folder), err)
	}
	return files, nil
}

// writeTar writes an archive whose bytes depend only on the files and the time.
func writeTar(out io.Writer, files []file, date time.Time) error {
	archive := tar.NewWriter(out)
	for _, one := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: one.name, Mode: one.mode, Size: int64(len(one.content)), ModTime: date,
		}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("write %s: %w", one.name, err)
		}
		if _, err := archive.Write(one.content); err != nil {
			return fmt.Errorf("write %s: %w", one.name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("end the archive: %w", err)
	}
	return nil
}

// writeArchive writes a compressed archive of the release.
func (r release) writeArchive(name string, files []file) error {
	var compressed bytes.Buffer
	packer := gzip.NewWriter(&compressed)
	if err := errors.Join(writeTar(packer, files, r.date), packer.Close()); err != nil {
		return fmt.Errorf("compress %s: %w", name, err)
	}
	return r.writeFile(name, compressed.String())
}
