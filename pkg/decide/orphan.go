// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Departure is what has to happen before a deleted object may go.
type Departure struct {
	WaitUntil time.Time              // another process may still be writing the answer it got; zero: no wait
	Keep      []v1alpha1.Request     // the requests that a new object for the service must know of
	Values    *v1alpha1.CarrierState // the known values that no read gives
	Warning   string                 // what the user is told; "" when nothing is under way
}

// Leave judges a deleted object. It needs neither the carrier nor the account nor the
// Secret: "the object goes, within 120 s".
func Leave(service *v1alpha1.BroadbandService, memory Memory, now time.Time) Departure {
	departure := departing(service.OpenRequests(), memory, now, "a new BroadbandService for this service takes it up")
	departure.Keep, departure.Values = service.Status.Requests, unreadable(service.Status.Carrier)
	return departure
}

// departing is what has to happen before an object with requests under way may go.
func departing(underWay []*v1alpha1.Request, memory Memory, now time.Time, then string) Departure {
	var departure Departure
	words := make([]string, 0, len(underWay))
	for _, open := range underWay {
		if open.Phase == v1alpha1.PhaseSubmitting && open.Error == nil && open.Sender != memory.Sender {
			until := memory.Attempts[open.AttemptID].Seen.Add(senderGrace)
			departure.WaitUntil = later(departure.WaitUntil, until)
		}
		words = append(words, fmt.Sprintf("%s attempt %s is %s", open.Operation, open.AttemptID, open.Phase))
	}
	if !now.Before(departure.WaitUntil) {
		departure.WaitUntil = time.Time{}
	}
	if len(words) > 0 {
		departure.Warning = fmt.Sprintf("deleted while %s: it goes on at the carrier, and %s",
			strings.Join(words, ", "), then)
	}
	return departure
}

// unreadable are the values that no read of the documented API gives.
func unreadable(state *v1alpha1.CarrierState) *v1alpha1.CarrierState {
	if state == nil {
		return nil
	}
	return &v1alpha1.CarrierState{
		Plan: state.Plan, Term: state.Term, RestorationSLA: state.RestorationSLA,
		AggregationMethod: state.AggregationMethod, DSLStabilityProfile: state.DSLStabilityProfile,
	}
}

// Adopt puts what another object of the same service knew into a new one. What has ended
// there does not hold the new object back: its generations are its own. What has not is
// its own from now on.
func Adopt(service *v1alpha1.BroadbandService, requests []v1alpha1.Request, values *v1alpha1.CarrierState) {
	for _, request := range requests {
		if own := service.RequestOf(request.Operation); own != nil && !newer(request, *own) {
			continue
		}
		request.Generation = service.Generation
		if request.Phase.Ended() {
			request.Generation = 0
		}
		service.PutRequest(request)
	}
	service.ShowInFlight()
	if values != nil {
		adoptValues(carrierState(service), values)
	}
}

// adoptValues takes each value that is known there since later than here, or is
// not known here.
func adoptValues(own, values *v1alpha1.CarrierState) {
	for _, aspect := range []struct{ own, other **v1alpha1.KnownValue }{
		{&own.Plan, &values.Plan},
		{&own.Term, &values.Term},
		{&own.RestorationSLA, &values.RestorationSLA},
		{&own.AggregationMethod, &values.AggregationMethod},
		{&own.DSLStabilityProfile, &values.DSLStabilityProfile},
	} {
		theirs := *aspect.other
		if theirs != nil && (*aspect.own == nil || (*aspect.own).Since.Before(&theirs.Since)) {
			*aspect.own = theirs
		}
	}
}

// Merge is what is known of a service by two objects that leave: the newer of each.
func Merge(
	requests, others []v1alpha1.Request, values, otherValues *v1alpha1.CarrierState,
) ([]v1alpha1.Request, *v1alpha1.CarrierState) {
	var merged v1alpha1.BroadbandService
	merged.Status.Requests = requests
	merged.Status.Carrier = values
	for _, other := range others {
		if own := merged.RequestOf(other.Operation); own == nil || newer(other, *own) {
			merged.PutRequest(other)
		}
	}
	if otherValues != nil {
		adoptValues(carrierState(&merged), otherValues)
	}
	return merged.Status.Requests, merged.Status.Carrier
}

// newer: of two requests of one operation the open one counts, else the later one. Of two
// copies of one attempt the one that has ended knows more.
func newer(a, b v1alpha1.Request) bool {
	if a.AttemptID == b.AttemptID {
		return a.Phase.Ended() && !b.Phase.Ended()
	}
	if a.Phase.Ended() != b.Phase.Ended() {
		return b.Phase.Ended()
	}
	return b.SubmittedAt.Before(&a.SubmittedAt)
}

// ElsewhereVerdict explains why a record of another carrier is not adopted: "one of
// another baseURL is never adopted".
func ElsewhereVerdict(recordURL, accountURL, object string) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonConflict, fmt.Sprintf(
		"the record that %s left speaks of the carrier at %s, and the account is at %s: "+
			"two carriers need two values of spec.identity in their CarrierAccounts",
		object, recordURL, accountURL)}
}
