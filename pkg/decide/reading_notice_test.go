// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

func TestASignedNotificationConfirmsAnUnsignedOne(t *testing.T) {
	t.Parallel()
	signed, unsigned := &v1alpha1.Notice{}, &v1alpha1.Notice{Unverified: true}
	for _, row := range []struct {
		held       *v1alpha1.Notice
		unverified bool
		news       bool
	}{
		{nil, false, true},
		{nil, true, true},
		{unsigned, false, true},
		{unsigned, true, false},
		{signed, false, false},
		{signed, true, false},
	} {
		if got := decide.IsNews(row.held, decide.Notification{Unverified: row.unverified}); got != row.news {
			t.Errorf("after %+v, unsigned %t: news %t", row.held, row.unverified, got)
		}
	}
}
