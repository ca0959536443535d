// SPDX-License-Identifier: Apache-2.0

// Package drill_test has the program itself live through trouble: the built manager as a
// process, a real etcd and kube-apiserver, and the built simulator as the carrier. Managers are
// killed, stopped and doubled; the API server, etcd, the watches and the carrier go away, and
// the carrier forgets. Then one manager per lane is left in peace, and every change is judged: is
// it done, or does it say what a person has to do, and was it sent more often than is allowed?
//
// The program has no switch for this. Failpoints stand in a proxy on its two ways: to the
// API server and to the carrier. It runs as it is shipped, with leader election and with the generated
// roles, in every lane; in the one in which two managers lead at once the proxy makes them.
//
// make drill runs it whole; go test a part of it.
package drill_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/onsi/gomega/gexec"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestDrill(t *testing.T) {
	world.RunSpecs(t, "the program in trouble")
}

// whole is whether everything is run: minutes, for make drill.
var whole = os.Getenv("DRILL") == "all"

// soonest is whether the control plane goes away first, as in make test: what is under way then ends
// while the other lanes wait. Otherwise what other troubles have left behind lives through it, too.
var soonest = !whole && world.Scale(true, false)

// user is who a manager is at the API server; it has the generated RBAC and no more.
const user = "operator"

// realTime is the clock: a process goes by no other.
var realTime = time.Now //nolint:forbidigo // the managers are processes, with the machine's clock

var (
	program          string // the built manager
	simulatorProgram string // the built simulator
	plane            *world.Durable
)

var _ = BeforeSuite(func(ctx SpecContext) {
	DeferCleanup(gexec.CleanupBuildArtifacts)
	folder := GinkgoT().TempDir()
	together([]func(){
		func() { program = built("github.com/broadband-operator/broadband-operator") },
		func() { simulatorProgram = built("github.com/broadband-operator/broadband-operator/hack/simulator") },
		func() {
			var err error
			plane, err = world.StartDurable(ctx, folder)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(plane.Stop)
		},
	})
	Expect(plane.GrantRoles(ctx, user)).To(Succeed())
})

// built is a program of ours. It is linked without what only debuggers read, which takes long.
func built(name string) string {
	GinkgoHelper()
	path, err := gexec.Build(name, "-ldflags=-s -w")
	Expect(err).NotTo(HaveOccurred())
	return path
}

// patience is how long anything that is waited for may take. It gates nothing but a hang.
const patience = 90 * time.Second

// soon waits until something holds.
func soon(ctx SpecContext, holds func(Gomega)) {
	GinkgoHelper()
	Eventually(ctx, holds).WithTimeout(patience).WithPolling(50 * time.Millisecond).Should(Succeed())
}

// together runs all at once, and waits for them.
func together(all []func()) {
	var group sync.WaitGroup
	for _, run := range all {
		group.Go(func() {
			defer GinkgoRecover()
			run()
		})
	}
	group.Wait()
}

var _ = world.ShowFigures("drill")
