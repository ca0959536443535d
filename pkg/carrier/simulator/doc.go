// Package simulator is the carrier of the specification as a server: its asynchronous REST API
// and the identity provider that issues its tokens. It is based on the specification alone and
// imports nothing from the client, so that client and simulator are independent implementations
// of the same text. docs/carrier-api.md has what the specification says, by its sections.
//
//	            ┌───────────── Simulator ─────────────┐
//	client ───▶ │ Identity   assertion → access token │
//	       ───▶ │ ServeHTTP  route → common rules     │ ──▶ store: services, requests, the clock
//	            │            → family → response      │
//	       ◀─── │ Deliver    facts → events           │
//	test   ───▶ │ FailNext, SetPlan, Calls, …         │
//	            │ Management the same as JSON         │
//	            └─────────────────────────────────────┘
//
// Nothing changes in the background. A request is its accepted body and the two instants at which
// it was submitted and will be finished. Its status is computed from these and the clock at every
// read, and so is the state of a service. The clock is an option, so a test decides when a request
// completes.
//
// # In a test
//
//	sim := simulator.New(simulator.Options{Seed: seed, Now: clock.Now})
//	server := httptest.NewServer(sim.Handler())
//	sim.FailNext("PlanChange", simulator.Fault{Kind: simulator.FaultReset, Processed: true})
//	...
//	sim.Submissions(simulator.OpPlanChange, 1234567) // Count{Seen: 1, Processed: 1}
//	sim.Violations()                                 // the rules that the client broke
//
// # Where the specification is silent
//
// Each item is a choice of this package. Where there is an easy and an unusual way to do something,
// it chooses the unusual one, so that a client must follow the specification and not this code.
//
//   - Ids of requests start above 2^53 and have gaps; those of plan change options are opaque text.
//   - Every response that is a JSON object has a field that the specification does not have
//     (exactReplies removes it).
//   - Location is an absolute URL, an absolute path, or alternates between them (seed: location).
//   - A request is OPEN for the first quarter of its duration, then IN_PROGRESS, then ended. The
//     duration for each operation is in the seed (delays).
//   - A stalled aggregation conversion is IN_ERROR (section 3). All other stalled requests are
//     IN_ERROR_RETRY, because IN_ERROR is final for them.
//   - A 202 has no body where the specification describes none, including plan change, options,
//     reclaim, slots and health from version 6.
//   - X-API-VERSION absent, not a number, outside 1 to 8 or not supported by the path: 400.
//     Versions 1 and 2 behave like 3.
//   - The order of the checks: path (404), method (405), token (401), permission for the operation
//     (404), version (400), media type (415), size (413), JSON (400), required fields (422),
//     existence of the object (404), business rules (422).
//   - Where section 7 defines no error code for a status, internal/problem lists the code used.
//   - A malformed body, a field of another JSON type and a duplicate field: 400
//     malformed.json.request. A text that is not one of the allowed words: 422
//     constraints.pattern.
//   - A field that the path does not have is ignored and recorded as a violation, and so is one
//     that is newer than the version of the call (restorationSla before version 6).
//   - A non-numeric id is a 400 where section 1 requires it and on the cancellation read, whose
//     statuses include it. Elsewhere it is an id that does not exist.
//   - A service is modified by one request at a time. A plan change during another modification
//     is refused with constraints.service.modification.request.in.progress. Health requests may
//     overlap or, with oneHealthRequest, are refused with
//     constraints.service.health.request.in.progress while another one is in progress.
//   - A term, restoration SLA or NTD option that the carrier does not offer: 422 with
//     constraints.plan.change.{term,restoration.sla,ntd.option}.invalid, and for an order with
//     constraints.order.{term,restoration.sla}.invalid. A plan without terms has all of them.
//   - A missing ntdOption above 1000 MBit/s is 422 constraints.not.null, and so is each missing
//     contact detail.
//   - An unknown plan is refused on the POST, or accepted and failed later (seed: unknownPlan).
//   - A plan change to what the service already has is accepted and completes.
//   - The alternate source accepts plan changes from version 8. In earlier versions it responds
//     with 422 constraints.service.source.type.not.supported.
//   - A cancelled service accepts no modification except a reclaim: 422
//     constraints.service.not.active.
//   - A failed health request: 422 constraints.service.health.request.status.in.error.
//   - A health result shows the plan that the service had when the request completed, whenever it
//     is read. Its other values are those at the time of the read.
//   - Polling faster than section 8 allows gets a normal response and is recorded as a violation.
//   - Forget drops the requests but not their effects: their modifications still take effect.
//   - A request that stalls does so for the middle half of its duration.
//   - The seed has the operations that a client has no permission for (clients[].denied). All
//     calls of such an operation are 404.
//   - A DSL stability profile change is refused with the code of section 7 during another one, and
//     with the general code during any other modification. Every technology accepts it.
//   - A quote request for a location without a qualification ends IN_ERROR.
//   - A reclaim is possible until the end of the day in the seed, in the carrier's time zone. It
//     ends the cancellation as if there had been none.
//   - Appointment slots are two standard ones and a chargeable one on each working day of the week
//     that begins at dateFrom; those of its first four days are within the time window. An
//     appointment-request can be cancelled repeatedly.
//   - Diagnostic tests run one at a time per service; the seed has the available tests. An unknown
//     one is 422 constraints.service-diagnostic-test-request.test-type.invalid, a second one at
//     the same time constraints.service-diagnostic-test-request.in-progress.
//   - A reschedule or abort takes effect immediately or, with slowCancellations, when the delay of
//     the operation has passed; until then the read returns 202 with the resource. One that fails is
//     undone at that time. A second one wins over the first. A service that cannot be cancelled at
//     all is refused with constraints.service.not.eligible.for.cancellation, and so is the read
//     after a reschedule or abort that failed because of a fault, or of the seed
//     (services[].outcomes).
//   - A cancellation that is handed over again (IN_ERROR_RETRY) can be neither moved nor aborted.
//   - A cancellation is carried out on its date in the carrier's time zone, but not before the
//     delay of a reschedule has passed since its last change.
//   - A page of disruptions has at most 100 items, whatever size is requested. A page beyond the
//     last is empty. An invalid parameter is a 400. The default sort direction is ascending.
//   - An order needs customerReference, sourceType, planName, term, qualificationSearchId,
//     locationId and aggregationMethod. It is not compared with earlier ones: the same reference
//     twice makes two orders. Codes for 422 that section 7 does not list begin with
//     constraints.order.
//   - Whether POTS makes an order a transfer is decided by copperPairStatus Active alone, because
//     an order has no FNN.
//   - The traffic class of an order is tc1, tc2 or tc4, in lower case; another one is 422
//     constraints.pattern.
//   - The charge for an additional infrastructure applies if a technician installs it, because
//     section 2 has it on that option only.
//   - On a free port avcIdForTransfer and transferType are ignored; CONNECT_OUTSTANDING with an
//     AVC id is refused.
//   - The identity provider requires every claim of section 5, one audience, and a lifetime (exp
//     minus iat) of at most a minute. It accepts each jti once while the JWT is valid, and uses
//     Keycloak's wording for refusals.
//   - There is no rate limit; only a hostile carrier returns 429.
//   - A read of a service (extension ServiceRead) shows the service as it is at that moment, or as
//     it was a while ago (seed: serviceRead.lag). Its modifications list what is in progress,
//     including what somebody else requested, but no aggregation conversion and no reclaim. The form
//     of the list is set by the seed (serviceRead.modifications).
//   - The result of every diagnostic test has the contents of the port-reset example.
//   - With the extension OrderFields an order may have potsServiceOwner, potsWaiver, quoteName and
//     ntdOption, and fields that the carrier has added (seed: orderFields). A missing waiver and an
//     ntdOption that the plan does not offer are 422 constraints.order.{pots.waiver.required,
//     ntd.option.invalid}. Without the extension they are ignored, as unknown fields are.
//   - An order stays OPEN forever, unless it is rejected, and it never becomes a service. With the
//     extension OrderRead it is OPEN for the first quarter of its duration (delays.OrderCreate),
//     then IN_PROGRESS, then COMPLETED, and from then on its service exists; a rejected one is
//     REJECTED. An order with a technician has one appointment. Nothing announces a completed order.
//
// # Events
//
// Section 6 has the names of the events and leaves the rest open. Here an event happens when its
// request ends, and is sent by the next call of Deliver: a test calls it after moving its clock,
// and the program ten times a second. Clients without a callback get none. A changed plan is
// announced by ServicePlanChanged, and a changed restoration SLA by ServiceRestorationSlaChanged. A
// plan change that changes both is announced by both events. There are two forms:
//
//   - Specification: {"eventType": "ServicePlanChanged", "occurredOn": …, "requestId": …,
//     "serviceId": …, "orderId": …, "service": {…}}; the last member is named order for an
//     OrderRejected. An id that does not apply is null.
//   - Headers: z-event-type "service.plan-changed.event", z-notification-type
//     "service.plan-changed.notification", z-notification-model "service", "order" or
//     "appointment"; the body is only the resource. Only this form has the events that
//     the specification does not have: service.restoration-sla-change-rejected,
//     service.dsl-stability-profile-change-rejected, service.reclaim-failed, service.cancelled
//     and appointment.cancelled.
//
// The resource is the service as it was when the event happened, the order as it was placed, or the
// appointment. In the header form, a service is the resource of its read (extension ServiceRead). An
// order lacks status, provider and fee, and has type, rejectedReason and rejectedOn. The deprecated
// ServiceModified and ServiceModificationRejected follow their successors if the seed enables them.
//
// With a shared secret an event has three headers: webhook-id, the same for every attempt;
// webhook-timestamp, in Unix seconds by the real clock; and webhook-signature, "v1," and the base64
// of HMAC-SHA256 over id.timestamp.body, with the bytes of the secret as key; a secret that begins
// with whsec_ is in base64 after that. If the response is missing or is not a 2xx, there is another
// attempt after a pause that doubles. Events are sent in the order of their times, except for
// repeated attempts.
//
// # The carrier's own word
//
// Options.APIWord replaces the word "wholesale" of the specification: in keys (wholesaleLocationId,
// wholesale_test_id), in sourceType, provider, installationType, ntdInstallation and option
// (wholesale, wholesale-tech), in the names of fees (WHOLESALE_TECHNICIAN_FOR_INSTALL), and in
// sub-errors and sort orders where they contain a key. It applies to requests, responses and
// events, but not to paths, free text or the client's own values. The management interface uses
// the specification's word.
//
// # A hostile carrier
//
// With Options.Hostile, these faults occur at random. The numbers are calls out of a thousand:
//
//   - 30 each: a 500 and a 502 with the standard body, before or after the call takes effect
//   - 20: a 502 or a 503 with a page, before or after the call takes effect
//   - 20 each: a reset and a hang after the call takes effect
//   - 20: a 429 with a Retry-After in seconds, as a date, invalid or absent
//   - 10 each: a cut response, half a response and then nothing, a missing Location and a redirect
//   - 5: a gigabyte compressed to a megabyte
//   - 100: another form of the Location
//   - 1: all requests are lost
//
// Out of a thousand tokens, 50 are refused once. Out of a thousand reads of a request in its first
// two seconds, 50 do not find it. Out of a thousand 202 responses, 100 have a body where the
// specification has none, or lack one that it has. A request takes 0 to 15 s. A gateway delivers 10
// of a thousand accepted POSTs twice (Count.Duplicated). Ids are in no order and up to 2^63. Half
// of the objects are shuffled, half have an unknown null member, and a few have a duplicate member.
// Date is off by up to 30 s. expires_in is sometimes 299, 1, 0, missing, a text or negative. If a
// client has several keys, each of them in turn is refused for ten minutes.
//
// RandomSeed determines the random sequence: the same calls in the same order get the same faults.
//
// # Saved state
//
// Save and Restore keep everything across a restart except the offer and the qualifications, which
// always come from the seed; see [OpenState]. The journal keeps the newest calls. It keeps 256
// bytes of each text from a caller, and counts up to a million subjects separately.
//
// # What it does not simulate
//
// It has the calls of the specification. Of those that only the published interface has, it has
// the ones that the seed names (extensions). There is no call for a qualification. HTTP/2 streams
// are reset with the only code that Go's server uses.
package simulator
