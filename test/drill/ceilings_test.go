// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The limits of a manager as it is shipped (config/manager), in MiB.
const (
	memoryLimit = 512
	goMemory    = "460MiB"
)

// inLimits sets the environment of a manager: that of config/manager, and no transparent huge pages,
// which a machine may use for everything, and which then count as used although they are not.
func inLimits() {
	GinkgoT().Setenv("GOMEMLIMIT", goMemory)
	GinkgoT().Setenv("GODEBUG", "disablethp=1")
}

// How many objects of more than a megabyte there are, and how many connections. make drill has as
// many as have stopped the manager once; they take the API server minutes.
var (
	largeObjects = scale(40, 400)
	connections  = scale(2_000, 20_000)
)

// scale returns the second number in make drill.
func scale(part, all int) int {
	if whole {
		return all
	}
	return part
}

// peakMemory returns the most memory that a running process has used, in MiB. What the operating
// system reports of an ended process includes what the process that started it had used.
func (p *process) peakMemory() int {
	GinkgoHelper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	Expect(err).NotTo(HaveOccurred())
	peak := peakLine.FindSubmatch(status)
	Expect(peak).NotTo(BeNil(), "%s", status)
	kib, err := strconv.Atoi(string(peak[1]))
	Expect(err).NotTo(HaveOccurred())
	return kib >> 10
}

var peakLine = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// createLarge creates objects with 1.36 MB of finalizers each, as a neighbor with the role edit can
// in an installation without the admission policies, and before they were installed. They are
// removed with the spec.
func createLarge(ctx SpecContext, namespace string) {
	GinkgoHelper()
	finalizers := make([]string, 4_400)
	for i := range finalizers {
		finalizers[i] = fmt.Sprintf("%sexample.com/%063d", strings.Repeat(strings.Repeat("x", 54)+".", 4), i)
	}
	var numbers atomic.Int64
	create := func() {
		for i := numbers.Add(1); i <= int64(largeObjects); i = numbers.Add(1) {
			large := &v1alpha1.BroadbandService{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: namespace, Name: fmt.Sprint("large-", i), Finalizers: finalizers,
				},
				Spec: v1alpha1.BroadbandServiceSpec{
					AccountRef: v1alpha1.AccountReference{Name: "none"}, ServiceID: v1alpha1.CarrierID(fmt.Sprint(i)),
				},
			}
			eventually(ctx, func(g Gomega) { // it is much work for the API server
				g.Expect(client.IgnoreAlreadyExists(plane.Client.Create(ctx, large.DeepCopy()))).To(Succeed())
			})
		}
	}
	together([]func(){create, create})
	DeferCleanup(func(ctx SpecContext) {
		for i := 1; i <= largeObjects; i++ {
			large := &v1alpha1.BroadbandService{}
			large.Namespace, large.Name = namespace, fmt.Sprint("large-", i)
			none := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
			Expect(client.IgnoreNotFound(plane.Client.Patch(ctx, large, none))).To(Succeed())
			Expect(client.IgnoreNotFound(plane.Client.Delete(ctx, large))).To(Succeed())
		}
	})
}

// batch is how many changes are timed together.
const batch = 20

// timed declares changes of a lane, and returns how long they took together.
func (l *lane) timed(ctx SpecContext) time.Duration {
	GinkgoHelper()
	began := realTime()
	changes := make([]*change, batch)
	for i := range changes {
		changes[i] = l.declare(ctx, modifications()[0])
	}
	for _, e := range changes {
		l.awaitReady(ctx, e)
	}
	return realTime().Sub(began)
}

// openConnections opens connections to an address, from many addresses of this machine, and leaves
// them open until the other side closes them. It returns how many were opened.
func openConnections(ctx context.Context, address string) (opened int64) {
	var next, open atomic.Int64
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for i := next.Add(1); i <= int64(connections); i = next.Add(1) {
				source := net.ParseIP(fmt.Sprintf("127.0.%d.%d", 1+i%200, 1+i/200%200))
				dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: source}, Timeout: timeout}
				conn, err := dialer.DialContext(ctx, "tcp", address)
				if err != nil {
					continue
				}
				open.Add(1)
				go closeLate(ctx, conn)
			}
		})
	}
	group.Wait()
	return open.Load()
}

