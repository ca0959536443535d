// SPDX-License-Identifier: Apache-2.0

// Package fleet reads and annotates the objects of a cluster for the plugin's commands. It lists
// objects page by page, reads objects by name, and sets annotations with a precondition.
package fleet

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Object is an object of a kind that the operator reconciles.
type Object interface {
	client.Object
	v1alpha1.Described
}

// Kind is a kind of the operator, and what it is called on the command line.
type Kind struct {
	Name   string // BroadbandService
	Plural string // broadbandservices
	Short  string // bbs

	New func() Object
}

// ReadsOnRequest reports whether the annotation reconcile makes the operator read an object.
func (k Kind) ReadsOnRequest() bool {
	return slices.Contains([]string{"BroadbandService", "ServiceOrder", "AppointmentRequest"}, k.Name)
}

// Immutable reports whether the API server refuses every change of a spec of the kind.
func (k Kind) Immutable() bool {
	return slices.Contains([]string{"DiagnosticTest", "FibreBuildQuote", "PlanOptionsQuery", "HealthCheck"}, k.Name)
}

// Kinds returns the kinds that the operator reconciles, in the order of display.
func Kinds() []Kind {
	return []Kind{
		Accounts(), Services(),
		{"ServiceOrder", "serviceorders", "sorder", func() Object { return &v1alpha1.ServiceOrder{} }},
		{"AppointmentRequest", "appointmentrequests", "appt", func() Object { return &v1alpha1.AppointmentRequest{} }},
		Tests(),
		{"FibreBuildQuote", "fibrebuildquotes", "fbq", func() Object { return &v1alpha1.FibreBuildQuote{} }},
		{"PlanOptionsQuery", "planoptionsqueries", "poq", func() Object { return &v1alpha1.PlanOptionsQuery{} }},
		{"HealthCheck", "healthchecks", "hcheck", func() Object { return &v1alpha1.HealthCheck{} }},
	}
}

// Accounts is the kind of accounts.
func Accounts() Kind {
	return Kind{"CarrierAccount", "carrieraccounts", "cacct", func() Object { return &v1alpha1.CarrierAccount{} }}
}

// Services is the kind of services.
func Services() Kind {
	return Kind{"BroadbandService", "broadbandservices", "bbs", func() Object { return &v1alpha1.BroadbandService{} }}
}

// Tests is the kind of diagnostic tests.
func Tests() Kind {
	return Kind{"DiagnosticTest", "diagnostictests", "dtest", func() Object { return &v1alpha1.DiagnosticTest{} }}
}

// ApprovedKinds returns the kinds whose changes a person approves.
func ApprovedKinds() []Kind { return named("BroadbandService", "ServiceOrder", "DiagnosticTest") }

// RequestKinds returns the kinds that send requests.
func RequestKinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(kind Kind) bool { return kind.Name == "CarrierAccount" })
}

// named returns the kinds with these names, in the order of [Kinds].
func named(names ...string) []Kind {
	return slices.DeleteFunc(Kinds(), func(kind Kind) bool { return !slices.Contains(names, kind.Name) })
}

// KindNamed finds a kind by what a person types: its name, its plural or its short name, in any
// case, with or without the group.
func KindNamed(typed string) (Kind, error) {
	word, _, _ := strings.Cut(strings.ToLower(typed), ".")
	var known []string
	for _, kind := range Kinds() {
		if slices.Contains([]string{kind.Plural, kind.Short, strings.ToLower(kind.Name)}, word) {
			return kind, nil
		}
		known = append(known, kind.Short)
	}
	return Kind{}, fmt.Errorf("there is no kind %q: use one of %s, such as bbs/site-014", typed, strings.Join(known, ", "))
}

// KindOf returns the kind of an object.
func KindOf(object any) Kind {
	for _, kind := range Kinds() {
		if fmt.Sprintf("%T", kind.New()) == fmt.Sprintf("%T", object) {
			return kind
		}
	}
	return Kind{}
}

// ParseName splits bbs/site-014 into kind and name. A name without a kind is that of a service.
func ParseName(typed string) (Kind, string, error) {
	kindName, name, both := strings.Cut(typed, "/")
	if !both {
		return Services(), typed, nil
	}
	kind, err := KindNamed(kindName)
	if err == nil && (name == "" || strings.Contains(name, "/")) {
		err = fmt.Errorf("%q names no object: write %s/NAME", typed, kind.Short)
	}
	return kind, name, err
}
