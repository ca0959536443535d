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
// # Choices
//
// What this package chooses where the specification is silent, the forms of events, the faults of a
// hostile carrier, and what is saved: see hack/run/simulator/choices.md.
package simulator
