// SPDX-License-Identifier: Apache-2.0

package helm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	. "github.com/onsi/gomega"
)

// deletion is how long an API server may take to delete CustomResourceDefinitions. If it cannot list
// the objects of a kind, it may not try again before its next look at all kinds, every five minutes.
const deletion = 6 * time.Minute

// section is a part of a page with its commands.
type section struct{ title, commands string }

var (
	heading = regexp.MustCompile("(?m)^## (.*)$")
	fenced  = regexp.MustCompile("(?s)\n```sh\n(.*?)\n```\n")
)

// sections returns the parts of a page that have commands, in their order.
func sections(t *testing.T, page string) []section {
	t.Helper()
	text := string(read(t, root+"/"+page))
	starts := append(heading.FindAllStringSubmatchIndex(text, -1), []int{len(text)})
	var found []section
	for i, start := range starts[:len(starts)-1] {
		one := section{title: text[start[2]:start[3]]}
		for _, block := range fenced.FindAllStringSubmatch(text[start[0]:starts[i+1][0]], -1) {
			one.commands += block[1] + "\n"
		}
		if one.commands != "" {
			found = append(found, one)
		}
	}
	return found
}

// script is the commands of some sections, in the order of the page.
func script(t *testing.T, page string, titles ...string) string {
	t.Helper()
	commands := "set -euo pipefail\n"
	for _, one := range sections(t, page) {
		if slices.Contains(titles, one.title) {
			commands += one.commands
		}
	}
	return commands
}

// distribution writes the manifests and the chart of a release into a folder.
func distribution(t *testing.T) string {
	t.Helper()
	g, into := NewWithT(t), filepath.Join(t.TempDir(), "dist")
	version := strings.TrimSpace(string(read(t, root+"/VERSION")))
	build := exec.CommandContext(t.Context(), "go", "-C", "../../release", "run", ".", //nolint:gosec // our own program
		"-into="+into, "-version="+version, "-manifests-only")
	text, err := build.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(text))
	return into
}

// shell prepares commands of a page: in the root of the repository, with the programs that the page
// names on the PATH, and with RELEASE set to the files of this tree.
func (c cluster) shell(t *testing.T, commands, dist string) *exec.Cmd {
	t.Helper()
	g, path := NewWithT(t), t.TempDir()
	g.Expect(os.Symlink(c.helm, filepath.Join(path, "helm"))).To(Succeed())
	g.Expect(os.Symlink(c.kubectl, filepath.Join(path, "kubectl"))).To(Succeed())
	jq, err := filepath.Abs(root + "/bin/jq") // make bin/jq
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.Symlink(jq, filepath.Join(path, "jq"))).To(Succeed())
	shell := c.command(t, "bash", "-c", commands)
	shell.Dir = root
	shell.Env = append(shell.Env, "RELEASE="+dist, "PATH="+path+":"+os.Getenv("PATH"))
	return shell
}

const (
	installPage    = "docs/install.md"
	accessPage     = "docs/access.md"
	operationsPage = "docs/operations.md"
)

// step is a section of a page with commands.
type step struct {
	page, title string
	removes     string // the object of config/default that they delete
	undone      bool   // the last of them undo what the first have changed
}

// ways are the ways to install, each with what may follow it.
func ways() map[string][]step {
	return map[string][]step{
		"kubectl": {
			{page: installPage, title: "With kubectl"},
			{page: installPage, title: "With kustomize"},
			{page: accessPage, title: "Who has approved, resolved and retried"},
			{page: accessPage, title: "The operator", removes: "ClusterRole/broadband-operator-manager-role"},
			{page: installPage, title: "From kubectl to Helm"},
		},
		"Helm": {
			{page: installPage, title: "With Helm"},
			{page: operationsPage, title: "Stop and start the operator", undone: true},
		},
	}
}

// The sections of the page for all ways.
const setVersion, remove = "Set the version", "Uninstall"

// Each way to install is tried in an empty cluster, followed by the way to remove it. The commands
// of each are run twice.
func TestTheCommandsOfTheInstallPageWork(t *testing.T) {
	t.Parallel()
	dist := distribution(t)
	for name, steps := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startCluster(t)
			before := c.withNamespaces(t)
			for _, one := range steps {
				c.follow(t, one, dist)
			}
			c.twice(t, script(t, installPage, setVersion, remove), dist)
			c.expectLeftovers(t, before)
		})
	}
}

func TestEverySectionOfTheInstallPageWithCommandsIsTested(t *testing.T) {
	t.Parallel()
	tested := []step{{page: installPage, title: setVersion}, {page: installPage, title: remove}}
	for _, steps := range ways() {
		tested = append(tested, steps...)
	}
	for _, one := range sections(t, installPage) {
		is := func(step step) bool { return step.page == installPage && step.title == one.title }
		NewWithT(t).Expect(slices.ContainsFunc(tested, is)).To(BeTrue(), one.title)
	}
}

// follow runs the commands of a section.
func (c cluster) follow(t *testing.T, one step, dist string) {
	t.Helper()
	commands := script(t, installPage, setVersion) + script(t, one.page, one.title)
	if one.undone {
		c.undone(t, commands, dist)
	} else {
		c.twice(t, commands, dist)
	}
	if one.removes != "" {
		NewWithT(t).Expect(c.live(t, c.kustomize(t, "default"))).NotTo(HaveKey(one.removes), one.title)
	}
}

