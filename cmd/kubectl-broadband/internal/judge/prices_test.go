// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

func TestTheSlowestAccountSaysHowLongTheInquiriesTake(t *testing.T) {
	t.Parallel()
	at := func(rate int32) *v1alpha1.CarrierAccount {
		limit := v1alpha1.RateLimit{RequestsPerSecond: rate}
		return &v1alpha1.CarrierAccount{Spec: v1alpha1.CarrierAccountSpec{RateLimit: limit}}
	}
	fast, slow := at(100), at(0)
	inquiries := make([]judge.Inquiry, 0, 100)
	for range 50 {
		inquiries = append(inquiries, judge.Inquiry{Account: fast}, judge.Inquiry{Account: slow})
	}
	for _, tried := range []struct {
		name      string
		inquiries []judge.Inquiry
		want      time.Duration
	}{
		{"none", nil, 0},
		{"one, in less than a second", inquiries[:1], 0},
		{"50 at 100 calls a second and 50 at the default, 5", inquiries, 20 * time.Second},
		{"an account that does not exist", []judge.Inquiry{{}, {}, {}, {}, {}}, 2 * time.Second},
	} {
		if took := judge.LeastTime(tried.inquiries); took != tried.want {
			t.Errorf("%s: %s, not %s", tried.name, took, tried.want)
		}
	}
}
