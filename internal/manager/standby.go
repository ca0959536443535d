// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// logStandby logs that a manager that does not lead is waiting for the lease.
func logStandby(ctx context.Context, mgr ctrl.Manager, own settings) {
	const soon = 5 * time.Second // a free lease is taken within its retry period
	if !own.leaderElect {
		return
	}
	select {
	case <-mgr.Elected():
	case <-ctx.Done():
	case <-time.After(soon): //nolint:forbidigo // the one place where the clock comes from
		mgr.GetLogger().Info("standing by: another manager holds the lease; this one starts once it acquires it",
			"lease", own.operatorNamespace+"/"+own.leaseName())
	}
}