// closeLate closes a connection once the other side has closed it, or the context has ended.
func closeLate(ctx context.Context, conn net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) //nolint:errcheck // the spec is over
	defer stop()
	_, _ = conn.Read(make([]byte, 1)) //nolint:errcheck // nothing is ever sent
	_ = conn.Close()                  //nolint:errcheck // it is closed already
}

var _ = Describe("A manager in 512 MiB", func() {
	It(fmt.Sprintf("serves the others beside %d objects of more than a megabyte, also after a restart", largeObjects),
		func(ctx SpecContext) {
			inLimits()
			l := newLane(ctx, "large objects")
			hostile := "hostile-of-" + l.Namespace
			Expect(plane.AddNamespace(ctx, hostile)).To(Succeed())
			l.flags = append(l.flags, "--namespaces="+l.Namespace+","+hostile)
			first := l.start()
			alone := l.timed(ctx)
			createLarge(ctx, hostile)
			beside := l.timed(ctx)
			Expect(first.isRunning()).To(BeTrue(), l.log.String())
			used := first.peakMemory()
			Expect(first.end()).To(Succeed())

			second := l.start()
			restarted := l.timed(ctx)
			Expect(second.isRunning()).To(BeTrue(), l.log.String())
			usedAgain := second.peakMemory()
			Expect(second.end()).To(Succeed())
			world.Figuresf("%d objects of 1.36 MB: the manager used %d MiB, and %d MiB after a restart; "+
				"%d changes took %s without them, %s beside them and %s with the restart", largeObjects,
				used, usedAgain, batch, alone, beside, restarted)
			Expect([]int{used, usedAgain}).To(HaveEach(BeNumerically("<", memoryLimit)))
		})

	It(fmt.Sprintf("serves its tenants while %d connections wait", connections), func(ctx SpecContext) {
		inLimits()
		l := newLane(ctx, "connections")
		address := freeAddress()
		l.flags = append(l.flags, "--events-bind-address="+address, "--events-cert-dir="+certificates())
		Expect(l.Create(ctx, l.EventsSecret())).To(Succeed())
		eventually(ctx, func(g Gomega) {
			account := l.ReadAccount(ctx)
			world.WithEvents(v1alpha1.SignatureHMAC)(account)
			g.Expect(l.Update(ctx, account)).To(Succeed())
		})
		m := l.start()
		alone := l.timed(ctx)
		waiting, stop := context.WithCancel(ctx)
		defer stop()
		opened := openConnections(waiting, address)
		beside := l.timed(ctx)
		Expect(m.isRunning()).To(BeTrue(), l.log.String())
		used := m.peakMemory()
		Expect(m.end()).To(Succeed())
		ratio := float64(beside) / float64(alone)
		world.Figuresf("%d connections: the manager used %d MiB; %d changes took %s without them and %s beside them, "+
			"%.2f times", opened, used, batch, alone, beside, ratio)
		Expect(opened).To(BeNumerically("==", connections), "those that the operating system accepted")
		Expect(used).To(BeNumerically("<", memoryLimit/2))
		Expect(ratio).To(BeNumerically("<=", 2))
	})
})

// certificates returns a folder with a certificate of this machine.
func certificates() string {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(filepath.Join(folder, "tls.crt"), certificate, 0o600)).To(Succeed())
	Expect(os.WriteFile(filepath.Join(folder, "tls.key"), key, 0o600)).To(Succeed())
	return folder
}

// freeAddress returns an address of this machine that nothing listens on.
func freeAddress() string {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens at once
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(listener.Close()).To(Succeed()) }()
	return listener.Addr().String()
}
