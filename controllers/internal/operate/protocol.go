// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/controllers/internal/metrics"
)

// Protocol runs requests of every kind through the submission protocol.
type Protocol struct {
	Cluster client.Client // writes, and reads from the cache
	Live    client.Reader // bypasses the cache
	Memory  *Memory
	Events  Recorder
	Now     func() time.Time
	Elapsed func() time.Duration // monotonic: unaffected by wall clock changes, stopped while the machine is suspended
	NewID   func() string

	Policies    Policies          // nil: something else checks approvals
	Submissions *Submissions      // those in progress
	Metrics     *metrics.Requests // nil: nothing is counted

	unrecorded unrecorded
	future     futureReservations
}
