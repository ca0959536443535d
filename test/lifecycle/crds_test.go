// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The CRDs are removed once and installed once again, under three managers, each with a namespace
// and a carrier of its own: one runs all the time, one ends and is followed by another, and one is
// cut off from the API server.
var _ = Describe("CRDs that are removed and installed again", Ordered, ContinueOnFailure, func() {
	var (
		throughout, afterwards *stages
		missed                 *unwatched
	)

	BeforeAll(func(ctx SpecContext) {
		releaseAll(ctx)
		through := world.NewInRealTime(ctx, plane, realTime, holdChanges)
		after := world.NewInRealTime(ctx, plane, realTime, holdChanges)
		through.Manage(ctx, user)
		first := after.Manage(ctx, user)
		missed = startUnwatched(ctx)
		both := reachStages(ctx, through, after)
		throughout, afterwards = both[0], both[1]
		missed.await(ctx)

		missed.link.Hold()
		installed := false
		DeferCleanup(func(ctx SpecContext) { // for the tests of other packages
			if !installed {
				releaseAll(ctx)
				plane.AwaitNoCRDs(ctx)
				plane.InstallCRDs()
			}
		})
		plane.DeleteCRDs()
		for _, s := range both {
			s.awaitDeletion(ctx, held)
			s.respond()
		}
		plane.AwaitNoCRDs(ctx, ledgersCRD)
		throughout.expectEvents(ctx)
		afterwards.expectEvents(ctx)
		first.End()
		memory := backup(ctx)
		removeFinalizers(ctx, &v1alpha1.RequestLedgerList{})
		plane.AwaitNoCRDs(ctx)
		plane.InstallCRDs()
		restore(ctx, memory)
		installed = true
		missed.apply(ctx)
		missed.link.Restore()
		after.Manage(ctx, user)
		throughout.apply(ctx)
		afterwards.apply(ctx)
	})

	It("have every order and the change in progress adopted, and none sent twice, by the manager that ran meanwhile",
		func(ctx SpecContext) {
			throughout.expectAdopted(ctx)
			throughout.expectSentOnce()
		})

	It("have every order and the change in progress adopted, and none sent twice, by a manager that starts afterwards",
		func(ctx SpecContext) {
			afterwards.expectAdopted(ctx)
			afterwards.expectSentOnce()
		})

	// To the manager this does not look like one object deleted and another created, but like a change
	// of one object: its UID differs, but nothing that a user writes does.
	It("have new objects of the same names reconciled although the manager was disconnected", func(ctx SpecContext) {
		missed.await(ctx)
	})
})

// ledgersCRD is the last CRD to be removed, because its objects have a finalizer: deleting them, or
// the CRD, waits.
const ledgersCRD = "requestledgers.wholesale.broadband"

// backup returns the ledgers, as `kubectl get ledgers -o yaml` does.
func backup(ctx SpecContext) []v1alpha1.RequestLedger {
	GinkgoHelper()
	var ledgers v1alpha1.RequestLedgerList
	Expect(plane.Client.List(ctx, &ledgers)).To(Succeed())
	return ledgers.Items
}

// restore creates the ledgers of a backup, as `kubectl create` does.
func restore(ctx SpecContext, ledgers []v1alpha1.RequestLedger) {
	GinkgoHelper()
	for i := range ledgers {
		ledger := &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Name: ledgers[i].Name, Finalizers: []string{v1alpha1.FinalizerMemory}},
			Spec:       ledgers[i].Spec,
		}
		Expect(plane.Client.Create(ctx, ledger)).To(Succeed())
	}
}

// releaseAll removes the finalizers of objects that other tests have left and whose managers have
// ended, because a CRD is not gone before its objects are.
func releaseAll(ctx SpecContext) {
	GinkgoHelper()
	for _, list := range []client.ObjectList{
		&v1alpha1.CarrierAccountList{}, &v1alpha1.BroadbandServiceList{}, &v1alpha1.ServiceOrderList{},
		&v1alpha1.AppointmentRequestList{}, &v1alpha1.DiagnosticTestList{}, &v1alpha1.FibreBuildQuoteList{},
		&v1alpha1.PlanOptionsQueryList{}, &v1alpha1.HealthCheckList{}, &v1alpha1.RequestLedgerList{},
	} {
		removeFinalizers(ctx, list)
	}
}

// removeFinalizers removes the finalizers of all objects of a kind, if the API server has the kind.
func removeFinalizers(ctx SpecContext, list client.ObjectList) {
	GinkgoHelper()
	nothing := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := plane.Client.List(ctx, list); meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return
	}
	Expect(meta.EachListItem(list, func(item runtime.Object) error {
		object, is := item.(client.Object)
		if !is || len(object.GetFinalizers()) == 0 {
			return nil
		}
		return client.IgnoreNotFound(plane.Client.Patch(ctx, object, nothing))
	})).To(Succeed())
}

// expectEvents expects that Events report at least once what continues at the carrier. Whether the
// appointment-request is cancelled depends on whether its account exists longer than it does. If it
// is not cancelled, an Event reports that too.
func (s *stages) expectEvents(ctx SpecContext) {
	GinkgoHelper()
	wanted := map[string]sets.Set[string]{
		"OrderContinues": sets.New(accepted, lostResponse, held), "RequestContinues": sets.New(site),
	}
	if len(s.Uncancelled()) > 0 {
		wanted["AppointmentNotCancelled"] = sets.New(technician)
	}
	eventually(ctx, func(g Gomega) {
		var events eventsv1.EventList
		g.Expect(s.List(ctx, &events, client.InNamespace(s.Namespace))).To(Succeed())
		reported := map[string]sets.Set[string]{}
		for _, event := range events.Items {
			if event.Type == corev1.EventTypeWarning && event.Action == "Delete" {
				names := reported[event.Reason]
				reported[event.Reason] = sets.New(event.Regarding.Name).Union(names)
			}
		}
		g.Expect(reported).To(Equal(wanted))
	})
}
