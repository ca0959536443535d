// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ServiceOrderSpec is an order for a service, made from a service qualification.
// ---
// Spec §2, order creation request body.
// +kubebuilder:validation:XValidation:rule="self.scenario != 'InUseTransfer' || has(self.transfer)",message="transfer (type, and the AVC id with SERVICE_TRANSFER) is required with scenario InUseTransfer",fieldPath=".transfer",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="self.scenario == 'InUseTransfer' || !has(self.transfer)",message="transfer is only allowed with scenario InUseTransfer",fieldPath=".transfer",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="self.scenario in ['FirstInfrastructure', 'AdditionalInfrastructure'] || has(self.infrastructure)",message="infrastructure names the NTD or copper pair to use: it is required with scenarios FreeInfrastructure, ReplaceNTD and InUseTransfer",fieldPath=".infrastructure",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="!(self.scenario in ['FirstInfrastructure', 'AdditionalInfrastructure']) || !has(self.infrastructure)",message="infrastructure names the NTD or copper pair to use: it must be absent with scenarios FirstInfrastructure and AdditionalInfrastructure",fieldPath=".infrastructure",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.contactSecretRef) || has(self.contact)",message="set exactly one of contactSecretRef and contact: the person whom the carrier calls",fieldPath=".contactSecretRef",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="!(has(self.contactSecretRef) && has(self.contact))",message="set exactly one of contactSecretRef and contact: the person whom the carrier calls",fieldPath=".contact",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.serviceID) || (has(self.serviceID) && self.serviceID == oldSelf.serviceID)",message="serviceID can be set only once: it is the service that the order created",fieldPath=".serviceID",reason=FieldValueForbidden
type ServiceOrderSpec struct {
	// accountRef names the ordering CarrierAccount. Immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="accountRef is immutable: for another account, create another ServiceOrder",reason=FieldValueForbidden
	// +required
	AccountRef AccountReference `json:"accountRef"`

	// customerReference is your own name for the order, unique within the account, because at most one
	// order is ever placed for it. Immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="customerReference is immutable, because an order may already have been sent with it: create another ServiceOrder",reason=FieldValueForbidden
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]+$') && self == self.trim()",message="must be one line of text without leading or trailing spaces"
	// +required
	CustomerReference string `json:"customerReference"`

	// serviceID is the service that the order created, once the carrier has named it. It can be set
	// once, even after submission.
	// +optional
	ServiceID CarrierID `json:"serviceID,omitempty"`

	// scenario is the kind of order. FirstInfrastructure: nothing is installed at the site yet.
	// FreeInfrastructure: a free port or pair is used. ReplaceNTD: a device is replaced.
	// AdditionalInfrastructure: a further device or pair is installed. InUseTransfer: a port or pair
	// in use is taken over.
	// +kubebuilder:validation:Enum=FirstInfrastructure;FreeInfrastructure;ReplaceNTD;AdditionalInfrastructure;InUseTransfer
	// +required
	Scenario OrderScenario `json:"scenario"`

	// qualification is the service qualification that the order is made from.
	// +required
	Qualification QualificationIDs `json:"qualification"`

	// qualificationResultRef names a ConfigMap with the qualification's result as JSON. With it, the
	// order is checked before it is sent, and its fees are shown.
	// +optional
	QualificationResultRef *ConfigMapKeyReference `json:"qualificationResultRef,omitempty"`

	// planName is the carrier's name for the plan.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]+$') && self == self.trim()",message="must be one line of text without leading or trailing spaces"
	// +required
	PlanName string `json:"planName"`

	// term of the plan, in months.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=120
	// +required
	Term int32 `json:"term"`

	// trafficClass is for example tc4.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9-]+$')",message="must consist of letters, digits and '-', for example tc4"
	// +optional
	TrafficClass string `json:"trafficClass,omitempty"`

	// productType is for example Access Only.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	// +optional
	ProductType string `json:"productType,omitempty"`

	// restorationSLA is the carrier's name for the restoration SLA.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]+$') && self == self.trim()",message="must be one line of text without leading or trailing spaces"
	// +optional
	RestorationSLA string `json:"restorationSLA,omitempty"`

	// aggregationMethod is how the traffic is handed over.
	// +kubebuilder:validation:Enum=L2TP;ETHERNET
	// +required
	AggregationMethod string `json:"aggregationMethod"`

	// remoteOrderID is the orderId of the qualification result. Default: the one in
	// qualificationResultRef, if that is set; a different one is refused.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RemoteOrderID string `json:"remoteOrderID,omitempty"`

	// infrastructure is the NTD, with its port, or the copper pair to use.
	// +optional
	Infrastructure *OrderedInfrastructure `json:"infrastructure,omitempty"`

	// ntdInstallation says who installs.
	// +kubebuilder:validation:Enum=wholesale-tech;wholesale-no-action;wholesale-dispatch
	// +required
	NTDInstallation string `json:"ntdInstallation"`

	// vlan that the traffic is tagged with.
	// +optional
	VLAN *VLAN `json:"vlan,omitempty"`

	// transfer says how a port or pair in use is taken over.
	// +optional
	Transfer *Transfer `json:"transfer,omitempty"`

	// contactSecretRef names a Secret whose keys name, phone and email describe the person to call.
	// +optional
	ContactSecretRef *SecretReference `json:"contactSecretRef,omitempty"`

	// contact is the person to call. Anyone who reads the object sees it.
	// +optional
	Contact *Contact `json:"contact,omitempty"`

	// pots states who owns the service on a copper line with a telephone service. Needs the extension
	// OrderFields of the account.
	// +optional
	POTS *POTS `json:"pots,omitempty"`

	// quoteName is the name of the quote for the order. Needs the account's extension OrderFields.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=50
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]+$') && self == self.trim()",message="must be one line of text without leading or trailing spaces"
	// +optional
	QuoteName string `json:"quoteName,omitempty"`

	// ntdOption is the device to install, for plans that offer a choice. Needs the extension OrderFields
	// of the account.
	// +kubebuilder:validation:Enum="1_PORT";"4_PORT";"4_PORT_RESIDENTIAL";"NTD_2.5"
	// +optional
	NTDOption string `json:"ntdOption,omitempty"`

	// extraFields are sent as further fields of the order, for a field that a carrier has added to its
	// API. Needs the extension OrderFields of the account.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	// +optional
	ExtraFields []ExtraField `json:"extraFields,omitempty"`

	// approval is when this order needs approval: Automatic (never), OnCost or Always. The stricter of
	// this value and the account's (default) applies.
	// +optional
	Approval Approval `json:"approval,omitempty"`
}

