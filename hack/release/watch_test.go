// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

// workflow is a workflow, as far as these tests read it.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Needs       []string
		Permissions map[string]string
		Steps       []step
	}
}

type step struct {
	Uses, Run string
	With      map[string]any
}

// workflows returns the workflows by the names of their files.
func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	g, found := NewWithT(t), map[string]workflow{}
	files, err := filepath.Glob(repository + "/.github/workflows/*")
	g.Expect(err).NotTo(HaveOccurred())
	for _, file := range files {
		var one workflow
		g.Expect(yaml.Unmarshal([]byte(contents(t, ".", file)), &one)).To(Succeed(), file)
		found[filepath.Base(file)] = one
	}
	g.Expect(found).To(And(HaveKey("ci.yaml"), HaveKey("release.yaml"), HaveKey("watch.yaml")))
	return found
}

func TestEveryActionAndBaseImageIsPinnedByItsDigest(t *testing.T) {
	t.Parallel()
	g, pinned := NewWithT(t), map[string]string{}
	action := regexp.MustCompile(`(?m)^ *(?:- )?uses: *(.*)$`)
	byDigest := regexp.MustCompile(`^([\w.-]+/[\w./-]+)@([0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
	for name := range workflows(t) {
		for _, used := range action.FindAllStringSubmatch(contents(t, repository, ".github/workflows/"+name), -1) {
			parts := byDigest.FindStringSubmatch(used[1])
			g.Expect(parts).NotTo(BeNil(), "%s: %s", name, used[1])
			g.Expect(pinned).To(Or(Not(HaveKey(parts[1])), HaveKeyWithValue(parts[1], parts[2])), "one version of each")
			pinned[parts[1]] = parts[2]
		}
	}
	g.Expect(pinned).To(HaveKey("actions/attest"))

	from := regexp.MustCompile(`(?m)^FROM (?:--platform=\S+ )?(\S+)`)
	images := from.FindAllStringSubmatch(contents(t, repository, "Dockerfile"), -1)
	g.Expect(images).To(HaveLen(2))
	for _, image := range images {
		g.Expect(image[1]).To(MatchRegexp(`^[^@]+:[^@]+@sha256:[0-9a-f]{64}$`))
	}
	g.Expect(contents(t, repository, ".ko.yaml")).To(ContainSubstring("defaultBaseImage: " + images[1][1] + "\n"))
}

// The job that can write runs no code but hack/release and the pinned actions. All that it
// publishes was built by jobs that can only read.
func TestOnlyTheJobThatPublishesCanWrite(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	for name, one := range workflows(t) {
		g.Expect(one.Permissions).To(Or(BeEmpty(), Equal(map[string]string{"contents": "read"})), name)
		text := contents(t, repository, ".github/workflows/"+name)
		g.Expect(text).To(MatchRegexp(`(?m)^permissions:`), "without it, the rights are those of the repository's settings")
		for job, is := range one.Jobs {
			if name != "release.yaml" || job != "publish" {
				g.Expect(is.Permissions).To(Or(BeEmpty(), Equal(map[string]string{"contents": "read"})), "%s: %s", name, job)
			}
		}
		for _, checkout := range checkouts(one) {
			g.Expect(checkout.With).To(HaveKeyWithValue("persist-credentials", false), name)
		}
	}
	publish := workflows(t)["release.yaml"].Jobs["publish"]
	g.Expect(publish.Needs).To(ConsistOf("verify", "build"))
	g.Expect(publish.Permissions).To(Equal(map[string]string{
		"contents": "write", "packages": "write", "id-token": "write", "attestations": "write",
	}))
	for _, step := range publish.Steps {
		g.Expect(step.Run).NotTo(MatchRegexp(`\bmake\b|go run|go test`))
	}
}

func checkouts(one workflow) []step {
	var found []step
	for _, job := range one.Jobs {
		for _, step := range job.Steps {
			if strings.HasPrefix(step.Uses, "actions/checkout@") {
				found = append(found, step)
			}
		}
	}
	return found
}

// The image is pushed by its digest, then attested, and only then tagged.
func TestTheDigestIsAttestedBeforeTheImageHasATag(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var order []string
	for _, step := range workflows(t)["release.yaml"].Jobs["publish"].Steps {
		switch {
		case strings.HasPrefix(step.Uses, "actions/attest@") && step.With["sbom-path"] == "dist/image.spdx.json":
			order = append(order, "SBOM of the image")
			g.Expect(step.With).To(HaveKeyWithValue("subject-digest", "${{ steps.image.outputs.digest }}"))
		case strings.HasPrefix(step.Uses, "actions/attest@") && step.With["subject-checksums"] == "dist/checksums.txt":
			order = append(order, "files")
		case strings.HasPrefix(step.Uses, "actions/attest@"):
			order = append(order, "image")
			g.Expect(step.With).To(HaveKeyWithValue("subject-digest", "${{ steps.image.outputs.digest }}"))
			g.Expect(step.With).To(HaveKeyWithValue("push-to-registry", true))
		case strings.Contains(step.Run, "-push="):
			order = append(order, "push")
		case strings.Contains(step.Run, "-tag="):
			order = append(order, "tag")
		case strings.HasPrefix(step.Run, "gh release create"):
			order = append(order, "release")
		}
	}
	g.Expect(order).To(Equal([]string{"push", "files", "image", "SBOM of the image", "tag", "release"}))
}

// files returns the files of the repository with a name, without those that make builds.
func files(t *testing.T, matches func(name string) bool) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(repository), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", "bin", "dist"}, name) {
			return fs.SkipDir
		}
		if !entry.IsDir() && matches(name) {
			found = append(found, name)
		}
		return nil
	})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return found
}

func TestEveryDependencyIsUpdated(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var config struct {
		Version int
		Updates []struct {
			Ecosystem   string `json:"package-ecosystem"`
			Directory   string
			Directories []string
			Schedule    struct{ Interval string }
		}
	}
	g.Expect(yaml.Unmarshal([]byte(contents(t, repository, ".github/dependabot.yml")), &config)).To(Succeed())
	g.Expect(config.Version).To(Equal(2))
	folders := map[string][]string{}
	for _, one := range config.Updates {
		g.Expect(one.Schedule.Interval).To(Equal("weekly"))
		if one.Directory != "" {
			one.Directories = append(one.Directories, one.Directory)
		}
		folders[one.Ecosystem] = append(folders[one.Ecosystem], one.Directories...)
	}
	below := func(name string) []string {
		found := files(t, func(file string) bool { return path.Base(file) == name })
		for i, file := range found {
			found[i] = path.Join("/", path.Dir(file))
		}
		return found
	}
	g.Expect(folders).To(HaveLen(3))
	g.Expect(folders["gomod"]).To(ConsistOf(below("go.mod")))
	g.Expect(folders["docker"]).To(ConsistOf(below("Dockerfile")))
	g.Expect(folders["github-actions"]).To(ConsistOf("/"))
}

func TestEveryFuzzTargetRunsForAMinute(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	list := exec.CommandContext(t.Context(), "bash", "hack/check/fuzz.sh", "list")
	list.Dir = repository
	out, err := list.Output()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Fields(string(out))).To(ConsistOf(fuzzTargets(t)))

	var run []string
	for _, job := range workflows(t)["watch.yaml"].Jobs {
		for _, step := range job.Steps {
			run = append(run, step.Run)
		}
	}
	g.Expect(run).To(ContainElements("make fuzz FUZZTIME=1m", "make vulnerabilities"))
	g.Expect(contents(t, repository, "Makefile")).To(ContainSubstring("\n\t@bash hack/check/fuzz.sh '$(FUZZTIME)'\n"))
}

// fuzzTargets returns the fuzz targets of the tree, as ./file:function.
func fuzzTargets(t *testing.T) []string {
	t.Helper()
	g := NewWithT(t)
	var found []string
	for _, name := range files(t, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(repository, name), nil, parser.SkipObjectResolution)
		g.Expect(err).NotTo(HaveOccurred())
		for _, declared := range parsed.Decls {
			if function, is := declared.(*ast.FuncDecl); is && strings.HasPrefix(function.Name.Name, "Fuzz") {
				found = append(found, "./"+name+":"+function.Name.Name)
			}
		}
	}
	return found
}
