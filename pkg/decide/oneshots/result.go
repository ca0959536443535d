// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The limits for the carrier's responses in a status. A longer list or text is cut, so that the
// status can be written.
const (
	maxResult     = 16 << 10  // bytes of a test's result
	maxStages     = 50        // the newest stages of a test
	maxPlans      = 200       // of plan options
	maxSLAs       = 50        // of plan options
	maxNTDOptions = 20        // NTD options of one plan
	maxOffers     = 256 << 10 // bytes of all plans and SLAs together: far below the object size limit of etcd

	maxShort    = 32  // characters of a term
	maxBrief    = 64  // characters of an id, a technology, a time
	maxOption   = 100 // characters of an NTD option
	maxLongName = 200 // characters of a plan, an SLA, a charge
	maxReason   = 256 // characters of a stage's reason
)

// RecordDiagnosticTest records the result of a test. The function ours reports whether a service is
// the one that was tested.
func RecordDiagnosticTest(
	status *v1alpha1.DiagnosticTestStatus, request *v1alpha1.Request, body []byte, ours func(v1alpha1.CarrierID) bool,
) *decide.Unfinished {
	found, err := carrier.DecodeDiagnosticTest(body)
	if err != nil {
		return &decide.Unfinished{Phase: v1alpha1.PhaseSubmitting, Error: decide.RequestErrorOf(err)}
	}
	if found.ServiceID != 0 && !ours(v1alpha1.CarrierIDOf(found.ServiceID)) {
		return decide.NotOurs(request, fmt.Sprintf("a test of service %d", found.ServiceID))
	}
	run := found.Result
	if isRunning(run) && !decide.HasSucceeded(request) {
		return &decide.Unfinished{Phase: v1alpha1.PhaseInProgress}
	}
	status.TestID, status.Active = decide.Bounded(run.ID, maxBrief), run.IsActive != nil && *run.IsActive
	status.Stages = make([]v1alpha1.DiagnosticStage, 0, min(len(run.Status), maxStages))
	for _, stage := range run.Status[:min(len(run.Status), maxStages)] {
		status.Stages = append(status.Stages, v1alpha1.DiagnosticStage{
			Name: decide.Bounded(string(stage.Name), maxBrief), Reason: decide.Bounded(stage.Reason, maxReason),
			At: decide.Bounded(stage.CreatedAt, maxBrief),
		})
	}
	kept, truncated := freeForm(run.Result)
	status.PutResult(kept)
	status.Truncated = truncated
	return nil
}

// isRunning reports whether a test has not ended although the carrier responded with 200. Two
// values have to agree: is_active, which is false once a test is final (spec §2), and the newest
// stage, which is not completed. Without is_active, the stage alone decides.
func isRunning(run carrier.DiagnosticRun) bool {
	switch {
	case len(run.Status) == 0:
		return false
	case run.IsActive == nil:
		return decide.StateOf(carrier.DiagnosticTest, string(run.Status[0].Name)) == carrier.Pending
	}
	return *run.IsActive && run.Status[0].Name != carrier.DiagnosticCompleted
}

// SummarizeTest summarizes the result of a test: its newest stage, and its result.
func SummarizeTest(status *v1alpha1.DiagnosticTestStatus) string {
	var words []string
	if len(status.Stages) > 0 {
		stage := status.Stages[0].Name
		if reason := status.Stages[0].Reason; reason != "" {
			stage += " (" + reason + ")"
		}
		words = append(words, stage)
	}
	switch {
	case status.Truncated:
		words = append(words, "its result is too long to be shown")
	case status.Result != nil:
		words = append(words, "result "+resultText(status.Result.Raw))
	}
	return strings.Join(words, ", ")
}

// resultText returns the field named result, otherwise the beginning of the whole result, because
// each type of test has other fields (spec §2).
func resultText(found []byte) string {
	const shown = 200
	var named struct {
		Result string `json:"result"`
	}
	if err := json.Unmarshal(found, &named); err == nil && named.Result != "" {
		return decide.Bounded(named.Result, shown)
	}
	return decide.Bounded(string(found), shown)
}

// freeForm converts a result of any form for a status: an object with printable texts and with
// numbers as they were written. A result that is too long is omitted, because part of a document is
// not a valid document.
func freeForm(wire json.RawMessage) (kept []byte, truncated bool) {
	value := decide.FreeForm(wire)
	if value == nil {
		return nil, false
	}
	object, isObject := value.(map[string]any)
	if !isObject {
		object = map[string]any{"value": value}
	}
	kept, err := json.Marshal(object)
	if err != nil || len(kept) > maxResult {
		return nil, true
	}
	return kept, false
}

// notDone returns why a query has no result yet although the carrier responded with 200; nil if
// its resource does not show that.
func notDone(request *v1alpha1.Request, body []byte) *decide.Unfinished {
	summary, err := carrier.DecodeSummary(carrier.Operation(request.Operation), body)
	if err != nil {
		return &decide.Unfinished{Phase: v1alpha1.PhaseSubmitting, Error: decide.RequestErrorOf(err)}
	}
	return decide.NotDone(request, summary)
}

