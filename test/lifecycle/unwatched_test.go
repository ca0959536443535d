// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// unwatched are objects that are deleted and created again while their manager cannot see it.
type unwatched struct {
	*world.World

	link *world.Link
	line int64
}

// startUnwatched applies the objects with a running manager.
func startUnwatched(ctx SpecContext) *unwatched {
	GinkgoHelper()
	m := &unwatched{World: world.NewInRealTime(ctx, plane, realTime, withoutDelays), link: &world.Link{}}
	m.Manage(ctx, user, m.link.Wrap)
	m.line = m.Line(func(line *simulator.Service) { line.Plan = world.PlanFast })
	Expect(m.Create(ctx, m.Secret())).To(Succeed())
	m.apply(ctx)
	return m
}

// asDeclared returns the objects. They need no request, and so no finalizer.
func (m *unwatched) asDeclared() []client.Object {
	return []client.Object{m.Account(world.PollEverySecond), m.Service(site, m.line), m.Query("query", m.line)}
}

func (m *unwatched) apply(ctx SpecContext) {
	GinkgoHelper()
	for _, manifest := range m.asDeclared() {
		Expect(m.Create(ctx, manifest)).To(Succeed())
	}
}

// await waits until each object was reconciled and is as declared.
func (m *unwatched) await(ctx SpecContext) {
	GinkgoHelper()
	reasons := []string{v1alpha1.ReasonTokenIssued, v1alpha1.ReasonInSync, v1alpha1.ReasonCompleted}
	for i, manifest := range m.asDeclared() {
		awaitReason(ctx, m.World, reasons[i], manifest)
	}
}
