// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// mostCalls is how many calls a day a service may take that cannot be read.
const mostCalls = 50

func status(code int) simulator.Fault {
	return fixture.Always(simulator.Fault{Kind: simulator.FaultStatus, Status: code})
}

func response(code int, body string) simulator.Fault {
	return fixture.Always(simulator.Fault{Kind: simulator.FaultBody, Status: code, Body: body})
}

// carrierCalls counts the calls to the carrier since then, without those that prove or renew the
// login.
func carrierCalls(w *world.World, since int) (posts, gets int) {
	for _, call := range w.Carrier.Calls()[since:] {
		switch {
		case fixture.IsLogin(call):
		case call.Method == http.MethodPost:
			posts++
		default:
			gets++
		}
	}
	return posts, gets
}

// unreadable is a way in which the reads of a service fail.
type unreadable map[string]simulator.Fault

func (u unreadable) arm(w *world.World) {
	GinkgoHelper()
	for target, fault := range u {
		Expect(w.Carrier.FailNext(target, fault)).To(Succeed())
	}
}

var _ = DescribeTable("A service that cannot be read takes at most 50 calls a day, and is read again once it changes",
	func(ctx SpecContext, how unreadable) {
		for _, first := range []string{"new", "known"} {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			Expect(w.Create(ctx, w.Service(site, line, fixture.WithoutEnd, withIntervals("", "", "")))).To(Succeed())
			if first == "known" {
				fixture.Elapse(ctx, w, process, time.Hour)
			}
			how.arm(w)
			for day := 1; day <= 2; day++ {
				since := len(w.Carrier.Calls())
				fixture.Elapse(ctx, w, process, 24*time.Hour)
				posts, gets := carrierCalls(w, since)
				AddReportEntry(fmt.Sprintf("a %s service, day %d: %d POST, %d GET", first, day, posts, gets))
				Expect(posts+gets).To(BeNumerically("<=", mostCalls), "day %d of a %s service", day, first)
			}
			w.Carrier.Disarm()
			w.Edit(ctx, site, func(service *v1alpha1.BroadbandService) {
				service.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "now"}
			})
			fixture.Elapse(ctx, w, process, 15*time.Minute)
			fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		}
	},
	Entry("health: the POST is answered with 404", unreadable{"POST Health": status(404)}),
	Entry("health: the POST is answered with 422", unreadable{"POST Health": status(422)}),
	Entry("health: the POST is answered with 500", unreadable{"POST Health": status(500)}),
	Entry("health: the POST is answered with a page", unreadable{"POST Health": fixture.Page(403)}),
	Entry("health: the poll is answered with 404", unreadable{"GET Health": status(404)}),
	Entry("health: the poll is answered with 422", unreadable{"GET Health": status(422)}),
	Entry("health: the poll is answered with 500", unreadable{"GET Health": status(500)}),
	Entry("health: the poll is answered with a page", unreadable{"GET Health": fixture.Page(200)}),
	Entry("health: the poll is answered with 202 for ever", unreadable{"GET Health": response(202, "{}")}),
	Entry("health: the result has no plan", unreadable{"GET Health": response(200, `{"status":"COMPLETED"}`)}),
	Entry("the cancellation is answered with 404", unreadable{"GET CancellationRead": status(404)}),
	Entry("the cancellation is answered with 422", unreadable{"GET CancellationRead": status(422)}),
	Entry("the cancellation is answered with 500", unreadable{"GET CancellationRead": status(500)}),
	Entry("the cancellation is answered with a page", unreadable{"GET CancellationRead": fixture.Page(200)}),
	Entry("the cancellation is answered with 202 for ever", unreadable{"GET CancellationRead": response(202, "{}")}),
	Entry("everything is answered with 404",
		unreadable{"POST Health": status(404), "GET CancellationRead": status(404)}),
	Entry("everything is answered with 500",
		unreadable{"POST Health": status(500), "GET CancellationRead": status(500)}),
)

