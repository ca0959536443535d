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

// silentReader never answers.
type silentReader struct{ client.Reader }

func (silentReader) Get(ctx context.Context, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	<-ctx.Done()
	return ctx.Err()
}

// "Each has 3 s" (R12).
func TestR12AReadBeforeThePOSTEndsAfterThreeSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for want, within := range map[error]time.Duration{
			context.Canceled: 3*time.Second - 1, context.DeadlineExceeded: 3*time.Second + 1,
		} {
			ctx, stop := context.WithCancel(t.Context())
			time.AfterFunc(within, stop)
			p := &Protocol{Live: silentReader{}}
			err := p.readAtGate(ctx, client.ObjectKey{Name: "site"}, &v1alpha1.BroadbandService{})
			if !errors.Is(err, want) {
				t.Errorf("stopped after %s: %v", within, err)
			}
		}
	})
}
