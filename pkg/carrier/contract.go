package carrier

import (
	"iter"
	"slices"
	"time"
)

// Operation names one POST of the specification. All thirteen are rows of the table below.
type Operation string

// The operations, named as the specification names them (spec §4).
const (
	AggregationConversion     Operation = "AggregationConversion"     // L2TP to Ethernet or back
	PlanChange                Operation = "PlanChange"                // plan, restoration SLA, or both
	DSLStabilityProfileChange Operation = "DSLStabilityProfileChange" // Standard or Stable
	Reclaim                   Operation = "Reclaim"                   // bring a disconnected service back
	CancellationReschedule    Operation = "CancellationReschedule"    // set another date for a pending cancellation
	CancellationAbort         Operation = "CancellationAbort"         // withdraw a pending cancellation
	OrderCreate               Operation = "OrderCreate"               // order a new service, or transfer one
	AppointmentSlots          Operation = "AppointmentSlots"          // list the time slots of a technician
	AppointmentCancel         Operation = "AppointmentCancel"         // withdraw an appointment-request
	DiagnosticTest            Operation = "DiagnosticTest"            // run a test on a service
	FibreBuildCharge          Operation = "FibreBuildCharge"          // quote the cost of building fibre to a site
	PlanOptions               Operation = "PlanOptions"               // list the plans available to a service
	Health                    Operation = "Health"                    // read the state of a service
)

// RepeatClass states what may be done when the outcome of a POST is unknown.
type RepeatClass string

// The repeat classes, from harmless to costly.
const (
	ClassQuery    RepeatClass = "Query"    // changes nothing: may be repeated a limited number of times
	ClassVerify   RepeatClass = "Verify"   // the result can be read: read it first, then decide
	ClassConverge RepeatClass = "Converge" // sets a value: may be repeated without harm, but rarely
	ClassCharge   RepeatClass = "Charge"   // sets a value and is chargeable: verify, never repeat
	ClassNever    RepeatClass = "Never"    // costs money or disturbs a customer each time: a person must decide
)

// Costly returns true if a request of this class may cost money or disturb a customer. Such a POST
// uses its own connection, counts towards a spending limit, and is never repeated automatically.
func (c RepeatClass) Costly() bool { return c == ClassCharge || c == ClassNever }

// HandleSource states where the id that is used to poll a request comes from.
type HandleSource string

// The handle sources.
const (
	HandleInLocation HandleSource = "Location"  // spec §1 rule 3: the Location header points to the outcome
	HandleInOrder    HandleSource = "Order"     // the Location, or else the order id in the body (spec §4, Orders)
	HandleServiceID  HandleSource = "ServiceID" // the path id is the service id, which is in the request body
	HandleNone       HandleSource = "None"      // the success status alone completes the operation
)

// PollBounds states when an accepted request is polled.
type PollBounds struct {
	First time.Duration // from acceptance to the first poll
	Min   time.Duration // minimum time between two polls
	Max   time.Duration // maximum time between two polls; of a query only until it is overdue
	Usual time.Duration // a request that takes longer is overdue: report it, but never send it again
}

// Contract is one row of the operations table. It has everything that differs between operations.
type Contract struct {
	Operation  Operation
	SubmitPath string       // the POST, relative to the base address
	PollPath   string       // the template of the Location, with {id}; empty if the response has none
	Polled     bool         // whether the specification has a GET on PollPath
	Success    int          // the one status that means accepted
	Statuses   []int        // every status that the specification lists for the POST (spec §4)
	Handle     HandleSource // where the id comes from
	ID         IDShape      // the format of an id

	MinVersion, MaxVersion int             // spec §9: the versions that have the endpoint family
	Fields                 []VersionedRule // spec §9: body fields that depend on the version

	Repeat              RepeatClass // see RepeatClass
	RepeatWithNTDOption RepeatClass // as Repeat, for a body with an NTD option, which sends a technician
	Poll                PollBounds

	// AsWritten is set if people see the result as the carrier wrote it, with the carrier's own word in
	// its keys.
	AsWritten bool

	// TokenHiddenIn404 is set if the response to a missing or invalid token is 404 instead of 401
	// (spec §4, plan-change options).
	TokenHiddenIn404 bool

	pollAt map[int]string // versions whose GET has a different path
}

// VersionedRule is one rule of spec §9 about a field of a request body.
type VersionedRule struct {
	Field        string // the key in the body
	Since        int    // the first version that accepts the field
	RequiredFrom int    // the first version that requires it; zero: none does
	With         string // required only if this other field is set
}

const (
	versionFirst = 1 // spec §9: versions 1 to 8 exist
	versionLast  = 8
)

// cancellationPath is the path of a service's cancellation. Its id is the number of the service
// (spec §4).
const cancellationPath = "/api/connect/services/service-cancellations/requests/{id}"

