package carrier

import "encoding/json"

// InstallationOption is a way to install infrastructure.
type InstallationOption struct {
	Option            NTDInstallation `json:"option"`
	Recommended       bool            `json:"recommended"`
	Fees              Fees            `json:"fees"`
	HardwareShortfall string          `json:"hardwareShortfall"`
}

// QualifiedNTD is an available type of network termination device.
type QualifiedNTD struct {
	Name         string            `json:"name"`
	NTDType      string            `json:"ntdType"`
	NTDVersion   string            `json:"ntdVersion"`
	NTDPlanTypes []json.RawMessage `json:"ntdPlanTypes"` // shape not documented
	Fees         Fees              `json:"fees"`
}

// QualifiedPlan is a plan that can be ordered.
type QualifiedPlan struct {
	Name       string      `json:"name"`
	Type       string      `json:"type"`
	SpeedDown  Speed       `json:"speedDown"`
	SpeedUp    Speed       `json:"speedUp"`
	NTDOptions []NTDOption `json:"ntdOptions"`
}

// QualifiedCharge is a charge that may apply.
type QualifiedCharge struct {
	Applies bool `json:"applies"`
	Fees    Fees `json:"fees"`
}

// QualifiedSLA is a restoration SLA that can be ordered.
type QualifiedSLA struct {
	SLA  string `json:"sla"`
	Fees Fees   `json:"fees"`
}
