// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// JudgeLedger decides whether an order may use its ledger. It may if it is the holder, or if the
// holder does not exist any more (R2).
func JudgeLedger(in decide.LedgerInput, order *v1alpha1.ServiceOrder) decide.LedgerVerdict {
	ledger := in.Ledger
	switch {
	case in.Former != nil:
		return decide.LedgerVerdict{Verdict: decide.LoginConflict(&in)}
	case in.IsIncomplete() && !decide.HasOtherHolder(&in) && !decide.IsNewerSchema(&in) && mayHaveBeenSent(ledger, order):
		return decide.LedgerVerdict{Lost: lostOrder(&in)}
	case ledger == nil:
		return decide.LedgerVerdict{}
	case decide.WhyNotUsable(&in) != nil:
		return decide.LedgerVerdict{Verdict: decide.WhyNotUsable(&in)}
	case decide.IsHolder(&in) && !mayOrderAgain(ledger): // this object has already sent its order
		return decide.LedgerVerdict{}
	}
	return inherit(ledger, order)
}

// inherit decides about a ledger for an object that may continue it.
func inherit(ledger *v1alpha1.RequestLedger, order *v1alpha1.ServiceOrder) decide.LedgerVerdict {
	switch {
	case mayOrderAgain(ledger):
		return decide.LedgerVerdict{} // no order was accepted: the next intent takes the ledger over
	case differs(order, ledger):
		return decide.LedgerVerdict{Verdict: anotherOrder(ledger)}
	}
	return decide.LedgerVerdict{TakeOver: true}
}

// mayOrderAgain reports whether the order of a ledger may be sent: the carrier has not accepted
// its newest attempt (R3).
func mayOrderAgain(ledger *v1alpha1.RequestLedger) bool {
	newest := ledger.RequestOf(v1alpha1.OperationOrderCreate)
	return newest == nil || decide.MayOrderAgain(newest.Phase)
}

// mayHaveBeenSent reports whether another attempt may have followed the recorded ones. None can
// have followed a succeeded or abandoned attempt (R3), unless a person ended it, or the status
// has seen a newer ledger with another attempt: a newer resolution may have permitted one.
func mayHaveBeenSent(ledger *v1alpha1.RequestLedger, order *v1alpha1.ServiceOrder) bool {
	if ledger == nil || mayOrderAgain(ledger) || len(ledger.Spec.Open) > 0 {
		return true
	}
	shown := order.Status.Ledger
	if shown != nil && shown.Revision > ledger.Spec.Revision && !ledger.Knows(order.Status.Request) {
		return true
	}
	return decide.EndedByPerson(ledger.RequestOf(v1alpha1.OperationOrderCreate))
}

// differs reports whether the recorded order was a different one (R3). An abandoned
// customerReference stays used up, whatever is ordered now.
func differs(order *v1alpha1.ServiceOrder, ledger *v1alpha1.RequestLedger) bool {
	request := ledger.RequestOf(v1alpha1.OperationOrderCreate)
	if request.Phase == v1alpha1.PhaseAbandoned || request.BodyHash == "" {
		return false
	}
	remoteOrderID := cmp.Or(order.Spec.RemoteOrderID, request.Target.RemoteOrderID)
	return request.BodyHash != decide.BodyHash(Body(&order.Spec, remoteOrderID, v1alpha1.Contact{}))
}

func anotherOrder(ledger *v1alpha1.RequestLedger) *decide.Verdict {
	request, number := ledger.RequestOf(v1alpha1.OperationOrderCreate), ""
	if facts := ledger.Spec.Known.Order; facts != nil && facts.OrderID != "" {
		number = fmt.Sprintf(", order %s", facts.OrderID)
	}
	return &decide.Verdict{State: decide.Stuck, Reason: v1alpha1.ReasonOrderDiffers, Message: fmt.Sprintf(
		"customerReference %q was used for another order (attempt %s, %s%s): declare that order again, "+
			"or create another ServiceOrder with another customerReference",
		ledger.Spec.Order.CustomerReference, request.AttemptID, request.Phase, number)}
}

// lostOrder returns the attempt in progress from the ledger, or an attempt that stands for
// everything that was sent. A late acceptance is known, so a person resolves it separately.
func lostOrder(in *decide.LedgerInput) *v1alpha1.Request {
	lost := decide.LostAttempt(in, v1alpha1.OperationOrderCreate, "customerReference")
	if in.Ledger == nil {
		return &lost
	}
	underWay := func(open v1alpha1.Request) bool { return open.Phase != v1alpha1.PhaseLateAcceptance }
	if at := slices.IndexFunc(in.Ledger.Spec.Open, underWay); at >= 0 {
		return decide.WithOutcomeOf(&in.Ledger.Spec.Open[at], &lost)
	}
	return &lost
}

// DeletionWarning describes what remains of an order whose object was deleted; "" if nothing
// remains. Deleting the object neither cancels the order nor removes its records (R24).
func DeletionWarning(order *v1alpha1.ServiceOrder, ledger *v1alpha1.RequestLedger) string {
	const again = "a new ServiceOrder with this customerReference takes it over"
	newest := ledger.RequestOf(v1alpha1.OperationOrderCreate)
	switch {
	case ledger.Spec.Holder.UID != string(order.UID), newest == nil, decide.MayOrderAgain(newest.Phase),
		newest.Phase == v1alpha1.PhaseAbandoned:
		return ""
	case newest.Phase == v1alpha1.PhaseSucceeded && ledger.Spec.Known.Order != nil:
		return fmt.Sprintf("deleted: order %s continues at the carrier, which is not contacted; %s",
			ledger.Spec.Known.Order.OrderID, again)
	}
	return fmt.Sprintf("deleted while attempt %s of its order is %s: %s", newest.AttemptID, newest.Phase, again)
}

// Project updates a status from the ledger, which alone records what was sent. The ledger is
// nil if the order holds none.
func Project(order *v1alpha1.ServiceOrder, ledger *v1alpha1.RequestLedger, now metav1.Time) {
	status := &order.Status
	if ledger == nil || ledger.RequestOf(v1alpha1.OperationOrderCreate) == nil {
		status.Request, status.InFlight = nil, nil
		return
	}
	newest := ledger.RequestOf(v1alpha1.OperationOrderCreate).DeepCopy()
	if !equality.Semantic.DeepEqual(status.Request, newest) {
		order.Record().PutRequest(*newest)
		order.Record().RequestChanged(*newest, now)
	}
	if newest.Retry != "" {
		status.Handled.Retry = newest.Retry
	}
	facts := ledger.Spec.Known.Order
	switch {
	case decide.MayOrderAgain(newest.Phase):
		return
	case facts == nil:
		// They belong to an older status, or to the spec: the ledger records only what the carrier
		// reports.
		status.OrderID, status.Address, status.ServiceID = "", "", ""
		return
	}
	if status.OrderID != facts.OrderID {
		status.Address = ""
	}
	status.OrderFacts = *facts.DeepCopy()
}

// differsFromSent returns a decision if the object was edited while its order was being sent.
func differsFromSent(in *Input) *decide.Decision {
	request := requestOf(in)
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded || in.Ledger == nil || !differs(in.Order, in.Ledger) {
		return nil
	}
	return decide.RestOn(*anotherOrder(in.Ledger))
}
