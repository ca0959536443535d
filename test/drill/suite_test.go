// SPDX-License-Identifier: Apache-2.0

// Package drill_test exposes the program itself to faults: the built manager as a process, a real
// etcd and kube-apiserver, and the built simulator as the carrier. Managers are killed, stopped and
// duplicated; the API server, etcd, the watches and the carrier become unavailable, and the carrier
// loses its data. Then the faults end, one manager per lane keeps running, and every change is
// checked: is it done, or does it show what a person has to do, and was it sent more often than
// allowed?
//
// The program has no switch for this. Failpoints are in a proxy on its two connections: to the API
// server and to the carrier. The program runs as shipped, with leader election and with the
// generated roles, in every lane. In one lane, the proxy makes two managers lead at once.
//
// make drill runs all of it; go test runs a part.
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
	world.RunSpecs(t, "the program under faults")
}

// whole is true in make drill, which runs everything and takes minutes.
var whole = os.Getenv("DRILL") == "all"

// controlPlaneFirst is whether the control plane becomes unavailable first, as in make test. In
// that case, whatever is in progress ends while the other lanes wait. Otherwise the outage also
// hits what other faults have left behind.
var controlPlaneFirst = !whole && world.Scale(true, false)

// user is the API server user of a manager; it has only the generated RBAC.
const user = "operator"

// realTime is the clock: a process uses no other.
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
		func() { program = build("github.com/broadband-operator/broadband-operator") },
		func() {
			simulatorProgram = build("github.com/broadband-operator/broadband-operator/hack/run/simulator")
		},
		func() {
			var err error
			plane, err = world.StartDurable(ctx, folder)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(plane.Stop)
		},
	})
	Expect(plane.GrantRoles(ctx, user)).To(Succeed())
})

// build builds a program of ours, without debug information, which takes long to link.
func build(name string) string {
	GinkgoHelper()
	path, err := gexec.Build(name, "-ldflags=-s -w")
	Expect(err).NotTo(HaveOccurred())
	return path
}

// timeout is how long any wait may take. It only catches tests that hang, also on a machine
// that is slow and busy.
const timeout = 3 * time.Minute

// eventually waits until something holds.
func eventually(ctx SpecContext, holds func(Gomega)) {
	GinkgoHelper()
	Eventually(ctx, holds).WithTimeout(timeout).WithPolling(50 * time.Millisecond).Should(Succeed())
}

// together runs all functions at once, and waits for them.
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
