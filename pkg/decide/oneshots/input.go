// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Lane is the state of the other diagnostic tests of a service. The accounts of a login run the tests
// of a service one at a time.
type Lane struct {
	Open     *v1alpha1.Request // the attempt of another test that has not ended; nil if there is none
	Owner    string            // namespace and name of that test; "" if it no longer exists
	Decision *decide.Decision  // the decision about the attempt of a test that no longer exists
	Next     string            // namespace and name of the test that has waited longest; "" if it is this one
}

// Input is the input of a decision about an object that makes one request, like a Job.
type Input struct {
	decide.Input

	Task       decide.Task
	ServiceID  v1alpha1.CarrierID       // the service of the task; "" if none or unknown
	BlockedBy  *decide.Verdict          // why it cannot be sent: a referenced object is missing or wrong; nil if it can
	Test       *v1alpha1.DiagnosticTest // the subject if it is a diagnostic test; nil for other kinds
	Lane       Lane                     // the state of the other diagnostic tests of the service
	Approval   v1alpha1.Approval        // the object's own approval policy
	TTL        v1alpha1.Duration        // how long the object is kept once it has finished; "" or "0" means forever
	Summary    string                   // a summary of the response; "" if it needs none
	ValidUntil string                   // the last day on which the response is valid, as the carrier wrote it; "": always
}
