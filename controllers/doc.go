// SPDX-License-Identifier: Apache-2.0

// Package controllers reconciles each kind in the same way: gather, judge, act, record.
//
//	fetch ─► gather an Input ─► Decide of the kind ─► perform its Step ─┐
//	             ▲                                                    │ until there is
//	             └────────────────────────────────────────────────────┘ nothing to do now
//	                                                                  ▼
//	                                            one status write, one ctrl.Result
package controllers