// planChangeRules are the version rules of the plan change (spec §9): version 6 has added the SLA,
// and version 8 requires the contact of an installation.
var planChangeRules = []VersionedRule{
	{Field: keyRestorationSLA, Since: 6},
	{Field: keyContactName, Since: versionFirst, RequiredFrom: 8, With: keyNTDOption},
	{Field: keyContactPhone, Since: versionFirst, RequiredFrom: 8, With: keyNTDOption},
	{Field: keyContactEmail, Since: versionFirst, RequiredFrom: 8, With: keyNTDOption},
}

// Poll bounds of the table. Only the 5 seconds of the fibre build charge come from the carrier
// (spec §8). The others are chosen by how long a user would be willing to wait.
var (
	pollQuery  = PollBounds{First: 2 * time.Second, Min: 2 * time.Second, Max: 2 * time.Minute, Usual: 15 * time.Minute}
	pollTest   = PollBounds{First: 5 * time.Second, Min: 2 * time.Second, Max: time.Minute, Usual: time.Hour}
	pollQuote  = PollBounds{First: 5 * time.Second, Min: 5 * time.Second, Max: 2 * time.Minute, Usual: time.Hour}
	pollChange = PollBounds{First: 5 * time.Second, Min: 2 * time.Second, Max: 5 * time.Minute, Usual: 24 * time.Hour}
	pollRead   = PollBounds{First: 2 * time.Second, Min: 2 * time.Second, Max: time.Minute, Usual: time.Hour}
)

// The statuses that the specification lists for the POST of several operations (spec §4). For
// the creation of an order, it shows only 201 and 422. The others are those of its table for
// every call (spec §7), because the carrier reports errors in one way.
var (
	statusesOfChange     = []int{201, 401, 404, 422, 500}
	statusesWithUpstream = []int{201, 401, 404, 422, 500, 502}
	statusesOfAlteration = []int{204, 401, 404, 422, 500}
	statusesOfOrder      = []int{201, 400, 401, 404, 422, 500, 502}
)

