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

// pendingOf is the plan of changes, in Terraform's sense; nil for none. What a request
// that runs is to bring about stays in it as it was sent, even when the spec has moved on.
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

// wantedNext are the changes that would be sent, beside those that are under way.
func wantedNext(in *ServiceInput) []desiredChange {
	if onlyObserves(in) || showsNothing(in) {
		return nil
	}
	return slices.DeleteFunc(append(desiredChanges(in), desiredCancellation(in)), func(want desiredChange) bool {
		open := in.Subject.RequestOf(want.operation)
		return !want.wanted() || open != nil && !open.Phase.Ended()
	})
}

// changesUnderWay are the changes on record that open requests carry.
func changesUnderWay(in *ServiceInput) []v1alpha1.Change {
	open := in.Subject.OpenRequests()
	changes := make([]v1alpha1.Change, 0, len(open))
	for _, open := range open {
		changes = append(changes, open.Changes()...)
	}
	return changes
}

// pendingHash binds the object, its generation and last attempts, the bodies, the carrier's values and
// the fees: "never the same twice", so that an old approval never fits. An approved plan
// keeps its hash until it is carried out: one approval is for all of its changes.
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

// withoutPrices are the same before what they cost was read.
func withoutPrices(wanted []desiredChange) []desiredChange {
	bare := slices.Clone(wanted)
	for i := range bare {
		bare[i].changes = unpriced(bare[i].changes)
	}
	return bare
}

// hashOf is the hash of the changes as they are shown.
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

// approvalHash names what a person approves: "Hashes that people approve have at least 128 bits" (R8).
// Who writes the object owns some of what is hashed, and could find two plans with one shorter hash.
func approvalHash(facts []byte) string {
	const bits = 128
	sum := sha256.Sum256(facts)
	return "p" + hex.EncodeToString(sum[:bits/8])
}

// approvedPlan is the plan that was approved last, as the attempts at it have it; nil for none.
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

// carriedOut says whether a plan on record is approved and being carried out, without a
// failure, and whether what is left of it is all that is wanted. What is done is not left:
// the same change once more is another plan.
func carriedOut(in *ServiceInput, held *v1alpha1.Pending, left []v1alpha1.Change) bool {
	going, done := false, make(map[v1alpha1.Operation]bool)
	for _, request := range in.Service.Status.Requests {
		if request.ApprovedHash != held.Hash {
			continue
		}
		ended := Definitive(request.Phase) || request.Phase == v1alpha1.PhaseNotAccepted
		if ended || request.Generation != in.Service.Generation {
			return false // R11: one that a person ended makes a new hash
		}
		going, done[request.Operation] = true, request.Phase == v1alpha1.PhaseSucceeded
	}
	for _, change := range left {
		same := func(h v1alpha1.Change) bool { return sameChange(h, change) }
		going = going && !done[change.Operation] && slices.ContainsFunc(held.Changes, same)
	}
	return going
}

// sameChange says whether two changes are the same at the same price.
func sameChange(a, b v1alpha1.Change) bool { return equality.Semantic.DeepEqual(a, b) }
