// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"
)

const (
	noAssertion = "NOASSERTION"
	license     = "Apache-2.0"
)

// sbomName is the name of the SBOM of a file of the release.
func sbomName(of string) string { return of + ".spdx.json" }

// programSBOM writes the SBOM of a file of the release: the Go modules in its program.
func (r release) programSBOM(name, program string) error {
	content, err := os.ReadFile(r.path(name))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	modules, err := r.modules(program)
	if err != nil {
		return err
	}
	about := r.part("File-"+name, name)
	about.PackageFileName = name
	about.PackageChecksums = sha256Of(fmt.Sprintf("%x", sha256.Sum256(content)))
	made := r.document(name, about)
	for _, one := range modules {
		made.contain(about, one)
	}
	return made.write(r, sbomName(name))
}

// modules returns the packages of the Go modules in a program, and that of Go itself.
func (r release) modules(program string) ([]*v2_3.Package, error) {
	built, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("read the modules of a program: %w", err)
	}
	main := r.module(built.Main.Path, r.version)
	main.PackageLicenseDeclared = license
	modules := []*v2_3.Package{main, r.module("stdlib", built.GoVersion)}
	for _, dependency := range built.Deps {
		if dependency.Replace != nil {
			dependency = dependency.Replace
		}
		modules = append(modules, r.module(dependency.Path, dependency.Version))
	}
	return modules, nil
}

// sbom writes the SBOM of the image: for each platform, the manager with its modules, and what the
// base layer was made from.
func (r release) sbom(context.Context) error { return r.withImage(r.sbomOf) }

func (r release) sbomOf(index v1.ImageIndex, digest v1.Hash) error {
	manifest, err := index.IndexManifest()
	if err != nil {
		return fmt.Errorf("read the image: %w", err)
	}
	about := r.imagePart("Image", digest, "")
	made := r.document("image", about)
	for _, one := range manifest.Manifests {
		platform := one.Platform.String()
		part := r.imagePart("Image-"+platform, one.Digest, platform)
		made.contain(about, part)
		if err := r.addContents(made, part, platform); err != nil {
			return err
		}
	}
	return made.write(r, sbomName("image"))
}

// addContents adds what the image of a platform contains.
func (r release) addContents(to document, part *v2_3.Package, platform string) error {
	modules, err := r.modules(r.path(managerName(platform)))
	if err != nil {
		return err
	}
	certificates, err := r.certificates()
	if err != nil {
		return err
	}
	for _, one := range append(modules, certificates) {
		to.contain(part, one)
	}
	return nil
}

// certificates returns the package of the module with the certificates of public authorities. The time
// zones are those of Go's standard library.
func (r release) certificates() (*v2_3.Package, error) {
	const path = "golang.org/x/crypto/x509roots/fallback"
	text, err := os.ReadFile(filepath.Join(r.root, "hack", "release", "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("read the version of the certificates: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == path {
			return r.module(path, fields[1]), nil
		}
	}
	return nil, fmt.Errorf("hack/release/go.mod does not require %s", path)
}

// part returns the package of something that is released.
func (r release) part(id, name string) *v2_3.Package {
	return &v2_3.Package{
		PackageName: name, PackageVersion: r.version, PackageDownloadLocation: noAssertion,
		PackageSPDXIdentifier: common.ElementID(strings.Map(identifier, id)),
		FilesAnalyzed:         false, IsFilesAnalyzedTagPresent: true,
		PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: license, PackageCopyrightText: noAssertion,
	}
}

// imagePart returns the package of the image for a platform, or for all of them.
func (r release) imagePart(id string, digest v1.Hash, platform string) *v2_3.Package {
	made := r.part(id, imageRepository)
	made.PackageChecksums = sha256Of(digest.Hex)
	at := "?repository_url=" + imageRepository
	if _, architecture, isOne := strings.Cut(platform, "/"); isOne {
		made.PackageName += " (" + platform + ")"
		at = "?arch=" + architecture + "&repository_url=" + imageRepository
	}
	made.PackageExternalReferences = purl("pkg:oci/broadband-operator@" + url.QueryEscape(digest.String()) + at)
	return made
}

func sha256Of(hex string) []common.Checksum {
	return []common.Checksum{{Algorithm: common.SHA256, Value: hex}}
}

func purl(locator string) []*v2_3.PackageExternalReference {
	return []*v2_3.PackageExternalReference{{
		Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: locator,
	}}
}

// document is an SPDX document about one package.
type document struct{ *spdx.Document }

func (r release) document(name string, about *v2_3.Package) document {
	made := document{&spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      name + " of broadband-operator " + r.version,
		DocumentNamespace: source + "/sbom/" + r.version + "/" + r.revision + "/" + name,
		CreationInfo: &spdx.CreationInfo{
			Created:  r.date.Format(time.RFC3339),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "broadband-operator/hack/release"}},
		},
		Packages: []*spdx.Package{about},
	}}
	made.relate("DOCUMENT", common.TypeRelationshipDescribe, about.PackageSPDXIdentifier)
	return made
}

// contain adds a package to the document, unless it has it, as a part of another.
func (d document) contain(whole, part *v2_3.Package) {
	if !slices.ContainsFunc(d.Packages, func(one *spdx.Package) bool {
		return one.PackageSPDXIdentifier == part.PackageSPDXIdentifier
	}) {
		d.Packages = append(d.Packages, part)
	}
	d.relate(whole.PackageSPDXIdentifier, common.TypeRelationshipContains, part.PackageSPDXIdentifier)
}

func (d document) relate(a common.ElementID, how string, b common.ElementID) {
	d.Relationships = append(d.Relationships, &spdx.Relationship{
		RefA: common.MakeDocElementID("", string(a)), Relationship: how, RefB: common.MakeDocElementID("", string(b)),
	})
}

func (d document) write(r release, name string) error {
	var text bytes.Buffer
	if err := spdxjson.Write(d.Document, &text, spdxjson.Indent("  ")); err != nil {
		return fmt.Errorf("encode the SBOM: %w", err)
	}
	return r.writeFile(name, text.String())
}

// module returns the package of a Go module.
func (r release) module(path, version string) *v2_3.Package {
	return &v2_3.Package{
		PackageName: path, PackageVersion: version, PackageDownloadLocation: noAssertion,
		PackageSPDXIdentifier: common.ElementID("Module-" + strings.Map(identifier, path+"-"+version)),
		FilesAnalyzed:         false, IsFilesAnalyzedTagPresent: true,
		PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: noAssertion, PackageCopyrightText: noAssertion,
		PackageExternalReferences: purl("pkg:golang/" + path + "@" + version),
	}
}

// identifier replaces what SPDX does not allow in an identifier.
func identifier(letter rune) rune {
	switch {
	case letter >= 'a' && letter <= 'z', letter >= 'A' && letter <= 'Z', letter >= '0' && letter <= '9', letter == '.':
		return letter
	default:
		return '-'
	}
}
