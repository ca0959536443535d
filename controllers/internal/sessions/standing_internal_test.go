// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/controllers/internal/fairqueue"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

func TestTheWorkQueueLearnsWhetherTheCarrierAnswers(t *testing.T) {
	t.Parallel()
	b := &breaker{now: time.Now} //nolint:forbidigo // no time passes
	expect := func(want fairqueue.Standing) {
		t.Helper()
		if got := b.standing(); got != want {
			t.Errorf("the carrier is %s, want %s", got, want)
		}
	}
	expect(fairqueue.Unheard)
	b.responded()
	expect(fairqueue.Unheard)
	b.unanswered(&carrier.Error{Class: carrier.Unreachable})
	expect(fairqueue.Silent)
	b.serve()
	b.responded()
	expect(fairqueue.Answering)
	b.unanswered(&carrier.Error{Class: carrier.ServerFault})
	expect(fairqueue.Silent)
	b.refused()
	expect(fairqueue.Answering)
}
