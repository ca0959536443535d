// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// LedgerView is what it rests on whether an order may use the ledger of its customerReference.
type LedgerView struct {
	OrderView

	HolderLives bool // whether its holder is there; of no meaning where the order is the holder
	Lost        bool // whether a newer state of it was seen than there is now
}

// LedgerVerdict is what a ledger means for an object.
type LedgerVerdict struct {
	Verdict *Verdict          // why nothing may be done
	Take    bool              // the holder is gone: the ledger becomes this object's
	Lost    *v1alpha1.Request // an attempt to record that stands for whatever was lost
}

// JudgeLedger says whether an order is the one that its ledger is about. "Only the holder opens
// attempts. Another object takes over ... when a live GET of the holder says NotFound for that
// object, or another UID" (R2).
func JudgeLedger(v LedgerView) LedgerVerdict {
	ledger := v.Ledger
	switch {
	case v.Lost && !heldByAnother(&v) && mayHaveBeenSent(ledger):
		return LedgerVerdict{Lost: lostAttempt(&v)}
	case ledger == nil:
		return LedgerVerdict{}
	case ledger.Spec.Schema > v1alpha1.LedgerSchema:
		return LedgerVerdict{Verdict: newerLedger(ledger)}
	case heldByAnother(&v):
		return LedgerVerdict{Verdict: conflict(ledger)}
	case atAnotherCarrier(&v):
		verdict := ElsewhereVerdict(ledger.Spec.BaseURL, v.Account.Object.Spec.BaseURL, holderOf(ledger))
		return LedgerVerdict{Verdict: &verdict}
	case ledger.Spec.Holder.UID == string(v.Order.UID), isFree(ledger):
		return LedgerVerdict{} // where nothing came of it, the next intent takes the ledger over
	case differs(&v.OrderView):
		return LedgerVerdict{Verdict: anotherOrder(ledger)}
	}
	return LedgerVerdict{Take: true}
}

func heldByAnother(v *LedgerView) bool {
	return v.Ledger != nil && v.Ledger.Spec.Holder.UID != string(v.Order.UID) && v.HolderLives
}

// isFree says whether a ledger leaves its order to be sent: "An order gets a further attempt only
// if its newest ended NotSent, NotProcessed, Rejected or NotAccepted" (R3).
func isFree(ledger *v1alpha1.RequestLedger) bool {
	newest := ledger.RequestOf(v1alpha1.OperationOrderCreate)
	return newest == nil || Freed(newest.Phase)
}

// mayHaveBeenSent says whether an attempt may have followed what a ledger has: "Succeeded and
// Abandoned are final" (R3).
func mayHaveBeenSent(ledger *v1alpha1.RequestLedger) bool {
	return ledger == nil || isFree(ledger) || len(ledger.Spec.Open) > 0
}

// atAnotherCarrier: "an account of the identity with another [baseURL] is Conflict: nothing is
// sent, nothing becomes unknown" (R4). What this very object has sent is followed there, or is
// done.
func atAnotherCarrier(v *LedgerView) bool {
	own := v.Ledger.Spec.Holder.UID == string(v.Order.UID) && !isFree(v.Ledger)
	return !own && v.Ledger.Spec.BaseURL != v.Account.Object.Spec.BaseURL
}

func holderOf(ledger *v1alpha1.RequestLedger) string {
	return ledger.Spec.Holder.Namespace + "/" + ledger.Spec.Holder.Name
}

// DamagedLedger is said of an object whose ledger cannot be used.
func DamagedLedger(err error) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonLedgerUnreadable, err.Error() +
		": nothing is sent. Restore it from a backup, or find out who wrote it"}
}

func newerLedger(ledger *v1alpha1.RequestLedger) *Verdict {
	return &Verdict{Stuck, v1alpha1.ReasonLedgerUnreadable, fmt.Sprintf(
		"RequestLedger %s was written by a newer version of the operator (schema %d): run that version again",
		ledger.Name, ledger.Spec.Schema)}
}

func conflict(ledger *v1alpha1.RequestLedger) *Verdict {
	return &Verdict{Stuck, v1alpha1.ReasonConflict, fmt.Sprintf(
		"customerReference %q is held by ServiceOrder %s: an order is sent at most once for it. "+
			"Delete one of the two, or give this one a customerReference of its own",
		ledger.Spec.Order.CustomerReference, holderOf(ledger))}
}

