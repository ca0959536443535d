// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Op is the type of an effect. It decides which faults are possible.
type Op int

// The sorts of effects.
const (
	Write     Op = iota // of an object
	Read                // bypassing the cache
	Key                 // the account's key, read for a login, bypassing the cache
	Post                // to the carrier
	Poll                // a GET of the carrier
	Token               // an exchange with the identity provider
	CacheRead           // a cache read of the scenario's object
)

// Effect is one action of a process on the world outside it, or one read from it.
type Effect struct {
	Number int // the position in the run, from 1
	Op     Op
	What   string

	at         time.Time
	cacheReads []key // what was read from the cache between this effect and the next
}

// FaultKind is what happens at an effect.
type FaultKind string

// What can happen at an effect. The first group are faults, the second are actions of other
// actors immediately before it, and the third are stale cache reads.
const (
	noFault     FaultKind = ""
	CrashBefore FaultKind = "crash before"
	CrashAfter  FaultKind = "crash after"
	Refused     FaultKind = "error without effect"
	Lost        FaultKind = "error after the effect"
	Conflict    FaultKind = "conflict"
	Unavailable FaultKind = "500"
	BadGateway  FaultKind = "502 after the effect"
	GatewayPage FaultKind = "a gateway's 404 after the effect"
	Denied      FaultKind = "401"
	Missing     FaultKind = "404"
	Invalid     FaultKind = "422"
	Busy        FaultKind = "422 because another request is in progress"
	Doubled     FaultKind = "the POST arrives twice, and the second response is returned"
	Throttled   FaultKind = "429"
	Late        FaultKind = "late response"
	LostLate    FaultKind = "lost response, noticed late"
	Forgotten   FaultKind = "the carrier forgets every request"
	OtherResult FaultKind = "the carrier's result shows another value, or another spelling"

	OtherPass              FaultKind = "another manager runs a pass"
	Preempted              FaultKind = "preempted by another manager"
	Deleted                FaultKind = "a user deletes"
	Recreated              FaultKind = "a user deletes and creates"
	Edited                 FaultKind = "a user edits"
	StatusLost             FaultKind = "a restore loses the status"
	ResolvedUnknownAttempt FaultKind = "a person resolves another attempt"
	Resolved               FaultKind = "a person resolves truthfully"

	StatusRolledBack FaultKind = "a restore shows an older status"
	StatusForged     FaultKind = "somebody forges the status"
	LedgerDeleted    FaultKind = "somebody force-deletes the ledger"
	LedgerRolledBack FaultKind = "a restore shows an older ledger"
	LedgerEmptied    FaultKind = "a restore shows an empty ledger"
	LedgerNewer      FaultKind = "a newer version writes the ledger"
	ForceDeleted     FaultKind = "somebody force-deletes the object"
	Suspended        FaultKind = "a user suspends"
	Unlisted         FaultKind = "the account no longer lists the service"
	ApprovalRequired FaultKind = "the account requires approval"
	AccountRecreated FaultKind = "the account is deleted and created"
	RetryRequested   FaultKind = "a person requests a retry"
	ReadingRequested FaultKind = "a person requests a reading"
	ResolvedEarly    FaultKind = "a person resolves before being asked"
	ResolvedFalsely  FaultKind = "a person resolves untruthfully"
	ChangedElsewhere FaultKind = "somebody else changes the plan"
	Trusted          FaultKind = "a person trusts unknown values"
	DriftedElsewhere FaultKind = "the carrier changes the service by itself"

	Stale       FaultKind = "the cache lags behind"
	Lagging     FaultKind = "the cache lags behind for three reads"
	Redelivered FaultKind = "a watch event is delivered twice"
)

// common returns the faults that every service has now and then.
func common(op Op) []FaultKind {
	return [...][]FaultKind{
		Write:     {CrashBefore, CrashAfter, Refused, Lost, Conflict},
		Read:      {CrashBefore, Refused},
		Key:       {CrashBefore, Refused},
		Post:      {CrashBefore, CrashAfter, Refused, Lost, Unavailable, BadGateway, Denied, Throttled},
		Poll:      {CrashBefore, CrashAfter, Refused, Lost, Unavailable, Denied},
		Token:     {CrashBefore, CrashAfter, Refused, Lost, Unavailable},
		CacheRead: {},
	}[op]
}

// rare returns the other faults.
func rare(op Op) []FaultKind {
	return [...][]FaultKind{
		Write:     {Late},
		Read:      {Late},
		Key:       {},
		Post:      {Missing, Invalid, Busy, Late, LostLate, GatewayPage, Forgotten},
		Poll:      {Missing, Invalid, Throttled, Late, Forgotten},
		Token:     {Denied, Late},
		CacheRead: {},
	}[op]
}

// faults returns all faults that are possible at an effect of a sort.
func faults(op Op) []FaultKind { return slices.Concat(common(op), rare(op)) }

