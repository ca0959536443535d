// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// actions returns what other actors can do between two effects of a scenario. Actions that would
// have no effect are left out. For example, a single manager cannot be overtaken, and not every
// kind can be edited or has a ledger.
func actions(scenario *Scenario, managers int) []FaultKind {
	kinds := []FaultKind{
		Deleted, Recreated, StatusLost, ResolvedUnknownAttempt, Resolved, StatusRolledBack, AccountRecreated,
		RetryRequested, ReadingRequested, ResolvedEarly, ResolvedFalsely,
	}
	for _, group := range []struct {
		does  bool
		kinds []FaultKind
	}{
		{managers > 1, []FaultKind{OtherPass}},
		{scenario.Edit != nil, []FaultKind{Edited}},
		{
			scenario.hasLedger(),
			[]FaultKind{StatusForged, LedgerDeleted, LedgerRolledBack, LedgerEmptied, LedgerNewer, ApprovalRequired},
		},
		{scenario.Kind == kindService, []FaultKind{Suspended, Unlisted}},
		{scenario.Operation == v1alpha1.OperationPlanChange, []FaultKind{ChangedElsewhere}},
		{scenario.NeedsApproval, []FaultKind{Trusted}},
		{scenario.readsAtInterval() && !scenario.Trusts, []FaultKind{DriftedElsewhere}},
		{scenario.Kind == kindTest || scenario.Kind == kindAppointment, []FaultKind{ForceDeleted}},
	} {
		if group.does {
			kinds = append(kinds, group.kinds...)
		}
	}
	return kinds
}

// hasLedger reports whether the scenario's requests are recorded in a ledger.
func (s *Scenario) hasLedger() bool {
	return slices.Contains([]string{kindService, kindOrder, kindTest}, s.Kind)
}

// isAction reports whether the kind is an action of another actor.
func (k FaultKind) isAction() bool {
	return slices.Contains([]FaultKind{
		OtherPass, Deleted, Recreated, Edited, StatusLost, ResolvedUnknownAttempt, Resolved, StatusRolledBack,
		StatusForged, LedgerDeleted, LedgerRolledBack, LedgerEmptied, LedgerNewer, ForceDeleted, Suspended, Unlisted,
		ApprovalRequired, AccountRecreated, RetryRequested, ReadingRequested, ResolvedEarly, ResolvedFalsely,
		ChangedElsewhere, Trusted, DriftedElsewhere,
	}, k)
}

// key is a resource that an effect reads or writes, or that an action changes or depends on.
type key string

// The keys.
const (
	keyObject  key = "object"
	keyLedger  key = "ledger"
	keyAccount key = "account"
	keyCarrier key = "carrier"
)

// keysOf returns what an effect reads or writes; all keys if its name does not show that.
func keysOf(effect Effect) []key {
	for _, group := range []struct {
		is   bool
		keys []key
	}{
		{effect.Op.isCarrierCall(), []key{keyCarrier}},
		{effect.Op == Token, []key{keyAccount}},
		{effect.Op == Key, []key{keyAccount}},
		{strings.Contains(effect.What, "login-"), nil}, // the ledger of the login: no action changes it
		{strings.HasPrefix(effect.What, "list "), everyKey()},
		{strings.Contains(effect.What, ofLedger), []key{keyLedger}},
		{strings.Contains(effect.What, ofAccount), []key{keyAccount}},
		{effect.What == "read "+world.AccountName, []key{keyAccount}},
		{effect.What == "read "+site, []key{keyObject}},
		{effect.Op == Read, []key{keyLedger}}, // the ledger of the object, by its name
		{effect.Op == Write && strings.HasSuffix(effect.What, " "+site), []key{keyObject}},
	} {
		if group.is {
			return group.keys
		}
	}
	return everyKey()
}

func everyKey() []key { return []key{keyObject, keyLedger, keyAccount, keyCarrier} }

// keys returns the keys of an action: what it changes and what it depends on.
func (k FaultKind) keys() []key {
	for _, group := range []struct {
		kinds []FaultKind
		keys  []key
	}{
		{
			[]FaultKind{
				Deleted, Recreated, Edited, Suspended, StatusForged, StatusRolledBack, StatusLost, ResolvedUnknownAttempt,
				ReadingRequested, ForceDeleted, Trusted,
			},
			[]key{keyObject},
		},
		// These depend on the object too, because the ledger of a deleted object cannot be found.
		{
			[]FaultKind{LedgerDeleted, LedgerRolledBack, LedgerEmptied, LedgerNewer, RetryRequested},
			[]key{keyObject, keyLedger},
		},
		{[]FaultKind{Unlisted, ApprovalRequired, AccountRecreated}, []key{keyAccount}},
		{[]FaultKind{ChangedElsewhere, DriftedElsewhere}, []key{keyCarrier, keyObject}},
	} {
		if slices.Contains(group.kinds, k) {
			return group.keys
		}
	}
	return everyKey() // resolutions depend on what the carrier has accepted
}

// isTried reports whether an action immediately before an effect may have another result than the
// same action before the next effect. That is so if the effect, or a cache read between the two,
// has a key of the action, or if time passes between them. A pass of another manager has every key.
func isTried(effects []Effect, at int, kind FaultKind) bool {
	if kind == OtherPass || at+1 >= len(effects) || effects[at+1].at.After(effects[at].at) {
		return true
	}
	has := func(one key) bool {
		return slices.Contains(keysOf(effects[at]), one) || slices.Contains(effects[at].cacheReads, one)
	}
	return slices.ContainsFunc(kind.keys(), has)
}

// noteCacheRead notes, with the newest effect, that something was read from the cache after it.
func (r *run) noteCacheRead(of string) {
	if len(r.effects) == 0 {
		return
	}
	newest, one := &r.effects[len(r.effects)-1], keyObject
	switch of {
	case ofAccount:
		one = keyAccount
	case ofLedger:
		one = keyLedger
	}
	if !slices.Contains(newest.cacheReads, one) {
		newest.cacheReads = append(newest.cacheReads, one)
	}
}
