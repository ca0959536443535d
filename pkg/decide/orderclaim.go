// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Claim is what is on record, for ever, of the order that a customerReference stands for.
type Claim struct {
	Identity          string
	CustomerReference string
	BaseURL           string // the carrier that it was claimed at

	Namespace, Name, UID string // the object that holds it
	ResourceVersion      string // the holder's when it claimed; "" when it took the claim over

	Request v1alpha1.Request            // the attempt, and what became of it
	Known   v1alpha1.ServiceOrderStatus // what the carrier said of the order
}

// ClaimView is what the taking up of a claim rests on.
type ClaimView struct {
	OrderView

	Claim  *Claim // nil when there is none
	Lives  bool   // whether its holder, another object, is there
	Posted bool   // whether this process may have posted the claimed attempt
}

// ClaimSay is what a claim means for an object.
type ClaimSay struct {
	Verdict *Verdict          // why nothing may be done
	Take    bool              // the holder is gone: the claim becomes this object's
	Adopt   *v1alpha1.Request // goes into the status, with what is known of the order
	Write   *v1alpha1.Request // goes into the claim, which is behind the status
}

// ClaimSays holds the status of an order against the claim. "Holder alive and not me:
// Conflict. Holder gone: adopt attempt and outcome".
func ClaimSays(v ClaimView) ClaimSay {
	own := v.Order.Status.Request
	bound := binds(own)
	switch claim := v.Claim; {
	case claim == nil:
		return unclaimed(&v, own)
	case bound && own.AttemptID != claim.Request.AttemptID:
		return ClaimSay{} // "status holds the request, and is enough while the object lives"
	case bound:
		return sameAttempt(claim, own)
	case claim.BaseURL != v.Account.Object.Spec.BaseURL:
		verdict := ElsewhereVerdict(claim.BaseURL, v.Account.Object.Spec.BaseURL, claim.Namespace+"/"+claim.Name)
		return ClaimSay{Verdict: &verdict}
	case claim.UID != string(v.Order.UID):
		return othersClaim(&v)
	case own != nil && own.AttemptID == claim.Request.AttemptID:
		return sameAttempt(claim, own)
	}
	return beyondStatus(&v)
}

// binds says whether an attempt in the status may be with the carrier. No order is ever in
// progress: a status that says so was not written by the operator.
func binds(own *v1alpha1.Request) bool {
	return own != nil && !Freed(own.Phase) && own.Phase != v1alpha1.PhaseInProgress
}

// unclaimed: a claim that somebody deleted is put back; and when the status is lost too,
// nobody knows anything.
func unclaimed(v *ClaimView, own *v1alpha1.Request) ClaimSay {
	switch {
	case own != nil && !Freed(own.Phase):
		return ClaimSay{Write: own}
	case own != nil:
		return ClaimSay{} // nothing came of it
	}
	if lost := statusLost(&v.View, v1alpha1.OperationOrderCreate, 0); lost != nil {
		if mourned, lost := lost.Step.(MournStatus); lost {
			return ClaimSay{Adopt: &mourned.Request}
		}
	}
	return ClaimSay{}
}

// sameAttempt: an outcome is written into the claim first, so that a claim which knows it
// is right, and a status that says nothing came of what the claim holds is a lie. The claim
// is behind only where an attempt was found not to have been sent.
func sameAttempt(claim *Claim, own *v1alpha1.Request) ClaimSay {
	behind := claim.Request.Phase == v1alpha1.PhaseSubmitting && own.Phase == v1alpha1.PhaseNotSent
	switch {
	case claim.Request.Phase.Ended() && !own.Phase.Ended(),
		Freed(own.Phase) && !Freed(claim.Request.Phase) && !behind:
		return ClaimSay{Adopt: &claim.Request}
	case !claim.Request.Phase.Ended() && own.Phase.Ended():
		return ClaimSay{Write: own}
	}
	return ClaimSay{}
}