// OrderScenario is a kind of order.
type OrderScenario string

// The scenarios (spec §2, order scenarios 1 to 5).
const (
	ScenarioFirst      OrderScenario = "FirstInfrastructure"      // 1: no infrastructure at the location
	ScenarioFree       OrderScenario = "FreeInfrastructure"       // 2: a free port or pair
	ScenarioReplaceNTD OrderScenario = "ReplaceNTD"               // 3: an NTD is replaced
	ScenarioAdditional OrderScenario = "AdditionalInfrastructure" // 4: a further NTD or pair
	ScenarioInUse      OrderScenario = "InUseTransfer"            // 5: a port or pair that is in use
)

// QualificationIDs are the carrier's IDs for a qualification.
type QualificationIDs struct {
	// qualificationSearchID of the carrier.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +required
	QualificationSearchID string `json:"qualificationSearchID"`

	// remoteQualificationSearchID of the carrier.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +required
	RemoteQualificationSearchID string `json:"remoteQualificationSearchID"`

	// locationID is the carrier's id for the site, as the qualification has it, for example
	// LOC000012345678. IDs from an alternate source look different.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$')",message="must consist of printable ASCII characters without spaces, for example LOC000012345678"
	// +required
	LocationID string `json:"locationID"`
}

// ConfigMapKeyReference names a key of a ConfigMap in the same namespace.
type ConfigMapKeyReference struct {
	// name of the ConfigMap, in the object's own namespace.
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of a ConfigMap: lower case letters and digits, with - and . between them"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`

	// key within the ConfigMap's data.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Key string `json:"key"`
}

