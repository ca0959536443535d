// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// hung is an API server that accepts every call and never answers.
type hung struct{ client.Client }

// Status returns the writer of the status.
func (h hung) Status() client.SubResourceWriter { return hungStatus{} }

// Get blocks until the caller's context ends.
func (hung) Get(ctx context.Context, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	<-ctx.Done()
	return ctx.Err()
}

type hungStatus struct{ client.SubResourceWriter }

// Update blocks until the caller's context ends.
func (hungStatus) Update(ctx context.Context, _ client.Object, _ ...client.SubResourceUpdateOption) error {
	<-ctx.Done()
	return ctx.Err()
}

// The shutdown timeout of a manager depends on this limit. In a bubble, the time passes
// immediately.
func TestRecordingAResponseEndsAlthoughTheAPIServerHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now() //nolint:forbidigo // the bubble's clock
		order := &v1alpha1.ServiceOrder{}
		order.Record().PutRequest(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: "attempt", Phase: v1alpha1.PhaseSubmitting,
		})
		protocol := Protocol{Cluster: hung{}, Live: hung{}, Now: func() time.Time { return began }}
		scope := Scope{Subject: order, Describe: func() {}}
		// A POST continues after the process's own context has ended, and so do the steps after it.
		err := protocol.Record(context.WithoutCancel(t.Context()), scope, "attempt", notSent(errTooLate))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("want the deadline, got %v", err)
		}
		if took := time.Since(began); took > RecordWithin { //nolint:forbidigo // the bubble's clock
			t.Errorf("it took %v", took)
		}
	})
}
