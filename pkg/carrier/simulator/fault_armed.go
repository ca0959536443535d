package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// FailNext arms a fault for the next call of the target. The target is "POST PlanChange" or "GET
// PlanChange", or "PlanChange" for the operation's POST if it has one, or "*" for any call. The
// token exchange is "Token". Each call consumes one fault; faults for the same target occur in the
// order in which they were armed.
func (s *Simulator) FailNext(target string, fault Fault) error {
	if !s.knownTarget(target) {
		return fmt.Errorf("there is no call %q to fail", target)
	}
	if err := s.checkFault(target, fault); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	for range max(1, fault.Times) {
		s.state.Faults = append(s.state.Faults, ArmedFault{Target: target, Fault: fault})
	}
	return nil
}

// checkFault reports why a fault of a call could never occur as described.
func (s *Simulator) checkFault(target string, fault Fault) error {
	switch {
	case !slices.Contains(faultKinds(), fault.Kind):
		return fmt.Errorf("there is no fault %q", fault.Kind)
	case fault.Merge != nil && !isPatch(fault.Merge):
		return errors.New("merge is not a JSON merge patch of an object")
	case fault.Kind == FaultAlterResult && !s.hasResult(target):
		return fmt.Errorf("%s accepts no request whose result could be changed: use %s", target, FaultAlter)
	}
	return nil
}

func isPatch(patch json.RawMessage) bool {
	_, err := jsonpatch.MergePatch([]byte("{}"), patch)
	return err == nil
}

// hasResult reports whether the target includes a POST whose result is polled.
func (s *Simulator) hasResult(target string) bool {
	return slices.ContainsFunc(s.routes, func(r route) bool {
		_, polled := s.families[r.operation]
		return polled && r.method == http.MethodPost && s.targets(target, &r)
	})
}

func faultKinds() []FaultKind {
	return []FaultKind{
		FaultStatus, FaultPage, FaultBody, FaultReset, FaultHang, FaultRedirect,
		FaultCutBody, FaultNoLocation, FaultLocation, FaultEndInError, FaultStall, FaultTrickle, FaultBomb,
		FaultAlter, FaultAlterResult, FaultDouble,
	}
}

// Armed returns how many armed faults have not occurred yet.
func (s *Simulator) Armed() int {
	return locked(s, func() int { return len(s.state.Faults) })
}

// Disarm removes all armed faults.
func (s *Simulator) Disarm() { s.change(func() { s.state.Faults = nil }) }

func (s *Simulator) knownTarget(target string) bool {
	if target == "*" || target == string(OpToken) {
		return true
	}
	return slices.ContainsFunc(s.routes, func(r route) bool { return s.targets(target, &r) })
}

// takeFault removes and returns the first armed fault that matches a call.
func (s *Simulator) takeFault(r *route, serviceID int64) Fault {
	if r == nil {
		return Fault{}
	}
	i := slices.IndexFunc(s.state.Faults, func(a ArmedFault) bool {
		return s.targets(a.Target, r) && (a.ServiceID == 0 || a.ServiceID == serviceID)
	})
	if i < 0 {
		return Fault{}
	}
	fault := s.state.Faults[i].Fault
	s.state.Faults = slices.Delete(s.state.Faults, i, i+1)
	return fault
}

// targets reports whether a target matches the route.
func (s *Simulator) targets(target string, r *route) bool {
	if target == "*" || target == r.name() {
		return true
	}
	if target != string(r.operation) {
		return false
	}
	_, submitted := s.families[r.operation]
	return r.method == http.MethodPost || !submitted
}