// differs says whether the order on record was another: "An attempt on record with another body
// hash: OrderDiffers" (R3). What was given up is used up, whatever is asked for now.
func differs(v *OrderView) bool {
	request := v.Ledger.RequestOf(v1alpha1.OperationOrderCreate)
	if request.Phase == v1alpha1.PhaseAbandoned || request.BodyHash == "" {
		return false
	}
	body := wish{body: OrderBody(&v.Order.Spec, v1alpha1.Contact{})}
	return request.BodyHash != body.bodyHash()
}

func anotherOrder(ledger *v1alpha1.RequestLedger) *Verdict {
	request, number := ledger.RequestOf(v1alpha1.OperationOrderCreate), ""
	if facts := ledger.Spec.Known.Order; facts != nil && facts.OrderID != 0 {
		number = fmt.Sprintf(", order %d", facts.OrderID)
	}
	return &Verdict{Stuck, v1alpha1.ReasonOrderDiffers, fmt.Sprintf(
		"customerReference %q was used for another order (attempt %s, %s%s): declare that one again, "+
			"or order under another customerReference",
		ledger.Spec.Order.CustomerReference, request.AttemptID, request.Phase, number)}
}

// orderDiffers: the object was edited while its order was on the way.
func orderDiffers(v *OrderView) *Decision {
	request := orderRequest(v)
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded || v.Ledger == nil || !differs(v) {
		return nil
	}
	return &Decision{Step: Rest{}, Verdict: *anotherOrder(v.Ledger)}
}

// lostAttempt: a ledger that was lost, or is older than a status shows, "is written into the
// ledger ... as an open entry with an id, and blocks Charge and Never until settled" (R5).
func lostAttempt(v *LedgerView) *v1alpha1.Request {
	account := v.Account.Object
	lost := v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, Attempt: 1, Phase: v1alpha1.PhaseOutcomeUnknown,
		Identity: account.IdentityName(), BaseURL: account.Spec.BaseURL, APIVersion: account.Spec.APIVersion,
		Generation: v.Order.Generation, FinishedAt: v1alpha1.WholeSeconds(v.Now),
	}
	if v.Ledger != nil && len(v.Ledger.Spec.Open) > 0 {
		lost = v.Ledger.Spec.Open[0]
		lost.Phase = v1alpha1.PhaseOutcomeUnknown
	}
	lost.Error = &v1alpha1.RequestError{
		Code: v1alpha1.ReasonLedgerLost,
		Message: "the RequestLedger of this customerReference is gone, or older than what was seen of it: " +
			"what was sent since is not on record",
	}
	return &lost
}

// LeftOrder says what goes on of an order whose object is gone: "Deleting one calls nobody and
// waits for nobody; what is open stays in the ledger" (R24). "" when nothing does.
func LeftOrder(order *v1alpha1.ServiceOrder, ledger *v1alpha1.RequestLedger) string {
	const again = "a new ServiceOrder with this customerReference takes it up"
	newest := ledger.RequestOf(v1alpha1.OperationOrderCreate)
	switch {
	case ledger.Spec.Holder.UID != string(order.UID), newest == nil, Freed(newest.Phase),
		newest.Phase == v1alpha1.PhaseAbandoned:
		return ""
	case newest.Phase == v1alpha1.PhaseSucceeded && ledger.Spec.Known.Order != nil:
		return fmt.Sprintf("deleted: order %d goes on at the carrier, and nobody is called; %s",
			ledger.Spec.Known.Order.OrderID, again)
	}
	return fmt.Sprintf("deleted while attempt %s of its order is %s: %s", newest.AttemptID, newest.Phase, again)
}

// ProjectOrder brings a status in line with the ledger, which alone says what was sent; nil where
// the order holds none.
func ProjectOrder(order *v1alpha1.ServiceOrder, ledger *v1alpha1.RequestLedger, now metav1.Time) {
	status := &order.Status
	if ledger == nil || ledger.RequestOf(v1alpha1.OperationOrderCreate) == nil {
		status.Request, status.InFlight = nil, nil
		return
	}
	newest := ledger.RequestOf(v1alpha1.OperationOrderCreate).DeepCopy()
	if !equality.Semantic.DeepEqual(status.Request, newest) {
		order.PutRequest(*newest)
		order.RequestChanged(*newest, now)
	}
	if newest.Retry != "" {
		status.Handled.Retry = newest.Retry
	}
	facts := ledger.Spec.Known.Order
	if facts == nil || Freed(newest.Phase) {
		return
	}
	if status.OrderID != facts.OrderID {
		status.Address = ""
	}
	status.OrderFacts = *facts.DeepCopy()
}