func TestMakeDeploysAndUninstalls(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	before := c.withNamespaces(t)
	run := "make --no-print-directory KUBECTL=" + c.kubectl + " "
	c.twice(t, run+"deploy", "")
	c.runManager(t, run+"--old-file=build run ARGS=--health-probe-bind-address=0") // its home has no build cache
	c.apply(t, "--kustomize="+root+"/config/namespaced/example")
	c.apply(t, "--filename="+root+"/config/usernames/usernames.yaml")
	c.twice(t, run+"uninstall", "")
	c.expectLeftovers(t, before, "RequestLedger /marker")
}

// twice runs commands twice; the second time, they change nothing.
func (c cluster) twice(t *testing.T, commands, dist string) {
	t.Helper()
	must(t, c.shell(t, commands, dist))
	objects := c.kustomize(t, "default")
	before := versions(c.live(t, objects))
	must(t, c.shell(t, commands, dist))
	NewWithT(t).Expect(versions(c.live(t, objects))).To(Equal(before), commands)
}

// undone runs commands that undo what they have changed.
func (c cluster) undone(t *testing.T, commands, dist string) {
	t.Helper()
	objects := c.kustomize(t, "default")
	before := c.live(t, objects)
	must(t, c.shell(t, commands, dist))
	for id, one := range c.live(t, objects) {
		NewWithT(t).Expect(withoutMetadata(one)).To(BeComparableTo(withoutMetadata(before[id])), id)
	}
}

// withNamespaces creates the namespaces of config/namespaced/example, and returns everything in the
// cluster.
func (c cluster) withNamespaces(t *testing.T) []string {
	t.Helper()
	for _, name := range []string{"sites", "offices"} {
		must(t, c.command(t, c.kubectl, "create", "namespace", name))
	}
	return c.everything(t)
}

// everything returns all objects of the cluster, of every kind except Lease and Event, which come
// and go by themselves.
func (c cluster) everything(t *testing.T) []string {
	t.Helper()
	const item = `{.kind}{" "}{.metadata.namespace}{"/"}{.metadata.name}{"\n"}`
	kinds := must(t, c.command(t, c.kubectl, "api-resources", "--verbs=list", "--output=name"))
	listed := must(t, c.command(t, c.kubectl, "get", strings.Join(strings.Fields(kinds), ","), "--all-namespaces",
		"--ignore-not-found", "--output=jsonpath={range .items[*]}"+item+"{end}"))
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(listed), "\n"), func(one string) bool {
		return strings.HasPrefix(one, "Lease ") || strings.HasPrefix(one, "Event ")
	})
}

// expectLeftovers checks that only the objects that the page names remain. The API server keeps an
// APIService for the CustomResourceDefinition that remains.
func (c cluster) expectLeftovers(t *testing.T, before []string, ledgers ...string) {
	t.Helper()
	NewWithT(t).Eventually(func() []string {
		return slices.DeleteFunc(c.everything(t), func(one string) bool { return slices.Contains(before, one) })
	}).WithTimeout(deletion).Should(ConsistOf(append(ledgers, "Namespace /broadband-operator",
		"CustomResourceDefinition /requestledgers.wholesale.broadband", "APIService /v1alpha1.wholesale.broadband")))
}

func TestTheCommandsOfTheReadmeLeadToAService(t *testing.T) {
	t.Parallel()
	c, dist := startCluster(t), distribution(t)
	commands := script(t, "README.md", "Install a release", "A first manifest")
	for range 2 {
		shell := c.shell(t, commands, dist)
		shell.Dir = t.TempDir() // a user's own folder
		must(t, shell)
	}
	service := &unstructured.Unstructured{}
	service.SetAPIVersion("wholesale.broadband/v1alpha1")
	service.SetKind("BroadbandService")
	key := client.ObjectKey{Namespace: "default", Name: "site-014"}
	NewWithT(t).Expect(c.Get(t.Context(), key, service)).To(Succeed())
	NewWithT(t).Expect(service.GetGeneration()).To(BeEquivalentTo(1), "the second time changed nothing")
}

// image is the repository that a user names in the commands of the README.
const image = "registry.test/broadband-operator"

// The release is built by hack/release, whose own tests build all of it and push it. Here `make dist`
// copies its manifests, and `make push` does nothing.
func TestTheReadmeInstallsThisTree(t *testing.T) {
	t.Parallel()
	c, dist := startCluster(t), distribution(t)
	commands := "make() {\n  [ \"$*\" = \"dist push IMAGE=" + image + "\" ]\n  cp -R \"$RELEASE\" dist\n}\n" +
		script(t, "README.md", "Install")
	shell := c.shell(t, commands, dist)
	shell.Dir = t.TempDir()
	shell.Env = append(shell.Env, "IMAGE="+image)
	must(t, shell)
	manager := must(t, c.command(t, c.kubectl, "--namespace=broadband-operator", "get", "deployment",
		"--output=jsonpath={.items[*].spec.template.spec.containers[*].image}"))
	NewWithT(t).Expect(manager).To(HavePrefix(image + ":"))
}
