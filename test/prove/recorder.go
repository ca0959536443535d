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

	seen     Subject // the object as recorded; nil if it is gone
	version  int64   // of the store, at the last check
	sent     []*sending
	turns    []turn // replacements of one attempt by another
	steps    []step // transitions from one phase to another
	phases   map[string]v1alpha1.RequestPhase
	endedBy  map[string]v1alpha1.EndedBy
	intents  []intent
	words    map[string]bool // the attempts that a person has resolved
	left     []v1alpha1.Request
	failed   map[string]bool // the Locations that answered 422
	panicked string
	books    books
	untabled string // the transition of a ledger's attempt that no row of the table allows
	tooSoon  string // a poll that was too soon

	unsettled string // how a settled object became unsettled

	removed   bool // a user has deleted the object
	edited    bool // a user has changed the spec
	wiped     bool // its status was lost
	unshown   bool // the ledger was lost before any status had named it
	denied    bool // a call was answered 404 or 422
	refused   bool // and in such a way that nothing may be sent again without a person
	forgotten bool // the carrier has lost its data
	meddled   bool // someone has changed the account or a ledger, or set an annotation that was not needed
	lied      bool // a person has given a false resolution
	licenses  int  // how often people have allowed the same request again
	unknown   bool // it came to rest with an unknown outcome
	taken     bool // the carrier had accepted a request by then

	since  map[Kind]int    // the number of the effect before which an act first happened
	agreed map[string]bool // the hashes of the plans that a person has approved

	broken []string
}

// sending is one POST.
type sending struct {
	at         time.Time
	attempt    string
	operation  v1alpha1.Operation
	target     v1alpha1.RequestTarget
	uid        types.UID
	class      carrier.RepeatClass
	ahead      bool   // its intent was recorded, by its sender
	held       bool   // its record outlives the object
	frozen     bool   // the body was that of the intent
	approved   string // the hash in its intent
	unheeded   string // what its sender had seen and ignored
	accepted   bool
	requestID  string
	deletingAt bool
}

// intent is an attempt as first recorded.
type intent struct {
	v1alpha1.Request

	number   int  // of the effect that wrote it
	deleting bool // whether the object was being deleted then
	posted   bool
}

type turn struct {
	before, after v1alpha1.Request
	at            time.Time
}

type step struct {
	attempt  string
	class    carrier.RepeatClass
	endedBy  v1alpha1.EndedBy // before the step
	from, to v1alpha1.RequestPhase
}

func newRecorder(r *run) *recorder {
	return &recorder{
		run: r, phases: map[string]v1alpha1.RequestPhase{}, words: map[string]bool{}, failed: map[string]bool{},
		since: make(map[Kind]int), agreed: map[string]bool{}, endedBy: map[string]v1alpha1.EndedBy{},
	}
}

// breaks records a violated invariant.
func (w *recorder) breaks(number int, why string) {
	said := fmt.Sprintf("%d: %s", number, why)
	known := func(told string) bool { return strings.HasPrefix(told, said[:strings.Index(said, ":")+1]) }
	if !slices.ContainsFunc(w.broken, known) { // only the first time counts
		w.broken = append(w.broken, said)
	}
}

// panics records an unplanned panic.
func (w *recorder) panics(how string) { w.panicked = how }

// hurries records a poll that is too soon.
func (w *recorder) hurries(how string) { w.tooSoon = how }

