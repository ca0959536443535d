// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// recorder observes every effect of a run, and remembers what the invariants need.
type recorder struct {
	run *run

	seen                Subject // the object as recorded; nil if it is gone
	version             int64   // of the store, at the last check
	sent                []*post
	replacements        []replacement // replacements of one attempt by another
	phaseChanges        []phaseChange // transitions from one phase to another
	phases              map[string]v1alpha1.RequestPhase
	endedBy             map[string]v1alpha1.EndedBy
	intents             []intent
	resolved            map[string]bool // the attempts that a person has resolved
	resolvedFalsely     map[string]bool // those with a false resolution
	repeatable          map[string]bool // the attempts that a person has allowed to be made once more
	refusedAsBusy       map[string]bool // the attempts that the carrier has refused because one is in progress
	leftOpen            []v1alpha1.Request
	failed              map[string]bool // the Locations that returned 422
	panicked            string
	ledgerPhases        phasesByLedger
	forbiddenTransition string // the transition of a ledger's attempt that no row of the table allows
	earlyPoll           string // a poll that was too soon
	order               orderRecord
	wronglyFollowed     string // what a read of an order has led to

	regression   string // how a settled object became unsettled
	wronglyReady string // what an object that was Ready did not have

	removed        bool // a user has deleted the object
	edited         bool // a user has changed the spec
	statusLost     bool // its status was lost
	neverShown     bool // the ledger was lost before any status had named it
	callRefused    bool // a call got 404 or 422
	requestRefused bool // a call was refused, after which nothing may be sent again without a person
	carrierForgot  bool // the carrier has lost its data
	interfered     bool // someone has changed the account or a ledger, or set an annotation that was not needed
	ledgerLostAt   int  // the newest effect when the ledger was lost last; 0: never
	happened       int  // how many faults and actions of the plan have happened
	endedUnknown   bool // it settled with an unknown outcome
	endedAccepted  bool // the carrier had accepted a request by then

	firstAt  map[FaultKind]int // the number of the effect before which an action first happened
	approved map[string]bool   // the hashes of the plans that a person has approved

	violations []string
}

// post is one POST.
type post struct {
	at           time.Time
	number       int // of the effect
	attempt      string
	operation    v1alpha1.Operation
	target       v1alpha1.RequestTarget
	uid          types.UID
	class        carrier.RepeatClass
	hasIntent    bool   // its intent was recorded, by its sender
	hasFinalizer bool   // its record outlives the object
	bodyMatches  bool   // the body was that of the intent
	approved     string // the hash in its intent
	repeats      int32  // how many attempts with lost responses it repeats
	ignored      string // what its sender had seen and ignored
	accepted     bool
	doubled      bool // a gateway has sent it twice, and returned the second response
	endsInError  bool // the carrier has accepted it, and it will fail
	requestID    string
	body         []byte
	deletingAt   bool
}

// intent is an attempt as first recorded.
type intent struct {
	v1alpha1.Request

	number   int  // of the effect that wrote it
	deleting bool // whether the object was being deleted then
	posted   bool
}

type replacement struct {
	before, after v1alpha1.Request
	at            time.Time
	asked         bool // a person has requested other slots
}

type phaseChange struct {
	attempt  string
	class    carrier.RepeatClass
	endedBy  v1alpha1.EndedBy // before the step
	from, to v1alpha1.RequestPhase
}

func newRecorder(r *run) *recorder {
	return &recorder{
		run: r, phases: map[string]v1alpha1.RequestPhase{}, resolved: map[string]bool{}, failed: map[string]bool{},
		firstAt: make(map[FaultKind]int), approved: map[string]bool{}, endedBy: map[string]v1alpha1.EndedBy{},
		resolvedFalsely: map[string]bool{}, repeatable: map[string]bool{}, refusedAsBusy: map[string]bool{},
	}
}

// report records a violated invariant.
func (w *recorder) report(number int, why string) {
	reason := fmt.Sprintf("%d: %s", number, why)
	sameInvariant := func(other string) bool { return strings.HasPrefix(other, reason[:strings.Index(reason, ":")+1]) }
	if !slices.ContainsFunc(w.violations, sameInvariant) { // only the first time counts
		w.violations = append(w.violations, reason)
	}
}

// reportPanic records an unplanned panic.
func (w *recorder) reportPanic(how string) { w.panicked = how }

// reportEarlyPoll records a poll that is too soon.
func (w *recorder) reportEarlyPoll(how string) { w.earlyPoll = how }

