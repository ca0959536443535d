// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"
	"text/template"

	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

// krewManifest is a plugin's manifest for krew, as far as ours uses it. An unknown field is an error.
type krewManifest struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]string `json:"metadata"`
	Spec       struct {
		Version          string `json:"version"`
		Homepage         string `json:"homepage"`
		ShortDescription string `json:"shortDescription"`
		Description      string `json:"description"`
		Caveats          string `json:"caveats"`
		Platforms        []struct {
			Selector struct {
				MatchLabels struct {
					OS   string `json:"os"`
					Arch string `json:"arch"`
				} `json:"matchLabels"`
			} `json:"selector"`
			URI    string `json:"uri"`
			SHA256 string `json:"sha256"`
			Bin    string `json:"bin"`
		} `json:"platforms"`
	} `json:"spec"`
}

// The manifest names the archives that make dist writes, one for each platform of the plugin.
func TestTheManifestForKrewNamesEveryArchive(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	const download = "https://github.com/broadband-operator/broadband-operator/releases/download/v1.2.3/"
	platforms := krew(t).Spec.Platforms
	archives := make([]string, 0, len(platforms))
	for _, one := range platforms {
		labels := one.Selector.MatchLabels
		archives = append(archives, labels.OS+"/"+labels.Arch)
		g.Expect(one.URI).To(Equal(download + archiveName(labels.OS+"/"+labels.Arch)))
		program := "kubectl-broadband"
		if labels.OS == "windows" {
			program += ".exe"
		}
		g.Expect(one.Bin).To(Equal(program))
	}
	g.Expect(archives).To(ConsistOf(strings.Split(pluginPlatforms, ",")))
}

// krew returns the manifest as the release bot of krew completes it for version v1.2.3.
func krew(t *testing.T) krewManifest {
	t.Helper()
	g := NewWithT(t)
	release := map[string]string{"TagName": "v1.2.3"}
	execute := func(name, text string) (string, error) {
		made, err := template.New(name).Parse(text)
		if err != nil {
			return "", err
		}
		var out strings.Builder
		err = made.Execute(&out, release)
		return out.String(), err
	}
	made, err := template.New("krew").Funcs(template.FuncMap{
		"addURIAndSha": func(url, _ string) (string, error) {
			uri, err := execute("url", url)
			return fmt.Sprintf("uri: %s\nsha256: %064d", uri, 0), err
		},
		"indent": func(spaces int, text string) string {
			return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", spaces))
		},
	}).Parse(contents(t, repository, "config/krew/.krew.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	var out strings.Builder
	g.Expect(made.Execute(&out, release)).To(Succeed())
	var manifest krewManifest
	g.Expect(yaml.UnmarshalStrict([]byte(out.String()), &manifest)).To(Succeed(), out.String())
	g.Expect(manifest.Spec.Version).To(Equal("v1.2.3"))
	g.Expect(manifest.Metadata).To(HaveKeyWithValue("name", "broadband"))
	return manifest
}
