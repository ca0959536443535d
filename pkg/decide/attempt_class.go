// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// ClassOf returns the repeat class of a request, from the table of the carrier's operations. Only
// the classes Converge and Verify are ever repeated. A plan change is of class Charge, or of class
// Never with an NTD option. After a lost response, the outcome of a plan change is proven, or a
// person decides.
func ClassOf(operation v1alpha1.Operation, target v1alpha1.RequestTarget) carrier.RepeatClass {
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	return contract.RepeatClass(target.NTDOption != "")
}

// maxQueries is how often a query is sent for one change (R20). Only the queries that the carrier
// has accepted, or may have accepted, count.
const maxQueries = 3

func isQuery(request *v1alpha1.Request) bool {
	return request != nil && ClassOf(request.Operation, request.Target) == carrier.ClassQuery
}

// isUnansweredQuery reports whether the recorded request is a query that was not answered.
func isUnansweredQuery(last *v1alpha1.Request) bool {
	return isQuery(last) && last.Phase == v1alpha1.PhaseNotProcessed
}

// exhausted reports whether a query stayed unanswered so often that it is not repeated
// automatically.
func exhausted(last *v1alpha1.Request) bool {
	return isUnansweredQuery(last) && last.Repeats+1 >= maxQueries
}
