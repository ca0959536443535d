// SPDX-License-Identifier: Apache-2.0

// Package mistakes_test makes the mistakes of mistakes.yaml in a cluster with the shipped manifests, a
// running manager and the simulated carrier, as a person would: with kubectl and the plugin. None may
// pass without a word.
package mistakes_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestMistakes(t *testing.T) {
	world.RunSpecs(t, "what is said about mistakes")
}

// operator is the only user that may write RequestLedgers.
const operator = "system:serviceaccount:broadband-operator:broadband-operator-manager"

var (
	cluster *world.World
	person  *terminal
)

var _ = BeforeSuite(func(ctx SpecContext) {
	plane, err := world.StartEmpty()
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
	noteReads()
	_, err = plane.Kubectl("apply", "--server-side", "--field-manager=broadband-operator",
		"--kustomize", filepath.Join(source.Root(), "config", "install"))
	Expect(err).NotTo(HaveOccurred())
	cluster = world.NewInRealTime(ctx, plane, realTime, withoutDelays)
	cluster.Provokes(simulator.RuleAssertion)
	cluster.Manage(ctx, operator)
	cluster.AwaitLogin(ctx, world.Unlimited, world.PollEverySecond, asksFirst)
	for _, role := range []string{"viewer", "editor", "approver", "resolver"} {
		grant(ctx, role)
	}
	person = newTerminal(ctx)
	awaitPolicies(ctx)
})

// realTime is the clock of the manager and of its world.
var realTime = time.Now //nolint:forbidigo // they share the clock of the API server

func withoutDelays(seed *simulator.Seed) { seed.Delays = nil }

func asksFirst(account *v1alpha1.CarrierAccount) {
	account.Spec.Approval, account.Spec.UnknownValues = v1alpha1.ApprovalOnCost, v1alpha1.UnknownAsk
}

// grant binds one of the shipped roles to a user of the same name.
func grant(ctx SpecContext, role string) {
	GinkgoHelper()
	Expect(cluster.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: cluster.Namespace, Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: role}},
		RoleRef: rbacv1.RoleRef{
			APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "broadband-operator-" + role,
		},
	})).To(Succeed())
}

// awaitPolicies waits until the API server applies the policies, which it does not do at once.
func awaitPolicies(ctx SpecContext) {
	GinkgoHelper()
	for _, annotation := range []string{"reconciled=x", "approve=x", "retry=x"} {
		Eventually(ctx, func() string {
			return person.run(ctx, "kubectl annotate cacct default --dry-run=server wholesale.broadband/"+annotation, nil)
		}).Should(ContainSubstring("wholesale.broadband/"))
	}
}

// noteReads reads what kubectl and the build of the plugin read, because go test reuses a cached
// result as long as the files that the test itself opened are unchanged.
func noteReads() {
	GinkgoHelper()
	for _, folder := range []string{"config", "cmd/kubectl-broadband"} {
		files := os.DirFS(filepath.Join(source.Root(), folder))
		Expect(fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				_, err = fs.ReadFile(files, path)
			}
			return err
		})).To(Succeed())
	}
}

// terminal is where a person types commands: kubectl and the built plugin are on its PATH.
type terminal struct{ env []string }

func newTerminal(ctx SpecContext) *terminal {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	build := exec.CommandContext(ctx, "go", "build", "-o", folder, "./cmd/kubectl-broadband") //nolint:gosec // our own
	build.Dir = source.Root()
	printed, err := build.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(printed))
	kubectl, err := cluster.Plane.KubectlIn(folder, "config", "set-context", "--current", "--namespace="+cluster.Namespace)
	Expect(err).NotTo(HaveOccurred())
	Expect(kubectl.Run()).To(Succeed())
	Expect(os.Symlink(kubectl.Path, filepath.Join(folder, "kubectl"))).To(Succeed())
	return &terminal{env: append(os.Environ(),
		"PATH="+folder+":"+os.Getenv("PATH"), "HOME="+folder, "KUBECONFIG="+filepath.Join(folder, "kubeconfig"))}
}

// run runs a script in a folder with a manifest, and returns what it prints.
func (t *terminal) run(ctx SpecContext, script string, manifest []byte, env ...string) string {
	GinkgoHelper()
	folder, err := os.MkdirTemp("", "mistake-")
	Expect(err).NotTo(HaveOccurred())
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover temporary folder does no harm
	Expect(os.WriteFile(filepath.Join(folder, "manifest.json"), manifest, 0o600)).To(Succeed())
	command := exec.CommandContext(ctx, "sh", "-c", script) //nolint:gosec // the scripts are ours
	command.Dir, command.Env = folder, slices.Concat(t.env, env)
	printed, _ := command.CombinedOutput() //nolint:errcheck // most mistakes make it fail
	return string(printed)
}
