// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Ten years of a fleet of which a quarter is replaced each year, and every service changes its plan
// once a year. The figures are multiplied for 10,000 services.
const (
	fleetYears = 10
	fleetSize  = 10_000
	leaving    = 4 // one service in four leaves each year
	year       = 365 * 24 * time.Hour
)

// growingFleet is a fleet whose services come from orders.
type growingFleet struct {
	*world.World

	process *world.Process
	ordered int
	live    []string // the names of its services and orders, the oldest first
}

// add orders a service, and manages it.
func (f *growingFleet) add(ctx SpecContext) {
	GinkgoHelper()
	f.ordered++
	name := fmt.Sprint("site-", f.ordered)
	Expect(f.Create(ctx, f.Order(name, name))).To(Succeed())
	f.process.DriveOrder(ctx, name)
	Expect(f.Create(ctx, f.Service(name, f.Line()))).To(Succeed())
	f.process.Drive(ctx, name)
	f.live = append(f.live, name)
}

// removeOldest deletes the objects of the oldest service.
func (f *growingFleet) removeOldest(ctx SpecContext) {
	GinkgoHelper()
	name := f.live[0]
	f.live = f.live[1:]
	Expect(f.Delete(ctx, f.Read(ctx, name))).To(Succeed())
	f.process.Drive(ctx, name)
	Expect(f.Delete(ctx, f.ReadOrder(ctx, name))).To(Succeed())
	f.process.DriveOrder(ctx, name)
}

// year lets a year pass.
func (f *growingFleet) year(ctx SpecContext, number int) {
	GinkgoHelper()
	plan := []string{world.PlanSlow, world.PlanFast}[number%2]
	for _, name := range f.live {
		f.Edit(ctx, name, fixture.WithPlan(plan, 12))
		f.process.Drive(ctx, name)
	}
	for range len(f.live) / leaving {
		f.removeOldest(ctx)
		f.add(ctx)
	}
	f.Clock.Advance(year)
	Expect(f.process.ShrinkLedgers(ctx)).To(Succeed())
}

// share is a part of the ledgers, as JSON.
type share [][]byte

// bytes returns how many bytes a ledger has, and all of them have.
func (s share) bytes() (mean, sum int) {
	for _, text := range s {
		sum += len(text)
	}
	return sum / max(len(s), 1), sum
}

// heap returns how many bytes of a manager's heap the ledgers take in its cache.
func (s share) heap() int {
	GinkgoHelper()
	const copies = 2_000
	kept := make([]any, copies)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range kept {
		cached := &v1alpha1.RequestLedger{}
		Expect(json.Unmarshal(s[i%len(s)], cached)).To(Succeed())
		trimmed, err := controllers.Trim(cached)
		Expect(err).NotTo(HaveOccurred())
		kept[i] = trimmed
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return int((after.HeapAlloc-before.HeapAlloc)/copies) * len(s) //nolint:gosec // a few kilobytes
}

var _ = world.ShowFigures("controllers")

var _ = It("The ledgers of ten years are small", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	f := &growingFleet{World: w, process: process}
	size := world.Scale(4, 20)
	for range size {
		f.add(ctx)
	}
	for number := range fleetYears {
		f.year(ctx, number)
	}
	var whole, shrunk share
	for _, ledger := range ledgersIn(ctx, w) {
		text, err := json.Marshal(&ledger)
		Expect(err).NotTo(HaveOccurred())
		of := &whole
		if len(ledger.Spec.Ended) == 0 {
			of = &shrunk
		}
		*of = append(*of, text)
	}
	wholeMean, wholeSum := whole.bytes()
	shrunkMean, shrunkSum := shrunk.bytes()
	Expect(whole).To(HaveLen(2*size), "of the services and orders that exist")
	Expect(shrunk).To(HaveLen(2*(f.ordered-size)), "of all others")
	Expect(shrunkMean).To(BeNumerically("<", wholeMean*3/4))

	scaled := fleetSize / size
	world.Figuresf("%d years of %d services, measured with %d: %d ledgers of %d bytes and %d shrunk ones of %d bytes, "+
		"%d MB in etcd, and %d and %d MiB of heap in each manager", fleetYears, fleetSize, size, len(whole)*scaled, wholeMean,
		len(shrunk)*scaled, shrunkMean, (wholeSum+shrunkSum)*scaled/1_000_000,
		whole.heap()*scaled>>20, shrunk.heap()*scaled>>20)
})
