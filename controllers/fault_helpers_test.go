// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// answerStatus is a fault that responds with a status code and changes nothing at the carrier.
func answerStatus(code int) simulator.Fault {
	return simulator.Fault{Kind: simulator.FaultStatus, Status: code}
}

// invalidField is a 422 with one sub-error.
func invalidField(code, field string) simulator.Fault {
	return simulator.Fault{Kind: simulator.FaultBody, Status: 422, Body: fmt.Sprintf(
		`{"httpStatusCode":422,"type":"client.validation","code":"method.argument.not.valid","message":"no",`+
			`"apiSubErrors":[{"code":%q,"message":"must not be null","field":%q}]}`, code, field)}
}

// brokenRule is a 422 with a sub-error.
func brokenRule(code string) simulator.Fault {
	return simulator.Fault{Kind: simulator.FaultBody, Status: 422, Body: fmt.Sprintf(
		`{"httpStatusCode":422,"type":"business.rule","code":"validation","message":"no",`+
			`"apiSubErrors":[{"code":%q,"message":"it is refused","field":"status"}]}`, code)}
}

// refusedWith is a 422 of the carrier with one sub-error.
func refusedWith(code, field string) simulator.Fault { return refusedFor(field, code) }

// refusedFor is a refusal with several sub-errors about one field.
func refusedFor(field string, codes ...string) simulator.Fault {
	subErrors := make([]string, 0, len(codes))
	for _, code := range codes {
		subErrors = append(subErrors, fmt.Sprintf(`{"code":%q,"message":%q,"object":"request","field":%q}`,
			code, "This value is not accepted for the service at present", field))
	}
	body := `{"httpStatusCode":422,"type":"business.rule","code":"validation","message":"Validation error",` +
		`"apiSubErrors":[` + strings.Join(subErrors, ",") + `]}`
	return simulator.Fault{Kind: simulator.FaultBody, Status: 422, Body: body}
}

// errQuota is the API server's error when a quota is used up.
var errQuota = apierrors.NewForbidden(
	schema.GroupResource{Group: "wholesale.broadband", Resource: "requestledgers"}, "ledger",
	errors.New("exceeded quota: few, limited: 3"))

// failEffect makes the API server return this error for every effect whose name has this prefix.
func failEffect(what string, answer error) func(world.Effect) error {
	return func(effect world.Effect) error {
		if strings.HasPrefix(effect.What, what) {
			return answer
		}
		return nil
	}
}

// conflictOnce fails the first effect whose name has this prefix, with a conflict.
func conflictOnce(effect string) func(world.Effect) error {
	met := false
	return func(happening world.Effect) error {
		if met || !strings.HasPrefix(happening.What, effect) {
			return nil
		}
		met = true
		resource := schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "broadbandservices"}
		return apierrors.NewConflict(resource, site, nil)
	}
}

// unavailableAfter makes the API server unavailable right after a POST, for the given number of
// reads and writes. Long outages are tested in test/prove, with a simulated clock.
func unavailableAfter(process *world.Process, path string, tries int) {
	errAway := errors.New("the API server is away")
	gone := false
	try := func() error {
		if !gone || tries == 0 {
			return nil
		}
		tries--
		return errAway
	}
	process.Seam.LoseResponse = func(e world.Effect) error {
		gone = gone || e.What == "POST "+path
		return nil
	}
	process.Seam.Fault = func(e world.Effect) error {
		if strings.HasPrefix(e.What, "POST ") || strings.HasPrefix(e.What, "GET ") {
			return nil // the carrier is available
		}
		return try()
	}
	process.Seam.FailRead = try
}
