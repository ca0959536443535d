// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// every makes health the only read, at an interval; "0" for never.
func every(interval v1alpha1.Duration) func(*decide.ServiceInput) {
	return func(in *decide.ServiceInput) {
		in.Service.Spec.Observe = v1alpha1.Observe{
			HealthInterval: interval, CancellationInterval: "0", DisruptionsInterval: "0",
		}
	}
}

// versioned is an account whose carrier uses a version of the API.
func versioned(version int32) func(*decide.ServiceInput) {
	return func(in *decide.ServiceInput) { in.Account.Object.Spec.APIVersion = version }
}

func TestServiceIsReadAtItsInterval(t *testing.T) {
	rests := judged{"Rest", decide.Settled, "InSync"}
	cases{
		"as soon as it has passed": {
			settled(every("1h"), at(2*time.Hour)), judged{"Ask health", decide.Settled, "InSync"},
		},
		"not before": {
			settled(every("1h"), func(in *decide.ServiceInput) { in.Memory.FirstSeen = in.Now }), rests,
		},
		"not where the interval is switched off": {settled(every("0"), at(100*time.Hour)), rests},
		"not by an account that cannot log in": {
			settled(every("1h"), at(2*time.Hour), func(in *decide.ServiceInput) {
				in.Account.Object.Status.Conditions[0].Status = metav1.ConditionFalse
			}),
			judged{"Rest", decide.Working, "AccountNotReady"},
		},
	}.run(t)
}

func TestServiceSendsOnlyWhatTheVersionOfTheAPIHas(t *testing.T) {
	expedited := func(in *decide.ServiceInput) { in.Service.Spec.RestorationSLA = "Fast" }
	stuck := judged{"Rest", decide.Stuck, "UnsupportedByAPIVersion"}
	cases{
		"a plan change without a field that came later": {settled(wanting, versioned(5)), working("Submit")},
		"a field that came later":                       {settled(wanting, expedited, versioned(5)), stuck},
		"the same when the version has it":              {settled(wanting, expedited), working("Submit")},
	}.run(t)
}
