// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
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
	installed, err := r.withDigest(string(built))
	if err != nil {
		return err
	}
	var crds []string
	for object := range strings.SplitSeq(installed, "\n---\n") {
		if strings.Contains("\n"+object, "\nkind: CustomResourceDefinition\n") {
			crds = append(crds, strings.TrimSuffix(object, "\n"))
		}
	}
	return errors.Join(
		r.writeFile("install.yaml", r.applied("install.yaml")+installed),
		r.writeFile("crds.yaml", r.applied("crds.yaml")+strings.Join(crds, "\n---\n")+"\n"))
}

// imageRepository is where a release has its image: config/manager and the chart name it.
const imageRepository = "ghcr.io/broadband-operator/broadband-operator"

// withDigest adds the digest of the image to the manifests, unless there is no image. The tag
// remains, for people: a container runtime ignores it.
func (r release) withDigest(manifests string) (string, error) {
	digest, isWritten, err := r.digest()
	if err != nil || !isWritten {
		return manifests, err
	}
	image := "image: " + imageRepository + ":" + r.version
	if strings.Count(manifests, image+"\n") != 1 {
		return "", fmt.Errorf("config/default does not have exactly one line %q", image)
	}
	return strings.Replace(manifests, image+"\n", image+"@"+digest.String()+"\n", 1), nil
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
		if one.name == name+"/Chart.yaml" {
			if one.content, err = r.describeImage(one.content); err != nil {
				return err
			}
		}
		if !strings.HasSuffix(one.name, ".gotmpl") {
			kept = append(kept, one)
		}
	}
	return r.writeArchive(fmt.Sprintf("%s-%s.tgz", name, strings.TrimPrefix(r.version, "v")), kept)
}

// imageDigest is the annotation of the chart with the digest of its image, for its templates.
const imageDigest = "wholesale.broadband/image-digest"

// describeImage adds the digest of the image to Chart.yaml, unless there is no image.
func (r release) describeImage(chart []byte) ([]byte, error) {
	digest, isWritten, err := r.digest()
	if err != nil || !isWritten {
		return chart, err
	}
	const annotations = "\nannotations:\n"
	if bytes.Count(chart, []byte(annotations)) != 1 {
		return nil, errors.New("the chart has no annotations")
	}
	added := annotations + "  " + imageDigest + ": " + digest.String() + "\n"
	return bytes.Replace(chart, []byte(annotations), []byte(added), 1), nil
}
