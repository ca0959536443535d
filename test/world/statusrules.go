// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/kstatus"
)

// maxStatus is the limit of a status in bytes of JSON, which is far below etcd's limit for an
// object.
const maxStatus = 32 << 10

// expectValid expects that an object, if it still exists after a pass, satisfies the rules.
func (w *World) expectValid(ctx context.Context, kind, name string) {
	ginkgo.GinkgoHelper()
	object := &unstructured.Unstructured{} // as any client sees it, not as our types
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	err := w.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: name}, object)
	gomega.Expect(client.IgnoreNotFound(err)).To(gomega.Succeed())
	if err != nil {
		return
	}
	observed := read(object)
	gomega.Expect(observed.violations(w.Canaries())).To(gomega.BeEmpty(), func() string {
		return fmt.Sprintf("%s %s after a pass: %s", kind, name, observed.raw)
	})
	agreed.add(observed)
	w.collect(object, observed.status.Conditions)
}

// Violations returns the rules that an object violates. They apply to every status, whatever the
// test and however the pass ended. No secret may appear anywhere in the object.
func Violations(object *unstructured.Unstructured, secrets []string) []string {
	return read(object).violations(secrets)
}

// rule is a statement about an object, and whether it is true.
type rule struct {
	holds bool
	text  string
}

// observedStatus is the status of an object. An account has no requests.
type observedStatus struct {
	object *unstructured.Unstructured
	raw    string // the status as sent over the wire
	status struct {
		ObservedGeneration int64              `json:"observedGeneration"`
		Conditions         []metav1.Condition `json:"conditions"`
		InFlight           *v1alpha1.InFlight `json:"inFlight"`
		Requests           []v1alpha1.Request `json:"requests"`
		Request            *v1alpha1.Request  `json:"request"` // of a kind that has one at a time
	}
}

func read(object *unstructured.Unstructured) *observedStatus {
	observed := &observedStatus{object: object}
	raw, err := json.Marshal(object.Object["status"])
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(json.Unmarshal(raw, &observed.status)).To(gomega.Succeed())
	if observed.status.Request != nil {
		observed.status.Requests = append(observed.status.Requests, *observed.status.Request)
	}
	observed.raw = string(raw)
	return observed
}

func (s *observedStatus) violations(secrets []string) []string {
	var violations []string
	for _, rule := range slices.Concat(s.summary(), s.each(), s.inProgress(), s.text(secrets), s.kstatus()) {
		if !rule.holds {
			violations = append(violations, rule.text)
		}
	}
	return violations
}

func (s *observedStatus) condition(conditionType string) metav1.Condition {
	return Condition(s.status.Conditions, conditionType)
}

func (s *observedStatus) has(conditionType string) bool {
	return s.condition(conditionType).Type != ""
}

func (s *observedStatus) is(conditionType string) bool {
	return s.condition(conditionType).Status == metav1.ConditionTrue
}

// summary checks that Ready, Reconciling and Stalled are consistent.
func (s *observedStatus) summary() []rule {
	observed, described := s.status.ObservedGeneration, s.has(v1alpha1.ConditionReady)
	ready, reconciling := s.is(v1alpha1.ConditionReady), s.is(v1alpha1.ConditionReconciling)
	stalled := s.is(v1alpha1.ConditionStalled)
	return []rule{
		{observed <= s.object.GetGeneration(), "observedGeneration is never ahead of generation"},
		{described == (observed > 0), "Ready exists once a generation is observed, and not before"},
		{!ready || !reconciling, "Ready excludes Reconciling"},
		{!ready || !stalled, "Ready excludes Stalled"},
		{!reconciling || !stalled, "Reconciling and Stalled exclude each other"},
		{reconciling || !s.has(v1alpha1.ConditionReconciling), "Reconciling exists only while it is True"},
		{stalled || !s.has(v1alpha1.ConditionStalled), "Stalled exists only while it is True"},
	}
}

// each checks the rules for every condition. All are written together, so all must be of the
// generation that the status has observed.
func (s *observedStatus) each() []rule {
	rules := make([]rule, 0, 4*len(s.status.Conditions))
	for _, condition := range s.status.Conditions {
		about := condition.Type
		rules = append(
			rules,
			rule{condition.Reason != "", about + " has a reason"},
			rule{condition.Message != "", about + " has a message"},
			rule{!condition.LastTransitionTime.IsZero(), about + " has a lastTransitionTime"},
			rule{condition.ObservedGeneration == s.status.ObservedGeneration, about + " is of the status' generation"},
		)
	}
	return rules
}

