// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 contains the kinds of the group wholesale.broadband: what a user can request of
// a wholesale broadband carrier, and what the operator reports.
//
// Every rule that needs only the object itself is here, as OpenAPI or CEL, so that kubectl apply
// rejects a wrong manifest. Rules that need a clock, another object, a manager flag or the carrier
// are checked by the controllers and reported as conditions.
//
// +kubebuilder:object:generate=true
// +groupName=wholesale.broadband
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// GroupVersion is the group and version of every kind in this package.
	GroupVersion = schema.GroupVersion{Group: "wholesale.broadband", Version: "v1alpha1"}

	// SchemeBuilder collects the functions that register these kinds in a scheme.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme registers these kinds in a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&CarrierAccount{}, &CarrierAccountList{},
		&BroadbandService{}, &BroadbandServiceList{},
		&ServiceOrder{}, &ServiceOrderList{},
		&AppointmentRequest{}, &AppointmentRequestList{},
		&DiagnosticTest{}, &DiagnosticTestList{},
		&FibreBuildQuote{}, &FibreBuildQuoteList{},
		&PlanOptionsQuery{}, &PlanOptionsQueryList{},
		&HealthCheck{}, &HealthCheckList{},
		&RequestLedger{}, &RequestLedgerList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
