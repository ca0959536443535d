// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

const (
	imageName  = "image.tar"
	digestName = "image.digest"
	nonRoot    = "65532" // the user of distroless images, and of config/manager
	source     = "https://github.com/broadband-operator/broadband-operator"
)

// image writes the image for all platforms as an OCI layout in one file.
func (r release) image(ctx context.Context) error {
	base, err := r.baseLayer(ctx)
	if err != nil {
		return err
	}
	var index v1.ImageIndex = empty.Index
	for _, platform := range r.platforms {
		made, err := r.imageFor(platform, base)
		if err != nil {
			return err
		}
		of, err := v1.ParsePlatform(platform)
		if err != nil {
			return fmt.Errorf("read the platform: %w", err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: made, Descriptor: v1.Descriptor{Platform: of}})
	}
	return r.writeLayout(index)
}

// writeLayout packs the folder of an OCI layout.
func (r release) writeLayout(index v1.ImageIndex) error {
	folder, err := os.MkdirTemp("", "release-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover temporary folder is harmless
	written, err := layout.Write(folder, empty.Index)
	if err != nil {
		return fmt.Errorf("write the layout: %w", err)
	}
	tag := map[string]string{"org.opencontainers.image.ref.name": r.version}
	err = written.AppendIndex(index, layout.WithAnnotations(tag))
	if err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	digest, err := index.Digest()
	if err != nil {
		return fmt.Errorf("calculate the digest of the image: %w", err)
	}
	files, err := filesOf(folder, "")
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := writeTar(&packed, files, r.date); err != nil {
		return err
	}
	return errors.Join(r.writeFile(imageName, packed.String()), r.writeFile(digestName, digest.String()+"\n"))
}

// imageFor returns the image for one platform.
func (r release) imageFor(platform string, base v1.Layer) (v1.Image, error) {
	program, err := os.ReadFile(r.path(managerName(platform)))
	if err != nil {
		return nil, fmt.Errorf("read the manager: %w", err)
	}
	manager, err := r.layer([]file{{name: "manager", mode: executable, content: program}})
	if err != nil {
		return nil, err
	}
	layers, err := mutate.AppendLayers(empty.Image, base, manager)
	if err != nil {
		return nil, fmt.Errorf("add the layers: %w", err)
	}
	of, err := v1.ParsePlatform(platform)
	if err != nil {
		return nil, fmt.Errorf("read the platform: %w", err)
	}
	held, err := layers.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	config := held.DeepCopy()
	config.OS, config.Architecture, config.Created = of.OS, of.Architecture, v1.Time{Time: r.date}
	config.Config = v1.Config{
		User: nonRoot + ":" + nonRoot, Entrypoint: []string{"/manager"}, WorkingDir: "/",
		Env: []string{"PATH=/", "SSL_CERT_FILE=/" + certificatesPath},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "broadband-operator",
			"org.opencontainers.image.source":   source,
			"org.opencontainers.image.licenses": license,
			"org.opencontainers.image.version":  r.version,
			"org.opencontainers.image.revision": r.revision,
		},
	}
	made, err := mutate.ConfigFile(layers, config)
	if err != nil {
		return nil, fmt.Errorf("configure the image: %w", err)
	}
	return made, nil
}

func (r release) layer(files []file) (v1.Layer, error) {
	var packed bytes.Buffer
	if err := writeTar(&packed, files, r.date); err != nil {
		return nil, err
	}
	made, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
	})
	if err != nil {
		return nil, fmt.Errorf("make a layer: %w", err)
	}
	return made, nil
}

const certificatesPath = "etc/ssl/certs/ca-certificates.crt"

// baseLayer has what a static program needs: its user, the certificates of public authorities, and the
// time zones.
func (r release) baseLayer(ctx context.Context) (v1.Layer, error) {
	zones, err := timeZones(ctx)
	if err != nil {
		return nil, err
	}
	return r.layer(append([]file{
		{name: "etc/group", mode: readable, content: []byte("root:x:0:\nnonroot:x:" + nonRoot + ":\n")},
		{name: "etc/passwd", mode: readable, content: []byte("root:x:0:0:root:/root:/sbin/nologin\n" +
			"nonroot:x:" + nonRoot + ":" + nonRoot + ":nonroot:/:/sbin/nologin\n")},
		{name: certificatesPath, mode: readable, content: authorities()},
	}, zones...))
}

// authorities are the certificates that Mozilla trusts without a restriction. The others are left
// out, because a file of certificates cannot state a restriction.
func authorities() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			text.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return text.Bytes()
}

// timeZones are the time zones of this version of Go.
func timeZones(ctx context.Context) ([]file, error) {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find the folder of Go: %w", err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return nil, fmt.Errorf("open Go's time zones: %w", err)
	}
	defer archive.Close() //nolint:errcheck // it was only read
	var zones []file
	for _, zone := range archive.File {
		if strings.HasSuffix(zone.Name, "/") {
			continue
		}
		content, err := readZone(zone)
		if err != nil {
			return nil, err
		}
		one := file{mode: readable, content: content}
		one.name = path.Join("usr/share/zoneinfo", zone.Name) //nolint:gosec // Go's own archive
		zones = append(zones, one)
	}
	return zones, nil
}

func readZone(zone *zip.File) ([]byte, error) {
	const most = 1 << 20
	opened, err := zone.Open()
	if err != nil {
		return nil, fmt.Errorf("open a time zone: %w", err)
	}
	var content bytes.Buffer
	_, err = io.CopyN(&content, opened, most)
	if err = errors.Join(err, opened.Close()); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read a time zone: %w", err)
	}
	return content.Bytes(), nil
}
