// Package carrier implements the wholesale carrier's HTTP API, independently of its callers.
//
// Calls to the API cost money, and it has neither an idempotency key nor a list of earlier
// requests. The package therefore guarantees:
//
//   - One call of [Client.Submit] is at most one POST on the wire, and its [Receipt] claims no more
//     about the outcome of that POST than was observed.
//   - A response is never lost because of a small difference in format: unknown fields and values
//     are tolerated, numbers may be strings, and ids beyond 2^53 remain exact.
//   - No token, key, assertion or contact detail leaves the package in an error or a log line.
//
// The life of a request:
//
//	           Token, Take         Submit                       Poll … Poll
//	caller ───────────────▶ token, ────────▶ POST ──▶ Receipt ─────────────▶ Pending (202)
//	           wait?        rate             once     Accepted + Handle      Done    (200) ─▶ Decode…
//	                                                  NotSent, Rejected …    Failed  (422) ─▶ Error
//
// Comments cite the carrier's specification by section, as in "spec §4". docs/carrier-api.md
// describes what this project knows of the specification, under the same numbers.
//
// Everything that differs between the thirteen operations is in one table, see [Contracts]. Two
// pure functions interpret responses: [Classify] for a POST and [ClassOf] for errors.
package carrier
