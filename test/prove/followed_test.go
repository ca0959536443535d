// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// The scenarios in which an accepted order is read until it has become a service, or is rejected.
const (
	orderRead         = "OrderCreate, read"
	orderReadRejected = "OrderCreate, read, rejected"
)

// orderTakes is how long the carrier needs for an order. The order is read after a minute, when an
// order that will be rejected shows nothing new, and after two and a half minutes, when it has
// ended.
const orderTakes = 100 * time.Second

// readsOrder is the name of an effect that reads an order.
var readsOrder = regexp.MustCompile(`^GET /api/connect/orders/\d+$`)

// followedScenarios returns the scenarios of an account with the extension OrderRead. The carrier
// rejects an order for a port that has another circuit.
func followedScenarios() []*Scenario {
	rejected := followed(orderReadRejected, func(order *v1alpha1.ServiceOrder) {
		order.Spec.Scenario, order.Spec.Infrastructure.PortID = v1alpha1.ScenarioInUse, new(int64(1))
		order.Spec.Transfer = &v1alpha1.Transfer{Type: "SERVICE_TRANSFER", AVCID: "AVC000000000009"}
	})
	rejected.Rejected = true
	return []*Scenario{followed(orderRead, func(*v1alpha1.ServiceOrder) {}), rejected}
}

// followed returns a scenario with an order for an NTD that is already installed, so that nothing
// has to be installed at the site.
func followed(name string, edit func(*v1alpha1.ServiceOrder)) *Scenario {
	return &Scenario{
		Name: name, Kind: kindOrder, Operation: v1alpha1.OperationOrderCreate, Followed: true,
		Empty: func() Subject { return &v1alpha1.ServiceOrder{} },
		Object: func(w *world.World) client.Object {
			return w.Order(site, reference, func(order *v1alpha1.ServiceOrder) {
				order.Spec.Scenario, order.Spec.NTDInstallation = v1alpha1.ScenarioFree, ""
				order.Spec.Qualification = v1alpha1.QualificationIDs{
					QualificationSearchID: world.QualificationUsed, RemoteQualificationSearchID: "R-" + world.QualificationUsed,
					LocationID: world.LocationUsed,
				}
				order.Spec.Infrastructure = &v1alpha1.OrderedInfrastructure{ID: world.InstalledNTD, PortID: new(int64(2))}
			}, edit)
		},
	}
}

// follow gives the carrier of a followed scenario the extension OrderRead.
func (s *Scenario) follow(options *simulator.Options) {
	if s.Followed {
		options.Seed.Extensions = []string{simulator.ExtensionOrderRead}
		options.Seed.Delays[string(simulator.OpOrderCreate)] = simulator.Duration(orderTakes)
	}
}

// isOrderRead reports whether an effect is the read of an order.
func (e Effect) isOrderRead() bool { return e.Op == Poll && readsOrder.MatchString(e.What) }

// orderRecord is what is recorded about the order of a scenario. A recorder keeps what was recorded
// after the newest write.
type orderRecord struct {
	ledger, status v1alpha1.OrderFacts
	rejected       bool // the status shows a rejection
}

// isSame reports whether the status shows what the ledger has.
func (o *orderRecord) isSame() bool {
	return o.ledger.OrderID != "" && equality.Semantic.DeepEqual(o.ledger, o.status)
}

func (o *orderRecord) equals(other *orderRecord) bool {
	return o.rejected == other.rejected && equality.Semantic.DeepEqual(o.ledger, other.ledger)
}

func (w *recorder) readOrderRecord() orderRecord {
	var now orderRecord
	order, is := w.run.stored(w.run.ctx).(*v1alpha1.ServiceOrder)
	if !is {
		return now
	}
	now.status, now.rejected = order.Status.OrderFacts, order.Status.Rejection != nil
	if ledger := ledgerOf(w.run.ctx, w.run.store.Client(), order); ledger != nil && ledger.Spec.Known.Order != nil {
		now.ledger = *ledger.Spec.Known.Order
	}
	return now
}

// checkOrderWrite compares what is recorded about a followed order before and after a write. It
// stops comparing once anyone other than the operator has changed the object or its environment, or
// a person has given a false resolution.
func (w *recorder) checkOrderWrite(effect Effect) {
	if !w.run.plan.Scenario.Followed || w.changedByOthers() || len(w.resolvedFalsely) > 0 {
		return
	}
	before, after := w.order, w.readOrderRecord()
	w.order = after
	if effect.Op == Write && isAboutOrder(effect) {
		w.wronglyFollowed = cmp.Or(w.wronglyFollowed, w.serviceFlaw(&before, &after), w.writeFlaw(&before, &after))
	}
}

