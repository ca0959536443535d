// SPDX-License-Identifier: Apache-2.0

// Package model checks the rules of the request ledger (R1 to R32) independently of the code that
// implements them: two managers, two objects of one service, an account, a carrier and people are
// small programs over one comparable state. Every order of their steps is tried, breadth first, so
// that every violation is found with the fewest steps. A step is one read, one write, one POST or
// one crash.
//
// TestModel tries all states within the bounds of its scopes: two managers, two objects, and two or
// three attempts. Each scope also has one or two of some of these: crashes, resolutions, edits,
// closings of the account, pauses, restores of the ledger. That is 3.4 million states and 12
// million steps, half a minute of CPU time; without TEST_ALL the two largest scopes, half of that,
// are left out. Other tests leave a rule out and expect its promise to break: rules.go names the
// rules, and properties.go names the promises.
//
// # What is abstracted, and why nothing is missed
//
//   - resourceVersion is never a number. Programs only check whether it is still the one they have
//     read; after a write to the ledger it is not, except for the writer.
//   - A cache holds the state of the API server when it last caught up, for any length of time. A
//     pass can therefore judge any version between that and the newest. A restarted process starts
//     with its old cache: a list may be stale, too.
//   - A stale copy of the ledger is not kept while R1 is in force, because the intent would be
//     refused.
//   - Time has three values for an attempt: less than 10 s, more than 10 s, more than 120 s. It
//     passes at any moment, on every clock at once, or not on the sender's (a suspended machine).
//   - Writing a receipt is one step: it is repeated until the resourceVersion fits (R16). So is a
//     takeover with its live GET of the holder: a UID that is gone does not come back.
//   - The managers are one program; states that differ only in which is which are one
//     (simplify.go).
//   - A live GET of what can no longer be edited within the bounds is no step of its own.
//   - Revisions count only if something is restored or R1 is left out.
//
// # Where the model is stricter than the operator
//
//   - In the model the status shows an intent before the POST. The operator writes the status after
//     the POST, so it does not notice if the ledger is restored to before an attempt in progress.
//     Leaving that rule of the model out finds the second purchase. docs/requestledger.md says to
//     restore only while no manager runs.
//
// # What is not in the model
//
//   - The time between a resolution and its being recorded: there is no manager whose cache of the
//     object shows an older resolution.
//   - Converge and Verify, `retry`, approval, price, chargeLimit, rate, and the bound of `ended`.
//   - An older status, a plan that someone else changed, a second cluster, a ledger that is gone
//     when a receipt is written, Abandoned as the resolution of LedgerLost, and edits of objects
//     together with a restore.
package model
