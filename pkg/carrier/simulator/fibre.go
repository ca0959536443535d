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

// showFibre returns the FibreBuildCharge resource of spec §2. The price is in cents.
func showFibre(x *exchange, r *request) any {
	const usualDays = 90
	build := x.sim.catalog.fibre[r.body().text("locationId")]
	quoted := r.DoneAt.In(x.sim.zone)
	return resource{
		"wholesaleLocationId": build.LocationID,
		"wholesaleQuoteId":    fmt.Sprintf("EEQ-%d", r.Number),
		"quoteDate":           quoted.Format(time.DateOnly),
		"zone":                cmp.Or(build.Zone, "Zone 1"),
		"poiName":             build.POIName,
		"estDeliveryTime":     cmp.Or(build.DeliveryTime, "90 business days"),
		"fibreBuildCategory":  cmp.Or(build.Category, "A"),
		"priceType":           cmp.Or(build.PriceType, "One Time"),
		"name":                cmp.Or(build.Name, "Fibre Build Charge"),
		"priceUnit":           x.sim.catalog.currency.Code,
		"priceValue":          build.PriceCents,
		"validUntil":          quoted.AddDate(0, 0, cmp.Or(build.ValidDays, usualDays)).Format(time.DateOnly),
		"createdOn":           timestamp(r.SubmittedAt),
	}
}
