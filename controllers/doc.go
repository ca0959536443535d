// SPDX-License-Identifier: Apache-2.0

// Package controllers creates the operator's controllers, connects them, and adds them to a manager.
//
// Each subject has a package: [accounts], [services], [orders], [appointments], [oneshots], [ledgers]
// and [notifications]. Every object that sends requests is reconciled by a pass of package [pass],
// which takes its steps by the protocol of package operate. Packages [watch] and [index] say which
// changes start a pass, and package [installation] what this process may do in its cluster.
package controllers
