// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A 404 for the Location of a question says that the carrier has lost the question.
func TestOnlyA404ForTheServiceHidesIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		handle   carrier.Handle
		standing decide.Standing
	}{{carrier.Handle{}, decide.Stuck}, {carrier.Handle{ID: "77"}, decide.Settled}} {
		view := settled(func(v *decide.ServiceView) {
			v.Memory.Readings.Health = decide.Reading{
				State: decide.ReadingFailed, AskedAt: v.Now, Handle: test.handle,
				Err: &carrier.Error{HTTPStatus: 404, Class: carrier.NotFoundOrForbidden},
			}
		})
		if said := decide.Service(view).Verdict; said.Standing != test.standing {
			t.Errorf("with the Location %q it is %s: %s", test.handle.ID, said.Standing, said.Message)
		}
	}
}
