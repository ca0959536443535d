// SPDX-License-Identifier: Apache-2.0

// Package model checks the rules of the request ledger (R1 to R32) without the code that follows
// them: two managers, two objects of one service, an account, a carrier and people are small
// programs over one comparable state, and every order of their steps is tried, breadth first, so
// that what is found is found with the fewest steps. A step is one read, one write, one POST or one
// crash.
//
// TestModel tries all states within the bounds of its scopes: two managers, two objects, two or
// three attempts, and in each scope room for one or two of some of: crashes, resolutions, edits,
// closings of the account, pauses, restores of the ledger. That is 3.4 million states and 12 million
// steps, half a minute of CPU time; without TEST_ALL the two largest scopes, half of that, are left
// out. Other tests leave a rule out and expect the promise that it is
// for to break: rules.go names the rules, properties.go the promises.
//
// # What is abstracted, and why nothing is missed
//
//   - resourceVersion is never a number. Programs only ask whether it is still the one they have
//     read; every write to the ledger answers "no" for everybody else.
//   - A cache holds what the API server had when it last caught up, for as long as it likes. So a
//     pass judges on any version between that and the newest. A restarted process begins with what
//     it had: a list may be stale, too.
//   - A stale copy of the ledger is not kept while R1 is in force: the intent would be refused.
//   - Time has three values for an attempt: less than 10 s, more than 10 s, more than 120 s. It
//     passes at any moment, on every clock at once, or not on the sender's (a suspended machine).
//   - Writing a receipt is one step: it is repeated until the resourceVersion fits (R16). So is a
//     takeover with its live GET of the holder: a UID that is gone does not come back.
//   - The managers are one program; states that differ in which is which are one (simplify.go).
//   - A live GET of what nobody can edit any more within the bounds is no step of its own.
//   - Revisions count only where something is restored or R1 is left out.
//
// # Where the model is stricter than the operator
//
//   - It has the status show an intent before the POST. The operator writes the status after it, so
//     that a ledger which is restored to before an attempt under way is not noticed: leaving that
//     rule out finds the second purchase. docs/requestledger.md says to restore while no manager
//     runs.
//
// # What is not in the model
//
//   - The time between a resolution and its being recorded: a manager whose cache of the object
//     shows an older resolution is not here.
//   - Converge and Verify, `retry`, approval, price, chargeLimit, rate, and the bound of `ended`.
//   - An older status, a plan that somebody else changed, a second cluster, a ledger that is gone
//     when a receipt is written, Abandoned as the resolution of LedgerLost, and edits of objects
//     together with a restore.
package model
