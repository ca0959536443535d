package simulator_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// TestForgottenRequestsStillTakeEffect makes the carrier forget its requests during a plan change.
func TestForgottenRequestsStillTakeEffect(t *testing.T) {
	h := start(t)
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.sim.Forget()
	h.get(outcome).refusedWith(http.StatusNotFound, "resource.not.found")
	h.post(planChange, planChangeBody(fttp, "Basic", 1)).is(http.StatusUnprocessableEntity)
	h.wait(10 * time.Second)
	if service, _ := h.sim.Service(fttp); service.Plan != "Fast" {
		t.Errorf("the plan is %s", service.Plan)
	}
}

// TestAdvanceMovesOnlyTheCarriersClock checks that access tokens survive a jump of the carrier's
// clock.
func TestAdvanceMovesOnlyTheCarriersClock(t *testing.T) {
	h := start(t)
	outcome := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.sim.Advance(time.Hour)
	h.get(outcome).is(http.StatusOK) // the token has not expired
}

// TestAPlanChangeInProgressOverridesSetPlan changes a plan by hand while a request is in progress.
func TestAPlanChangeInProgressOverridesSetPlan(t *testing.T) {
	h := start(t)
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	if err := h.sim.SetPlan(fttp, "Doomed"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Doomed", "Fast"} {
		if service, _ := h.sim.Service(fttp); service.Plan != want {
			t.Errorf("the plan is %s, want %s", service.Plan, want)
		}
		h.wait(10 * time.Second)
	}
	if h.sim.SetPlan(42, "Fast") == nil {
		t.Error("a service that does not exist was changed")
	}
}

// TestServicesAreAddedAndRemoved adds a service and removes it again.
func TestServicesAreAddedAndRemoved(t *testing.T) {
	h := start(t)
	if err := h.sim.AddService(simulator.Service{ID: 42, Client: "reseller", Plan: "Fast"}); err != nil {
		t.Fatal(err)
	}
	outcome := h.post(health, serviceBody(42)).created()
	h.wait(10 * time.Second)
	h.get(outcome).is(http.StatusOK)
	h.sim.RemoveService(42)
	h.get(outcome).is(http.StatusNotFound)
	h.post(health, serviceBody(42)).is(http.StatusNotFound)
	if h.sim.AddService(simulator.Service{ID: 42, Client: "nobody"}) == nil {
		t.Error("a service of an unknown client was added")
	}
}

// TestQualificationsAreValidated refuses qualifications that no order could use. The operator's
// order scenarios use the others.
func TestQualificationsAreValidated(t *testing.T) {
	h := start(t)
	site := simulator.Qualification{QualificationSearchID: "SQ", Client: "reseller", LocationID: "LOC000000000101"}
	if err := h.sim.AddQualification(site); err != nil {
		t.Error(err)
	}
	nobodys, nowhere := site, site
	nobodys.Client, nowhere.LocationID = "nobody", ""
	for _, bad := range []simulator.Qualification{nobodys, nowhere} {
		if h.sim.AddQualification(bad) == nil {
			t.Errorf("%+v was added", bad)
		}
	}
}
