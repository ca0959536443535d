// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// judgement is how far the samples came. Its error says what is not as it should be.
type judgement struct {
	outcomes []outcome
	took     time.Duration
	err      error
}

// outcome is one sample as the API server has it.
type outcome struct {
	kind, name string
	expect     expectation
	shows      string // the condition, in the form of the annotation
	message    string
	met        bool
}

const judgeInterval = 500 * time.Millisecond

// judge waits until every sample shows what it is to show, at the same time.
func (d *demo) judge(ctx context.Context) judgement {
	begun := d.now()
	var j judgement
	cluster, err := client.New(d.admin.rest(), client.Options{Scheme: runtime.NewScheme()})
	if err != nil {
		j.err = fmt.Errorf("make a client: %w", err)
		return j
	}
	look := func(ctx context.Context) (bool, error) {
		outcomes, err := d.outcomes(ctx, cluster)
		if err != nil {
			return false, err
		}
		j.outcomes = outcomes
		return j.unmet() == 0, nil
	}
	j.err = wait.PollUntilContextTimeout(ctx, judgeInterval, d.timeout, true, look)
	j.took = d.now().Sub(begun)
	switch {
	case j.err == nil:
		j.err = d.askForViolations(ctx)
	case wait.Interrupted(j.err):
		j.err = fmt.Errorf("%d of %d samples do not show what they are to show, %s after they were applied",
			j.unmet(), len(j.outcomes), d.timeout)
	}
	return j
}

func (j *judgement) unmet() int {
	unmet := 0
	for _, o := range j.outcomes {
		if !o.met {
			unmet++
		}
	}
	return unmet
}

func (d *demo) outcomes(ctx context.Context, cluster client.Reader) ([]outcome, error) {
	outcomes := make([]outcome, 0, len(d.samples))
	for _, s := range d.samples {
		if !s.judged() {
			continue
		}
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(s.object.GroupVersionKind())
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(s.object), object); err != nil {
			return nil, fmt.Errorf("read a sample: %w", err)
		}
		o, err := s.judge(object)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// judge reads the condition. One of an earlier generation does not count.
func (s sample) judge(object *unstructured.Unstructured) (outcome, error) {
	var status struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &status); err != nil {
		return outcome{}, fmt.Errorf("read conditions: %w", err)
	}
	o := outcome{
		kind: object.GetKind(), name: object.GetName(),
		expect: s.expect, shows: "no condition " + s.expect.condition,
	}
	condition := meta.FindStatusCondition(status.Status.Conditions, s.expect.condition)
	if condition == nil {
		return o, nil
	}
	shows := expectation{condition: condition.Type, status: string(condition.Status), reason: condition.Reason}
	o.shows, o.message = shows.String(), condition.Message
	o.met = shows == s.expect && condition.ObservedGeneration == object.GetGeneration()
	return o, nil
}

// askForViolations fails when the carrier has seen a call that its specification forbids.
func (d *demo) askForViolations(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.violationsURL(), http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the carrier: %w", err)
	}
	web := &http.Client{Timeout: requestTimeout}
	answer, err := web.Do(request)
	if err != nil {
		return fmt.Errorf("ask the carrier: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	var violations []json.RawMessage
	if err := json.NewDecoder(answer.Body).Decode(&violations); err != nil {
		return fmt.Errorf("read the carrier's answer: %w", err)
	}
	if len(violations) > 0 {
		return errors.New("the carrier saw calls that its specification forbids: " + string(violations[0]))
	}
	return nil
}
