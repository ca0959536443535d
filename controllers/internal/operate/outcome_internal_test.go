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

// hung is an API server that takes every call and answers none.
type hung struct{ client.Client }

// Status is the way to write a status.
func (h hung) Status() client.SubResourceWriter { return hungStatus{} }

// Get waits as long as the caller does.
func (hung) Get(ctx context.Context, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	<-ctx.Done()
	return ctx.Err()
}

type hungStatus struct{ client.SubResourceWriter }

// Update waits as long as the caller does.
func (hungStatus) Update(ctx context.Context, _ client.Object, _ ...client.SubResourceUpdateOption) error {
	<-ctx.Done()
	return ctx.Err()
}

// The time that a manager has to stop in counts on it. In a bubble it passes at once.
func TestWritingDownAnAnswerEndsThoughTheAPIServerHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now() //nolint:forbidigo // the bubble's clock
		order := &v1alpha1.ServiceOrder{}
		order.PutRequest(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: "attempt", Phase: v1alpha1.PhaseSubmitting,
		})
		protocol := Protocol{Cluster: hung{}, Live: hung{}, Now: func() time.Time { return began }}
		scope := Scope{Subject: order, Describe: func() {}}
		// A POST that is out outlives the process's own context, and so does what follows it.
		err := protocol.Record(context.WithoutCancel(t.Context()), scope, "attempt", notSent(errTooLate))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("want the deadline, got %v", err)
		}
		if took := time.Since(began); took > RecordWithin { //nolint:forbidigo // the bubble's clock
			t.Errorf("it took %v", took)
		}
	})
}
