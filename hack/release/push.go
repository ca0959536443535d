// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// digest returns the digest of the image for all platforms, or false if no image was written.
func (r release) digest() (v1.Hash, bool, error) {
	text, err := os.ReadFile(r.path(digestName))
	if errors.Is(err, fs.ErrNotExist) {
		return v1.Hash{}, false, nil
	}
	if err != nil {
		return v1.Hash{}, false, fmt.Errorf("read the digest of the image: %w", err)
	}
	digest, err := v1.NewHash(strings.TrimSpace(string(text)))
	if err != nil {
		return v1.Hash{}, false, fmt.Errorf("read the digest of the image: %w", err)
	}
	return digest, true, nil
}

// pushed returns the image's name in a repository, by its digest.
func (r release) pushed(repository string) (name.Digest, error) {
	digest, isWritten, err := r.digest()
	if err != nil {
		return name.Digest{}, err
	}
	if !isWritten {
		return name.Digest{}, fmt.Errorf("the folder has no %s: run make dist first", digestName)
	}
	by, err := name.NewDigest(repository + "@" + digest.String())
	if err != nil {
		return name.Digest{}, fmt.Errorf("read the name of the image: %w", err)
	}
	return by, nil
}

// push sends the written image, which is for all platforms, to a registry. It gets no tag yet, so that
// what a tag names has an attestation from the start.
func (r release) push(ctx context.Context, repository string) error {
	to, err := r.pushed(repository)
	if err != nil {
		return err
	}
	return r.withImage(func(index v1.ImageIndex, held v1.Hash) error {
		if held.String() != to.DigestStr() {
			return fmt.Errorf("%s contains %s, but %s has the digest %s", digestName, to.DigestStr(), imageName, held)
		}
		if err := remote.WriteIndex(to, index, access(ctx)...); err != nil {
			return fmt.Errorf("push the image: %w", err)
		}
		return nil
	})
}

// tag names the pushed image by the version.
func (r release) tag(ctx context.Context, repository string) error {
	digest, err := r.pushed(repository)
	if err != nil {
		return err
	}
	found, err := remote.Get(digest, access(ctx)...)
	if err != nil {
		return fmt.Errorf("find the pushed image: %w", err)
	}
	to, err := name.NewTag(repository + ":" + r.version)
	if err != nil {
		return fmt.Errorf("read the name of the image: %w", err)
	}
	if err := remote.Tag(to, found, access(ctx)...); err != nil {
		return fmt.Errorf("tag the image: %w", err)
	}
	return nil
}

func access(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
}
