// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// manifests writes the objects of config/default to install.yaml, and the CustomResourceDefinitions
// among them to crds.yaml.
func (r release) manifests(ctx context.Context) error {
	//nolint:gosec // our own tool
	built, err := exec.CommandContext(ctx, r.kustomize, "build", filepath.Join(r.root, "config", "default")).Output()
	if err != nil {
		return fmt.Errorf("build config/default: %w", err)
	}
	var crds []string
	for object := range strings.SplitSeq(string(built), "\n---\n") {
		if strings.Contains("\n"+object, "\nkind: CustomResourceDefinition\n") {
			crds = append(crds, strings.TrimSuffix(object, "\n"))
		}
	}
	return errors.Join(
		r.writeFile("install.yaml", r.applied("install.yaml")+string(built)),
		r.writeFile("crds.yaml", r.applied("crds.yaml")+strings.Join(crds, "\n---\n")+"\n"))
}

// applied returns the first lines of a manifest, a comment with the command that applies it.
func (r release) applied(name string) string {
	return "# broadband-operator " + r.version +
		": kubectl apply --server-side --field-manager=broadband-operator --filename=" + name + "\n" +
		"# Do not use kubectl delete --filename=" + name + ": docs/install.md, Uninstall, has the commands.\n"
}

// chart writes the archive of the Helm chart.
func (r release) chart(context.Context) error {
	const name = "broadband-operator"
	files, err := filesOf(filepath.Join(r.root, "charts", name), name)
	if err != nil {
		return err
	}
	kept := files[:0]
	for _, one := range files {
		if !strings.HasSuffix(one.name, ".gotmpl") {
			kept = append(kept, one)
		}
	}
	return r.writeArchive(fmt.Sprintf("%s-%s.tgz", name, strings.TrimPrefix(r.version, "v")), kept)
}