// sends observes a POST immediately before the carrier gets it.
func (w *recorder) sends(p *port, path string, body []byte) {
	contract := contractAt(path)
	if subject := w.seen; subject != nil && contract.Repeat != carrier.ClassQuery && w.settled(subject) {
		w.unsettled = fmt.Sprintf("%s is sent for generation %d, which was done", contract.Operation, subject.GetGeneration())
	}
	one := &sending{at: now(), operation: v1alpha1.Operation(contract.Operation), class: contract.Repeat}
	one.held = w.run.plan.Scenario.Kind == kindOrder || w.run.plan.Scenario.Kind == kindService // by its ledger
	if subject := w.run.subject(); subject != nil {
		one.uid = subject.GetUID()
		one.held = one.held || controllerutil.ContainsFinalizer(subject, v1alpha1.Finalizer)
	}
	if written := w.intentOf(p, one.operation); written != nil {
		written.posted = true
		one.attempt, one.target, one.ahead, one.deletingAt = written.AttemptID, written.Target, true, written.deleting
		one.class, one.approved = decide.ClassOf(one.operation, written.Target), written.ApprovedHash
		one.frozen = written.BodyHash == decide.BodyHash(body) || w.hasContact(one.operation, written.Target)
	}
	one.unheeded = cmp.Or(w.unheeded(p, one), w.unapproved(one))
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

// hasContact: "body hash, contact data apart".
func (w *recorder) hasContact(operation v1alpha1.Operation, target v1alpha1.RequestTarget) bool {
	return operation == v1alpha1.OperationOrderCreate || target.NTDOption != ""
}

func contractAt(path string) carrier.Contract {
	for _, contract := range carrier.Contracts() {
		if contract.SubmitPath == path {
			return contract
		}
	}
	panic("nothing is sent to " + path)
}

// refuses observes a response that someone gave in the carrier's place.
func (w *recorder) refuses(effect Effect, kind Kind) {
	if !effect.Sort.calls() || kind != Invalid && kind != Missing {
		return
	}
	w.denied, w.refused = true, w.refused || kind == Invalid || effect.Sort == Post
	if location, is := strings.CutPrefix(effect.What, http.MethodGet+" "); is && kind == Invalid {
		w.failed[location] = true
	}
}

// check compares the state after an effect with the invariants.
func (r *run) check(effect Effect) {
	if effect.Sort == Post {
		r.heard()
	}
	if version := r.store.Version(); version != r.version {
		r.version = version
		r.audit(effect)
		r.observe(r.subject())
	}
	for _, invariant := range Invariants() {
		if why := invariant.Broken(r.recorder); why != "" {
			r.breaks(invariant.Number, why+", after "+effect.What)
		}
	}
}

// heard takes the result of the newest POST from the carrier's records.
func (w *recorder) heard() {
	calls := w.run.world.Carrier.Calls()
	last, one := calls[len(calls)-1], w.sent[len(w.sent)-1]
	one.accepted, one.requestID = last.Accepted, last.RequestID
	if one.operation == v1alpha1.OperationAppointmentCancel {
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
			w.left = open(before)
		}
		return
	}
	if before != nil && before.GetUID() != next.GetUID() {
		before = nil
	}
	if before != nil && w.settled(before) && !stays(before, next) {
		w.unsettled = fmt.Sprintf("generation %d, which was done, is so no longer", before.GetGeneration())
	}
	for _, contract := range carrier.Contracts() {
		w.observeRequest(before, next, v1alpha1.Operation(contract.Operation))
	}
}

// settled reports whether an object has what its newest generation declares. It may change again
// after a person has touched it, and once a refused call succeeds after all. It is not settled
// while an attempt is open: a process that started before that was recorded may see its effects.
func (w *recorder) settled(subject Subject) bool {
	_, observed := subject.Describes()
	_, ready, _ := stateOf(subject)
	closed := len(subject.OpenRequests()) == 0
	return ready && closed && *observed == subject.GetGeneration() && !w.touched() && !w.denied
}

// stays reports whether a settled object still is, by the same requests. The carrier's state that
// was read may change, and the account may be unable to log in for a while.
func stays(before, next Subject) bool {
	for _, contract := range carrier.Contracts() {
		operation := v1alpha1.Operation(contract.Operation)
		if !sameEnd(before.RequestOf(operation), next.RequestOf(operation)) {
			return false
		}
	}
	reason, ready, _ := stateOf(next)
	return ready || reason == v1alpha1.ReasonAccountNotReady || next.GetGeneration() != before.GetGeneration()
}

// sameEnd reports whether an attempt is unchanged, apart from the handle that its sender has added.
func sameEnd(before, next *v1alpha1.Request) bool {
	if before != nil && next != nil && before.Location == "" && before.Phase == v1alpha1.PhaseSucceeded {
		next = next.DeepCopy()
		next.Location = ""
	}
	return equality.Semantic.DeepEqual(before, next)
}

func (w *recorder) observeRequest(before, next Subject, operation v1alpha1.Operation) {
	request := next.RequestOf(operation)
	if request == nil {
		return
	}
	id := request.AttemptID
	if _, known := w.phases[id]; !known {
		w.intents = append(w.intents, intent{
			Request: *request, number: len(w.run.effects), deleting: !next.GetDeletionTimestamp().IsZero(),
		})
	}
	if before != nil {
		if held := before.RequestOf(operation); held != nil && held.AttemptID != id {
			w.turns = append(w.turns, turn{*held, *request, now()})
		}
	}
	if from, known := w.phases[id]; known && from != request.Phase {
		w.steps = append(w.steps, step{id, classOf(*request), w.endedBy[id], from, request.Phase})
	}
	w.phases[id], w.endedBy[id] = request.Phase, request.EndedBy
}

func open(subject Subject) []v1alpha1.Request {
	held := subject.OpenRequests()
	requests := make([]v1alpha1.Request, 0, len(held))
	for _, request := range held {
		requests = append(requests, *request)
	}
	return requests
}

// sentAs returns the POST of an attempt, or nil.
func (w *recorder) sentAs(attempt string) *sending {
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

// violated reports whether the carrier has seen one of its rules broken.
func (w *recorder) violated(rules ...simulator.Rule) string {
	for _, violation := range w.run.world.Carrier.Violations() {
		if slices.Contains(rules, violation.Rule) {
			return violation.Detail
		}
	}
	return ""
}
