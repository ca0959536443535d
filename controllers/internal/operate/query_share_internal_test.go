// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// crowded is a connection to the carrier on which every call has to wait.
type crowded struct {
	*tape

	waited carrier.RepeatClass // the class of the last call that had to wait
}

// Prepare makes every call wait.
func (c *crowded) Prepare(_ context.Context, class carrier.RepeatClass) (time.Duration, error) {
	c.waited = class
	return time.Second, nil
}

func TestR20QueriesDoNotUseTheShareOfRequests(t *testing.T) {
	t.Parallel()
	way := &crowded{tape: newTape()}
	protocol, scope := way.protocol("me"), way.scope()
	scope.Carrier = way
	for name, row := range map[string]struct {
		call  func() (time.Duration, error)
		class carrier.RepeatClass
	}{
		"a plan change": {func() (time.Duration, error) {
			return protocol.Send(t.Context(), scope, Submission{Class: carrier.ClassCharge})
		}, carrier.ClassCharge},
		"a question of its own object": {func() (time.Duration, error) {
			return protocol.SubmitQuery(t.Context(), scope, Submission{
				Request: v1alpha1.Request{Operation: v1alpha1.OperationPlanOptions}, Class: carrier.ClassQuery,
			})
		}, carrier.ClassQuery},
		"health": {func() (time.Duration, error) {
			return protocol.Ask(t.Context(), way, Question{Topic: decide.TopicHealth})
		}, carrier.ClassQuery},
		"prices": {func() (time.Duration, error) {
			return protocol.Ask(t.Context(), way, Question{Topic: decide.TopicOptions})
		}, carrier.ClassQuery},
	} {
		way.waited = ""
		if wait, err := row.call(); wait != time.Second || err != nil || way.waited != row.class {
			t.Errorf("%s waits as one of class %s (wait %s, %v)", name, way.waited, wait, err)
		}
		if len(way.steps) > 0 {
			t.Errorf("%s waits after %v", name, way.steps)
		}
	}
}