// flappingFleet is services of an account whose health cannot be read, with the times of their passes.
type flappingFleet struct {
	*world.World

	process *world.Process
	due     map[string]time.Time
	shown   metav1.ConditionStatus // of the account's condition Carrier
}

// pass runs the pass that is due first, and then the one of the account. If its carrier answers again,
// all services are due.
func (f *flappingFleet) pass(ctx SpecContext) {
	GinkgoHelper()
	first := ""
	for name, at := range f.due {
		if first == "" || at.Before(f.due[first]) {
			first = name
		}
	}
	f.Clock.Advance(max(f.due[first].Sub(f.Clock.Now()), 0))
	result, err := f.process.Reconcile(ctx, first)
	Expect(err).NotTo(HaveOccurred())
	f.due[first] = f.Clock.Now().Add(cmp.Or(result.RequeueAfter, 1000*time.Hour))
	_, err = f.process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	if now := fixture.CarrierCondition(ctx, f.World).Status; now != f.shown {
		f.shown = now
		for name := range f.due {
			if now == metav1.ConditionTrue {
				f.due[name] = f.Clock.Now()
			}
		}
	}
}

var _ = DescribeTable("A carrier that answers all but the health of services gets at most 50 calls a day for each",
	func(ctx SpecContext, services int) {
		w, process := fixture.Begin(ctx)
		f := &flappingFleet{World: w, process: process, due: map[string]time.Time{}}
		for i := range services {
			name := fmt.Sprint("site-", i)
			Expect(w.Create(ctx, w.Service(name, w.Line(), fixture.WithoutEnd, withIntervals("", "", "")))).To(Succeed())
			f.due[name] = w.Clock.Now()
		}
		unreadable{"GET Health": status(503)}.arm(w)
		since, end := len(w.Carrier.Calls()), w.Clock.Now().Add(24*time.Hour)
		for w.Clock.Now().Before(end) {
			f.pass(ctx)
		}
		posts, gets := carrierCalls(w, since)
		AddReportEntry(fmt.Sprintf("%d services: %d POST, %d GET", services, posts, gets))
		Expect(posts + gets).To(BeNumerically("<=", mostCalls*services))
	},
	Entry("one service", 1),
	Entry("ten services", 10),
)

var _ = It("An account whose conditions a clock that is ahead has written causes no more calls", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	Expect(w.Create(ctx, w.Service(site, w.Line(), fixture.WithoutEnd, withIntervals("", "", "")))).To(Succeed())
	account := w.ReadAccount(ctx)
	for i := range account.Status.Conditions {
		account.Status.Conditions[i].LastTransitionTime = metav1.NewTime(w.Clock.Now().Add(30 * 24 * time.Hour))
	}
	Expect(w.Status().Update(ctx, account)).To(Succeed())
	unreadable{"GET Health": response(200, `{"status":"COMPLETED"}`)}.arm(w)
	since := len(w.Carrier.Calls())
	fixture.Elapse(ctx, w, process, 24*time.Hour)
	posts, gets := carrierCalls(w, since)
	Expect(posts + gets).To(BeNumerically("<=", mostCalls))
})

var _ = It("A page at a Location, and then a day of 503, leaves no request to a person", func(ctx SpecContext) {
	w, process := fixture.Begin(ctx)
	Expect(w.Create(ctx, w.Service(site, w.Line(), fixture.Aggregated("ETHERNET")))).To(Succeed())
	fixture.DriveUntilAccepted(ctx, w, process)
	once := fixture.Page(200)
	once.Times = 1
	Expect(w.Carrier.FailNext("GET AggregationConversion", once)).To(Succeed())
	Expect(w.Carrier.FailNext("GET AggregationConversion", status(503))).To(Succeed())
	fixture.Elapse(ctx, w, process, 25*time.Hour)
	w.Carrier.Disarm()
	fixture.Elapse(ctx, w, process, time.Hour)
	fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
})
