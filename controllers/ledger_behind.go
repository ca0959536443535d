// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
)

// whole fails where the ledger has lost something in the course of a pass: that is judged "before all
// else" (R5), by the next one.
func (l *objectLedger) whole() error {
	if l == nil || !l.lost {
		return nil
	}
	return fmt.Errorf("go on for %s: %w", l.subject.GetName(), operate.Behind(l.name))
}

// isShared says whether each object has its own attempts in the ledger, beside those of others.
func (l *objectLedger) isShared() bool { return l.kind.holder() == (v1alpha1.LedgerHolder{}) }
