// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
)

// whole fails if the ledger was found to be behind during a pass. The next pass handles this,
// "before all else" (R5).
func (l *objectLedger) whole() error {
	if l == nil || !l.lost {
		return nil
	}
	return fmt.Errorf("continue with %s: %w", l.subject.GetName(), operate.Behind(l.name))
}

// isShared reports whether each object has its own attempts in the ledger, next to those of others.
func (l *objectLedger) isShared() bool { return l.kind.holder() == (v1alpha1.LedgerHolder{}) }
