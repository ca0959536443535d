// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Outcome is the state of one sample at the API server.
type Outcome struct {
	Kind, Name string
	Expect     Expectation
	Actual     string // the condition, in the form of the annotation
	Message    string
	Met        bool
}

// Check reads the state of the samples that have an expected outcome.
func Check(ctx context.Context, cluster client.Reader, samples []Sample) ([]Outcome, error) {
	outcomes := make([]Outcome, 0, len(samples))
	for _, sample := range samples {
		if !sample.HasExpectation() {
			continue
		}
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(sample.Object.GroupVersionKind())
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(sample.Object), object); err != nil {
			return nil, fmt.Errorf("read a sample: %w", err)
		}
		outcome, err := sample.check(object)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

// Unmet returns the outcomes that are not yet as expected.
func Unmet(outcomes []Outcome) []Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(outcome Outcome) bool { return outcome.Met })
}

// check reads the condition. A condition of an earlier generation does not count.
func (s Sample) check(object *unstructured.Unstructured) (Outcome, error) {
	var status struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &status); err != nil {
		return Outcome{}, fmt.Errorf("read conditions: %w", err)
	}
	outcome := Outcome{
		Kind: object.GetKind(), Name: object.GetName(),
		Expect: s.Expect, Actual: "no condition " + s.Expect.Condition,
	}
	condition := meta.FindStatusCondition(status.Status.Conditions, s.Expect.Condition)
	if condition == nil {
		return outcome, nil
	}
	shows := Expectation{Condition: condition.Type, Status: string(condition.Status), Reason: condition.Reason}
	outcome.Actual, outcome.Message = shows.String(), condition.Message
	outcome.Met = shows == s.Expect && condition.ObservedGeneration == object.GetGeneration()
	return outcome, nil
}
