// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The limits for the carrier's measurements of a service.
const (
	maxCategories   = 50       // categories of a check
	maxItems        = 100      // items of one category
	maxMeasurements = 16 << 10 // bytes of all categories and items together

	maxType  = 100  // characters of a type or id of a measurement
	maxValue = 256  // characters of a measured value
	maxWords = 1024 // characters of a text of the carrier
	maxShown = 200  // characters of such a text in a message
)

// RecordHealth records the health of a service. The names of the fields depend on the API version
// at which the request was sent. The response has no service id, but it may have the id of its
// request.
func RecordHealth(status *v1alpha1.HealthCheckStatus, request *v1alpha1.Request, body []byte) *decide.Unfinished {
	found, err := carrier.DecodeHealth(int(request.APIVersion), body)
	if err != nil {
		return &decide.Unfinished{Phase: v1alpha1.PhaseSubmitting, Error: decide.RequestErrorOf(err)}
	}
	if !decide.MayBeResultOf(request, found.ID) {
		return decide.NotOurs(request, fmt.Sprintf("the result of request %d", found.ID))
	}
	if why := notDone(request, body); why != nil {
		return why
	}
	var texts shortener
	texts.recordRating(status, &found)
	texts.recordService(status, &found)
	fewer := texts.recordMeasurements(status, found.HealthCategories)
	status.Truncated = fewer || texts.cut
	return nil
}

// SummarizeHealth summarizes the health of a service; "" if it is not known.
func SummarizeHealth(status *v1alpha1.HealthCheckStatus) string {
	condition, action, rating := status.CurrentCondition, status.NextAction, status.Indicator
	if condition == nil || action == nil || rating == nil {
		return ""
	}
	return decide.HealthText(&v1alpha1.HealthStatus{
		Summary: condition.Status, HealthIndicator: *rating,
		Alert:      decide.Bounded(condition.AlertMessage, maxShown),
		NextAction: decide.Bounded(action.Description, maxShown),
	})
}

// shortener makes the carrier's texts safe for a status, and records whether a text was too long.
type shortener struct{ cut bool }

func (s *shortener) text(text string, limit int) string {
	kept := decide.Bounded(text, limit)
	s.cut = s.cut || len(text) > limit && len(kept) < len(decide.Bounded(text, len(text)))
	return kept
}

func (s *shortener) brief(text string) string { return s.text(text, maxBrief) }

func (s *shortener) recordRating(status *v1alpha1.HealthCheckStatus, found *carrier.HealthResult) {
	status.CurrentCondition = &v1alpha1.HealthCondition{
		Code:         s.brief(found.CurrentCondition.Code),
		Status:       s.brief(string(found.CurrentCondition.Status)),
		AlertMessage: s.text(found.CurrentCondition.AlertMessage, maxWords),
		Summary:      s.text(found.CurrentCondition.Summary, maxWords),
	}
	status.NextAction = &v1alpha1.HealthNextAction{
		Code: s.brief(found.NextAction.Code), Description: s.text(found.NextAction.Description, maxWords),
	}
	status.Indicator = &v1alpha1.HealthIndicator{
		Connectivity: s.brief(string(found.Indicator.Connectivity)),
		Performance:  s.brief(string(found.Indicator.Performance)),
		Stability:    s.brief(string(found.Indicator.Stability)),
	}
}

func (s *shortener) recordService(status *v1alpha1.HealthCheckStatus, found *carrier.HealthResult) {
	status.RequestedOn = s.brief(string(found.RequestedOn))
	status.LastRefreshedOn = s.brief(string(found.LastRefreshedOn))
	status.Plan = s.text(found.Plan, maxLongName)
	status.TechnologyType = s.brief(found.TechnologyType)
	status.LocationID = s.brief(found.LocationID)
	status.WholesaleServiceID = s.brief(found.WholesaleServiceID)
	status.AVCID = s.brief(found.AVCID)
	status.PRIID = s.brief(found.PRIID)
	status.HRIID = s.brief(found.HRIID)
	status.ErrorDetail = s.text(found.ErrorDetail, maxWords)
}

// recordMeasurements records the categories and items that fit, from the start of each list, and
// returns true if some were left out.
func (s *shortener) recordMeasurements(status *v1alpha1.HealthCheckStatus, found []carrier.HealthCategory) bool {
	left, fewer := maxMeasurements, len(found) > maxCategories
	status.HealthCategories = make([]v1alpha1.HealthCategory, 0, min(len(found), maxCategories))
	for _, category := range found[:min(len(found), maxCategories)] {
		kept, full := decide.Fitting([]v1alpha1.HealthCategory{{Type: s.text(category.Type, maxType)}}, 1, &left)
		if full {
			return true
		}
		var cut bool
		kept[0].Items, cut = decide.Fitting(s.measurements(category.Items), maxItems, &left)
		status.HealthCategories, fewer = append(status.HealthCategories, kept...), fewer || cut
	}
	return fewer
}

// measurements converts the items of a category: at most one more than is kept, so that the
// caller notices omitted items.
func (s *shortener) measurements(found []carrier.HealthItem) []v1alpha1.HealthItem {
	found = found[:min(len(found), maxItems+1)]
	items := make([]v1alpha1.HealthItem, 0, len(found))
	for i := range found {
		item := &found[i]
		items = append(items, v1alpha1.HealthItem{
			Type: s.text(item.Type, maxType), ID: s.text(item.ID, maxType),
			Status: s.brief(string(item.Status)), Value: s.text(item.Value, maxValue), Unit: s.brief(item.Unit),
		})
	}
	return items
}
