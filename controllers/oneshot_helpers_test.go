// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// once is the one-shot of a test.
const once = "once"

// oneShot is a kind of one-shot, with what the tests common to all kinds need.
type oneShot struct {
	kind      string
	operation simulator.Operation
	build     func(w *world.World, line int64) pass.Subject
	empty     func() pass.Subject
}

func (s oneShot) shot() world.OneShot { return world.OneShot{Kind: s.kind, Name: once} }

// read reads the object; nil when there is none.
func (s oneShot) read(ctx context.Context, w *world.World) pass.Subject {
	GinkgoHelper()
	object, found := world.Fetch(ctx, w, once, s.empty())
	if !found {
		return nil
	}
	return object
}

func (s oneShot) request(ctx context.Context, w *world.World) *v1alpha1.Request {
	GinkgoHelper()
	return s.read(ctx, w).Record().RequestOf(v1alpha1.Operation(s.operation))
}

// posts counts the POSTs that the carrier has received in a world.
func (s oneShot) posts(w *world.World) int { return w.Carrier.Submissions(s.operation, 0).Seen }

// drive reconciles the object as far as possible, and expects its final state.
func (s oneShot) drive(
	ctx context.Context, w *world.World, process *world.Process, status metav1.ConditionStatus, reason string,
) pass.Subject {
	GinkgoHelper()
	Expect(process.DriveOneShot(ctx, s.shot())).To(BeTrue())
	return s.expect(ctx, w, status, reason)
}

// expect expects the object's Ready condition to have a status and a reason.
func (s oneShot) expect(
	ctx context.Context, w *world.World, status metav1.ConditionStatus, reason string,
) pass.Subject {
	GinkgoHelper()
	object := s.read(ctx, w)
	Expect(object).NotTo(BeNil())
	ready := readyOf(object)
	Expect(string(ready.Status)+"/"+ready.Reason).To(Equal(string(status)+"/"+reason), ready.Message)
	return object
}

// until reconciles until Ready has a reason.
func (s oneShot) until(ctx context.Context, w *world.World, process *world.Process, reason string) pass.Subject {
	GinkgoHelper()
	seen := ""
	for range 100 {
		result, err := process.ReconcileOneShot(ctx, s.shot())
		Expect(err).NotTo(HaveOccurred())
		object := s.read(ctx, w)
		if seen = readyOf(object).Reason; seen == reason {
			return object
		}
		w.Clock.Advance(result.RequeueAfter)
	}
	Fail("the object is " + seen + ", and never " + reason)
	return nil
}

// annotate sets an annotation as a user would.
func (s oneShot) annotate(ctx context.Context, w *world.World, key, value string) {
	GinkgoHelper()
	object := s.read(ctx, w)
	before, isObject := object.DeepCopyObject().(client.Object)
	Expect(isObject).To(BeTrue())
	annotations := maps.Clone(object.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
	Expect(w.Patch(ctx, object, client.MergeFrom(before))).To(Succeed())
}

func readyOf(object pass.Subject) metav1.Condition {
	conditions, _ := object.Describes()
	return world.Condition(*conditions, v1alpha1.ConditionReady)
}

func tests() oneShot {
	return oneShot{
		kind: "DiagnosticTest", operation: simulator.OpDiagnosticTest,
		build: func(w *world.World, line int64) pass.Subject { return w.Test(once, line) },
		empty: func() pass.Subject { return &v1alpha1.DiagnosticTest{} },
	}
}

func quotes() oneShot {
	return oneShot{
		kind: "FibreBuildQuote", operation: simulator.OpFibreBuildCharge,
		build: func(w *world.World, _ int64) pass.Subject { return w.Quote(once, world.QualifiedSite) },
		empty: func() pass.Subject { return &v1alpha1.FibreBuildQuote{} },
	}
}

func queries() oneShot {
	return oneShot{
		kind: "PlanOptionsQuery", operation: simulator.OpPlanOptions,
		build: func(w *world.World, line int64) pass.Subject { return w.Query(once, line) },
		empty: func() pass.Subject { return &v1alpha1.PlanOptionsQuery{} },
	}
}

func checks() oneShot {
	return oneShot{
		kind: "HealthCheck", operation: simulator.OpHealth,
		build: func(w *world.World, line int64) pass.Subject { return w.Check(once, line) },
		empty: func() pass.Subject { return &v1alpha1.HealthCheck{} },
	}
}

// countEffects counts a process's effects that begin with a prefix.
func countEffects(process *world.Process, prefix string) int {
	count := 0
	for _, effect := range process.Seam.Effects() {
		if strings.HasPrefix(effect.What, prefix) {
			count++
		}
	}
	return count
}

// firstEffect is the index of a process's first effect that begins with a prefix.
func firstEffect(process *world.Process, prefix string) int {
	GinkgoHelper()
	place := slices.IndexFunc(process.Seam.Effects(), func(effect world.Effect) bool {
		return strings.HasPrefix(effect.What, prefix)
	})
	Expect(place).NotTo(Equal(-1), prefix)
	return place
}
