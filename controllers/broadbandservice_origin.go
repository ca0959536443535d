// SPDX-License-Identifier: Apache-2.0

package controllers

import "github.com/broadband-operator/broadband-operator/pkg/decide"

// gatherOrigin forgets what another carrier has said of the service, or this one to another identity:
// an account that was deleted may have come back as another. While the ledger forbids to go on, the
// status stays as it is: "nothing is sent, nothing becomes unknown" (R4).
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

// nameOrigin has the status say whom its values are from.
func (p *servicePass) nameOrigin() {
	if p.account.Object != nil && p.verdict == nil {
		decide.NameOrigin(&p.service.Status, decide.OriginOf(p.account.Object))
	}
}
