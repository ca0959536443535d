package carrier_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// operationFamily is an operation that is polled: its request, and what its result must contain.
type operationFamily struct {
	op     carrier.Operation
	body   []byte
	fields func(body []byte) ([]any, error)
	want   []any
}

// pickFields decodes a result and returns the values to compare.
func pickFields[T any](decode func([]byte) (T, error), pick func(T) []any) func([]byte) ([]any, error) {
	return func(body []byte) ([]any, error) {
		decoded, err := decode(body)
		if err != nil {
			return nil, err
		}
		return pick(decoded), nil
	}
}

func healthAt(version int) func([]byte) (carrier.HealthResult, error) {
	return func(body []byte) (carrier.HealthResult, error) { return carrier.DecodeHealth(version, body) }
}

func healthFields(r carrier.HealthResult) []any {
	return []any{r.Plan, r.TechnologyType, r.Status, r.Indicator.Stability}
}

// families are all operations that are polled.
func families() []operationFamily {
	return append(changes(), queries()...)
}

const completed = "COMPLETED"

func summaryOf(op carrier.Operation) func([]byte) (carrier.RequestSummary, error) {
	return func(body []byte) (carrier.RequestSummary, error) { return carrier.DecodeSummary(op, body) }
}

func serviceAndStatus(r carrier.RequestSummary) []any { return []any{r.ServiceID, r.Status} }

func changes() []operationFamily {
	return []operationFamily{
		{
			carrier.PlanChange,
			carrier.PlanChangeRequest{ServiceID: service, PlanName: "Fast", Term: 12, RestorationSLA: "Enhanced"}.Body(),
			pickFields(carrier.DecodePlanChange, func(r carrier.PlanChangeResult) []any {
				fee := r.Plan.PlanFee.MonthlyRecurringCharge.Amount
				return []any{r.ServiceID, r.Plan.Plan, r.Plan.Term, r.SLA.SLA, fee, r.Status}
			}),
			[]any{service, "Fast", "12", "Enhanced", carrier.Number("70.00"), carrier.PlanChangeCompleted},
		},
		{
			carrier.AggregationConversion,
			carrier.AggregationConversionRequest{
				ServiceID: service, AggregationMethod: carrier.AggregationEthernet,
			}.Body(),
			pickFields(summaryOf(carrier.AggregationConversion), serviceAndStatus),
			[]any{service, completed},
		},
		{
			carrier.DSLStabilityProfileChange,
			carrier.DSLStabilityProfileChangeRequest{ServiceID: copperService, DSLStabilityProfile: carrier.DSLStable}.Body(),
			pickFields(summaryOf(carrier.DSLStabilityProfileChange), serviceAndStatus),
			[]any{copperService, completed},
		},
		{
			carrier.Reclaim,
			carrier.ReclaimRequest{ServiceID: cancelled}.Body(),
			pickFields(summaryOf(carrier.Reclaim), serviceAndStatus),
			[]any{cancelled, completed},
		},
		{
			carrier.CancellationReschedule,
			carrier.CancellationRescheduleRequest{ServiceID: pendingCancellation, CancellationDate: "2026-12-31"}.Body(),
			pickFields(carrier.DecodeCancellation, func(r carrier.Cancellation) []any {
				return []any{r.ServiceID, r.RequestDate, r.Status, r.CanAbort, r.CanReschedule}
			}),
			[]any{pendingCancellation, "2026-12-31", carrier.CancellationRequested, true, true},
		},
		{
			carrier.CancellationAbort,
			carrier.CancellationAbortRequest{ServiceID: pendingCancellation}.Body(),
			pickFields(carrier.DecodeCancellation, func(r carrier.Cancellation) []any {
				return []any{r.ServiceID, r.Status, r.AbortedOn != "", r.CanRequest}
			}),
			[]any{pendingCancellation, carrier.CancellationAborted, true, true},
		},
	}
}

func queries() []operationFamily {
	return []operationFamily{
		{
			carrier.PlanOptions,
			carrier.PlanOptionsRequest{ServiceID: service}.Body(),
			pickFields(carrier.DecodePlanOptions, func(r carrier.PlanOptionsResult) []any {
				return []any{len(r.Plans), r.Plans[0].SpeedDown.String(), len(r.SLAs)}
			}),
			[]any{3, "25 MBit/s", 2},
		},
		{
			carrier.Health,
			carrier.HealthRequest{ServiceID: service}.Body(),
			pickFields(healthAt(8), healthFields),
			[]any{"Basic", "FTTP", carrier.HealthCompleted, carrier.HealthGreen},
		},
		{
			carrier.FibreBuildCharge,
			carrier.FibreBuildChargeRequest{LocationID: location}.Body(),
			pickFields(carrier.DecodeFibreBuildCharge, func(r carrier.FibreBuildChargeResult) []any {
				return []any{r.WholesaleLocationID, r.PriceValue}
			}),
			[]any{location, carrier.Number("123456")},
		},
		{
			carrier.AppointmentSlots,
			carrier.AppointmentSlotsRequest{DateFrom: "2026-12-01", OrderID: order}.Body(),
			pickFields(carrier.DecodeAppointmentSlots, func(r []carrier.AppointmentSlot) []any {
				return []any{len(r) > 0, r[0].SlotID != ""}
			}),
			[]any{true, true},
		},
		{
			carrier.DiagnosticTest,
			carrier.DiagnosticTestRequest{ServiceID: service, TestType: carrier.TestPortReset}.Body(),
			pickFields(carrier.DecodeDiagnosticTest, func(r carrier.DiagnosticTestResult) []any {
				return []any{r.ServiceID, *r.Result.IsActive, strings.Contains(string(r.Result.Result), "_test_id")}
			}),
			[]any{service, false, true},
		},
	}
}

func TestEveryFamilyOnTheWire(t *testing.T) {
	for _, f := range families() {
		t.Run(string(f.op), func(t *testing.T) {
			contract, ok := carrier.ContractOf(f.op)
			if !ok {
				t.Fatal("no contract")
			}
			for version := max(contract.MinVersion, 6); version <= contract.MaxVersion; version++ {
				f.mustComplete(t, newWire(t), version)
			}
		})
	}
}

// mustComplete makes one request at an API version, and checks its result, that there was exactly
// one POST, and that no rule was broken.
func (f operationFamily) mustComplete(t *testing.T, w *wire, version int) {
	t.Helper()
	outcome := w.complete(t, f.op, version, f.body)
	got, err := f.fields(outcome.Body)
	if err != nil {
		t.Fatalf("version %d: %s: %v, %v", version, outcome.State, err, outcome.Err)
	}
	if diff := cmp.Diff(f.want, got); diff != "" {
		t.Errorf("version %d (-want +got):\n%s", version, diff)
	}
	w.mustHaveOnePOST(t, f.op)
}
