// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Input is the complete input of a decision about one order.
type Input struct {
	decide.Input

	Order            *v1alpha1.ServiceOrder // the subject
	Qualification    *carrier.Qualification // the result that qualificationResultRef names; nil if none was read
	QualificationErr error                  // why it could not be read; nil if it could, or if none is declared
}

func requestOf(in *Input) *v1alpha1.Request {
	return in.Order.Record().RequestOf(v1alpha1.OperationOrderCreate)
}

// qualificationPause is the wait before a qualification result that could not be read, or that does
// not allow the order, is read again. ConfigMaps are read, not watched.
const qualificationPause = time.Minute

// The maximum lengths of the texts of an order's status, as in its schema.
const (
	maxWord    = 64
	maxAddress = 512
)
