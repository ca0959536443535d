package carrier

import (
	"fmt"
	"log/slog"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// PlanChangeRequest requests another plan, another restoration SLA, or both (spec §4, Plan /
// restoration SLA change). A request for another SLA alone names the existing plan. Prices may
// change accordingly.
type PlanChangeRequest struct {
	ServiceID      int64  `json:"serviceId,omitempty"`      // required
	PlanName       string `json:"planName,omitempty"`       // required
	Term           int    `json:"term,omitempty"`           // required, in months
	RestorationSLA string `json:"restorationSla,omitempty"` // optional, from version 6
	NTDOption      string `json:"ntdOption,omitempty"`      // sends a technician; required above 1000 MBit/s
	ContactName    string `json:"contactName,omitempty"`    // the three contacts: required with NTDOption, from version 8
	ContactPhone   string `json:"contactPhone,omitempty"`
	ContactEmail   string `json:"contactEmail,omitempty"`
}

// Body returns the request as it is sent, with the keys in the order of the specification's table.
func (r PlanChangeRequest) Body() []byte { return encode(r) }

// Check applies the rules of spec §9 for an API version, before anything is sent. It returns an
// [UnsupportedVersionError] for a field that the version does not have, and a [MissingFieldError]
// for a missing field that the version requires.
func (r PlanChangeRequest) Check(version int) error {
	return check(PlanChange, version, map[string]bool{
		keyRestorationSLA: r.RestorationSLA != "",
		keyNTDOption:      r.NTDOption != "",
		keyContactName:    r.ContactName != "",
		keyContactPhone:   r.ContactPhone != "",
		keyContactEmail:   r.ContactEmail != "",
	})
}

// check applies an operation's version rules to the keys of a body.
func check(op Operation, version int, present map[string]bool) error {
	contract, ok := ContractOf(op)
	if !ok {
		return &Error{Operation: op, Class: Invalid, Message: "no such operation"}
	}
	if err := contract.SupportedAt(version); err != nil {
		return err
	}
	return contract.checkFields(version, func(key string) bool { return present[key] })
}

// Format writes the request without its contact details, for every verb.
func (r PlanChangeRequest) Format(f fmt.State, _ rune) { printTo(f, r.LogValue().String()) }

// LogValue returns the request without its contact details.
func (r PlanChangeRequest) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int64("serviceId", r.ServiceID),
		slog.String("planName", r.PlanName),
		slog.Int("term", r.Term),
		slog.String(keyRestorationSLA, r.RestorationSLA),
		slog.String(keyNTDOption, r.NTDOption),
	)
}

// PlanChangeStatus is the status of a plan change. The full set of values is not documented; others
// are kept.
type PlanChangeStatus string

// The documented statuses (spec §3).
const (
	PlanChangeCompleted PlanChangeStatus = "COMPLETED" // GET returns 200
	PlanChangeInError   PlanChangeStatus = "IN_ERROR"  // GET returns 422
)

// PlanChangeResult is the resource of a plan change (spec §2, service plan change request). The
// alternate-source variant has the same fields except contacts, NTD and NFAS, which are then empty.
type PlanChangeResult struct {
	ID           int64            `json:"id"`          // the request
	ServiceID    int64            `json:"serviceId"`   // the service
	RequestedOn  Timestamp        `json:"requestedOn"` // date-time with UTC offset
	Status       PlanChangeStatus `json:"status"`
	ContactName  Secret           `json:"contactName"` // NTD installation contact, when applicable
	ContactPhone Secret           `json:"contactPhone"`
	ContactEmail Secret           `json:"contactEmail"`
	Plan         Plan             `json:"plan"`
	SLA          SLA              `json:"sla"`
}

// Plan is a plan that is offered or was requested (spec §2, plan).
type Plan struct {
	SourceType                  string      `json:"sourceType"`       // names the wholesale source
	AccessTechnology            string      `json:"accessTechnology"` // such as FTTP, FTTN, FTTC
	Plan                        string      `json:"plan"`             // plan name
	Term                        string      `json:"term"`             // in months, as the carrier wrote it
	SpeedDown                   Speed       `json:"speedDown"`
	SpeedUp                     Speed       `json:"speedUp"`
	RequiresAdditionalNTD       *bool       `json:"requiresAdditionalNtd"`       // nil: not given
	RequiresAdditionalNTDReason string      `json:"requiresAdditionalNtdReason"` // such as BATTERY_BACKUP
	PlanFee                     *Fee        `json:"planFee"`                     // attributes include plan and term
	NFASFee                     *Fee        `json:"nfasFee"`                     // commitment fee, when it applies
	NTDOptions                  []NTDOption `json:"ntdOptions"`
}

// NTDOption is a network termination device that is available with a plan.
type NTDOption struct {
	Option      string `json:"option"` // such as 1_PORT, 4_PORT_RESIDENTIAL
	Recommended bool   `json:"recommended"`
	Fee         *Fee   `json:"fee"`
}

// readWire also accepts the bare name of an option.
func (o *NTDOption) readWire(d jsondoc.Value) {
	type plain NTDOption
	*o = NTDOption{}
	if d.IsObject() {
		newReader().read((*plain)(o), d)
		return
	}
	o.Option = d.Text()
}

// SLA is a restoration SLA that is offered or was requested (spec §2, sla).
type SLA struct {
	SLA string `json:"sla"` // its name
	Fee *Fee   `json:"fee"` // named SLA, with the attribute sla
}

// DecodePlanChange reads the result of a plan change. The error is an [Error] of class Unreadable.
func DecodePlanChange(body []byte) (PlanChangeResult, error) {
	return decode[PlanChangeResult](PlanChange, body)
}
