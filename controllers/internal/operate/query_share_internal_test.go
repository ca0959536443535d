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

	waited carrier.CallKind // the kind of the last call that had to wait
}

// Prepare makes every call wait.
func (c *crowded) Prepare(_ context.Context, kind carrier.CallKind) (time.Duration, error) {
	c.waited = kind
	return time.Second, nil
}

func TestR20QueriesDoNotUseTheShareOfRequests(t *testing.T) {
	t.Parallel()
	way := &crowded{tape: newTape()}
	protocol, scope := way.protocol("me"), way.scope()
	scope.Carrier = way
	for name, row := range map[string]struct {
		call func() (time.Duration, error)
		kind carrier.CallKind
	}{
		"a plan change": {func() (time.Duration, error) {
			return protocol.Send(t.Context(), scope, Submission{Class: carrier.ClassCharge})
		}, carrier.CallSubmit},
		"a question of its own object": {func() (time.Duration, error) {
			return protocol.SubmitQuery(t.Context(), scope, Submission{
				Request: v1alpha1.Request{Operation: v1alpha1.OperationPlanOptions}, Class: carrier.ClassQuery,
			})
		}, carrier.CallPoll},
		"health": {func() (time.Duration, error) {
			return protocol.Ask(t.Context(), way, Question{Topic: decide.TopicHealth})
		}, carrier.CallPoll},
		"prices": {func() (time.Duration, error) {
			return protocol.Ask(t.Context(), way, Question{Topic: decide.TopicOptions})
		}, carrier.CallPoll},
	} {
		way.waited = ""
		if wait, err := row.call(); wait != time.Second || err != nil || way.waited != row.kind {
			t.Errorf("%s waits for the turn of a %s (wait %s, %v)", name, way.waited, wait, err)
		}
	}
}
