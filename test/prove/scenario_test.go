// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// Subject is the object of a scenario.
type Subject = pass.Subject

// The kinds that have a reconciler of their own.
const (
	kindAccount     = "CarrierAccount"
	kindService     = "BroadbandService"
	kindOrder       = "ServiceOrder"
	kindAppointment = "AppointmentRequest"
	kindTest        = "DiagnosticTest"
)

// Scenario is one operation, from what a user applies to the end of the operation.
type Scenario struct {
	Name          string
	Kind          string
	Operation     v1alpha1.Operation
	NeedsApproval bool   // a person has to approve the change
	Described     bool   // the carrier describes its services (extension ServiceRead)
	Followed      bool   // the carrier shows accepted orders (extension OrderRead)
	Rejected      bool   // the carrier rejects the order after accepting it
	Installed     bool   // the account and the object have the defaults of their CRDs, and there is a marker
	HealthPrefix  string // in front of the name of each plan in health
	Trusts        bool   // a person who is asked about unknown values answers that the service has them
	Empty         func() Subject
	Object        func(*world.World) client.Object // what a user applies, once the carrier's records allow it
	Edit          func(Subject)                    // another spec, if the kind allows one; nil: none
	DeleteAfter   func(Subject) bool               // whether the user deletes the object once the change was made
}

// The names and numbers of the scenarios.
const (
	planWithNTD     = "PlanChange with ntdOption"
	firstPlanChange = "FirstPlanChange" // it costs no more, but needs approval as the first change

	site      = "site"
	lineID    = int64(4_711)
	reference = "order-1"
	newDate   = "2026-08-31"
	oldDate   = "2026-06-30"
)

// forManyRuns edits the account of every scenario that is not an installed one. It differs from the
// defaults of the CRD: nobody is asked to approve anything, unknown values are requested, and the rate
// is hardly limited (see world.Account); the spending is limited, and a lost Location is not polled
// every five minutes for a whole day.
func forManyRuns(account *v1alpha1.CarrierAccount) {
	account.Spec.APIVersion, account.Spec.IdentifierWord = 8, "wholesale"
	account.Spec.Polling = v1alpha1.Polling{Min: "2s", Max: "8h"}
	account.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: chargeLimit}
}

// Scenarios returns a scenario for every operation.
func Scenarios() []*Scenario {
	return slices.Concat(
		serviceScenarios(), taskScenarios(), appointmentScenarios(), describedScenarios(), followedScenarios(),
		installedScenarios())
}

type (
	serviceEdit = func(*v1alpha1.BroadbandService)
	lineEdit    = func(*simulator.Service)
)

func serviceScenarios() []*Scenario {
	return []*Scenario{
		service("PlanChange", v1alpha1.OperationPlanChange, unchanged, func(*v1alpha1.BroadbandService) {}),
		service(planWithNTD, v1alpha1.OperationPlanChange, unchanged, func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan = &v1alpha1.Plan{
				Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
				Contact: &v1alpha1.Contact{Name: "Ada Lovelace", Phone: "0400000000", Email: "ada@example.com"},
			}
		}),
		service("AggregationConversion", v1alpha1.OperationAggregationConversion, unchanged,
			func(s *v1alpha1.BroadbandService) { s.Spec.Plan, s.Spec.AggregationMethod = nil, "ETHERNET" }),
		needingApproval(service("UnknownAggregationMethod", v1alpha1.OperationAggregationConversion, unchanged,
			func(s *v1alpha1.BroadbandService) {
				s.Spec.Plan, s.Spec.AggregationMethod, s.Spec.UnknownValues = nil, "ETHERNET", v1alpha1.UnknownAsk
			})),
		service("DSLStabilityProfileChange", v1alpha1.OperationDSLStabilityProfileChange,
			func(l *simulator.Service) { l.TechnologyType = "FTTN" },
			func(s *v1alpha1.BroadbandService) { s.Spec.Plan, s.Spec.DSLStabilityProfile = nil, "Stable" }),
		service("Reclaim", v1alpha1.OperationReclaim,
			func(l *simulator.Service) {
				l.Cancellation = &simulator.Cancellation{Status: "COMPLETED", RequestDate: "2026-02-20"}
				l.ReclaimableUntil = "2026-04-01"
			},
			func(s *v1alpha1.BroadbandService) {
				s.Spec.Plan, s.Spec.Disconnection = nil, v1alpha1.DisconnectionReclaim
			}),
		service("CancellationReschedule", v1alpha1.OperationCancellationReschedule, withCancellation,
			func(s *v1alpha1.BroadbandService) {
				s.Spec.Plan = nil
				s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: newDate}
			}),
		service("CancellationAbort", v1alpha1.OperationCancellationAbort, withCancellation,
			func(s *v1alpha1.BroadbandService) {
				s.Spec.Plan = nil
				s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationNever}
			}),
		needingApproval(service(firstPlanChange, v1alpha1.OperationPlanChange, unchanged,
			func(s *v1alpha1.BroadbandService) {
				s.Spec.Plan, s.Spec.Approval = &v1alpha1.Plan{Name: world.PlanCheap, Term: 12}, v1alpha1.ApprovalOnCost
			})),
	}
}