// posting observes a POST immediately before the carrier gets it.
func (w *recorder) posting(p *port, path string, body []byte) {
	contract := contractAt(path)
	if subject := w.seen; subject != nil && contract.Repeat != carrier.ClassQuery && w.settled(subject) {
		w.regression = fmt.Sprintf("%s is sent for generation %d, which was done",
			contract.Operation, subject.GetGeneration())
	}
	one := &post{
		at: now(), number: p.newest[http.MethodPost+" "+path],
		operation: v1alpha1.Operation(contract.Operation), class: contract.Repeat,
		body: body, doubled: p.doubles,
	}
	one.hasFinalizer = w.run.plan.Scenario.Kind == kindOrder || w.run.plan.Scenario.Kind == kindService // by its ledger
	if subject := w.run.subject(); subject != nil {
		one.uid = subject.GetUID()
		one.hasFinalizer = one.hasFinalizer || controllerutil.ContainsFinalizer(subject, v1alpha1.Finalizer)
	}
	if written := w.intentOf(p, one.operation); written != nil {
		written.posted = true
		one.attempt, one.target, one.hasIntent, one.deletingAt = written.AttemptID, written.Target, true, written.deleting
		one.class, one.approved = decide.ClassOf(one.operation, written.Target), written.ApprovedHash
		one.repeats = written.Repeats
		one.bodyMatches = written.BodyHash == decide.BodyHash(body) || w.hasContact(one.operation, written.Target)
	}
	one.ignored = cmp.Or(w.ignoredBy(p, one), w.missingApproval(one))
	w.sent = append(w.sent, one)
}

// intentOf returns the newest intent of a process, if it has not been sent yet.
func (w *recorder) intentOf(p *port, operation v1alpha1.Operation) *intent {
	for i := range slices.Backward(w.intents) {
		one := &w.intents[i]
		mine := one.Operation == operation && one.Sender == p.sender && one.Phase == v1alpha1.PhaseSubmitting
		if mine && !one.posted {
			return one
		}
	}
	return nil
}

// hasContact reports whether the body of an operation has contact data, which its hash leaves out.
func (w *recorder) hasContact(operation v1alpha1.Operation, target v1alpha1.RequestTarget) bool {
	return operation == v1alpha1.OperationOrderCreate || target.NTDOption != ""
}

func contractAt(path string) carrier.Contract {
	for contract := range carrier.Contracts() {
		if contract.SubmitPath == path {
			return contract
		}
	}
	panic("nothing is sent to " + path)
}

// responseReplaced observes a response that a proxy gave instead of the carrier.
func (w *recorder) responseReplaced(effect Effect, kind FaultKind) {
	if !effect.Op.isCarrierCall() || kind != Invalid && kind != Missing {
		return
	}
	w.callRefused = true
	if effect.isOrderRead() {
		return // it changes nothing
	}
	w.requestRefused = w.requestRefused || kind == Invalid || effect.Op == Post
	if location, is := strings.CutPrefix(effect.What, http.MethodGet+" "); is && kind == Invalid {
		w.failed[location] = true
	}
}

// check compares the state after an effect with the invariants.
func (r *run) check(effect Effect) {
	if effect.Op == Post && r.wasSent(effect) {
		r.recordAcceptance()
	}
	if version := r.store.Version(); version != r.version {
		r.version = version
		r.checkLedgerWrite(effect)
		r.checkOrderWrite(effect)
		r.observe(r.subject())
	}
	for _, invariant := range Invariants() {
		if why := invariant.Violation(r.recorder); why != "" {
			r.report(invariant.Number, why+", after "+effect.What)
		}
	}
}

// wasSent reports whether a POST was written to its connection.
func (w *recorder) wasSent(effect Effect) bool {
	return len(w.sent) > 0 && w.sent[len(w.sent)-1].number == effect.Number
}

// recordAcceptance reads the result of the newest POST from the carrier's records.
func (w *recorder) recordAcceptance() {
	calls := w.run.world.Carrier.Calls()
	last, one := calls[len(calls)-1], w.sent[len(w.sent)-1]
	if one.doubled {
		last = calls[len(calls)-2]
	}
	one.accepted, one.requestID = last.Accepted, last.RequestID
	if !decide.TakesRequestID(one.operation) { // nobody can name it in a resolution
		one.requestID = ""
	}
}

