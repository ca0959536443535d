// SPDX-License-Identifier: Apache-2.0

package helm_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	. "github.com/onsi/gomega"
)

// indented is a block of commands, also in an item of a list.
var indented = regexp.MustCompile("(?ms)^( *)```sh\n(.*?)\n *```$")

// blocks returns the blocks of commands in a section of a page, each as a script.
func blocks(t *testing.T, page, title string) []string {
	t.Helper()
	text := "\n" + string(read(t, root+"/"+page))
	_, text, is := strings.Cut(text, "\n## "+title+"\n")
	NewWithT(t).Expect(is).To(BeTrue(), title)
	text, _, _ = strings.Cut(text, "\n## ")
	found := indented.FindAllStringSubmatch(text, -1)
	all := make([]string, 0, len(found))
	for _, block := range found {
		all = append(all, "set -euo pipefail\n"+strings.ReplaceAll("\n"+block[2], "\n"+block[1], "\n"))
	}
	return all
}

// createLedger creates the ledger of an order whose ServiceOrder does not exist.
func (c cluster) createLedger(t *testing.T, name string) {
	t.Helper()
	create := c.command(t, c.kubectl, "create", "--filename=-")
	create.Stdin = strings.NewReader(`
apiVersion: wholesale.broadband/v1alpha1
kind: RequestLedger
metadata:
  name: ` + name + `
  finalizers: [wholesale.broadband/memory]
  annotations: {wholesale.broadband/acknowledge: old}
spec:
  {schema: 1, sequence: 1, revision: 7, login: {baseURL: "https://carrier.example", clientName: tenant}, cluster: c,
   order: {customerReference: ` + name + `}, holder: {namespace: default, name: gone, uid: u}}
`)
	must(t, create)
}

func (c cluster) ledger(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	ledger := &unstructured.Unstructured{}
	ledger.SetGroupVersionKind(ledgerKind)
	NewWithT(t).Expect(c.Get(t.Context(), client.ObjectKey{Name: name}, ledger)).To(Succeed())
	return ledger
}

func TestABackupOfTheLedgersIsRestored(t *testing.T) {
	t.Parallel()
	g, c, folder := NewWithT(t), startCluster(t), t.TempDir()
	c.apply(t, "--kustomize="+root+"/config/install")
	run := func(commands string) {
		t.Helper()
		shell := c.shell(t, commands, "")
		shell.Dir = folder
		must(t, shell)
	}
	c.createLedger(t, "order-1")
	before := c.ledger(t, "order-1")
	commands := blocks(t, "docs/requestledger.md", "Backup and restore")
	g.Expect(commands).To(HaveLen(2), "the backup and the restore")
	run(commands[0])
	as := " --as=" + operator + " --as-group=system:masters "
	run("kubectl" + as + "delete ledger order-1 --wait=false\n" +
		"kubectl" + as + `patch ledger order-1 --type=merge --patch='{"metadata": {"finalizers": null}}'`)
	run(commands[1])
	after := c.ledger(t, "order-1")
	g.Expect(after.GetUID()).NotTo(Equal(before.GetUID()))
	g.Expect(after.Object["spec"]).To(BeComparableTo(before.Object["spec"]))
	g.Expect(after.GetFinalizers()).To(Equal(before.GetFinalizers()))
	g.Expect(after.GetAnnotations()).To(BeEmpty())
}

// awaitNoKinds waits until no CustomResourceDefinition of ours is left.
func (c cluster) awaitNoKinds(t *testing.T) {
	t.Helper()
	NewWithT(t).Eventually(func() string {
		return must(t, c.command(t, c.kubectl, "get", "crd", "--output=name"))
	}).WithTimeout(deletion).Should(BeEmpty())
}

// The page removes everything, also the ledger of an object that was deleted before. It does not run
// in parallel with other tests that run a manager, because `make run` writes one kubeconfig.
func TestTheOperatorIsRemovedForGood(t *testing.T) {
	g, c, dist := NewWithT(t), startCluster(t), distribution(t)
	run := "make --no-print-directory KUBECTL=" + c.kubectl + " "
	must(t, c.shell(t, run+"deploy", ""))
	c.createLedger(t, "order-1")
	stop := c.startManager(t, run+"--old-file=build run ARGS=--health-probe-bind-address=0")
	defer stop()
	commands := blocks(t, operationsPage, "Remove the operator for good")
	g.Expect(commands).To(HaveLen(2), "the objects, and the ledgers")
	for _, one := range commands {
		shell := c.shell(t, one, "")
		shell.Dir = t.TempDir()
		must(t, shell)
	}
	must(t, c.shell(t, script(t, installPage, setVersion, remove), dist))
	c.awaitNoKinds(t)
}

// If the other kinds were deleted first, the manager cannot confirm that the holder of a ledger is
// gone. The page says how to let the deletion end.
func TestTheRemovalEndsAfterTheKindsAreInstalledAgain(t *testing.T) {
	g, c, dist := NewWithT(t), startCluster(t), distribution(t)
	run := "make --no-print-directory KUBECTL=" + c.kubectl + " "
	must(t, c.shell(t, run+"deploy", ""))
	c.createLedger(t, "order-1")
	stop := c.startManager(t, run+"--old-file=build run ARGS=--health-probe-bind-address=0")
	defer stop()
	must(t, c.shell(t, blocks(t, installPage, remove)[0], dist))
	ledgers, _, found := strings.Cut(blocks(t, operationsPage, "Remove the operator for good")[1], "\nkubectl wait ")
	g.Expect(found).To(BeTrue())
	shell := c.shell(t, ledgers, "")
	shell.Dir = t.TempDir()
	must(t, shell)
	g.Consistently(func() *unstructured.Unstructured { return c.ledger(t, "order-1") }).
		WithTimeout(10*time.Second).WithPolling(time.Second).ShouldNot(BeNil(), "nobody can delete it yet")
	must(t, c.shell(t, "kubectl apply --server-side --field-manager=broadband-operator --filename="+dist+"/crds.yaml", ""))
	must(t, c.shell(t, "kubectl wait crd requestledgers.wholesale.broadband --for=delete --timeout=5m", ""))
}
