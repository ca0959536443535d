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

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// maxStatus is the limit of a status in bytes of JSON: far below etcd's limit of an object.
const maxStatus = 32 << 10

// sound expects that an object, if it still exists after a pass, satisfies the rules.
func (w *World) sound(ctx context.Context, kind, name string) {
	ginkgo.GinkgoHelper()
	object := &unstructured.Unstructured{} // as any client sees it, not as our types
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	err := w.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: name}, object)
	gomega.Expect(client.IgnoreNotFound(err)).To(gomega.Succeed())
	if err != nil {
		return
	}
	said := read(object)
	gomega.Expect(said.broken(w.Canaries())).To(gomega.BeEmpty(), func() string {
		return fmt.Sprintf("%s %s after a pass: %s", kind, name, said.raw)
	})
	agreed.note(said)
	w.portray(object, said.status.Conditions)
}

// Unsound returns the rules that an object violates. They apply to every status, whatever the test
// and however the pass ended. Secrets must not appear anywhere in it.
func Unsound(object *unstructured.Unstructured, secrets []string) []string {
	return read(object).broken(secrets)
}

// rule is a statement about an object, and whether it is true.
type rule struct {
	holds bool
	says  string
}

// statement is the status of an object. An account has no requests.
type statement struct {
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

func read(object *unstructured.Unstructured) *statement {
	said := &statement{object: object}
	raw, err := json.Marshal(object.Object["status"])
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(json.Unmarshal(raw, &said.status)).To(gomega.Succeed())
	if said.status.Request != nil {
		said.status.Requests = append(said.status.Requests, *said.status.Request)
	}
	said.raw = string(raw)
	return said
}

func (s *statement) broken(secrets []string) []string {
	var broken []string
	for _, rule := range slices.Concat(s.summary(), s.each(), s.underWay(), s.text(secrets), s.kstatus()) {
		if !rule.holds {
			broken = append(broken, rule.says)
		}
	}
	return broken
}

func (s *statement) condition(conditionType string) metav1.Condition {
	return Condition(s.status.Conditions, conditionType)
}

func (s *statement) has(conditionType string) bool {
	return s.condition(conditionType).Type != ""
}

func (s *statement) is(conditionType string) bool {
	return s.condition(conditionType).Status == metav1.ConditionTrue
}

// summary checks that Ready, Reconciling and Stalled are consistent.
func (s *statement) summary() []rule {
	observed, described := s.status.ObservedGeneration, s.has(v1alpha1.ConditionReady)
	ready, reconciling := s.is(v1alpha1.ConditionReady), s.is(v1alpha1.ConditionReconciling)
	stalled := s.is(v1alpha1.ConditionStalled)
	return []rule{
		{observed <= s.object.GetGeneration(), "observedGeneration is never ahead of generation"},
		{described == (observed > 0), "Ready is there once a generation is observed, and not before"},
		{!ready || !reconciling, "Ready excludes Reconciling"},
		{!ready || !stalled, "Ready excludes Stalled"},
		{!reconciling || !stalled, "Reconciling and Stalled exclude each other"},
		{reconciling || !s.has(v1alpha1.ConditionReconciling), "Reconciling is there only while it is True"},
		{stalled || !s.has(v1alpha1.ConditionStalled), "Stalled is there only while it is True"},
	}
}

// each checks the rules for every condition. All are written together, so all must be of the
// generation that the status has observed.
func (s *statement) each() []rule {
	rules := make([]rule, 0, 4*len(s.status.Conditions))
	for _, condition := range s.status.Conditions {
		about := condition.Type
		rules = append(
			rules,
			rule{condition.Reason != "", about + " has a reason"},
			rule{condition.Message != "", about + " has a message"},
			rule{!condition.LastTransitionTime.IsZero(), about + " has a lastTransitionTime"},
			rule{condition.ObservedGeneration == s.status.ObservedGeneration, about + " speaks of the status' generation"},
		)
	}
	return rules
}

// underWay checks "one modification at a time", and that the columns show the one in progress.
func (s *statement) underWay() []rule {
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
func (s *statement) text(secrets []string) []rule {
	leaks := slices.ContainsFunc(secrets, func(secret string) bool { return strings.Contains(s.raw, secret) })
	return []rule{
		{len(s.raw) <= maxStatus, fmt.Sprintf("a status has at most %d bytes", maxStatus)},
		{!leaks, "no key, token or assertion stands in a status"},
	}
}

// kstatus checks that tools that wait for the object, such as Flux, read the intended status.
func (s *statement) kstatus() []rule {
	computed, err := status.Compute(s.object)
	if err != nil {
		return []rule{{false, "kstatus can read the object: " + err.Error()}}
	}
	meant, why := s.meant()
	return []rule{{
		computed.Status == meant,
		fmt.Sprintf("kstatus says %s of an object that is %s, not %s", meant, why, computed.Status),
	}}
}

// meant returns the word that kstatus must find, and why. The order is that of kstatus: it ignores
// conditions of an older generation.
func (s *statement) meant() (word status.Status, why string) {
	observed := s.status.ObservedGeneration
	switch {
	case s.object.GetDeletionTimestamp() != nil:
		return status.TerminatingStatus, "deleted"
	case observed < s.object.GetGeneration():
		return status.InProgressStatus, "edited since"
	case s.is(v1alpha1.ConditionStalled):
		return status.FailedStatus, "stalled"
	case s.is(v1alpha1.ConditionReconciling):
		return status.InProgressStatus, "reconciling"
	case s.is(v1alpha1.ConditionReady):
		return status.CurrentStatus, "ready"
	}
	// Ready=False and neither of the others. kstatus has no word for an object that waits, and treats
	// any Ready that is not True as in progress. That is right: the declared state is not reached, and
	// nothing has failed.
	return status.InProgressStatus, "waiting for a person"
}

// agreed are the states in which kstatus and the operator agreed, in all worlds.
var agreed agreement

type agreement struct {
	mu     sync.Mutex
	passes int
	states map[state]struct{}
}

// state is a word of kstatus, its cause, and the reason of Ready.
type state struct {
	word   status.Status
	why    string
	reason string
}

func (a *agreement) note(said *statement) {
	word, why := said.meant()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.states == nil {
		a.states = map[state]struct{}{}
	}
	a.passes++
	a.states[state{word, why, said.condition(v1alpha1.ConditionReady).Reason}] = struct{}{}
}

// Agreement lists the states in which all passes so far have left their objects, and the kstatus
// word of each.
func Agreement() string {
	agreed.mu.Lock()
	defer agreed.mu.Unlock()
	reasons, byWord := map[string]struct{}{}, map[string][]string{}
	for held := range agreed.states {
		word := fmt.Sprintf("%-11s %-20s", held.word, held.why)
		reasons[held.reason], byWord[word] = struct{}{}, append(byWord[word], held.reason)
	}
	delete(reasons, "") // without a Ready condition
	var table strings.Builder
	fmt.Fprintf(&table, "kstatus: %d states of %d reasons agreed, after %d passes",
		len(agreed.states), len(reasons), agreed.passes)
	for _, word := range slices.Sorted(maps.Keys(byWord)) {
		slices.Sort(byWord[word])
		fmt.Fprintf(&table, "\n%s %s", word, strings.Join(byWord[word], ", "))
	}
	return table.String()
}
