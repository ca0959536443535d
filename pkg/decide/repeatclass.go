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