// serviceFlaw checks the service that an order has become: the ledger has the carrier's number before
// the status shows it, and never loses it.
func (w *recorder) serviceFlaw(before, after *orderRecord) string {
	had, has, shown := before.ledger.ServiceID, after.ledger.ServiceID, after.status.ServiceID
	switch {
	case shown != "" && has != shown:
		return "the status shows a service that the ledger does not have"
	case had != "" && has != had:
		return "the ledger had the service of the order, and has lost it"
	case has != "" && has != w.orderedService():
		return "the ledger has another service than the carrier: " + string(has)
	}
	return ""
}

// writeFlaw checks that a read that shows nothing new writes nothing.
func (w *recorder) writeFlaw(before, after *orderRecord) string {
	if before.isSame() && after.isSame() && before.equals(after) && w.run.plan.isUndisturbed() {
		return "it was written, and nothing new was read"
	}
	return ""
}

// isUndisturbed reports whether nobody has acted and every cache was current. Otherwise the order
// may have been written because of something else, such as an annotation, and not because of a
// read.
func (p Plan) isUndisturbed() bool {
	return !slices.ContainsFunc(p.Faults, func(fault Fault) bool {
		return fault.Kind.isAction() || fault.Kind.isStaleRead()
	})
}

// isAboutOrder reports whether an effect writes the order or its ledger.
func isAboutOrder(effect Effect) bool {
	return strings.HasSuffix(effect.What, " "+site) || strings.Contains(effect.What, writesLedger+"order-")
}

// orderedService returns the service that the order has become at the carrier; "" while there is none.
func (w *recorder) orderedService() v1alpha1.CarrierID {
	for _, order := range w.run.world.Carrier.Orders() {
		if order.CustomerReference == reference && order.ServiceID != 0 {
			return v1alpha1.CarrierIDOf(order.ServiceID)
		}
	}
	return ""
}

// followedRight checks what a read of an order may do. Only the carrier's response or a person settles
// the POST of an order: a read never does.
func followedRight(w *recorder) string {
	proven := func(step phaseChange) bool {
		return step.to == v1alpha1.PhaseSucceeded && w.endedBy[step.attempt] == v1alpha1.EndedByProof
	}
	if w.run.plan.Scenario.Kind == kindOrder && slices.ContainsFunc(w.phaseChanges, proven) {
		return "an order was settled without a response to it and without a person"
	}
	return w.wronglyFollowed
}

// followedFor is how long a run waits for the end of an order: longer than the pauses of the first
// day, even after a restart.
const followedFor = 8 * time.Hour

// awaitsOrder reports whether the order of a scenario was accepted and its end is not known yet.
func (r *run) awaitsOrder(ctx context.Context) bool {
	if !r.plan.Scenario.Followed {
		return false
	}
	order, is := r.stored(ctx).(*v1alpha1.ServiceOrder)
	return is && order.Status.OrderID != "" && order.Status.ServiceID == "" && order.Status.Rejection == nil
}

// mayRead reports whether an effect is the read of an order that is still followed, or belongs to a
// reading at an interval.
func (r *run) mayRead(ctx context.Context, effect Effect) bool {
	return effect.isOrderRead() && r.awaitsOrder(ctx) || effect.isReading() && r.plan.Scenario.readsAtInterval()
}

// expectFollowed checks that the object shows the end of its order, unless somebody else has changed
// something, or the carrier has refused a call.
func (r *run) expectFollowed(reason string) {
	order, is := r.stored(r.ctx).(*v1alpha1.ServiceOrder)
	if !is || !r.plan.Scenario.Followed || r.changedByOthers() || r.callRefused {
		return
	}
	switch {
	case r.plan.Scenario.Rejected && reason != v1alpha1.ReasonOrderRejected:
		r.report(31, "the carrier has rejected the order, and the object shows "+reason)
	case order.Status.OrderID == "": // a person has resolved it without its number
	case order.Status.ServiceID != r.orderedService():
		r.report(31, fmt.Sprintf("the order has become service %s, and the object shows %q",
			r.orderedService(), order.Status.ServiceID))
	}
}
