// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// cachesFull reports a manager as ready when every kind has been listed. A standby manager is ready
// too, because its caches are already full. No health check calls the carrier, because a restart
// does not fix a carrier that is down.
func cachesFull(held cache.Cache) healthz.Checker {
	const most = 500 * time.Millisecond // shorter than the second that a kubelet waits
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), most)
		defer cancel()
		if !held.WaitForCacheSync(ctx) {
			return errors.New("the caches are not filled yet")
		}
		return nil
	}
}