// OrderedInfrastructure is an NTD or copper pair.
type OrderedInfrastructure struct {
	// id of the NTD or copper pair.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +required
	ID string `json:"id"`

	// portID is the port of an NTD.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=64
	// +optional
	PortID *int64 `json:"portID,omitempty"`
}

// VLAN is the tag of the traffic.
// +kubebuilder:validation:XValidation:rule="!has(self.id) || self.required",message="vlan.id requires vlan.required: true",fieldPath=".id",reason=FieldValueForbidden
type VLAN struct {
	// required is whether the traffic is tagged.
	// +required
	Required bool `json:"required"`

	// id of the VLAN.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	// +optional
	ID int64 `json:"id,omitempty"`
}

// Transfer is how a port or pair that is in use is taken over.
// ---
// Spec §2, order scenarios 5 and 6.
// +kubebuilder:validation:XValidation:rule="self.type != 'SERVICE_TRANSFER' || has(self.avcID)",message="transfer.avcID is required with type SERVICE_TRANSFER; without a valid AVC id the type is CONNECT_OUTSTANDING",fieldPath=".avcID",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="self.type == 'SERVICE_TRANSFER' || !has(self.avcID)",message="transfer.avcID is only allowed with type SERVICE_TRANSFER: without a valid AVC id the type is CONNECT_OUTSTANDING",fieldPath=".avcID",reason=FieldValueForbidden
type Transfer struct {
	// type is SERVICE_TRANSFER if the AVC id is known, otherwise CONNECT_OUTSTANDING.
	// +kubebuilder:validation:Enum=SERVICE_TRANSFER;CONNECT_OUTSTANDING
	// +required
	Type string `json:"type"`

	// avcID is the virtual circuit to take over. If the id is wrong, the carrier rejects the order
	// after submission.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$')",message="must consist of printable ASCII characters without spaces, for example AVC000000000001"
	// +optional
	AVCID string `json:"avcID,omitempty"`
}

// POTS is the telephone service on a copper line.
// +kubebuilder:validation:XValidation:rule="self.serviceOwner || (has(self.waiver) && self.waiver)",message="pots.waiver must be true if the customer does not own the service on the line (serviceOwner: false)",fieldPath=".waiver",reason=FieldValueRequired
type POTS struct {
	// serviceOwner is whether the customer owns the service on the line.
	// +required
	ServiceOwner bool `json:"serviceOwner"`

	// waiver accepts that the telephone service on the line ends. It must be true if the number (FNN) of
	// the line does not match, or if the customer does not own the service.
	// +optional
	Waiver *bool `json:"waiver,omitempty"`
}

// ExtraField is a field that the operator does not know, with exactly one of text, number and flag.
// +kubebuilder:validation:XValidation:rule="[has(self.text), has(self.number), has(self.flag)].filter(given, given).size() == 1",message="must have exactly one of text, number and flag",fieldPath=".text",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!(self.name.lowerAscii() in ['sourcetype', 'planname', 'term', 'trafficclass', 'remotequalificationsearchid', 'qualificationsearchid', 'locationid', 'remoteorderid', 'producttype', 'restorationsla', 'contactname', 'contactphone', 'contactemail', 'infrastructureid', 'portid', 'requirevlan', 'vlanid', 'ntdinstallation', 'customerreference', 'aggregationmethod', 'avcidfortransfer', 'transfertype', 'potsserviceowner', 'potswaiver', 'quotename', 'ntdoption'])",message="must not be a field that has a place of its own in spec",fieldPath=".name",reason=FieldValueForbidden
type ExtraField struct {
	// name of the field, as the carrier's API has it.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z][A-Za-z0-9_]*$')",message="must consist of letters, digits and '_', and begin with a letter"
	// +required
	Name string `json:"name"`

	// text is sent as a String.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Text *string `json:"text,omitempty"`

	// number is sent as a Number, exactly as written.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^-?(0|[1-9][0-9]*)([.][0-9]+)?$')",message="must be a decimal number in quotes, for example \"3\" or \"2.5\""
	// +optional
	Number *string `json:"number,omitempty"`

	// flag is sent as a Boolean.
	// +optional
	Flag *bool `json:"flag,omitempty"`
}

