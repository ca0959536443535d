package simulator

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ServiceReadRules are the choices for the read of a service where nothing is known of it.
type ServiceReadRules struct {
	// Lag is how old each reading is: it shows the service, and what is in progress, as they were this
	// long ago. Zero means that a reading is current.
	Lag Duration `json:"lag,omitempty"`
	// Modifications is the form of the list of what is in progress; ModificationsList when empty.
	Modifications ModificationsForm `json:"modifications,omitempty"`
}

// ModificationsForm is the JSON form of a service's modifications. It is not known.
type ModificationsForm string

// The forms of a service's modifications. Each comment shows the form with modifications, and then
// the form without any.
const (
	ModificationsList   ModificationsForm = "List"   // an array of objects; an empty array
	ModificationsObject ModificationsForm = "Object" // an object with a member for each; an empty object
	ModificationsText   ModificationsForm = "Text"   // a text; null
)

// serviceInfo is the resource of ServiceRead (docs/carrier-api.md).
type serviceInfo struct {
	ID                      int64                 `json:"id"`
	CustomerRef             string                `json:"customerRef"`
	WholesaleActivatedOn    string                `json:"wholesaleServiceActivatedOn"`
	TechnologyType          string                `json:"technologyType"`
	LegacyTechnologyType    *string               `json:"legacyTechnologyType"`
	TrafficClass            string                `json:"trafficClass"`
	LocID                   string                `json:"locId"`
	AVCID                   *string               `json:"avcId"`
	VLANID                  string                `json:"vlanId"`
	POI                     string                `json:"poi"`
	Region                  string                `json:"region"`
	ESLA                    string                `json:"eSla"`
	BandwidthProfile        serviceBandwidth      `json:"bandwidthProfile"`
	Infrastructure          serviceInfrastructure `json:"infrastructure"`
	Address                 Address               `json:"address"`
	ModifiedOn              string                `json:"modifiedOn"`
	AggregationMethod       string                `json:"aggregationMethod"`
	SubscriberSTag          *string               `json:"subscriberSTag"`
	SubscriberCTag          *string               `json:"subscriberCTag"`
	DSLStabilityProfile     *string               `json:"dslStabilityProfile"`
	IsNFAS                  bool                  `json:"isNfas"`
	HasNFASCommitment       bool                  `json:"hasNfasCommitment"`
	NFASCommitmentExpiresOn *string               `json:"nfasCommitmentExpiresOn"`
	Modifications           any                   `json:"modifications"`
}

// serviceBandwidth is the bandwidth profile of a service. Its cvcInclusion is a Number.
type serviceBandwidth struct {
	SpeedDown    int64   `json:"speedDown"`
	SpeedUp      int64   `json:"speedUp"`
	PlanName     string  `json:"planName"`
	CVCInclusion float64 `json:"cvcInclusion"`
}

// serviceInfrastructure is where a service is connected. A copper pair has no port.
type serviceInfrastructure struct {
	ID        string `json:"id"`
	PortID    string `json:"portId,omitempty"`
	ProductID string `json:"productId"`
}

// readService is the GET of a service.
func readService(x *exchange) (response, error) {
	svc, err := x.serviceInPath()
	if err != nil {
		return response{}, err
	}
	return response{status: http.StatusOK, body: x.sim.serviceInfo(svc, x.now.Add(-x.sim.readLag))}, nil
}

// serviceInfo returns the service as it was at an instant.
func (s *Simulator) serviceInfo(svc *serviceState, at time.Time) serviceInfo {
	then := svc.snapshot(at)
	plan := s.catalog.plans[then.Plan]
	info := serviceInfo{
		ID: then.ID, CustomerRef: then.CustomerReference, WholesaleActivatedOn: timestamp(svc.activatedAt()),
		TechnologyType: then.TechnologyType, LegacyTechnologyType: orNull(then.LegacyTechnologyType),
		TrafficClass: then.TrafficClass, LocID: then.LocationID, AVCID: orNull(*then.AVCID), VLANID: then.VLANID,
		POI: strings.TrimSpace(then.POI + " " + then.POIName), Region: then.Region,
		ESLA: cmp.Or(then.RestorationSLA, standard),
		BandwidthProfile: serviceBandwidth{
			SpeedDown: plan.SpeedDown, SpeedUp: plan.SpeedUp, PlanName: then.Plan, CVCInclusion: plan.CVCInclusion,
		},
		Infrastructure: serviceInfrastructure{ID: then.InfrastructureID, PortID: then.PortID, ProductID: then.PRIID},
		Address:        then.Address, ModifiedOn: svc.modifiedOn(at), AggregationMethod: then.AggregationMethod,
		IsNFAS: plan.NFASFee != nil, HasNFASCommitment: plan.NFASFee != nil,
		Modifications: s.options.Seed.ServiceRead.show(svc.modification.at(at)),
	}
	if then.AggregationMethod == ethernet {
		outer, inner := fmt.Sprint(100+then.ID%1000), fmt.Sprint(1000+then.ID%1000) //nolint:mnd // any tags will do
		info.SubscriberSTag, info.SubscriberCTag = &outer, &inner
	}
	if isDSL(then.TechnologyType) {
		info.DSLStabilityProfile = &then.DSLStabilityProfile
	}
	if info.HasNFASCommitment {
		expires := svc.activatedAt().AddDate(1, 0, 0).Format(time.DateOnly)
		info.NFASCommitmentExpiresOn = &expires
	}
	return info
}

// activatedAt returns when the service was connected. A service that always existed shows a fixed day.
func (svc *serviceState) activatedAt() time.Time {
	if svc.ActivatedAt.IsZero() {
		return time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return svc.ActivatedAt
}

// isDSL reports whether a technology ends in a copper pair. Only services with such a technology
// have a stability profile.
func isDSL(technology string) bool {
	return slices.Contains([]string{"FTTN", "FTTB", "FTTC"}, technology)
}

// modifiedOn returns when the service last changed. As observed, it is a date for a service that
// never changed, and a date-time afterwards.
func (svc *serviceState) modifiedOn(at time.Time) string {
	last := slices.MaxFunc([]time.Time{
		svc.plan.changedAt(at), svc.sla.changedAt(at), svc.aggregation.changedAt(at), svc.profile.changedAt(at),
	}, time.Time.Compare)
	if last.IsZero() {
		return svc.activatedAt().UTC().Format(time.DateOnly)
	}
	return timestamp(last)
}

// listedModification is a modification in progress, as listed in a service.
type listedModification struct {
	Type        string `json:"type"`
	RequestedOn string `json:"requestedOn"`
}

// show returns a service's modifications. Only changes of the plan, the SLA and the DSL profile are
// listed, which are the only ones that carriers are known to list.
func (r ServiceReadRules) show(underway modification) any {
	listed := underway.Operation == OpPlanChange || underway.Operation == OpDSLStabilityProfileChange
	if underway.Operation == "" || !listed {
		return r.none()
	}
	shown := listedModification{Type: string(underway.Operation), RequestedOn: timestamp(underway.Since)}
	switch r.Modifications {
	case ModificationsObject:
		return map[string]listedModification{shown.Type: shown}
	case ModificationsText:
		return shown.Type + " since " + shown.RequestedOn
	case ModificationsList, "":
	}
	return []listedModification{shown}
}

// none returns the modifications of a service without any.
func (r ServiceReadRules) none() any {
	switch r.Modifications {
	case ModificationsObject:
		return struct{}{}
	case ModificationsText:
		return nil
	case ModificationsList, "":
	}
	return []listedModification{}
}
