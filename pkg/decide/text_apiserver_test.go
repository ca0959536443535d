// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A quota, a policy, a role and an old CustomResourceDefinition block writes until a person acts.
// Other errors of the API server are temporary.
func TestR18ADefinitiveRefusalOfTheAPIServerIsReported(t *testing.T) {
	t.Parallel()
	ledgers, name := schema.GroupResource{Group: "wholesale.broadband", Resource: "requestledgers"}, "order-1"
	quota := apierrors.NewForbidden(ledgers, name, errors.New("exceeded quota: few, limited: 3"))
	retried := errors.Join(fmt.Errorf("write: %w", quota), errors.New("timed out"))
	policy := apierrors.NewInvalid(schema.GroupKind{Kind: "RequestLedger"}, name, nil)
	strict := apierrors.NewBadRequest("strict decoding error: unknown field")
	noKind := apierrors.NewGenericServerResponse(404, "POST", ledgers, "", "", 0, false)
	webhook := apierrors.NewInternalError(errors.New(`failed calling webhook "audit.example": connection refused`))
	for what, row := range map[string]struct {
		err     error
		message string // part of the message; "" if nothing is reported
		rewrite bool   // whether a status would be written again, in part
	}{
		"a quota":                   {quota, "exceeded quota: few, limited: 3", false},
		"a quota, after some tries": {retried, "Raise the quota", false},
		"a policy":                  {policy, "admission policy", true},
		"a schema without a field":  {strict, "strict decoding", true},
		"an object that is too large": {
			apierrors.NewRequestEntityTooLargeError("limit is 3145728"), "Ask the cluster", true,
		},
		"a missing kind":                 {noKind, "Install", false},
		"a webhook that does not answer": {webhook, "Make sure that the admission webhook responds", false},

		"a conflict":                    {apierrors.NewConflict(ledgers, name, errors.New("newer")), "", false},
		"an object that exists already": {apierrors.NewAlreadyExists(ledgers, name), "", false},
		"an object that does not exist": {apierrors.NewNotFound(ledgers, name), "", false},
		"a timeout":                     {apierrors.NewTimeoutError("slow", 1), "", false},
		"another timeout":               {apierrors.NewServerTimeout(ledgers, "update", 1), "", false},
		"too many requests":             {apierrors.NewTooManyRequests("busy", 1), "", false},
		"a server that starts":          {apierrors.NewServiceUnavailable("starting"), "", false},
		"a server that fails":           {apierrors.NewInternalError(errors.New("etcdserver: leader changed")), "", false},
		"no response at all":            {errors.New("connection refused"), "", false},
		"nothing":                       {nil, "", false},
	} {
		verdict := decide.APIRefused(row.err)
		if rewrite := decide.Unwritable(row.err); rewrite != row.rewrite {
			t.Errorf("%s: a status is written again: %t", what, rewrite)
		}
		switch {
		case (verdict != nil) != (row.message != ""):
			t.Errorf("%s: %v", what, verdict)
		case verdict == nil:
		case verdict.State != decide.Stuck || verdict.Reason != v1alpha1.ReasonAPIServerRefused ||
			!strings.HasPrefix(verdict.Message, "the API server does not let the operator ") ||
			!strings.Contains(verdict.Message, row.message):
			t.Errorf("%s: %v", what, verdict)
		}
	}
}

// An admission webhook may return any message, of any length.
func TestR18TheMessageOfAWebhookIsBounded(t *testing.T) {
	t.Parallel()
	long := &apierrors.StatusError{ErrStatus: metav1.Status{Code: 403, Message: strings.Repeat("no\x1b", 9000)}}
	verdict := decide.APIRefused(long)
	if len(verdict.Message) > 2048 || strings.Contains(verdict.Message, "\x1b") {
		t.Errorf("%d bytes: %.80q", len(verdict.Message), verdict.Message)
	}
}

// A status that an older CRD would prune is reported by its cause.
func TestAPrunedStatusIsReportedByItsCause(t *testing.T) {
	t.Parallel()
	verdict := decide.Pruned(v1alpha1.ReasonAPIServerRefused, errors.New("update the status: the CRD is older"))
	want := "the operator cannot update the status: the CRD is older. Nothing is sent in the meantime, and the operator " +
		"retries automatically"
	if verdict.State != decide.Stuck || verdict.Reason != v1alpha1.ReasonAPIServerRefused || verdict.Message != want {
		t.Errorf("%v", verdict)
	}
}