// observe compares the object with its previous state.
func (w *recorder) observe(next Subject) {
	before := w.seen
	w.seen = next
	w.run.recheck(before, next)
	if next == nil {
		if before != nil {
			w.leftOpen = openRequests(before)
		}
		return
	}
	if before != nil && before.GetUID() != next.GetUID() {
		before = nil
	}
	if before != nil && w.settled(before) && !staysSettled(before, next) {
		w.regression = fmt.Sprintf("generation %d, which was done, is so no longer", before.GetGeneration())
	}
	for contract := range carrier.Contracts() {
		w.observeRequest(before, next, v1alpha1.Operation(contract.Operation))
	}
	// What the carrier has changed by itself need not have been read yet.
	w.wronglyReady = cmp.Or(w.wronglyReady, w.falselyReady(next, w.hasHappened(DriftedElsewhere)))
}

// settled reports whether an object has what its newest generation declares. It does not count as
// settled once anyone else has changed something or a call was refused, because it may then change
// again. Nor does it while an attempt is open, because a process that started before the attempt
// was recorded may see its effects.
func (w *recorder) settled(subject Subject) bool {
	_, observed := subject.Describes()
	_, ready, _ := stateOf(subject)
	closed := len(subject.Record().OpenRequests()) == 0
	return ready && closed && *observed == subject.GetGeneration() && !w.changedByOthers() && !w.callRefused
}

// staysSettled reports whether a settled object is still settled by the same requests. The
// carrier's state that was read may change, an order may be rejected, and the account may be unable
// to log in for a while.
func staysSettled(before, next Subject) bool {
	for contract := range carrier.Contracts() {
		operation := v1alpha1.Operation(contract.Operation)
		if !sameResult(before.Record().RequestOf(operation), next.Record().RequestOf(operation)) {
			return false
		}
	}
	reason, ready, _ := stateOf(next)
	later := reason == v1alpha1.ReasonAccountNotReady || reason == v1alpha1.ReasonOrderRejected
	return ready || later || next.GetGeneration() != before.GetGeneration()
}

// sameResult reports whether an attempt is unchanged, apart from the handle that its sender has
// added.
func sameResult(before, next *v1alpha1.Request) bool {
	if before != nil && next != nil && before.Location == "" && before.Phase == v1alpha1.PhaseSucceeded {
		next = next.DeepCopy()
		next.Location = ""
	}
	return equality.Semantic.DeepEqual(before, next)
}

func (w *recorder) observeRequest(before, next Subject, operation v1alpha1.Operation) {
	request := next.Record().RequestOf(operation)
	if request == nil {
		return
	}
	id := request.AttemptID
	w.refusedAsBusy[id] = w.refusedAsBusy[id] || isBusyError(request.Error)
	if _, known := w.phases[id]; !known {
		w.intents = append(w.intents, intent{
			Request: *request, number: len(w.run.effects), deleting: !next.GetDeletionTimestamp().IsZero(),
		})
	}
	if before != nil {
		if held := before.Record().RequestOf(operation); held != nil && held.AttemptID != id {
			w.replacements = append(w.replacements, replacement{*held, *request, now(), asksForSlots(before)})
		}
	}
	if from, known := w.phases[id]; known && from != request.Phase {
		w.phaseChanges = append(w.phaseChanges, phaseChange{id, classOf(*request), w.endedBy[id], from, request.Phase})
	}
	w.phases[id], w.endedBy[id] = request.Phase, request.EndedBy
}

func openRequests(subject Subject) []v1alpha1.Request {
	held := subject.Record().OpenRequests()
	requests := make([]v1alpha1.Request, 0, len(held))
	for _, request := range held {
		requests = append(requests, *request)
	}
	return requests
}

// sentAs returns the POST of an attempt, or nil.
func (w *recorder) sentAs(attempt string) *post {
	for _, one := range w.sent {
		if one.attempt == attempt {
			return one
		}
	}
	return nil
}

// accepted counts the requests of an operation that the carrier accepted.
func (w *recorder) accepted(operation v1alpha1.Operation) int {
	count := 0
	for _, one := range w.sent {
		if one.operation == operation && one.accepted {
			count++
		}
	}
	return count
}

// violated reports which of these rules the carrier has seen broken.
func (w *recorder) violated(rules ...simulator.Rule) string {
	for _, violation := range w.run.world.Carrier.Violations() {
		if slices.Contains(rules, violation.Rule) {
			return violation.Detail
		}
	}
	return ""
}
