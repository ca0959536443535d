// SPDX-License-Identifier: Apache-2.0

package controllers

import "github.com/broadband-operator/broadband-operator/pkg/decide"

// gatherOrigin drops state reported by another carrier, or for another identity: a deleted account
// may have been recreated as a different one. While the ledger blocks the service, the status stays
// unchanged: "nothing is sent, nothing becomes unknown" (R4).
func (p *servicePass) gatherOrigin() {
	if p.account.Object == nil {
		return
	}
	here := decide.OriginOf(p.account.Object)
	p.Protocol.Memory.Note(p.service.UID, p.Protocol.Now(), func(memory *decide.Memory) { memory.ForgetFrom(here) })
	if p.verdict == nil && decide.ForgetState(&p.service.Status, here) {
		p.showLedger(p.ledger.own())
	}
}

// nameOrigin records in the status where its values come from.
func (p *servicePass) nameOrigin() {
	if p.account.Object != nil && p.verdict == nil {
		decide.NameOrigin(&p.service.Status, decide.OriginOf(p.account.Object))
	}
}
