// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 is what a user may ask of a wholesale broadband carrier and
// what the operator reports back: the kinds of the group wholesale.broadband.
//
// Every rule that needs nothing but the object itself stands here, as OpenAPI
// or CEL, so that a wrong manifest is refused at kubectl apply. Rules that need
// a clock, another object, a manager flag or the carrier are judged by the
// controllers and become conditions.
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

	// SchemeBuilder collects the functions that make a scheme know these kinds.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme makes a scheme know these kinds.
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
		&RequestLedger{}, &RequestLedgerList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