// OrderFacts is the carrier's data about an order, without the site's address.
// ---
// Spec §4, orders.
type OrderFacts struct {
	// orderID is the carrier's number for the order.
	// +optional
	OrderID CarrierID `json:"orderID,omitempty"`

	// serviceID is the service that the order created, once it is known.
	// +optional
	ServiceID CarrierID `json:"serviceID,omitempty"`

	// orderType is new or transfer.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	OrderType string `json:"orderType,omitempty"`

	// carrierStatus is the carrier's status of the accepted order.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CarrierStatus string `json:"carrierStatus,omitempty"`

	// fees are those from the qualification and, after submission, those that the carrier charges.
	// +optional
	Fees *OrderFees `json:"fees,omitempty"`

	// aggregationMethod of the order.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	AggregationMethod string `json:"aggregationMethod,omitempty"`

	// planName of the order.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	PlanName string `json:"planName,omitempty"`

	// restorationSLA requested by the accepted order.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	RestorationSLA string `json:"restorationSLA,omitempty"`

	// installationType of the order.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	InstallationType string `json:"installationType,omitempty"`

	// technologyType of the order, for example FTTP.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	TechnologyType string `json:"technologyType,omitempty"`

	// region of the site.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Region string `json:"region,omitempty"`

	// cancellable is whether the carrier allows the order to be cancelled.
	// +optional
	Cancellable bool `json:"cancellable,omitempty"`

	// nfas is whether an NFAS commitment applies.
	// +optional
	NFAS bool `json:"nfas,omitempty"`

	// avcID is the virtual circuit.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	AVCID string `json:"avcID,omitempty"`

	// vlanID of the order.
	// +optional
	VLANID int64 `json:"vlanID,omitempty"`

	// poi is the point of interconnect.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	POI string `json:"poi,omitempty"`

	// poiName is the name of the point of interconnect.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	POIName string `json:"poiName,omitempty"`

	// transferType is how the carrier takes over a port or pair: SERVICE_TRANSFER or CONNECT_OUTSTANDING.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	TransferType string `json:"transferType,omitempty"`

	// infrastructure is the device or copper pair of the order.
	// +optional
	Infrastructure *OrderInfrastructure `json:"infrastructure,omitempty"`
}

// OrderInfrastructure is the infrastructure of an order, as the carrier shows it.
type OrderInfrastructure struct {
	// id of the NTD or copper pair.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ID string `json:"id,omitempty"`

	// portID is the port of an NTD.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	PortID string `json:"portID,omitempty"`

	// productID is the product on it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ProductID string `json:"productID,omitempty"`
}

// ServiceOrderStatus is the state of the order.
type ServiceOrderStatus struct {
	TaskStatus `json:",inline"`
	OrderFacts `json:",inline"`

	// ledger names the RequestLedger of the customerReference, and its revision that this status
	// shows.
	// +optional
	Ledger *LedgerReference `json:"ledger,omitempty"`

	// frozen is set while an attempt is open, or once one was accepted or abandoned. The only field of
	// spec that can then be changed is serviceID.
	// +optional
	Frozen bool `json:"frozen,omitempty"`

	// pending is the plan that is sent when a person approves its hash.
	// +optional
	Pending *Pending `json:"pending,omitempty"`

	// inFlight is the request in progress, for kubectl get.
	// +optional
	InFlight *InFlight `json:"inFlight,omitempty"`

	// appointments are those in the carrier's response to the order: the JSON text of each, without
	// contact details. Their form is not documented.
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=8192
	// +listType=atomic
	// +optional
	Appointments []string `json:"appointments,omitempty"`

	// truncated is set if appointments are left out, because there are more than 10, they exceed 8 KiB
	// together, or the API server refused them.
	// +optional
	Truncated bool `json:"truncated,omitempty"`

	// address of the site, in one line.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Address string `json:"address,omitempty"`

	// rejection is why the carrier rejected the order after submission.
	// +optional
	Rejection *Notice `json:"rejection,omitempty"`
}

