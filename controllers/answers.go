// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Answers records the carrier's answers that no pass can record: their objects may be gone.
type Answers struct{ *Operator }

var _ manager.LeaderElectionRunnable = (*Answers)(nil)

// recordEvery is the wait before what could not be recorded is tried again.
const recordEvery = 10 * time.Second

// Start tries again and again, until the process ends.
func (a *Answers) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := a.Record(ctx); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot record what the carrier has answered")
		}
	}, recordEvery)
	return nil
}

// Record tries once.
func (a *Answers) Record(ctx context.Context) error { return a.Protocol.RecordUnrecorded(ctx) }

// NeedLeaderElection says that it does not: an answer is recorded by who has it, whoever leads by now.
func (*Answers) NeedLeaderElection() bool { return false }
