// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/leaderelection"
)

// checkElection returns an error if the durations are inconsistent. A leader must have given up
// before another manager takes over, and must have time for a second attempt to renew the lease.
func (s settings) checkElection() error {
	again := time.Duration(leaderelection.JitterFactor * float64(s.retryPeriod))
	switch {
	case s.leaseDuration < time.Second:
		return fmt.Errorf("--leader-elect-lease-duration is %v: it must be at least 1s", s.leaseDuration)
	case s.retryPeriod <= 0:
		return fmt.Errorf("--leader-elect-retry-period is %v: it must be greater than 0", s.retryPeriod)
	case s.leaseDuration <= s.renewDeadline:
		return fmt.Errorf("--leader-elect-lease-duration is %v: it must be greater than "+
			"--leader-elect-renew-deadline, which is %v", s.leaseDuration, s.renewDeadline)
	case s.renewDeadline <= again:
		return fmt.Errorf("--leader-elect-renew-deadline is %v: it must be greater than %v, "+
			"which is 1.2 times --leader-elect-retry-period", s.renewDeadline, again)
	}
	return nil
}

// checkNamespaces returns an error if --namespaces lists what cannot be the name of a namespace. An
// empty name, as after a trailing comma, would mean all namespaces to the cache, under the lease of
// some of them: two managers would then act on the same objects.
func (s settings) checkNamespaces() error {
	for _, namespace := range s.managed() {
		if namespace == "" {
			return fmt.Errorf("--namespaces is %q: a name between its commas is missing; to manage all namespaces, "+
				"omit --namespaces", s.namespaces)
		}
		if flaws := validation.IsDNS1123Label(namespace); len(flaws) > 0 {
			return fmt.Errorf("--namespaces is %q: %q is not the name of a namespace: %s",
				s.namespaces, namespace, strings.Join(flaws, "; "))
		}
	}
	return nil
}

// checkWorkers returns an error if no object could be reconciled.
func (s settings) checkWorkers() error {
	if s.workers < 1 {
		return fmt.Errorf("--workers is %d: it must be at least 1", s.workers)
	}
	return nil
}

// checkHosts returns an error if --carrier-hosts lists what is not a host.
func (s settings) checkHosts() error {
	_, err := s.hosts()
	return err
}