// isTypical reports whether a fault represents others that the process cannot distinguish from it,
// for example a poll without a response and one with an inconclusive response.
func isTypical(op Op, kind FaultKind) bool {
	return slices.Contains([...][]FaultKind{
		Write:     {CrashAfter, Refused, Lost},
		Read:      {CrashBefore, Refused},
		Key:       {Refused},
		Post:      {CrashAfter, Lost, Denied},
		Poll:      {CrashAfter, Missing, Invalid},
		Token:     {Refused},
		CacheRead: {},
	}[op], kind)
}

// appliesTo reports whether the kind can happen at an effect of a sort.
func (k FaultKind) appliesTo(op Op) bool {
	ofScenario := op == Post && (k == Doubled || k == OtherResult)
	return k.isAction() || k == Preempted && preemptible(op) || ofScenario || slices.Contains(faults(op), k)
}

// isLate reports whether the other managers run for a while before the response arrives.
func (k FaultKind) isLate() bool { return k == Late || k == LostLate }

// losesResponse reports whether the process does not learn what has happened.
func (k FaultKind) losesResponse() bool {
	return k == Lost || k == LostLate || k == BadGateway || k == GatewayPage
}

// isCarrierCall reports whether an effect is a call to the carrier.
func (s Op) isCarrierCall() bool { return s == Post || s == Poll }

// replacesEffect reports whether the process gets an error and nothing happens.
func (k FaultKind) replacesEffect() bool {
	return k == Refused || k == Conflict || k.status() != 0 && !k.losesResponse()
}

// status is the HTTP status of the carrier or of a proxy in front of it; 0 for none.
func (k FaultKind) status() int {
	for _, response := range []struct {
		kind   FaultKind
		status int
	}{
		{Unavailable, http.StatusInternalServerError},
		{BadGateway, http.StatusBadGateway},
		{Denied, http.StatusUnauthorized},
		{GatewayPage, http.StatusNotFound},
		{Missing, http.StatusNotFound},
		{Invalid, http.StatusUnprocessableEntity},
		{Busy, http.StatusUnprocessableEntity},
		{Throttled, http.StatusTooManyRequests},
	} {
		if response.kind == k {
			return response.status
		}
	}
	return 0
}

// body is the body of that response; "" for none.
func (k FaultKind) body() string {
	switch k { //nolint:exhaustive // the others have none
	case Busy:
		return busyBody
	case Missing:
		return `{"httpStatusCode": 404, "type": "business.rule", "code": "resource.not.found", "message": "not found"}`
	case Invalid:
		return `{"httpStatusCode": 422, "type": "client.validation", "code": "validation", "message": "not valid"}`
	case GatewayPage:
		return "<html>not found</html>"
	}
	return ""
}

// busyBody is the carrier's response body to a request refused because another is in progress.
const busyBody = `{"httpStatusCode": 422, "type": "business.rule", "code": "validation", "message": "not now",
	"apiSubErrors": [{"code": "constraints.service.request.in.progress", "message": "another request is in progress"}]}`

// isCrash reports whether the fault ends the process.
func (k FaultKind) isCrash() bool { return k == CrashBefore || k == CrashAfter }

// isCleanError reports whether the error alone shows what has happened. After such an error, asking
// a person would be a false alarm.
func (k FaultKind) isCleanError(op Op) bool {
	if op == Post {
		// Not Busy: the request in progress may be this one, which the class Never asks a person about.
		return slices.Contains([]FaultKind{Refused, Denied, Missing, Invalid, Throttled}, k)
	}
	return !k.isCrash() && !k.isLate() && k != Forgotten
}

// Fault is what happens at one effect of a run.
type Fault struct {
	At      int // the number of the effect, or of the cache read; 0 if the effect is named
	Kind    FaultKind
	Version int64 // the version that a stale cache shows

	What string // the prefix of the effect's name, if it has no number
	Nth  int    // which of the effects with that prefix, from 1
}

// isDue reports whether a fault happens at the newest of these effects.
func (f Fault) isDue(effects []Effect) bool {
	newest := effects[len(effects)-1]
	if f.What == "" {
		return f.At == newest.Number
	}
	named := 0
	for _, effect := range effects {
		if strings.HasPrefix(effect.What, f.What) {
			named++
		}
	}
	return named == f.Nth && strings.HasPrefix(newest.What, f.What)
}

// String returns a name by which the fault can be found again.
func (f Fault) String() string {
	if f.Kind == Stale || f.Kind == Lagging {
		return fmt.Sprintf("%d: %s (%d)", f.At, f.Kind, f.Version)
	}
	if f.What != "" {
		return fmt.Sprintf("%s #%d: %s", f.What, f.Nth, f.Kind)
	}
	return fmt.Sprintf("%d: %s", f.At, f.Kind)
}

// Plan is a fault plan: a scenario, the number of managers and the faults.
type Plan struct {
	Scenario *Scenario
	Managers int
	Faults   []Fault
}

// String returns a name by which the plan can be run again.
func (p Plan) String() string {
	return fmt.Sprintf("%s, %d managers, %v", p.Scenario.Name, p.Managers, p.Faults)
}