// othersClaim: "holder alive (live GET, same UID) and not me: Conflict. Holder gone: adopt
// attempt and outcome; another body hash: Stalled OrderDiffers".
func othersClaim(v *ClaimView) ClaimSay {
	claim := v.Claim
	switch {
	case v.Lives:
		return ClaimSay{Verdict: &Verdict{Stuck, v1alpha1.ReasonConflict, fmt.Sprintf(
			"customerReference %q is held by ServiceOrder %s/%s: an order is sent at most once for it. "+
				"Delete one of the two, or give this one a customerReference of its own",
			claim.CustomerReference, claim.Namespace, claim.Name)}}
	case Freed(claim.Request.Phase):
		return ClaimSay{} // nothing came of it: the next attempt takes the claim
	}
	if verdict := differs(v); verdict != nil {
		return ClaimSay{Verdict: verdict}
	}
	return ClaimSay{Take: true, Adopt: &claim.Request}
}

// differs: what was given up is used up, whatever is asked for now.
func differs(v *ClaimView) *Verdict {
	request := v.Claim.Request
	body := wish{body: OrderBody(&v.Order.Spec, v1alpha1.Contact{})}
	if request.Phase == v1alpha1.PhaseAbandoned || request.BodyHash == "" || request.BodyHash == body.bodyHash() {
		return nil
	}
	return &Verdict{Stuck, v1alpha1.ReasonOrderDiffers, fmt.Sprintf(
		"customerReference %q was used for another order (attempt %s, %s%s): declare that one again, "+
			"or order under another customerReference",
		v.Claim.CustomerReference, request.AttemptID, request.Phase, orderNumber(v.Claim))}
}

func orderNumber(claim *Claim) string {
	if claim.Known.OrderID == 0 {
		return ""
	}
	return fmt.Sprintf(", order %d", claim.Known.OrderID)
}

// beyondStatus: the claim is this object's, and its attempt is not in the status.
func beyondStatus(v *ClaimView) ClaimSay {
	claimed := v.Claim.Request
	if claimed.Phase != v1alpha1.PhaseSubmitting {
		if Freed(claimed.Phase) {
			return ClaimSay{Adopt: &claimed}
		}
		return ClaimSay{Verdict: differs(v), Adopt: &claimed}
	}
	return ClaimSay{Adopt: withoutIntent(v, claimed)}
}

// withoutIntent: "A claim with no outcome and no intent in status goes on only while the
// object's resourceVersion is still the claimed one (so no intent was ever written), or
// while the claim's sender is this process and the attempt is not in posted (then NotSent);
// otherwise OutcomeUnknown." It goes on as an attempt that was not sent: writing that down
// under the resourceVersion that was judged leaves no room for the intent.
func withoutIntent(v *ClaimView, claimed v1alpha1.Request) *v1alpha1.Request {
	own := claimed.Sender == v.Memory.Sender
	claimed.FinishedAt = v1alpha1.WholeSeconds(v.Now)
	switch {
	case own && v.Posted:
		claimed.FinishedAt = metav1.Time{} // this process may hold the answer
	case own || v.Order.ResourceVersion == v.Claim.ResourceVersion:
		claimed.Phase = v1alpha1.PhaseNotSent
		claimed.Error = because("the order was claimed and nothing was sent")
	case slices.Contains(v.Order.Finalizers, v1alpha1.Finalizer):
		claimed.Phase = v1alpha1.PhaseOutcomeUnknown
		claimed.Error = &v1alpha1.RequestError{
			Code:    v1alpha1.ReasonStatusLost,
			Message: "the object's memory of what was sent is gone, and its claim has no outcome",
		}
	default:
		claimed.Phase = v1alpha1.PhaseOutcomeUnknown
		claimed.Error = because("the order was claimed, and the object has changed since: it may have been sent")
	}
	return &claimed
}

// OrderKnown is what a status knows of the order itself.
func OrderKnown(status *v1alpha1.ServiceOrderStatus) v1alpha1.ServiceOrderStatus {
	known := *status.DeepCopy()
	known.TaskStatus = v1alpha1.TaskStatus{}
	known.Pending, known.InFlight, known.Rejection, known.Frozen = nil, nil, nil, false
	return known
}

// AdoptOrder puts an attempt, and what is known of its order, into a status.
func AdoptOrder(
	order *v1alpha1.ServiceOrder, request v1alpha1.Request, known v1alpha1.ServiceOrderStatus, now metav1.Time,
) {
	kept, rejection := order.Status.TaskStatus, order.Status.Rejection
	order.Status = *known.DeepCopy()
	order.Status.TaskStatus, order.Status.Rejection = kept, rejection
	order.PutRequest(request)
	order.RequestChanged(request, now)
}