func needingApproval(scenario *Scenario) *Scenario {
	scenario.NeedsApproval = true
	return scenario
}

func unchanged(*simulator.Service) {}

func withCancellation(l *simulator.Service) {
	l.Cancellation = &simulator.Cancellation{Status: "REQUESTED", RequestDate: oldDate}
}

// service returns a scenario with a BroadbandService.
func service(name string, operation v1alpha1.Operation, line lineEdit, apply serviceEdit) *Scenario {
	return &Scenario{
		Name: name, Kind: kindService, Operation: operation, Empty: func() Subject { return &v1alpha1.BroadbandService{} },
		Object: func(w *world.World) client.Object {
			if _, known := w.Carrier.Service(lineID); !known {
				w.Line(func(l *simulator.Service) { l.ID = lineID }, line)
			}
			return w.Service(site, lineID, func(s *v1alpha1.BroadbandService) {
				s.Spec.ManagementPolicy, s.Spec.DriftPolicy = v1alpha1.ManagementManage, v1alpha1.DriftReport
			}, apply)
		},
		Edit: func(subject Subject) {
			if s, is := subject.(*v1alpha1.BroadbandService); is {
				editAspect(s)
			}
		},
	}
}

// editAspect changes the aspect that the spec declares.
func editAspect(s *v1alpha1.BroadbandService) {
	switch {
	case s.Spec.Plan != nil:
		s.Spec.RestorationSLA = world.SLAFast
	case s.Spec.AggregationMethod != "":
		s.Spec.AggregationMethod = "L2TP"
	case s.Spec.DSLStabilityProfile != "":
		s.Spec.DSLStabilityProfile = "Standard"
	case s.Spec.Cancellation != nil:
		s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: "2026-10-31"}
	default:
		s.Spec.Disconnection = v1alpha1.DisconnectionReport
	}
}

func taskScenarios() []*Scenario {
	return []*Scenario{
		{
			Name: "OrderCreate", Kind: kindOrder, Operation: v1alpha1.OperationOrderCreate,
			Empty:  func() Subject { return &v1alpha1.ServiceOrder{} },
			Object: func(w *world.World) client.Object { return w.Order(site, reference) },
		},
		{
			Name: "DiagnosticTest", Kind: "DiagnosticTest", Operation: v1alpha1.OperationDiagnosticTest,
			Empty:  func() Subject { return &v1alpha1.DiagnosticTest{} },
			Object: func(w *world.World) client.Object { addLine(w); return w.Test(site, lineID) },
		},
		{
			Name: "FibreBuildCharge", Kind: "FibreBuildQuote", Operation: v1alpha1.OperationFibreBuildCharge,
			Empty:  func() Subject { return &v1alpha1.FibreBuildQuote{} },
			Object: func(w *world.World) client.Object { return w.Quote(site, world.QualifiedSite) },
		},
		{
			Name: "PlanOptions", Kind: "PlanOptionsQuery", Operation: v1alpha1.OperationPlanOptions,
			Empty:  func() Subject { return &v1alpha1.PlanOptionsQuery{} },
			Object: func(w *world.World) client.Object { addLine(w); return w.Query(site, lineID) },
		},
		{
			Name: "Health", Kind: "HealthCheck", Operation: v1alpha1.OperationHealth,
			Empty:  func() Subject { return &v1alpha1.HealthCheck{} },
			Object: func(w *world.World) client.Object { addLine(w); return w.Check(site, lineID) },
		},
	}
}

func addLine(w *world.World) {
	if _, known := w.Carrier.Service(lineID); !known {
		w.Line(func(l *simulator.Service) { l.ID = lineID })
	}
}

// appointmentScenarios returns scenarios that query slots and cancel the appointment on deletion.
func appointmentScenarios() []*Scenario {
	slots := Scenario{
		Name: "AppointmentSlots", Kind: kindAppointment, Operation: v1alpha1.OperationAppointmentSlots,
		Empty: func() Subject { return &v1alpha1.AppointmentRequest{} },
		Object: func(w *world.World) client.Object {
			return w.Appointment(site, func(a *v1alpha1.AppointmentRequest) { a.Spec.DeletionPolicy = v1alpha1.DeletionCancel })
		},
		Edit: func(subject Subject) {
			if a, is := subject.(*v1alpha1.AppointmentRequest); is {
				a.Spec.DateFrom = "2026-03-16"
			}
		},
	}
	cancel := slots
	cancel.Name, cancel.Operation = "AppointmentCancel", v1alpha1.OperationAppointmentCancel
	cancel.DeleteAfter = func(Subject) bool { return true }
	return []*Scenario{&slots, &cancel}
}
