// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"
)

const noAssertion = "NOASSERTION"

// sbom writes the modules that the manager for the first platform contains.
func (r release) sbom(context.Context) error {
	built, err := buildinfo.ReadFile(r.path(managerName(r.platforms[0])))
	if err != nil {
		return fmt.Errorf("read the modules of the manager: %w", err)
	}
	document := r.document(r.module(built.Main.Path, r.version))
	document.add(r.module("stdlib", built.GoVersion))
	for _, dependency := range built.Deps {
		if dependency.Replace != nil {
			dependency = dependency.Replace
		}
		document.add(r.module(dependency.Path, dependency.Version))
	}
	var text bytes.Buffer
	if err := spdxjson.Write(document.Document, &text, spdxjson.Indent("  ")); err != nil {
		return fmt.Errorf("encode the SBOM: %w", err)
	}
	return r.writeFile("sbom.spdx.json", text.String())
}

// document is an SPDX document about one package.
type document struct {
	*spdx.Document

	about common.ElementID
}

func (r release) document(about *v2_3.Package) document {
	made := document{about: about.PackageSPDXIdentifier, Document: &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      "broadband-operator-" + r.version,
		DocumentNamespace: source + "/sbom/" + r.version + "/" + r.revision,
		CreationInfo: &spdx.CreationInfo{
			Created:  r.date.Format(time.RFC3339),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "broadband-operator/hack/release"}},
		},
		Packages: []*spdx.Package{about},
	}}
	about.PackageLicenseDeclared = "Apache-2.0"
	made.relate("DOCUMENT", common.TypeRelationshipDescribe, made.about)
	return made
}

// add adds a package on which the document's package depends.
func (d document) add(dependency *v2_3.Package) {
	d.Packages = append(d.Packages, dependency)
	d.relate(d.about, common.TypeRelationshipDependsOn, dependency.PackageSPDXIdentifier)
}

func (d document) relate(a common.ElementID, how string, b common.ElementID) {
	d.Relationships = append(d.Relationships, &spdx.Relationship{
		RefA: common.MakeDocElementID("", string(a)), Relationship: how, RefB: common.MakeDocElementID("", string(b)),
	})
}

// module returns the package of a Go module.
func (r release) module(path, version string) *v2_3.Package {
	return &v2_3.Package{
		PackageName: path, PackageVersion: version, PackageDownloadLocation: noAssertion,
		PackageSPDXIdentifier: common.ElementID("Module-" + strings.Map(identifier, path)),
		FilesAnalyzed:         false, IsFilesAnalyzedTagPresent: true,
		PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: noAssertion, PackageCopyrightText: noAssertion,
		PackageExternalReferences: []*v2_3.PackageExternalReference{{
			Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL,
			Locator: "pkg:golang/" + path + "@" + version,
		}},
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