// RecordFibreBuildQuote records a quote for a location.
func RecordFibreBuildQuote(
	status *v1alpha1.FibreBuildQuoteStatus, request *v1alpha1.Request, body []byte, location v1alpha1.LocationID,
) *decide.Unfinished {
	found, err := carrier.DecodeFibreBuildCharge(body)
	if err != nil {
		return &decide.Unfinished{Phase: v1alpha1.PhaseSubmitting, Error: decide.RequestErrorOf(err)}
	}
	if found.WholesaleLocationID != "" && found.WholesaleLocationID != string(location) {
		return decide.NotOurs(request, "a quote for location "+decide.Bounded(found.WholesaleLocationID, maxBrief))
	}
	if why := notDone(request, body); why != nil {
		return why
	}
	status.QuoteID, status.Name = decide.Bounded(found.WholesaleQuoteID, maxBrief), decide.Bounded(found.Name, maxLongName)
	status.Price = priceOf(found.PriceValue, found.PriceUnit)
	status.Category = decide.Bounded(found.FibreBuildCategory, maxLongName)
	status.Zone = decide.Bounded(found.Zone, maxLongName)
	status.POIName = decide.Bounded(found.POIName, maxLongName)
	status.PriceType = decide.Bounded(found.PriceType, maxLongName)
	status.EstimatedDelivery = decide.Bounded(found.EstDeliveryTime, maxLongName)
	status.QuoteDate = decide.Bounded(found.QuoteDate, maxBrief)
	status.ValidUntil = decide.Bounded(found.ValidUntil, maxBrief)
	status.CreatedOn = decide.Bounded(string(found.CreatedOn), maxBrief)
	return nil
}

// priceOf converts a price that the carrier gave in cents, without a float, which could round it. A
// price that is not a whole number of cents is unknown, which is not zero.
func priceOf(cents carrier.Number, currency string) *v1alpha1.Money {
	digits, fraction, _ := strings.Cut(string(cents), ".")
	whole, ok := carrier.Number(digits).Int()
	if !ok || strings.Trim(fraction, "0") != "" {
		return nil
	}
	return decide.MoneyOfCents(whole, decide.Bounded(currency, 8))
}

// RecordPlanOptions records the plans and SLAs to which a service could change.
func RecordPlanOptions(
	status *v1alpha1.PlanOptionsQueryStatus, request *v1alpha1.Request, body []byte,
) *decide.Unfinished {
	found, err := carrier.DecodePlanOptions(body)
	if err != nil {
		return &decide.Unfinished{Phase: v1alpha1.PhaseSubmitting, Error: decide.RequestErrorOf(err)}
	}
	if why := notDone(request, body); why != nil {
		return why
	}
	left := maxOffers
	var fewerSLAs, fewerPlans bool
	slas := make([]v1alpha1.SLAOption, 0, min(len(found.SLAs), maxSLAs))
	for _, offer := range found.SLAs {
		charge := decide.ChargeOf(offer.Fee)
		slas = append(slas, v1alpha1.SLAOption{
			Name: decide.Bounded(offer.SLA, maxLongName), OneTime: charge.OneTime, Monthly: charge.Monthly,
		})
	}
	plans := make([]v1alpha1.PlanOption, 0, min(len(found.Plans), maxPlans))
	for i := range found.Plans {
		option, whole := planOption(&found.Plans[i])
		plans, fewerPlans = append(plans, option), fewerPlans || !whole
	}
	status.SLAs, fewerSLAs = decide.Fitting(slas, maxSLAs, &left)
	var cut bool
	status.Plans, cut = decide.Fitting(plans, maxPlans, &left)
	status.Truncated = fewerSLAs || fewerPlans || cut
	return nil
}

// planOption returns an offered plan, and false if it has more NTD options than fit.
func planOption(offer *carrier.Plan) (v1alpha1.PlanOption, bool) {
	own, nfas := decide.ChargeOf(offer.PlanFee), decide.ChargeOf(offer.NFASFee)
	option := v1alpha1.PlanOption{
		Name: decide.Bounded(offer.Plan, maxLongName), Term: decide.Bounded(offer.Term, maxShort),
		AccessTechnology: decide.Bounded(offer.AccessTechnology, maxBrief),
		SourceType:       decide.Bounded(offer.SourceType, maxBrief),
		SpeedDown:        decide.Bounded(offer.SpeedDown.String(), maxBrief),
		SpeedUp:          decide.Bounded(offer.SpeedUp.String(), maxBrief),
		OneTime:          own.OneTime, Monthly: own.Monthly, NFASOneTime: nfas.OneTime, NFASMonthly: nfas.Monthly,
		RequiresAdditionalNTD:       offer.RequiresAdditionalNTD,
		RequiresAdditionalNTDReason: decide.Bounded(offer.RequiresAdditionalNTDReason, maxOption),
	}
	for i, device := range offer.NTDOptions {
		if i == maxNTDOptions {
			return option, false
		}
		charge := decide.ChargeOf(device.Fee)
		option.NTDOptions = append(option.NTDOptions, v1alpha1.NTDOptionOffer{
			Option: decide.Bounded(device.Option, maxOption), Recommended: device.Recommended,
			OneTime: charge.OneTime, Monthly: charge.Monthly,
		})
	}
	return option, true
}
