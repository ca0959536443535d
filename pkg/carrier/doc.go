// Package carrier speaks the wholesale carrier's HTTP API exactly, and knows nothing of who asks.
//
// The API spends money, has no idempotency key and no list of what was asked. So the package makes
// three promises, and everything in it serves one of them:
//
//   - one call of [Client.Submit] is at most one POST on the wire, and its [Receipt] never claims
//     to know more about the fate of that POST than was observed;
//   - an answer of the carrier is never lost because it is spelled a little differently: unknown
//     fields and values survive, numbers may be strings, ids stay exact beyond 2^53;
//   - no token, key, assertion or contact detail leaves the package in an error or a log line.
//
// The life of a request:
//
//	           Prepare             Submit                       Poll … Poll
//	caller ───────────────▶ token, ────────▶ POST ──▶ Receipt ─────────────▶ Pending (202)
//	           wait?        rate             once     Accepted + Handle      Done    (200) ─▶ Decode…
//	                                                  NotSent, Rejected …    Failed  (422) ─▶ Error
//
// What differs between the thirteen operations stands in one table, see [Contracts]; which answer
// means what stands in two pure functions, [Classify] for a POST and [ClassOf] for errors.
package carrier
