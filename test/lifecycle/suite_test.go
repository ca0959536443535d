// SPDX-License-Identifier: Apache-2.0

// Package lifecycle_test tests objects that are created, deleted and created again while managers
// run: no request is lost, and none is sent twice. Real managers with their caches, watches and
// work queues run in this process, against a real kube-apiserver and the simulated carrier.
package lifecycle_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestLifecycle(t *testing.T) {
	world.RunSpecs(t, "objects that are created, deleted and created again")
}

// user is the API server user of a manager; it has only the generated RBAC.
const user = "operator"

// realTime is the clock: a manager's queues use no other.
var realTime = time.Now //nolint:forbidigo // in production a manager is a separate process

var (
	plane *world.ControlPlane
	audit *world.Audit
)

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	plane, audit, err = world.StartAudited(ctx, GinkgoT().TempDir(), user)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
})

// wordEntries are the words of carriers in identifiers: make test uses one that is not the
// specification's, and make test-all uses both.
func wordEntries() (entries []TableEntry) {
	for _, word := range world.Scale([]string{"abc"}, []string{"abc", "wholesale"}) {
		entries = append(entries, Entry(word, word))
	}
	return entries
}

// timeout is how long any wait may take. It only catches tests that hang, also on a machine
// that is slow and busy.
const timeout = 3 * time.Minute

// eventually waits until something holds.
func eventually(ctx SpecContext, holds func(Gomega)) {
	GinkgoHelper()
	Eventually(ctx, holds).WithTimeout(timeout).WithPolling(100 * time.Millisecond).Should(Succeed())
}
