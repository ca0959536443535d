// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AppointmentRequestSpec defines which appointment slots to request.
// +kubebuilder:validation:XValidation:rule="has(self.orderID) || has(self.orderRef)",message="set exactly one of orderID and orderRef",fieldPath=".orderID",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="!(has(self.orderID) && has(self.orderRef))",message="set exactly one of orderID and orderRef",fieldPath=".orderRef",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.orderID) || (has(self.orderID) && self.orderID == oldSelf.orderID)",message="orderID is immutable: for another order, create another AppointmentRequest",fieldPath=".orderID",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.orderRef) || (has(self.orderRef) && self.orderRef == oldSelf.orderRef)",message="orderRef is immutable: for another order, create another AppointmentRequest",fieldPath=".orderRef",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.preferences) || !has(self.preferences.notAfter) || self.preferences.notAfter >= self.dateFrom",message="preferences.notAfter must not be before dateFrom",fieldPath=".preferences.notAfter"
type AppointmentRequestSpec struct {
	// accountRef names the CarrierAccount that the order belongs to. Immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="accountRef is immutable: for another account, create another AppointmentRequest",reason=FieldValueForbidden
	// +required
	AccountRef AccountReference `json:"accountRef"`

	// orderID is the carrier's number for the order.
	// +optional
	OrderID CarrierID `json:"orderID,omitempty"`

	// orderRef takes the number from a ServiceOrder, once it has one.
	// +optional
	OrderRef *OrderReference `json:"orderRef,omitempty"`

	// dateFrom is the first day to request slots for. Changing it cancels the appointment-request at
	// the carrier and creates a new one.
	// +required
	DateFrom Date `json:"dateFrom"`

	// preferences select the recommended slot among those that the carrier offers.
	// +optional
	Preferences SlotPreferences `json:"preferences,omitzero"`

	// deletionPolicy says what happens when the object is deleted. Cancel (default) cancels the
	// appointment-request at the carrier, so that it can no longer become a booking; an appointment
	// that is already booked is kept. Keep does not contact the carrier.
	// +kubebuilder:default=Cancel
	// +optional
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// DeletionPolicy says what happens to an appointment-request when its object is deleted.
// +kubebuilder:validation:Enum=Cancel;Keep
type DeletionPolicy string

// The deletion policies.
const (
	DeletionCancel DeletionPolicy = "Cancel"
	DeletionKeep   DeletionPolicy = "Keep"
)

// SlotPreferences select a slot. A field that is left out is ignored.
type SlotPreferences struct {
	// slotTypes to accept. Types other than AM and PM may incur charges.
	// +listType=set
	// +kubebuilder:validation:MaxItems=4
	// +optional
	SlotTypes []SlotType `json:"slotTypes,omitempty"`

	// leadTimes to accept. Any lead time other than Standard may incur charges.
	// +listType=set
	// +kubebuilder:validation:MaxItems=4
	// +optional
	LeadTimes []LeadTime `json:"leadTimes,omitempty"`

	// weekdays to accept, in the site's local time.
	// +listType=set
	// +kubebuilder:validation:MaxItems=7
	// +optional
	Weekdays []Weekday `json:"weekdays,omitempty"`

	// notAfter is the last acceptable day.
	// +optional
	NotAfter Date `json:"notAfter,omitempty"`

	// allowChargeable (default false) allows chargeable slots too.
	// +optional
	AllowChargeable bool `json:"allowChargeable,omitempty"`
}

// SlotType is a part of the day, or a kind of appointment.
// +kubebuilder:validation:Enum=AM;PM;AHA;CA
type SlotType string

// LeadTime is how soon the carrier comes.
// +kubebuilder:validation:Enum=Standard;Accelerated;PriorityAssist;"Reduced lead time"
type LeadTime string

// Weekday is a day of the week.
// +kubebuilder:validation:Enum=Mon;Tue;Wed;Thu;Fri;Sat;Sun
type Weekday string

// AppointmentRequestStatus shows the slots on offer.
type AppointmentRequestStatus struct {
	TaskStatus `json:",inline"`

	// appointmentRequestID is the carrier's number for the appointment-request.
	// +optional
	AppointmentRequestID CarrierID `json:"appointmentRequestID,omitempty"`

	// orderID is the carrier's number for the order that these slots are for.
	// +optional
	OrderID CarrierID `json:"orderID,omitempty"`

	// dateFrom is the first day that these slots are for.
	// +optional
	DateFrom Date `json:"dateFrom,omitempty"`

	// slots are the first 50 slots by start time.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	// +optional
	Slots []Slot `json:"slots,omitempty"`

	// slotCount is the number of slots on offer.
	// +optional
	SlotCount int32 `json:"slotCount,omitempty"`

	// recommended is the first slot that matches the preferences, preferably within the SLA (see
	// withinTimeWindow); absent if none matches.
	// +optional
	Recommended *RecommendedSlot `json:"recommended,omitempty"`

	// cancelled is the carrier's notification that it cancelled the order's appointment, and which
	// one. It is kept until slots are requested again.
	// +optional
	Cancelled *CancelledAppointment `json:"cancelled,omitempty"`

	// since is when these slots were first seen.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// Slot is a time at which a technician can come.
// ---
// Spec §2.
type Slot struct {
	// slotID at the carrier.
	// +kubebuilder:validation:MaxLength=128
	// +required
	SlotID string `json:"slotID"`

	// slotType is AM or PM, or a type that may incur charges.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	SlotType string `json:"slotType,omitempty"`

	// startTime as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	StartTime string `json:"startTime,omitempty"`

	// endTime as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	EndTime string `json:"endTime,omitempty"`

	// timezoneOffset of the site, +HH:MM.
	// +kubebuilder:validation:MaxLength=16
	// +optional
	TimezoneOffset string `json:"timezoneOffset,omitempty"`

	// leadTime is Standard, or a lead time that may incur charges.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	LeadTime string `json:"leadTime,omitempty"`

	// withinTimeWindow is whether the slot is within the order's SLA, according to the carrier. The
	// recommendation uses it only for FTTN, FTTB and satellite, where it is reliable.
	// +optional
	WithinTimeWindow bool `json:"withinTimeWindow,omitempty"`

	// chargeable is set if the slot may incur charges, because its type is not AM or PM or its lead
	// time is not Standard.
	// +optional
	Chargeable bool `json:"chargeable,omitempty"`
}

// RecommendedSlot is the slot to book.
type RecommendedSlot struct {
	// slotID at the carrier.
	// +kubebuilder:validation:MaxLength=128
	// +required
	SlotID string `json:"slotID"`

	// slotType is AM or PM, or a type that may incur charges.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	SlotType string `json:"slotType,omitempty"`

	// startTime as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	StartTime string `json:"startTime,omitempty"`

	// endTime as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	EndTime string `json:"endTime,omitempty"`

	// localTime is the time at the site, for example "Tue 2026-12-01 08:00–12:00 +11:00"; absent if
	// the carrier's times cannot be read.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	LocalTime string `json:"localTime,omitempty"`
}

// CancelledAppointment is an appointment that the carrier cancelled, as its notification shows it,
// without the contact. What the notification does not have is absent.
type CancelledAppointment struct {
	Notice `json:",inline"`

	// appointmentID is the carrier's number for the appointment.
	// +optional
	AppointmentID CarrierID `json:"appointmentID,omitempty"`

	// wholesaleAppointmentID is the wholesale carrier's number for the appointment.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	WholesaleAppointmentID string `json:"wholesaleAppointmentID,omitempty"`

	// serviceID is the carrier's number for the service, if the order has one.
	// +optional
	ServiceID CarrierID `json:"serviceID,omitempty"`

	// status of the appointment, for example cancelled.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Status string `json:"status,omitempty"`

	// startTime as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	StartTime string `json:"startTime,omitempty"`

	// endTime as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	EndTime string `json:"endTime,omitempty"`

	// slotType is AM or PM, or a type that may incur charges.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	SlotType string `json:"slotType,omitempty"`

	// timezoneOffset of the site, +HH:MM.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	TimezoneOffset string `json:"timezoneOffset,omitempty"`

	// localTime is the time at the site, for example "Tue 2026-12-01 08:00–12:00 +11:00"; absent if
	// the carrier's times cannot be read.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	LocalTime string `json:"localTime,omitempty"`

	// priorityAssist is set if the appointment was for a customer with priority assistance.
	// +optional
	PriorityAssist bool `json:"priorityAssist,omitempty"`

	// eSLA is the SLA of the order.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ESLA string `json:"eSLA,omitempty"`

	// demandType is what the technician was to do, for example "Standard Install".
	// +kubebuilder:validation:MaxLength=64
	// +optional
	DemandType string `json:"demandType,omitempty"`

	// cancelledOn is when the carrier cancelled the appointment, as the carrier writes it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CancelledOn string `json:"cancelledOn,omitempty"`
}

// AppointmentRequest lists the slots in which a technician can come for an order and recommends
// one. It books no slot, because the documented API has no call for that.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=appt,categories=broadband
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:printcolumn:name="Order",type=string,JSONPath=`.spec['orderID','orderRef.name']`
// +kubebuilder:printcolumn:name="From",type=string,JSONPath=`.spec.dateFrom`
// +kubebuilder:printcolumn:name="Slots",type=integer,JSONPath=`.status.slotCount`
// +kubebuilder:printcolumn:name="Recommended",type=string,JSONPath=`.status.recommended.localTime`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.request.location`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type AppointmentRequest struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec defines the order, date and preferences.
	// +required
	Spec AppointmentRequestSpec `json:"spec"`

	// status shows the slots on offer.
	// +kubebuilder:default={observedGeneration:-1}
	// +optional
	Status AppointmentRequestStatus `json:"status,omitzero"`
}

// AppointmentRequestList is a list of AppointmentRequests.
// +kubebuilder:object:root=true
type AppointmentRequestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []AppointmentRequest `json:"items"`
}
