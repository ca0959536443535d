// SPDX-License-Identifier: Apache-2.0

// Package kstatus computes what kstatus, the library with which Flux waits for objects, computes for
// an object of a custom kind. It is tested with a table that hack/foreign/flux compares with the
// library, whose dependencies the operator's module should not have.
package kstatus

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Status is a status of kstatus.
type Status string

// What kstatus computes for an object that exists.
const (
	InProgress  Status = "InProgress"
	Failed      Status = "Failed"
	Current     Status = "Current"
	Terminating Status = "Terminating"
)

// observed is what kstatus reads of an object.
type observed struct {
	Metadata struct {
		DeletionTimestamp string `json:"deletionTimestamp"`
		Generation        *int64 `json:"generation"`
	} `json:"metadata"`
	Status struct {
		ObservedGeneration *int64 `json:"observedGeneration"`
		Conditions         []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
		} `json:"conditions"`
	} `json:"status"`
}

// Compute returns the status of an object.
func Compute(object *unstructured.Unstructured) (Status, error) {
	var read observed
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &read); err != nil {
		return "", fmt.Errorf("read the object: %w", err)
	}
	switch {
	case read.Metadata.DeletionTimestamp != "":
		return Terminating, nil
	case read.isEdited():
		return InProgress, nil
	}
	return read.fromConditions(), nil
}

// isEdited reports whether the status is of another generation than the object.
func (o observed) isEdited() bool {
	generation, seen := o.Metadata.Generation, o.Status.ObservedGeneration
	return generation != nil && seen != nil && *generation != *seen
}

// fromConditions returns the status that the conditions show: the first of Reconciling and Stalled
// that is True, otherwise Ready.
func (o observed) fromConditions() Status {
	ready := Current
	for _, condition := range o.Status.Conditions {
		switch condition.Type + "=" + condition.Status {
		case "Reconciling=True":
			return InProgress
		case "Stalled=True":
			return Failed
		case "Ready=False", "Ready=Unknown":
			ready = InProgress
		}
	}
	return ready
}
