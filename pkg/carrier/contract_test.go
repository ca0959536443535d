package carrier

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// listed has the statuses of each POST in spec §4, transcribed independently. It shows only 201 and
// 422 for an order; the others are those of the common table in spec §7.
var listed = map[Operation][]int{
	AggregationConversion:     {201, 401, 404, 422, 500},
	PlanChange:                {201, 401, 404, 422, 500, 502},
	DSLStabilityProfileChange: {201, 401, 404, 422, 500},
	Reclaim:                   {201, 401, 404, 422, 500, 502},
	CancellationReschedule:    {204, 401, 404, 422, 500},
	CancellationAbort:         {204, 401, 404, 422, 500},
	OrderCreate:               {201, 400, 401, 404, 422, 500, 502},
	AppointmentSlots:          {201, 401, 404, 422, 500, 502},
	AppointmentCancel:         {204, 401, 404, 500},
	DiagnosticTest:            {201, 401, 404, 422, 500, 502},
	FibreBuildCharge:          {201, 401, 404, 422, 500},
	PlanOptions:               {201, 404, 422, 500, 502},
	Health:                    {201, 401, 404, 422, 500},
}

// specification is the list of POSTs of spec §4 with the versions of §9, transcribed independently:
// path, success status, first version, and the class that the submission protocol gives it.
var specification = map[Operation]struct {
	path        string
	status, min int
	class       RepeatClass
}{
	AggregationConversion:     {"/api/connect/services/aggregation-conversions/request", 201, 4, ClassNever},
	PlanChange:                {"/api/connect/services/plan-changes/request", 201, 1, ClassCharge},
	DSLStabilityProfileChange: {"/api/connect/services/dsl-stability-profile-changes/request", 201, 4, ClassConverge},
	Reclaim:                   {"/api/connect/services/reclaims/request", 201, 1, ClassConverge},
	CancellationReschedule:    {"/api/connect/services/service-cancellations/requests/reschedule", 204, 1, ClassVerify},
	CancellationAbort:         {"/api/connect/services/service-cancellations/requests/abort", 204, 1, ClassVerify},
	OrderCreate:               {"/api/connect/orders/create", 201, 1, ClassNever},
	AppointmentSlots:          {"/api/connect/orders/appointment-requests/request", 201, 1, ClassQuery},
	AppointmentCancel:         {"/api/connect/orders/appointment-requests/cancel", 204, 1, ClassConverge},
	DiagnosticTest:            {"/api/connect/services/diagnostic-tests/request", 201, 1, ClassNever},
	FibreBuildCharge:          {"/api/connect/ee/fibre-build-charge/request", 201, 6, ClassQuery},
	PlanOptions:               {"/api/connect/services/plan-changes/options/request", 201, 1, ClassQuery},
	Health:                    {"/api/connect/services/health/request", 201, 5, ClassQuery},
}

func TestContractsAreTheSpecification(t *testing.T) {
	if got, want := len(contracts), len(specification); got != want {
		t.Fatalf("the table has %d rows, the specification %d POSTs", got, want)
	}
	for op, want := range specification {
		c, ok := ContractOf(op)
		if !ok {
			t.Errorf("no row for %s", op)
			continue
		}
		got := []any{c.SubmitPath, c.Success, c.MinVersion, c.MaxVersion, c.RepeatClass(false), c.Statuses}
		if diff := cmp.Diff([]any{want.path, want.status, want.min, 8, want.class, listed[op]}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", op, diff)
		}
	}
}

func TestContractRowsAreSound(t *testing.T) {
	for c := range Contracts() {
		if hasPath, hasID := c.PollPath != "", c.ID != IDNone; hasPath != hasID {
			t.Errorf("%s: poll path %q does not go with id shape %s", c.Operation, c.PollPath, c.ID)
		}
		if c.PollPath != "" && strings.Count(c.PollPath, idPlaceholder) != 1 {
			t.Errorf("%s: poll path %q has no single id", c.Operation, c.PollPath)
		}
		if c.RepeatClass(true) == "" || c.RepeatClass(false) == "" {
			t.Errorf("%s: a repeat class is missing", c.Operation)
		}
	}
}

func TestPollBoundsAreInOrder(t *testing.T) {
	for c := range Contracts() {
		bounds := []time.Duration{0, c.Poll.Min, c.Poll.Max, c.Poll.Usual}
		ordered := slices.IsSorted(bounds) && c.Poll.Min > 0 && c.Poll.First >= c.Poll.Min
		if c.Polled != ordered {
			t.Errorf("%s: polled %t with poll bounds %+v", c.Operation, c.Polled, c.Poll)
		}
	}
}

func TestFibreBuildChargeIsNeverPolledFasterThanFiveSeconds(t *testing.T) {
	c, _ := ContractOf(FibreBuildCharge)
	if c.Poll.Min.Seconds() < 5 || c.Poll.First.Seconds() < 5 {
		t.Errorf("poll bounds %+v break spec §8: no more than once per 5 seconds", c.Poll)
	}
}

func TestPlanChangeWithNTDOptionIsNeverRepeated(t *testing.T) {
	c, _ := ContractOf(PlanChange)
	if got := c.RepeatClass(true); got != ClassNever {
		t.Errorf("class with NTD option = %s, want %s", got, ClassNever)
	}
}

func TestSupportedAt(t *testing.T) {
	for c := range Contracts() {
		for version := -1; version <= 10; version++ {
			err := c.SupportedAt(version)
			if supported := version >= c.MinVersion && version <= c.MaxVersion; supported != (err == nil) {
				t.Errorf("%s at version %d: %v", c.Operation, version, err)
			}
			if unsupported, ok := errors.AsType[*UnsupportedVersionError](err); err != nil &&
				(!ok || unsupported.Min != c.MinVersion || unsupported.Max != c.MaxVersion) {
				t.Errorf("%s at version %d: %#v does not say which versions", c.Operation, version, err)
			}
		}
	}
}

func TestPlanChangeVersionRules(t *testing.T) {
	contacts := PlanChangeRequest{
		NTDOption: "4_PORT_RESIDENTIAL", ContactName: "Ada", ContactPhone: "1", ContactEmail: "a@b.example",
	}
	for name, test := range map[string]struct {
		request PlanChangeRequest
		version int
		want    string
	}{
		"an SLA exists from version 6": {PlanChangeRequest{RestorationSLA: "Enhanced"}, 6, ""},
		"an SLA does not exist at version 5": {
			PlanChangeRequest{RestorationSLA: "Enhanced"},
			5,
			"restorationSla does not exist in API version 5: it exists in versions 6 to 8",
		},
		"an NTD option needs contacts at version 8": {
			PlanChangeRequest{NTDOption: "1_PORT"}, 8, "needs contactName at API version 8 when ntdOption is set",
		},
		"an NTD option needs no contact at version 7": {PlanChangeRequest{NTDOption: "1_PORT"}, 7, ""},
		"an NTD option with contacts at version 8":    {contacts, 8, ""},
		"no NTD option, no contact":                   {PlanChangeRequest{}, 8, ""},
		"there is no version 9":                       {PlanChangeRequest{}, 9, "PlanChange does not exist in API version 9"},
	} {
		t.Run(name, func(t *testing.T) {
			shown := ""
			if err := test.request.Check(test.version); err != nil {
				shown = err.Error()
			}
			if (shown == "") != (test.want == "") || !strings.Contains(shown, test.want) {
				t.Errorf("Check(%d) = %q, want %q", test.version, shown, test.want)
			}
		})
	}
}
