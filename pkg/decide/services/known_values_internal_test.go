// SPDX-License-Identifier: Apache-2.0

package services

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// The carrier's texts are cut to the lengths that the schema of the status allows.
func TestTheTextsOfACancellationAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2000)
	at := carrier.Timestamp(long)
	var service v1alpha1.BroadbandService
	RecordCancellation(&service, carrier.Cancellation{
		Status: carrier.CancellationStatus(long), RequestDate: long, RequestedOn: at, CancelledOn: at, AbortedOn: at,
		ErrorDetail: long,
	}, decidetest.Start(), time.UTC)
	got := service.Status.Carrier.Cancellation
	lengths := []int{
		len(got.Status), len(got.RequestDate), len(got.RequestedOn), len(got.CancelledOn), len(got.AbortedOn),
		len(got.ErrorDetail),
	}
	if diff := cmp.Diff([]int{64, 64, 64, 64, 64, 1024}, lengths); diff != "" {
		t.Errorf("the lengths (-want +got):\n%s", diff)
	}
}

// A result with another id, or about another service, belongs to another request. Fields may be
// missing.
func TestAResultBelongsToTheRequestThatItNames(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{Spec: v1alpha1.BroadbandServiceSpec{ServiceID: "7"}}
	request := &v1alpha1.Request{
		Operation: v1alpha1.OperationPlanChange, Location: "/api/connect/services/plan-changes/requests/001234",
	}
	for _, row := range []struct {
		id, serviceID int64
		ours          bool
	}{
		{1234, 7, true},
		{0, 7, true},
		{1234, 0, true},
		{0, 0, true},
		{234, 7, false},
		{12345, 7, false},
		{1234, 8, false},
		{0, 8, false},
		{1, 7, false},
		{-1, 7, false},
	} {
		result := carrier.RequestSummary{ID: row.id, ServiceID: row.serviceID}
		if got := isResultOf(service, request, result); got != row.ours {
			t.Errorf("request %d for service %d: ours %t", row.id, row.serviceID, got)
		}
	}
}
