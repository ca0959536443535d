// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// gatherLedger reads the ledger for an object's subject, evaluates whether this object may use it,
// and updates the status from it.
func (p *pass) gatherLedger(ctx context.Context, kind ledgerKind) error {
	p.ledger = nil
	if p.account.Unproven {
		return nil // the status stays unchanged
	}
	ledger := &objectLedger{
		Ledgers: p.Ledgers, kind: kind, subject: p.subject,
		login: p.account.Memory(), here: p.here,
	}
	if ledger.name = ledger.nameOf(); ledger.name == "" {
		kind.showLedger(nil) // no request was sent, and none is about to be sent
		return nil
	}
	p.reportImplausible(kind)
	lost, err := ledger.read(ctx)
	if errors.Is(err, operate.ErrLedgerDamaged) {
		p.verdict = new(decide.DamagedLedger(err))
		return nil
	}
	p.ledger = ledger
	if err != nil {
		return err
	}
	return p.judgeAndShow(ctx, lost)
}

// reportImplausible emits an Event for a revision that no ledger can have reached, and which is
// therefore ignored (R5).
func (p *pass) reportImplausible(kind ledgerKind) {
	shown := *kind.shownLedger(p.subject).at
	if shown == nil || operate.Plausible(shown.Revision) == shown.Revision {
		return
	}
	p.Protocol.Events.Eventf(p.subject, nil, corev1.EventTypeWarning, eventRevisionIgnored, "Read",
		"%s", decide.ImplausibleRevision(*shown))
}

// judgeAndShow updates the status from the ledger, if the object may use it.
func (p *pass) judgeAndShow(ctx context.Context, lost bool) error {
	if err := p.judgeLedger(ctx, lost); err != nil {
		return err
	}
	if p.ledger != nil {
		p.ledger.kind.showLedger(p.ledger.own())
	}
	return nil
}

// judgeLedger evaluates whether this object may use the ledger, and takes it over or records a loss
// in it if necessary.
func (p *pass) judgeLedger(ctx context.Context, lost bool) (err error) {
	held := p.ledger.ledger
	input := decide.LedgerInput{Lost: lost || p.here.IsLost(held), Receipt: p.receiptOnlyInStatus(), Input: decide.Input{
		Subject: p.subject, Ledger: held, Account: p.account, Now: p.Protocol.Now(), Submit: p.Submit, Installation: p.here,
	}}
	if input.Former = p.ledger.former; input.Former != nil {
		p.verdict = p.ledger.kind.judgeLedger(input).Verdict
		p.ledger = nil // the status stays unchanged
		return nil
	}
	if input.HolderExists, err = p.holderExists(ctx, held); err != nil {
		return err
	}
	judged := p.ledger.kind.judgeLedger(input)
	if why := decide.Unrecordable(&input); judged.Lost != nil && why != nil {
		p.ledger, p.verdict = nil, why // the status stays unchanged
		return nil
	}
	p.verdict = judged.Verdict
	if judged.Lost != nil && judged.Lost.AttemptID == "" {
		judged.Lost.AttemptID = p.Protocol.NewID() // so that a resolution can name it
	}
	return p.ledger.apply(ctx, judged)
}

// receiptOnlyInStatus returns an attempt whose receipt only the status has; nil for none. A response
// that this process still has in memory is excluded, because it is recorded from memory.
func (p *pass) receiptOnlyInStatus() *v1alpha1.Request {
	receipt := p.ledger.receipt
	if receipt != nil && p.Protocol.Memory.Receipt(receipt.AttemptID) != nil {
		return nil
	}
	return receipt
}

// holderExists reports whether a ledger has a holder other than this object that exists, or may
// exist.
func (p *pass) holderExists(ctx context.Context, ledger *v1alpha1.RequestLedger) (bool, error) {
	if ledger == nil || ledger.Spec.Holder.UID == p.ledger.kind.holder().UID {
		return false, nil
	}
	holder, object := ledger.Spec.Holder, operate.Empty(p.subject)
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Namespace: holder.Namespace, Name: holder.Name}, object)
	exists, failed := mayExist(err, holder.Name)
	if failed != nil {
		return false, fmt.Errorf("look for %s/%s, the holder: %w", holder.Namespace, holder.Name, failed)
	}
	wasReplaced := err == nil && string(object.GetUID()) != holder.UID
	return exists && !wasReplaced, nil
}

// recordLearned records in the ledger what the object has learned without an attempt. What cannot
// be read again would otherwise be lost with the status.
func (p *pass) recordLearned(ctx context.Context) error {
	if p.ledger == nil || p.verdict != nil || p.lacksLedger() && p.here.ForbidsNewLedgers() {
		return nil
	}
	next := p.ledger.next()
	p.ledger.kind.learned(&next.Spec, nil)
	if equality.Semantic.DeepEqual(p.ledger.current().Spec, next.Spec) {
		return nil
	}
	p.ledger.setHolder(next)
	return p.ledger.put(ctx, next)
}
