package simulator

import (
	"cmp"
	"fmt"
	"time"
)

// fibreFields is the body of a FibreBuildCharge request (spec §4).
func fibreFields() []field {
	return []field{{name: "locationId", kind: text, required: true, pattern: locationForm}}
}

func fibreFamily() family {
	return family{
		operation: OpFibreBuildCharge,
		accept:    acceptFibre, result: showFibre,
		failed: "constraints.fibre.build.charge.request.in.error", object: "FibreBuildChargeRequest",
	}
}

// acceptFibre accepts every location. Without a qualification there is no price (spec §4), so the
// request ends in error.
func acceptFibre(x *exchange, r *request) error {
	if _, qualified := x.sim.catalog.fibre[x.fields.text("locationId")]; !qualified {
		r.Failure, r.ErrorDetail = statusInError, "The location has no service qualification"
	}
	return nil
}

// fibreResult is the FibreBuildCharge resource of spec §2.
type fibreResult struct {
	WholesaleLocationID string `json:"wholesaleLocationId"`
	WholesaleQuoteID    string `json:"wholesaleQuoteId"`
	QuoteDate           string `json:"quoteDate"`
	Zone                string `json:"zone"`
	POIName             string `json:"poiName"`
	EstDeliveryTime     string `json:"estDeliveryTime"`
	FibreBuildCategory  string `json:"fibreBuildCategory"`
	PriceType           string `json:"priceType"`
	Name                string `json:"name"`
	PriceUnit           string `json:"priceUnit"`
	PriceValue          int64  `json:"priceValue"` // in cents
	ValidUntil          string `json:"validUntil"`
	CreatedOn           string `json:"createdOn"`
}

func showFibre(x *exchange, r *request) any {
	const usualDays = 90
	build := x.sim.catalog.fibre[r.body().text("locationId")]
	quoted := r.DoneAt.In(x.sim.zone)
	return fibreResult{
		WholesaleLocationID: build.LocationID, WholesaleQuoteID: fmt.Sprintf("EEQ-%d", r.Number),
		QuoteDate: quoted.Format(time.DateOnly), Zone: cmp.Or(build.Zone, "Zone 1"), POIName: build.POIName,
		EstDeliveryTime:    cmp.Or(build.DeliveryTime, "90 business days"),
		FibreBuildCategory: cmp.Or(build.Category, "A"), PriceType: cmp.Or(build.PriceType, "One Time"),
		Name: cmp.Or(build.Name, "Fibre Build Charge"), PriceUnit: x.sim.catalog.currency.Code,
		PriceValue: build.PriceCents,
		ValidUntil: quoted.AddDate(0, 0, cmp.Or(build.ValidDays, usualDays)).Format(time.DateOnly),
		CreatedOn:  timestamp(r.SubmittedAt),
	}
}
