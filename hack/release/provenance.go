// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

const provenance = `# Provenance of broadband-operator %[1]s

| what | which |
|---|---|
| source | %[2]s, commit %[3]s of %[4]s |
| Go | %[5]s |
| platforms | %[6]s |
| base of the image | none: the certificates are those of golang.org/x/crypto/x509roots, the time zones those of Go |
| image | %[7]s@%[8]s |
| modules | as in go.sum; each *.spdx.json lists those in one program or in the image |

To build the same files again, with this version of Go:

    git clone %[2]s && cd broadband-operator
    git checkout %[3]s
    make dist VERSION=%[1]s
    diff dist/checksums.txt DOWNLOADED/checksums.txt

Files and image of a release that was built by .github/workflows/release.yaml also have signed attestations:

    gh attestation verify install.yaml --repo broadband-operator/broadband-operator
    gh attestation verify oci://%[7]s@%[8]s --repo broadband-operator/broadband-operator
`

// provenance writes what the files were built from, and how to build them again.
func (r release) provenance(context.Context) error {
	digest, _, err := r.digest()
	if err != nil {
		return err
	}
	return r.writeFile("PROVENANCE.md", fmt.Sprintf(provenance, r.version, source, r.revision,
		r.date.Format(time.RFC3339), runtime.Version(), strings.Join(r.platforms, ", "), imageRepository, digest))
}

// checksums writes the SHA-256 of all other files.
func (r release) checksums(context.Context) error {
	names, err := r.names()
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(r.path(name))
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(content), name)
	}
	return r.writeFile("checksums.txt", lines.String())
}
