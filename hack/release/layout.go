// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// withImage calls a function with the written image, which is for all platforms, and its digest.
func (r release) withImage(do func(v1.ImageIndex, v1.Hash) error) error {
	folder, err := os.MkdirTemp("", "release-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover temporary folder is harmless
	index, err := openImage(r.path(imageName), folder)
	if err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return fmt.Errorf("calculate the digest of the image: %w", err)
	}
	return do(index, digest)
}

// openImage unpacks an archive, and returns the image in it, which is for all platforms.
func openImage(archive, folder string) (v1.ImageIndex, error) {
	packed, err := os.Open(archive) //nolint:gosec // a file of the release
	if err != nil {
		return nil, fmt.Errorf("open the image: %w", err)
	}
	defer packed.Close() //nolint:errcheck // it was only read
	err = unpack(packed, folder)
	if err != nil {
		return nil, err
	}
	outer, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return nil, fmt.Errorf("read the layout: %w", err)
	}
	manifest, err := outer.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("read the layout: %w", err)
	}
	if len(manifest.Manifests) != 1 {
		return nil, fmt.Errorf("the layout has %d images, not 1", len(manifest.Manifests))
	}
	index, err := outer.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		return nil, fmt.Errorf("read the image: %w", err)
	}
	return index, nil
}

// unpack writes the files of an archive below a folder, and refuses a name that leads out of it.
func unpack(packed io.Reader, folder string) error {
	below, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	defer below.Close() //nolint:errcheck // nothing is written through it
	for archive := tar.NewReader(packed); ; {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the archive: %w", err)
		}
		if err := unpackFile(below, header, archive); err != nil {
			return fmt.Errorf("unpack %s: %w", header.Name, err)
		}
	}
}

func unpackFile(below *os.Root, header *tar.Header, content io.Reader) error {
	if err := below.MkdirAll(filepath.Dir(header.Name), executable); err != nil {
		return err //nolint:wrapcheck // the caller adds the name
	}
	mode := os.FileMode(header.Mode) & os.ModePerm //nolint:gosec // a mode of an archive has few bits
	file, err := below.OpenFile(header.Name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err //nolint:wrapcheck // the caller adds the name
	}
	_, err = io.CopyN(file, content, header.Size)
	return errors.Join(err, file.Close())
}
