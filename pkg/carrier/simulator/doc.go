// Package simulator is the carrier of the specification as a server: its asynchronous REST API
// and the identity provider that issues its tokens. It is written from the specification alone
// and imports nothing of the client, so that the two are independent readings of one text which
// meet on the wire.
//
//	            ┌───────────── Simulator ─────────────┐
//	client ───▶ │ Identity   assertion → access token │
//	       ───▶ │ ServeHTTP  route → common rules     │ ──▶ store: services, requests, the clock
//	            │            → family → reply         │
//	       ◀─── │ Deliver    facts → events           │
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
//   - While it stalls an aggregation conversion is IN_ERROR (section 3), and everything else
//     IN_ERROR_RETRY, as IN_ERROR is the end of all others.
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
//   - A request that is to stall does so for the middle half of its time.
//   - Which operations a client has permission for is in the seed (clients[].denied); without
//     permission all calls of the operation are 404.
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
//   - A page of disruptions has at most 100 items, whatever is asked for; a page beyond the last
//     is empty; a parameter that cannot be understood is 400. Without a direction, sort is
//     ascending.
//   - An order needs customerReference, sourceType, planName, term, qualificationSearchId,
//     locationId and aggregationMethod. It is not compared with earlier ones: the same reference
//     twice is two orders. Its reasons for 422 that section 7 does not list begin with
//     constraints.order.
//   - Whether POTS make an order a transfer is told by copperPairStatus Active alone, as an order
//     carries no FNN.
//   - On a free port avcIdForTransfer and transferType are ignored; CONNECT_OUTSTANDING with an
//     AVC id is refused.
//   - The identity provider wants every claim of section 5, takes each jti once for as long as the
//     JWT is valid, and words its refusals as Keycloak does.
//   - There is no limit on the rate of requests; only a hostile carrier answers 429.
//   - The result of every diagnostic test has the contents of the port-reset example.
//   - An order stays OPEN for ever, unless it is rejected; it becomes no service.
//
// # Events
//
// Section 6 names the events and leaves the rest open. Here an event happens when its request
// ends, and is sent when somebody calls Deliver: a test after it has moved its clock, the program
// ten times a second. Clients without a callback get none. A plan change that changes the plan is
// announced by ServicePlanChanged, one that changes the restoration SLA by
// ServiceRestorationSlaChanged, one that does both by both. There are two forms:
//
//   - Specification: {"eventType": "ServicePlanChanged", "occurredOn": …, "requestId": …,
//     "serviceId": …, "orderId": …, "service": {…}}; the last member is named order for an
//     OrderRejected. An id that does not apply is null.
//   - Headers: z-event-type "service.plan-changed.event", z-notification-type
//     "service.plan-changed.notification", z-notification-model "service", "order" or
//     "appointment"; the body is the resource alone. Only this form has the events that the
//     specification does not name: service.restoration-sla-change-rejected,
//     service.dsl-stability-profile-change-rejected, service.reclaim-failed, service.cancelled
//     and appointment.cancelled.
//
// The resource is the service, or the order without status, provider and fee and with type,
// rejectedReason and rejectedOn, as it was when the event happened. The deprecated
// ServiceModified and ServiceModificationRejected follow their successors when the seed asks for
// it.
//
// With a shared secret an event has three headers: webhook-id, the same for every attempt;
// webhook-timestamp, the seconds since 1970 by the real clock; and webhook-signature, "v1," and
// the base64 of HMAC-SHA256 over id.timestamp.body keyed by the bytes of the secret. An answer
// other than 2xx, or none, is followed by another attempt after a pause that doubles. Order is
// that of the events' times, except for what had to be repeated.
//
// # The carrier's own word
//
// With Options.APIWord another word stands where the specification writes wholesale: in keys
// (wholesaleLocationId, wholesale_test_id), in sourceType, provider, installationType,
// ntdInstallation and option (wholesale, wholesale-tech), in the names of fees
// (WHOLESALE_TECHNICIAN_FOR_INSTALL) and where a sub-error or a sort order names a key. It holds for
// requests, answers and events. It is never put into paths, free text or what the client chose, and
// the management interface keeps the specification's.
//
// # A hostile carrier
//
// With Options.Hostile it does by chance, of a thousand calls: 30 times each 500 and 502 with the
// standard body, 20 times 502 or 503 with a page, before or after the call took effect; 20 times
// each a reset and a hang after it did; 10 times each a cut answer, half an answer without an
// end, a missing Location and a redirect; 5 times a bomb; 20 times 429 with a Retry-After of
// seconds, a date, nonsense or nothing; 100 times another form of the Location. 50 of a thousand
// tokens are refused once, and so often a request is not found in its first two seconds; 100 of a
// thousand 202 have a body where there is none or none where there is one. A request takes 0 to
// 15 s. A gateway delivers 10 of a thousand accepted POSTs twice (Count.Duplicated), and once in
// a thousand calls all requests are forgotten. Ids are in no order and up to 2^63; objects are in
// another order, have a null that nobody knows and now and then a member twice; Date is up to 30
// s off; expires_in is at times 299, 1, 0, missing, a text or negative; of a client with several
// keys each in turn is refused for ten minutes.
//
// Chance is a sequence that RandomSeed decides: the same calls one after the other meet the same
// fate.
//
// # What is kept
//
// Save and Restore carry everything over a restart but what is sold and where orders can be
// placed, which is always the seed's; see [OpenState]. The journal keeps the newest calls; of
// texts that a caller chose it keeps 256 bytes, and it counts a million subjects apart.
//
// # What it does not simulate
//
// It knows the calls of the specification and none of those that only the published interface
// has: there is no qualification, and no reading of a service or order. HTTP/2 streams are reset
// with the one code that Go's server uses.
package simulator
