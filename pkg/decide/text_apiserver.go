// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// HTTP statuses of the Kubernetes API server.
const (
	apiBadRequest  = 400
	apiForbidden   = 403
	apiNotFound    = 404
	apiTimeout     = 408
	apiConflict    = 409
	apiGone        = 410
	apiTooLarge    = 413
	apiInvalid     = 422
	apiTooMany     = 429
	apiServerFault = 500
)

// APIRefusal returns the API server's status if it definitively refused a read or a write because
// of a quota, an admission policy, a role or the schema. It returns nil for errors that are
// retried: a conflict, a timeout, a server that is busy or unreachable, and an object that does not
// exist.
func APIRefusal(err error) *metav1.Status {
	statusError, answered := errors.AsType[interface {
		error
		Status() metav1.Status
	}](err)
	if !answered {
		return nil
	}
	status := statusError.Status()
	if !refuses(status) {
		return nil
	}
	return &status
}

func refuses(status metav1.Status) bool {
	switch status.Code {
	case apiTimeout, apiConflict, apiGone, apiTooMany:
		return false
	case apiNotFound:
		return status.Details == nil || status.Details.Name == "" // no such kind: its definition is not installed
	case apiServerFault:
		return strings.Contains(status.Message, "webhook") // a required webhook that does not respond
	}
	return status.Code >= apiBadRequest && status.Code < apiServerFault
}

// Unwritable reports whether a status was refused because of its content, which the carrier may
// have written (R18).
func Unwritable(err error) bool {
	status := APIRefusal(err)
	return status != nil && (status.Code == apiBadRequest || status.Code == apiTooLarge || status.Code == apiInvalid)
}

// APIRefused is the verdict on an object whose pass was ended by the API server (R18); nil if the
// next pass may succeed without help. The error begins with the action that the operator was
// attempting, such as `read Secret key`.
func APIRefused(err error) *Verdict {
	status := APIRefusal(err)
	if status == nil {
		return nil
	}
	return &Verdict{Stuck, v1alpha1.ReasonAPIServerRefused, "the API server does not let the operator " +
		Bounded(err.Error(), MaxMessage) +
		". Nothing is sent in the meantime, and the operator retries automatically. " + howToFix(status.Code)}
}

func howToFix(code int32) string {
	switch code {
	case apiForbidden:
		return "Raise the quota, or change the admission policy or role that causes the refusal"
	case apiNotFound:
		return "Install the CustomResourceDefinitions of this version of the operator"
	case apiBadRequest, apiInvalid:
		return "Install the CustomResourceDefinitions of this version of the operator, " +
			"or change the admission policy that causes the refusal"
	case apiServerFault:
		return "Make sure that the admission webhook responds, or remove the webhook"
	}
	return "Ask the cluster administrator"
}

// Pruned is the verdict on an object whose ledger or status the API server does not store completely,
// because its CustomResourceDefinition is older than the operator (R1).
func Pruned(reason string, err error) Verdict {
	return Verdict{Stuck, reason, "the operator cannot " + Bounded(err.Error(), MaxMessage) +
		". Nothing is sent in the meantime, and the operator retries automatically"}
}

// NotFinished is the verdict on an object whose pass does not end. Only an error in the operator
// causes this, and Ready must not keep its previous message.
func NotFinished(err error) Verdict {
	return Verdict{Working, v1alpha1.ReasonProgressing, Bounded(err.Error(), MaxMessage) +
		": this is a fault of the operator, which tries again automatically. Please report it, with the manager's log"}
}
