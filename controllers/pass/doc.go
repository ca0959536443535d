// SPDX-License-Identifier: Apache-2.0

// Package pass reconciles an object of any kind in the same way: gather, judge, act, record.
//
//	fetch ─► gather an Input ─► Decide of the kind ─► perform its Step ─┐
//	             ▲                                                    │ until there is
//	             └────────────────────────────────────────────────────┘ nothing to do now
//	                                                                  ▼
//	                                            one status write, one ctrl.Result
//
// What differs between the kinds is a [Kind], a value of functions.
package pass