// inProgress checks that there is at most one modification at a time, and that the columns show the
// modification in progress.
func (s *observedStatus) inProgress() []rule {
	var open, modifying []v1alpha1.Operation
	for _, request := range s.status.Requests {
		if request.Phase.Ended() {
			continue
		}
		open = append(open, request.Operation)
		if modifies(request.Operation) {
			modifying = append(modifying, request.Operation)
		}
	}
	inFlight := s.status.InFlight
	return []rule{
		{len(modifying) <= 1, "at most one request that modifies the service has not ended"},
		{inFlight == nil || slices.Contains(open, inFlight.Operation), "inFlight names a request that has not ended"},
	}
}

func modifies(operation v1alpha1.Operation) bool {
	return slices.Contains([]v1alpha1.Operation{
		v1alpha1.OperationPlanChange, v1alpha1.OperationAggregationConversion,
		v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.OperationReclaim,
	}, operation)
}

// text checks that a status is bounded and contains no secret.
func (s *observedStatus) text(secrets []string) []rule {
	leaks := slices.ContainsFunc(secrets, func(secret string) bool { return strings.Contains(s.raw, secret) })
	return []rule{
		{len(s.raw) <= maxStatus, fmt.Sprintf("a status has at most %d bytes", maxStatus)},
		{!leaks, "no key, token or assertion is in a status"},
	}
}

// kstatus checks that tools that wait for the object, such as Flux, read the intended status.
func (s *observedStatus) kstatus() []rule {
	computed, err := kstatus.Compute(s.object)
	if err != nil {
		return []rule{{false, "kstatus can read the object: " + err.Error()}}
	}
	meant, why := s.expected()
	return []rule{{
		computed == meant,
		fmt.Sprintf("kstatus reports %s for an object that is %s, not %s", meant, why, computed),
	}}
}

// expected returns the status that kstatus must compute, and why. It checks in the same order as
// kstatus, which ignores conditions of an older generation.
func (s *observedStatus) expected() (word kstatus.Status, why string) {
	observed := s.status.ObservedGeneration
	switch {
	case s.object.GetDeletionTimestamp() != nil:
		return kstatus.Terminating, "deleted"
	case observed < s.object.GetGeneration():
		return kstatus.InProgress, "edited since"
	case s.is(v1alpha1.ConditionStalled):
		return kstatus.Failed, "stalled"
	case s.is(v1alpha1.ConditionReconciling):
		return kstatus.InProgress, "reconciling"
	case s.is(v1alpha1.ConditionReady):
		return kstatus.Current, "ready"
	}
	// Ready=False without Reconciling or Stalled. kstatus has no status for an object that waits, and
	// treats any Ready that is not True as in progress. That is right: the declared state is not
	// reached, and nothing has failed.
	return kstatus.InProgress, "waiting for a person"
}

// agreed are the states in which kstatus and the operator agreed, in all worlds.
var agreed agreement

type agreement struct {
	mu     sync.Mutex
	passes int
	states map[state]struct{}
}

// state is a status of kstatus, its cause, and the reason of Ready.
type state struct {
	word   kstatus.Status
	why    string
	reason string
}

func (a *agreement) add(observed *observedStatus) {
	word, why := observed.expected()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.states == nil {
		a.states = map[state]struct{}{}
	}
	a.passes++
	a.states[state{word, why, observed.condition(v1alpha1.ConditionReady).Reason}] = struct{}{}
}

// Agreement lists the states in which all passes so far have left their objects, and the kstatus
// word of each.
func Agreement() string {
	agreed.mu.Lock()
	defer agreed.mu.Unlock()
	reasons, byStatus := map[string]struct{}{}, map[string][]string{}
	for held := range agreed.states {
		word := fmt.Sprintf("%-11s %-20s", held.word, held.why)
		reasons[held.reason], byStatus[word] = struct{}{}, append(byStatus[word], held.reason)
	}
	delete(reasons, "") // without a Ready condition
	var table strings.Builder
	fmt.Fprintf(&table, "kstatus: %d states of %d reasons agreed, after %d passes",
		len(agreed.states), len(reasons), agreed.passes)
	for _, word := range slices.Sorted(maps.Keys(byStatus)) {
		slices.Sort(byStatus[word])
		fmt.Fprintf(&table, "\n%s %s", word, strings.Join(byStatus[word], ", "))
	}
	return table.String()
}
