// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The first response of the carrier used to trigger all objects of an account. Of a thousand
// objects that had just been written, one was then reconciled from an older cached copy, and its
// write failed with a conflict. No object waits for the carrier to respond for the first time, or
// to stop responding.
func TestACarrierThatAnswersFirstOrNoMoreReconcilesNoObject(t *testing.T) {
	t.Parallel()
	yes, no := metav1.ConditionTrue, metav1.ConditionFalse
	account := func(version string, generation int64, conditions ...metav1.Condition) *v1alpha1.CarrierAccount {
		made := &v1alpha1.CarrierAccount{}
		made.ResourceVersion, made.Generation, made.Status.Conditions = version, generation, conditions
		return made
	}
	ready := metav1.Condition{Type: v1alpha1.ConditionReady, Status: yes}
	unready := metav1.Condition{Type: v1alpha1.ConditionReady, Status: no}
	answers := metav1.Condition{Type: v1alpha1.ConditionCarrier, Status: yes}
	silent := metav1.Condition{Type: v1alpha1.ConditionCarrier, Status: no}
	for name, change := range map[string]struct {
		before, after *v1alpha1.CarrierAccount
		wakes         bool
	}{
		"it answers for the first time":     {account("1", 1, ready), account("2", 1, ready, answers), false},
		"it answers again":                  {account("1", 1, ready, silent), account("2", 1, ready, answers), true},
		"it does not answer":                {account("1", 1, ready), account("2", 1, ready, silent), false},
		"it answers no more":                {account("1", 1, ready, answers), account("2", 1, ready, silent), false},
		"it answers no more, and no login":  {account("1", 1, ready, answers), account("2", 1, unready, silent), true},
		"it answers, and the login is done": {account("1", 1, unready), account("2", 1, ready, answers), true},
		"it answers, and the spec is other": {account("1", 1, ready), account("2", 2, ready, answers), true},
		"the login is done":                 {account("1", 1, unready), account("2", 1, ready), true},
	} {
		update := event.UpdateEvent{ObjectOld: change.before, ObjectNew: change.after}
		if wakes := accountChanges().Update(update); wakes != change.wakes {
			t.Errorf("%s: it wakes the objects of the account: %t, want %t", name, wakes, change.wakes)
		}
	}
	if !accountChanges().Create(event.CreateEvent{Object: account("1", 1)}) {
		t.Error("an account is created: its objects are not reconciled")
	}
}