// contracts is the operations table. To treat an operation differently, change its row.
var contracts = []Contract{
	{
		Operation:  AggregationConversion,
		SubmitPath: "/api/connect/services/aggregation-conversions/request",
		PollPath:   "/api/connect/services/aggregation-conversions/requests/{id}",
		Polled:     true, Success: 201, Handle: HandleInLocation, ID: IDNumeric,
		Statuses:   statusesOfChange,
		MinVersion: 4, MaxVersion: versionLast,
		Repeat: ClassNever, RepeatWithNTDOption: ClassNever, Poll: pollChange,
	},
	{
		Operation:  PlanChange,
		SubmitPath: "/api/connect/services/plan-changes/request",
		PollPath:   "/api/connect/services/plan-changes/requests/{id}",
		Polled:     true, Success: 201, Handle: HandleInLocation, ID: IDNumeric,
		Statuses:   statusesWithUpstream,
		MinVersion: versionFirst, MaxVersion: versionLast,
		Fields: planChangeRules,
		Repeat: ClassCharge, RepeatWithNTDOption: ClassNever, Poll: pollChange,
	},
	{
		Operation:  DSLStabilityProfileChange,
		SubmitPath: "/api/connect/services/dsl-stability-profile-changes/request",
		PollPath:   "/api/connect/services/dsl-stability-profile-changes/requests/{id}",
		Polled:     true, Success: 201, Handle: HandleInLocation, ID: IDNumeric,
		Statuses:   statusesOfChange,
		MinVersion: 4, MaxVersion: versionLast,
		Repeat: ClassConverge, RepeatWithNTDOption: ClassConverge, Poll: pollChange,
	},
	{
		Operation:  Reclaim,
		SubmitPath: "/api/connect/services/reclaims/request",
		PollPath:   "/api/connect/services/reclaims/requests/{id}",
		Polled:     true, Success: 201, Handle: HandleInLocation, ID: IDNumeric,
		Statuses:   statusesWithUpstream,
		MinVersion: versionFirst, MaxVersion: versionLast,
		Repeat: ClassConverge, RepeatWithNTDOption: ClassConverge, Poll: pollChange,
	},
	{
		Operation:  CancellationReschedule,
		SubmitPath: "/api/connect/services/service-cancellations/requests/reschedule",
		PollPath:   cancellationPath,
		Polled:     true, Success: 204, Handle: HandleServiceID, ID: IDNumeric,
		Statuses:   statusesOfAlteration,
		MinVersion: versionFirst, MaxVersion: versionLast,
		Repeat: ClassVerify, RepeatWithNTDOption: ClassVerify, Poll: pollRead,
	},
	{
		Operation:  CancellationAbort,
		SubmitPath: "/api/connect/services/service-cancellations/requests/abort",
		PollPath:   cancellationPath,
		Polled:     true, Success: 204, Handle: HandleServiceID, ID: IDNumeric,
		Statuses:   statusesOfAlteration,
		MinVersion: versionFirst, MaxVersion: versionLast,
		Repeat: ClassVerify, RepeatWithNTDOption: ClassVerify, Poll: pollRead,
	},
	{
		// Spec §9 has no row for orders, so no version is refused. Spec §4 has the form of the Location,
		// but no call that reads it.
		Operation:  OrderCreate,
		SubmitPath: "/api/connect/orders/create",
		PollPath:   "/api/connect/orders/{id}",
		Polled:     false, Success: 201, Handle: HandleInOrder, ID: IDNumeric,
		Statuses:   statusesOfOrder,
		MinVersion: versionFirst, MaxVersion: versionLast,
		Repeat: ClassNever, RepeatWithNTDOption: ClassNever,
	},
	{
		Operation:  AppointmentSlots,
		SubmitPath: "/api/connect/orders/appointment-requests/request",
		PollPath:   "/api/connect/orders/appointment-requests/requests/{id}",
		Polled:     true, Success: 201, Handle: HandleInLocation, ID: IDNumeric,
		Statuses:   statusesWithUpstream,
		MinVersion: versionFirst, MaxVersion: versionLast,
		Repeat: ClassQuery, RepeatWithNTDOption: ClassQuery, Poll: pollQuery,
	},
	{
		Operation:  AppointmentCancel,
		SubmitPath: "/api/connect/orders/appointment-requests/cancel",
		Polled:     false, Success: 204, Handle: HandleNone, ID: IDNone,
		Statuses:   []int{204, 401, 404, 500},
		MinVersion: versionFirst, MaxVersion: versionLast,
		Repeat: ClassConverge, RepeatWithNTDOption: ClassConverge,
	},
	{
		Operation:  DiagnosticTest,
		SubmitPath: "/api/connect/services/diagnostic-tests/request",
		PollPath:   "/api/connect/services/diagnostic-tests/requests/{id}",
		Polled:     true, Success: 201, Handle: HandleInLocation, ID: IDNumeric,
		Statuses:   statusesWithUpstream,
		MinVersion: versionFirst, MaxVersion: versionLast,
		Repeat: ClassNever, RepeatWithNTDOption: ClassNever, Poll: pollTest,
		AsWritten: true,
	},
	{
		Operation:  FibreBuildCharge,
		SubmitPath: "/api/connect/ee/fibre-build-charge/request",
		PollPath:   "/api/connect/ee/fibre-build-charge/requests/{id}",
		Polled:     true, Success: 201, Handle: HandleInLocation, ID: IDNumeric,
		Statuses:   statusesOfChange,
		MinVersion: 6, MaxVersion: versionLast,
		Repeat: ClassQuery, RepeatWithNTDOption: ClassQuery, Poll: pollQuote,
	},
	{
		Operation:  PlanOptions,
		SubmitPath: "/api/connect/services/plan-changes/options/request",
		PollPath:   "/api/connect/services/plan-changes/options/requests/{id}",
		Polled:     true, Success: 201, Handle: HandleInLocation, ID: IDOpaque,
		Statuses:   []int{201, 404, 422, 500, 502},
		MinVersion: versionFirst, MaxVersion: versionLast,
		Repeat: ClassQuery, RepeatWithNTDOption: ClassQuery, Poll: pollQuery,
		TokenHiddenIn404: true,
	},
	{
		Operation:  Health,
		SubmitPath: "/api/connect/services/health/request",
		PollPath:   "/api/connect/services/health/requests/{id}",
		pollAt:     map[int]string{5: "/api/connect/services/health/request/{id}"}, // spec §4: version 5 has a different path
		Polled:     true, Success: 201, Handle: HandleInLocation, ID: IDNumeric,
		Statuses:   statusesOfChange,
		MinVersion: 5, MaxVersion: versionLast,
		Repeat: ClassQuery, RepeatWithNTDOption: ClassQuery, Poll: pollQuery,
	},
}

// ContractOf returns the row of an operation, or false if there is no such operation.
func ContractOf(op Operation) (Contract, bool) {
	i := slices.IndexFunc(contracts, func(c Contract) bool { return c.Operation == op })
	if i < 0 {
		return Contract{}, false
	}
	return contracts[i], true
}

// Contracts returns the rows of the table, in the order of the [Operation] constants.
func Contracts() iter.Seq[Contract] { return slices.Values(contracts) }

// RepeatClass returns the class of one request. A plan change with an NTD option has a different
// class from one without; the table has a column for it.
func (c Contract) RepeatClass(withNTDOption bool) RepeatClass {
	return map[bool]RepeatClass{false: c.Repeat, true: c.RepeatWithNTDOption}[withNTDOption]
}

// PollPathAt returns the path template for polling the outcome at an API version.
func (c Contract) PollPathAt(version int) string {
	if path, ok := c.pollAt[version]; ok {
		return path
	}
	return c.PollPath
}
