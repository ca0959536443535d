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

// APIRefusal is what the API server said when it refused a read or a write for good: by a quota, an
// admission policy, a role, or the schema. Nil when it did not: a conflict, a timeout, a server that
// is busy or away, and an object that is not there are looked at again.
func APIRefusal(err error) *metav1.Status {
	answer, answered := errors.AsType[interface {
		error
		Status() metav1.Status
	}](err)
	if !answered {
		return nil
	}
	said := answer.Status()
	if !refuses(said) {
		return nil
	}
	return &said
}

func refuses(said metav1.Status) bool {
	switch said.Code {
	case apiTimeout, apiConflict, apiGone, apiTooMany:
		return false
	case apiNotFound:
		return said.Details == nil || said.Details.Name == "" // no such kind: its definition is not installed
	case apiServerFault:
		return strings.Contains(said.Message, "webhook") // one that does not answer, and must
	}
	return said.Code >= apiBadRequest && said.Code < apiServerFault
}

// Unwritable says whether a status was refused for what is in it: "(400, 413, 422)" (R18).
func Unwritable(err error) bool {
	said := APIRefusal(err)
	return said != nil && (said.Code == apiBadRequest || said.Code == apiTooLarge || said.Code == apiInvalid)
}

// APIRefused is said of an object whose pass the API server has brought to an end: "A pass that
// cannot gather, judge or open says so on the object" (R18). Nil where the next pass may get
// further by itself.
func APIRefused(err error) *Verdict {
	said := APIRefusal(err)
	if said == nil {
		return nil
	}
	return &Verdict{Stuck, v1alpha1.ReasonAPIServerRefused, bounded(err.Error(), maxMessage) +
		": nothing is sent meanwhile, and it is tried again by itself. " + wayOut(said.Code)}
}

// wayOut is what to do about a refusal.
func wayOut(code int32) string {
	switch code {
	case apiForbidden:
		return "Raise the quota, or change the admission policy or the role that forbids it"
	case apiNotFound:
		return "Install the CustomResourceDefinitions of this version of the operator"
	case apiBadRequest, apiInvalid:
		return "Install the CustomResourceDefinitions of this version of the operator, " +
			"or change the admission policy that refuses it"
	case apiServerFault:
		return "See that the admission webhook answers, or remove it"
	}
	return "Ask whoever runs the cluster"
}

// PrunedLedger is said of an object whose ledger the API server has not kept whole: "a CRD that was
// not upgraded prunes" (R1).
func PrunedLedger(err error) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonLedgerUnreadable, bounded(err.Error(), maxMessage) +
		": nothing is sent meanwhile, and it is tried again by itself"}
}
