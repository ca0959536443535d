// SPDX-License-Identifier: Apache-2.0

package show

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Tests lays out the diagnostic tests of a service.
func Tests(tests []*v1alpha1.DiagnosticTest, now time.Time) Section {
	if len(tests) == 0 {
		return Section{Lines: []string{"No test of this service was run. Name a type to run one, such as port-reset."}}
	}
	rows := table.New("TEST", "TYPE", "READY", "REASON", "STAGE", "CREATED")
	for _, test := range tests {
		stage := ""
		if len(test.Status.Stages) > 0 {
			stage = test.Status.Stages[0].Name
		}
		ready := judge.Ready(test)
		rows.Add(test.Name, test.Spec.TestType, string(ready.Status), ready.Reason, stage, ago(now, test.CreationTimestamp))
	}
	return Section{Table: rows}
}
