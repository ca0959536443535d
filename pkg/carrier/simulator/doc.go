// Package simulator is the carrier of the specification as a server: its asynchronous REST API
// and the identity provider that issues its tokens. It is written from the specification alone
// and imports nothing of the client, so that the two are independent readings of one text which
// meet on the wire.
//
//	            ┌───────────── Simulator ─────────────┐
//	client ───▶ │ Identity   assertion → access token │
//	       ───▶ │ ServeHTTP  route → common rules     │ ──▶ store: services, requests, the clock
//	            │            → family → reply         │
//	test   ───▶ │ FailNext, SetPlan, Calls, …         │
//	            │ Management the same as JSON         │
//	            └─────────────────────────────────────┘
//
// Nothing moves by itself. A request is the body that was accepted and the two instants at which
// it was submitted and will be finished; its status is computed from these and the clock
// whenever somebody asks, and so is the state of a service. The clock is an option, so a test
// decides when a request completes.
//
// # In a test
//
//	sim := simulator.New(simulator.Options{Seed: seed, Now: clock.Now})
//	server := httptest.NewServer(sim.Handler())
//	sim.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultReset, Processed: true})
//	...
//	sim.Submissions(simulator.OpPlanChange, 1234567) // Count{Seen: 1, Processed: 1}
//	sim.Violations()                                 // what the client did against the rules
//
// # Where the specification is silent
//
// Each line is a choice of this package. Where a choice could be made the easy way or the
// unusual way, it is the unusual one: a client that survives it has read the specification and
// not this code.
//
//   - Ids of requests start above 2^53 and jump; those of plan change options are opaque text.
//   - Every JSON object that is answered carries a field the specification does not know
//     (exactReplies removes it).
//   - Location is an absolute URL, or an absolute path, or each in turn (seed: location).
//   - A request is OPEN for the first quarter of its time, then IN_PROGRESS, then ended. The
//     time of each operation comes from the seed (delays).
//   - A 202 has no body where the specification describes none, also for plan change, options,
//     reclaim, slots and health from version 6.
//   - X-API-VERSION absent, not a number, outside 1 to 8 or not offered by the path: 400.
//     Versions 1 and 2 behave as 3.
//   - The order of the checks: path (404), method (405), token (401), version (400), media type
//     (415), size (413), JSON (400), required fields (422), permission (404), business rules
//     (422).
//   - Codes of statuses for which section 7 names none are listed in problem.go.
//   - A malformed body, a field of another JSON type and a field given twice: 400
//     malformed.json.request. A text that is not one of the allowed words: 422
//     constraints.pattern.
//   - A field the path does not know is ignored and noted as a violation; so is one that is
//     newer than the version of the call (restorationSla before version 6).
//   - An id that is not a number is 400 where section 1 says so and on the cancellation read,
//     whose statuses list it; elsewhere it is an id that does not exist.
//   - A service is modified by one request at a time. A plan change during another modification
//     is refused with constraints.service.modification.request.in.progress; health requests may
//     overlap.
//   - A term, restoration SLA or NTD option that the carrier does not offer: 422 with
//     constraints.plan.change.{term,restoration.sla,ntd.option}.invalid. A plan that names no
//     terms has all.
//   - A missing ntdOption above 1000 MBit/s is 422 constraints.not.null, and so is each missing
//     contact detail.
//   - An unknown plan is refused on the POST, or accepted and failed later (seed: unknownPlan).
//   - A plan change to what the service already has is accepted and completes.
//   - The alternate source takes plan changes from version 8; before it answers 422
//     constraints.service.source.type.not.supported.
//   - A cancelled service takes no modification: 422 constraints.service.not.active.
//   - A health request that failed: 422 constraints.service.health.request.status.in.error.
//   - A health result is the service as it was when the request completed, whenever it is read.
//   - Polling faster than section 8 allows is answered normally and noted as a violation.
//   - Forget drops the requests, not what they were doing: their modifications still take effect.
//   - An aggregation conversion that is to stall is IN_ERROR for the middle half of its time.
//   - A DSL stability profile change during one of its kind has the code of section 7, during
//     another modification the general one. It is accepted whatever the technology.
//   - A location without a qualification gets a quote request that ends IN_ERROR.
//   - A reclaim is possible until the end of the day that the seed names, in the carrier's time
//     zone; it ends the cancellation as if there had been none.
//   - Appointment slots are two standard ones and a chargeable one on each working day of the week
//     that begins at dateFrom. An appointment-request can be canceled again and again.
//   - Diagnostic tests run one at a time per service; the tests there are stand in the seed. An
//     unknown one is 422 constraints.service-diagnostic-test-request.test-type.invalid, a second
//     one at a time constraints.service-diagnostic-test-request.in-progress.
//   - A reschedule or abort takes effect at once; the read answers 202 with the resource until the
//     delay of the operation has passed. A service that is not cancellable at all answers
//     constraints.service.not.eligible.for.cancellation, and so does the read after an alteration
//     that a fault let fail.
//   - A cancellation is carried out when its date has come in the carrier's time zone, and not
//     before the delay of a reschedule has passed since it was last changed.
//   - A page of disruptions has at most 100 items, whatever is asked for; a page beyond the last is
//     empty; a parameter that cannot be understood is 400. Without a direction, sort is ascending.
//   - An order needs customerReference, sourceType, planName, term, qualificationSearchId,
//     locationId and aggregationMethod. It is not compared with earlier ones: the same reference
//     twice is two orders. Its reasons for 422 that section 7 does not list begin with
//     constraints.order.
//   - On a free port avcIdForTransfer and transferType are ignored; CONNECT_OUTSTANDING with an AVC
//     id is refused.
//   - The identity provider wants every claim of section 5, takes each jti once for as long as the
//     JWT is valid, and words its refusals as Keycloak does.
//
// # What it does not simulate
//
// It sends no events and keeps nothing across restarts. It knows the calls of the specification
// and none of those that only the published interface has.
package simulator
