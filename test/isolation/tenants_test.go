// SPDX-License-Identifier: Apache-2.0

package isolation_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	hostileTenants  = 5
	hostileAccounts = 10 // of each tenant
	hostileServices = 10 // of each account
)

// changes is the number of changes of a healthy tenant.
var changes = world.Scale(50, 200)

// createAccounts creates accounts of a poison in a world, each with services that need calls.
func (p *poison) createAccounts(ctx context.Context, w *world.World) {
	GinkgoHelper()
	Expect(w.Create(ctx, w.Secret())).To(Succeed())
	for number := range hostileAccounts {
		name := fmt.Sprint("account-", number)
		Expect(w.Create(ctx, w.Account(world.Unlimited, func(a *v1alpha1.CarrierAccount) {
			a.Name, a.Spec.BaseURL = name, p.url
			a.Spec.Auth.ClientName += "-" + name
			a.Spec.Auth.TokenURL = strings.Replace(a.Spec.Auth.TokenURL, w.URL, p.url, 1)
		}))).To(Succeed())
		for i := range hostileServices {
			Expect(w.Create(ctx, w.Service(fmt.Sprintf("%s-%d", name, i), w.Line(), func(s *v1alpha1.BroadbandService) {
				s.Spec.AccountRef.Name = name
			}))).To(Succeed())
		}
	}
}

// untilPosted returns how long each change of a tenant took from the edit to its POST.
func (t *tenant) untilPosted() []time.Duration {
	GinkgoHelper()
	posted := map[int64]time.Time{}
	for _, call := range t.world.Carrier.Calls() {
		if call.Method == http.MethodPost && call.Operation == simulator.OpDSLStabilityProfileChange {
			posted[call.ServiceID] = call.Time
		}
	}
	took := make([]time.Duration, len(t.lines))
	for i, line := range t.lines {
		Expect(posted).To(HaveKey(line))
		took[i] = posted[line].Sub(t.edited[i])
	}
	return took
}

// Security review, F4: twenty accounts of one tenant, whose carriers took every call and never ended a
// response, held all workers, and another tenant's work took 41 times as long. Here it is fifty
// accounts, of five tenants. Two managers do the same work at the same time, as in the spec of the
// failing accounts; only one of them has the hostile tenants, too.
var _ = Describe(fmt.Sprintf("%d changes of a healthy tenant", changes), func() {
	It("are sent as quickly beside fifty accounts of five tenants at carriers that hang", func(ctx SpecContext) {
		beside := &tenant{world: world.NewInRealTime(ctx, plane, realTime, delays), services: make([]string, changes)}
		beside.world.ProductionTimeouts = true
		alone := &tenant{world: beside.world.InAnotherNamespace(ctx), services: make([]string, changes)}
		always := func(int64) bool { return true }
		hanging, others := newPoison(always, always), make([]*world.World, hostileTenants)
		for i := range others {
			others[i] = beside.world.InAnotherNamespace(ctx)
			hanging.createAccounts(ctx, others[i])
		}
		beside.world.ManageBeside(ctx, user, others)
		alone.world.Manage(ctx, user)
		together(alone, beside, func(t *tenant) { t.setUp(ctx) })
		Eventually(hanging.open.Load).WithTimeout(time.Minute).Should(BeNumerically(">=", world.Workers/8), "calls that hang")

		most := hanging.mostOpen(ctx)
		without, with := make([]time.Duration, 0, 2*changes), make([]time.Duration, 0, 2*changes)
		for round, name := range []string{"Stable", "Standard"} { // the one that is edited first has an advantage
			first, second := alone, beside
			if round > 0 {
				first, second = beside, alone
			}
			together(first, second, func(t *tenant) { t.measure(ctx, profile(name, int64(2+round))) })
			without, with = append(without, alone.untilPosted()...), append(with, beside.untilPosted()...)
		}
		slices.Sort(without)
		slices.Sort(with)
		ratio := float64(percentile(with, 99)) / float64(percentile(without, 99))
		world.Figuresf("twice %d changes from the edit to the POST: p50 %s and p99 %s alone, p50 %s and p99 %s beside %d "+
			"hanging calls: p99 is %.2f times as long", changes, percentile(without, 50), percentile(without, 99),
			percentile(with, 50), percentile(with, 99), most(), ratio)
		Expect(ratio).To(BeNumerically("<=", 2))
		expectChanges(beside.world, 2*2*changes)
	})
})
