package simulator

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ServiceReadRules are the choices for the read of a service.
type ServiceReadRules struct {
	// Lag is how old each reading is: it shows the service, and what is in progress, as they were this
	// long ago. Zero means that a reading is current.
	Lag Duration `json:"lag,omitempty"`
}

// readService is the GET of a service.
func readService(x *exchange) (response, error) {
	svc, err := x.serviceInPath()
	if err != nil {
		return response{}, err
	}
	return response{status: http.StatusOK, body: x.sim.serviceInfo(svc, x.now.Add(-x.sim.state.ReadLag))}, nil
}

// serviceInfo returns the service as it was at an instant (docs/carrier-api.md). Its cvcInclusion is a
// Number.
func (s *Simulator) serviceInfo(svc *serviceState, at time.Time) resource {
	then := svc.snapshot(at)
	plan := s.catalog.plans[then.Plan]
	info := resource{
		"id": then.ID, "customerRef": then.CustomerReference, "wholesaleServiceActivatedOn": timestamp(svc.activatedAt()),
		"technologyType": then.TechnologyType, "legacyTechnologyType": orNull(then.LegacyTechnologyType),
		"trafficClass": then.TrafficClass, "locId": then.LocationID, "avcId": orNull(*then.AVCID),
		"vlanId": then.VLANID, "poi": strings.TrimSpace(then.POI + " " + then.POIName), "region": then.Region,
		"eSla": cmp.Or(then.RestorationSLA, standard),
		"bandwidthProfile": resource{
			"speedDown": plan.SpeedDown, "speedUp": plan.SpeedUp, "planName": then.Plan, "cvcInclusion": plan.CVCInclusion,
		},
		"infrastructure": then.infrastructure(), "address": then.Address, "modifiedOn": svc.modifiedOn(at),
		"aggregationMethod": then.AggregationMethod, "subscriberSTag": nil, "subscriberCTag": nil,
		"dslStabilityProfile": nil, "isNfas": plan.NFASFee != nil, "hasNfasCommitment": plan.NFASFee != nil,
		"nfasCommitmentExpiresOn": nil, "modifications": svc.Modifications.at(at).listed(),
	}
	if then.AggregationMethod == ethernet {
		info["subscriberSTag"] = fmt.Sprint(100 + then.ID%1000)  //nolint:mnd // any tags will do
		info["subscriberCTag"] = fmt.Sprint(1000 + then.ID%1000) //nolint:mnd // any tags will do
	}
	if isDSL(then.TechnologyType) {
		info["dslStabilityProfile"] = then.DSLStabilityProfile
	}
	if plan.NFASFee != nil {
		info["nfasCommitmentExpiresOn"] = svc.activatedAt().AddDate(1, 0, 0).Format(time.DateOnly)
	}
	return info
}

// infrastructure returns where a service is connected. A copper pair has no port.
func (s *Service) infrastructure() resource {
	shown := resource{"id": s.InfrastructureID, "productId": s.PRIID}
	if s.PortID != "" {
		shown["portId"] = s.PortID
	}
	return shown
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
		svc.Plans.changedAt(at), svc.SLAs.changedAt(at), svc.Aggregations.changedAt(at), svc.Profiles.changedAt(at),
	}, time.Time.Compare)
	if last.IsZero() {
		return svc.activatedAt().UTC().Format(time.DateOnly)
	}
	return timestamp(last)
}

// listed returns a service's modifications, in a form that no carrier is known to use. It lists
// only changes of the plan, the SLA and the DSL profile, because carriers are known to list only
// these.
func (m modification) listed() []resource {
	if m.Operation != OpPlanChange && m.Operation != OpDSLStabilityProfileChange {
		return []resource{}
	}
	return []resource{{"type": string(m.Operation), "requestedOn": timestamp(m.Since)}}
}
