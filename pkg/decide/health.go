// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// HealthText describes the health of a service: its rating, and what the carrier warns of and
// recommends.
func HealthText(health *v1alpha1.HealthStatus) string {
	const unrated = "not rated"
	words := fmt.Sprintf("%s: connectivity %s, performance %s, stability %s", cmp.Or(health.Summary, unrated),
		cmp.Or(health.Connectivity, unrated), cmp.Or(health.Performance, unrated), cmp.Or(health.Stability, unrated))
	if health.Alert != "" {
		words += "; alert: " + health.Alert
	}
	if health.NextAction != "" {
		words += "; next: " + health.NextAction
	}
	return words
}