// OrderFees are an order's fees.
type OrderFees struct {
	// oneTime is the sum of the one-time fees; absent if one is unknown. It is absent before
	// submission, because a qualification does not contain the plan's own fees.
	// +optional
	OneTime *Money `json:"oneTime,omitempty"`

	// monthly is the sum of the monthly fees; absent if one is unknown.
	// +optional
	Monthly *Money `json:"monthly,omitempty"`

	// items are the individual fees.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=30
	// +optional
	Items []OrderFee `json:"items,omitempty"`

	// source says where these fees come from: Qualification before submission, Order afterwards.
	// +kubebuilder:validation:Enum=Qualification;Order
	// +optional
	Source string `json:"source,omitempty"`
}

// OrderFee is one fee. Without amounts it is unknown.
type OrderFee struct {
	// name of the fee, for example SLA or NTD_INSTALLATION_FEE.
	// +kubebuilder:validation:MaxLength=100
	// +required
	Name string `json:"name"`

	// oneTime fee.
	// +optional
	OneTime *Money `json:"oneTime,omitempty"`

	// monthly fee.
	// +optional
	Monthly *Money `json:"monthly,omitempty"`
}

// ServiceOrder orders a service. At most one order is ever placed for its customerReference: it is
// sent again only if the carrier has not accepted the earlier attempt, and an object that is deleted
// and applied again finds that order. Deleting the object does not contact the carrier, so the order
// continues there.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sorder,categories=broadband
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.customerReference`
// +kubebuilder:selectablefield:JSONPath=`.status.orderID`
// +kubebuilder:printcolumn:name="Order",type=string,JSONPath=`.status.orderID`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.carrierStatus`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="One-time",type=string,JSONPath=`.status.fees.oneTime.amount`
// +kubebuilder:printcolumn:name="Monthly",type=string,JSONPath=`.status.fees.monthly.amount`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Reference",type=string,priority=1,JSONPath=`.spec.customerReference`
// +kubebuilder:printcolumn:name="Scenario",type=string,priority=1,JSONPath=`.spec.scenario`
// +kubebuilder:printcolumn:name="Service",type=string,priority=1,JSONPath=`.status.serviceID`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.frozen) || !oldSelf.status.frozen || (self.spec.scenario == oldSelf.spec.scenario && self.spec.qualification.qualificationSearchID == oldSelf.spec.qualification.qualificationSearchID && self.spec.qualification.remoteQualificationSearchID == oldSelf.spec.qualification.remoteQualificationSearchID && self.spec.qualification.locationID == oldSelf.spec.qualification.locationID && self.spec.planName == oldSelf.spec.planName && self.spec.term == oldSelf.spec.term && self.spec.aggregationMethod == oldSelf.spec.aggregationMethod && self.spec.ntdInstallation == oldSelf.spec.ntdInstallation && has(self.spec.trafficClass) == has(oldSelf.spec.trafficClass) && (!has(self.spec.trafficClass) || self.spec.trafficClass == oldSelf.spec.trafficClass) && has(self.spec.productType) == has(oldSelf.spec.productType) && (!has(self.spec.productType) || self.spec.productType == oldSelf.spec.productType) && has(self.spec.restorationSLA) == has(oldSelf.spec.restorationSLA) && (!has(self.spec.restorationSLA) || self.spec.restorationSLA == oldSelf.spec.restorationSLA) && has(self.spec.remoteOrderID) == has(oldSelf.spec.remoteOrderID) && (!has(self.spec.remoteOrderID) || self.spec.remoteOrderID == oldSelf.spec.remoteOrderID) && has(self.spec.approval) == has(oldSelf.spec.approval) && (!has(self.spec.approval) || self.spec.approval == oldSelf.spec.approval))",message="the order has or may have reached the carrier (status.frozen): only serviceID can be set now. For another order, create another ServiceOrder with a different customerReference",fieldPath=".spec",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.frozen) || !oldSelf.status.frozen || (has(self.spec.qualificationResultRef) == has(oldSelf.spec.qualificationResultRef) && (!has(self.spec.qualificationResultRef) || (self.spec.qualificationResultRef.name == oldSelf.spec.qualificationResultRef.name && self.spec.qualificationResultRef.key == oldSelf.spec.qualificationResultRef.key)) && has(self.spec.infrastructure) == has(oldSelf.spec.infrastructure) && (!has(self.spec.infrastructure) || (self.spec.infrastructure.id == oldSelf.spec.infrastructure.id && has(self.spec.infrastructure.portID) == has(oldSelf.spec.infrastructure.portID) && (!has(self.spec.infrastructure.portID) || self.spec.infrastructure.portID == oldSelf.spec.infrastructure.portID))) && has(self.spec.vlan) == has(oldSelf.spec.vlan) && (!has(self.spec.vlan) || (self.spec.vlan.required == oldSelf.spec.vlan.required && has(self.spec.vlan.id) == has(oldSelf.spec.vlan.id) && (!has(self.spec.vlan.id) || self.spec.vlan.id == oldSelf.spec.vlan.id))) && has(self.spec.transfer) == has(oldSelf.spec.transfer) && (!has(self.spec.transfer) || (self.spec.transfer.type == oldSelf.spec.transfer.type && has(self.spec.transfer.avcID) == has(oldSelf.spec.transfer.avcID) && (!has(self.spec.transfer.avcID) || self.spec.transfer.avcID == oldSelf.spec.transfer.avcID))) && has(self.spec.contactSecretRef) == has(oldSelf.spec.contactSecretRef) && (!has(self.spec.contactSecretRef) || (self.spec.contactSecretRef.name == oldSelf.spec.contactSecretRef.name)) && has(self.spec.contact) == has(oldSelf.spec.contact) && (!has(self.spec.contact) || (self.spec.contact.name == oldSelf.spec.contact.name && self.spec.contact.phone == oldSelf.spec.contact.phone && self.spec.contact.email == oldSelf.spec.contact.email)))",message="the order has or may have reached the carrier (status.frozen), with its qualification result, infrastructure, VLAN, transfer and contact: they cannot be changed now. For another order, create another ServiceOrder with a different customerReference",fieldPath=".spec",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.frozen) || !oldSelf.status.frozen || (has(self.spec.pots) == has(oldSelf.spec.pots) && (!has(self.spec.pots) || self.spec.pots == oldSelf.spec.pots) && has(self.spec.quoteName) == has(oldSelf.spec.quoteName) && (!has(self.spec.quoteName) || self.spec.quoteName == oldSelf.spec.quoteName) && has(self.spec.ntdOption) == has(oldSelf.spec.ntdOption) && (!has(self.spec.ntdOption) || self.spec.ntdOption == oldSelf.spec.ntdOption) && has(self.spec.extraFields) == has(oldSelf.spec.extraFields) && (!has(self.spec.extraFields) || self.spec.extraFields == oldSelf.spec.extraFields))",message="the order has or may have reached the carrier (status.frozen), with its POTS, quote name, NTD option and extra fields: they cannot be changed now. For another order, create another ServiceOrder with a different customerReference",fieldPath=".spec",reason=FieldValueForbidden
type ServiceOrder struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the order.
	// +required
	Spec ServiceOrderSpec `json:"spec"`

	// status is the state of the order.
	// +kubebuilder:default={observedGeneration:-1}
	// +optional
	Status ServiceOrderStatus `json:"status,omitzero"`
}

// ServiceOrderList is a list of ServiceOrders.
// +kubebuilder:object:root=true
type ServiceOrderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []ServiceOrder `json:"items"`
}
