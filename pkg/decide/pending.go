// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// pendingOf returns the plan of changes, as in Terraform; nil if there are none. The changes of an
// open request stay in it as they were sent, even if the spec has changed since.
func pendingOf(in *ServiceInput) *v1alpha1.Pending {
	if in.Service.ServiceNumber() == "" {
		return nil
	}
	running, wanted := changesUnderWay(in), wantedNext(in)
	changes := slices.Concat(running, differences(wanted))
	if len(changes) == 0 {
		return nil
	}
	return &v1alpha1.Pending{Hash: pendingHash(in, running, wanted), Changes: changes}
}

// wantedNext returns the changes that would be sent, in addition to those in progress.
func wantedNext(in *ServiceInput) []desiredChange {
	if onlyObserves(in) || showsNothing(in) {
		return nil
	}
	return slices.DeleteFunc(append(desiredChanges(in), desiredCancellation(in)), func(want desiredChange) bool {
		open := in.Subject.RequestOf(want.operation)
		return !want.wanted() || open != nil && !open.Phase.Ended()
	})
}

// changesUnderWay returns the recorded changes of the open requests.
func changesUnderWay(in *ServiceInput) []v1alpha1.Change {
	open := in.Subject.OpenRequests()
	changes := make([]v1alpha1.Change, 0, len(open))
	for _, open := range open {
		changes = append(changes, open.Changes()...)
	}
	return changes
}

// pendingHash covers the object, its generation and last attempts, the bodies, the carrier's values
// and the fees: "never the same twice", so that an old approval never matches. An approved plan
// keeps its hash until it is carried out: one approval covers all of its changes.
func pendingHash(in *ServiceInput, running []v1alpha1.Change, wanted []desiredChange) string {
	if held := approvedPlan(in); held != nil && carriedOut(in, held, append(running, differences(wanted)...)) {
		return held.Hash
	}
	if given := control(in.Subject, v1alpha1.AnnotationApprove); given != "" && isFreeAsApproved(in, wanted) &&
		given == hashOf(in, running, withoutPrices(wanted)) {
		return given
	}
	return hashOf(in, running, wanted)
}

// withoutPrices returns the same changes without their prices.
func withoutPrices(wanted []desiredChange) []desiredChange {
	bare := slices.Clone(wanted)
	for i := range bare {
		bare[i].changes = unpriced(bare[i].changes)
	}
	return bare
}

// hashOf returns the hash of the changes as they are shown.
func hashOf(in *ServiceInput, running []v1alpha1.Change, wanted []desiredChange) string {
	const each = 3
	facts := append(make([]any, 0, each*(1+len(wanted))), in.Subject.GetUID(), in.Subject.GetGeneration(), running)
	for _, want := range wanted {
		// "Attempts that never reached the carrier ... change neither an approved hash nor an approval" (R11).
		last := ""
		if request := reachedOf(&in.Input, want.operation); request != nil {
			last = request.AttemptID
		}
		facts = append(facts, last, want.bodyHash(), want.changes)
	}
	text, err := json.Marshal(facts)
	if err != nil {
		panic("decide: strings and structs of strings always marshal: " + err.Error())
	}
	return approvalHash(text)
}

// approvalHash identifies what a person approves: "Hashes that people approve have at least 128
// bits" (R8). The author of the object controls part of the hashed data, and could find two plans
// with the same shorter hash.
func approvalHash(facts []byte) string {
	const bits = 128
	sum := sha256.Sum256(facts)
	return "p" + hex.EncodeToString(sum[:bits/8])
}

// approvedPlan returns the plan that was approved last, from the attempts at it; nil if none.
func approvedPlan(in *ServiceInput) *v1alpha1.Pending {
	var newest *v1alpha1.Request
	for i := range in.Service.Status.Requests {
		request := &in.Service.Status.Requests[i]
		if request.ApprovedHash != "" && (newest == nil || newest.SubmittedAt.Before(&request.SubmittedAt)) {
			newest = request
		}
	}
	if newest == nil {
		return nil
	}
	return &v1alpha1.Pending{Hash: newest.ApprovedHash, Changes: newest.Plan}
}

// carriedOut reports whether a recorded plan is approved and in progress without a failure, and its
// remaining changes are exactly the ones wanted now. A completed change does not remain: the same
// change again needs a new plan.
func carriedOut(in *ServiceInput, held *v1alpha1.Pending, left []v1alpha1.Change) bool {
	going, done := false, make(map[v1alpha1.Operation]bool)
	for _, request := range in.Service.Status.Requests {
		if request.ApprovedHash != held.Hash {
			continue
		}
		ended := Definitive(request.Phase) || request.Phase == v1alpha1.PhaseNotAccepted
		if ended || request.Generation != in.Service.Generation {
			return false // R11: an attempt that a person ended makes a new hash
		}
		going, done[request.Operation] = true, request.Phase == v1alpha1.PhaseSucceeded
	}
	for _, change := range left {
		same := func(h v1alpha1.Change) bool { return sameChange(h, change) }
		going = going && !done[change.Operation] && slices.ContainsFunc(held.Changes, same)
	}
	return going
}

// sameChange reports whether two changes are the same at the same price.
func sameChange(a, b v1alpha1.Change) bool { return equality.Semantic.DeepEqual(a, b) }
