// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"testing"
	"testing/synctest"
)

func TestR17AwaitWaitsForAllSubmissionsInProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		submissions := &Submissions{}
		submissions.Await(t.Context())
		first, second := submissions.begin(), submissions.begin()
		waited := make(chan struct{})
		go func() {
			defer close(waited)
			submissions.Await(t.Context())
		}()
		first()
		synctest.Wait()
		select {
		case <-waited:
			t.Error("one was still in progress")
		default:
		}
		second()
		<-waited
	})
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	submissions := &Submissions{}
	submissions.begin()
	over, end := context.WithCancel(t.Context())
	end()
	submissions.Await(over)
}
