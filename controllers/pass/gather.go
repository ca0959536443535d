// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// GatherAccount reads the account and opens its session. Until the carrier has accepted a token of the
// account, the pass takes no step and uses no ledger: nothing that belongs to a login is read, shown,
// created or moved for an account that has not proven to hold the login's key.
func (p *Pass) GatherAccount(ctx context.Context) error {
	key := client.ObjectKey{Namespace: p.Subject.GetNamespace(), Name: p.Subject.AccountName()}
	account, err := apiserver.Find(ctx, p, key, &v1alpha1.CarrierAccount{})
	if account == nil {
		p.Account.Unproven = err == nil
		return err
	}
	p.Account.Object = account
	p.Session, p.Account.Unusable = p.Sessions.Lease(account, p.Subject)
	if err := p.gatherProof(ctx); err != nil || p.Account.Unproven {
		return err
	}
	return p.gatherMemory(ctx)
}

// gatherProof finds out whether the carrier has accepted a token of the account in this process. The
// first pass of a new process over an object of a Ready account makes the free call that shows it.
func (p *Pass) gatherProof(ctx context.Context) error {
	p.Account.Unproven = p.Session == nil || !p.Session.IsProven()
	if !decide.MayProve(&p.Account) {
		return nil
	}
	wait, err := p.Session.Prove(ctx)
	if _, none := errors.AsType[*sessions.LoginError](err); none {
		wait, err = loginPause, nil
	}
	p.Account.Unproven = wait > 0
	p.Account.ProvenAt = p.Protocol.Now().Add(wait)
	return err
}

// gatherMemory reads under which login the requests of the account are recorded, and what this login
// has spent, if the account has a chargeLimit. The reservations may be out of date, but a new one is
// checked against the recorded state when it is made.
func (p *Pass) gatherMemory(ctx context.Context) error {
	account := p.Account.Object
	own, err := p.Logins.Get(ctx, account.Login())
	if err != nil {
		return err
	}
	ledger := own
	if p.Account.Continues = own.Continued(); p.Account.Continues != nil {
		if ledger, err = p.Logins.Get(ctx, *p.Account.Continues); err != nil {
			return err
		}
	}
	if account.Spec.ChargeLimit != nil {
		p.Account.Spending = p.Protocol.CheckReservations(account, p.Account.Memory(), operate.ReservationsIn(ledger))
		p.Account.Spending.Ledger = ledger
	}
	return nil
}

// GatherLedger reads the ledger for an object's subject, evaluates whether this object may use it,
// and updates the status from it.
func (p *Pass) GatherLedger(ctx context.Context, kind requestledger.Kind) error {
	p.Ledger = nil
	if p.Account.Unproven {
		return nil // the status stays unchanged
	}
	ledger := p.Ledgers.Of(p.Subject, kind, p.Account.Memory(), p.Here)
	if ledger.Name == "" {
		kind.Show(nil) // no request was sent, and none is about to be sent
		return nil
	}
	p.reportImplausible()
	lost, err := ledger.Read(ctx)
	if errors.Is(err, requestledger.ErrDamaged) {
		p.Verdict = new(decide.DamagedLedger(err))
		return nil
	}
	p.Ledger = ledger
	if err != nil {
		return err
	}
	if err := p.judgeLedger(ctx, lost); err != nil {
		return err
	}
	if p.Ledger != nil {
		p.Ledger.Show(p.Ledger.Own())
	}
	return nil
}

// reportImplausible emits an Event about a revision that is ignored because no ledger can have
// reached it (R5).
func (p *Pass) reportImplausible() {
	shown := *requestledger.ShownBy(p.Subject).At
	if shown == nil || requestledger.Plausible(shown.Revision) == shown.Revision {
		return
	}
	p.Protocol.Events.Eventf(p.Subject, nil, corev1.EventTypeWarning, eventRevisionIgnored, "Read",
		"%s", decide.ImplausibleRevision(*shown))
}

// judgeLedger evaluates whether this object may use the ledger, and takes it over or records a loss
// in it if necessary.
func (p *Pass) judgeLedger(ctx context.Context, lost bool) (err error) {
	held := p.Ledger.Current()
	input := decide.LedgerInput{Lost: lost || p.Here.IsLost(held), Receipt: p.receiptOnlyInStatus(), Input: decide.Input{
		Subject: p.Subject, Ledger: held, Account: p.Account, Now: p.Protocol.Now(), Submit: p.Submit, Installation: p.Here,
	}}
	if input.Former = p.Ledger.Former; input.Former != nil {
		p.Verdict = p.Ledger.Judge(input).Verdict
		p.Ledger = nil // the status stays unchanged
		return nil
	}
	if input.HolderExists, err = p.holderExists(ctx, held); err != nil {
		return err
	}
	judged := p.Ledger.Judge(input)
	if why := decide.Unrecordable(&input); judged.Lost != nil && why != nil {
		p.Ledger, p.Verdict = nil, why // the status stays unchanged
		return nil
	}
	p.Verdict = judged.Verdict
	if judged.Lost != nil && judged.Lost.AttemptID == "" {
		judged.Lost.AttemptID = p.Protocol.NewID() // so that a resolution can name it
	}
	return p.Ledger.Apply(ctx, judged)
}

// receiptOnlyInStatus returns an attempt whose receipt is only in the status; nil if there is none.
// A response that this process still has in memory is excluded, because it is recorded from memory.
func (p *Pass) receiptOnlyInStatus() *v1alpha1.Request {
	receipt := p.Ledger.Receipt
	if receipt != nil && p.Protocol.Memory.Receipt(receipt.AttemptID) != nil {
		return nil
	}
	return receipt
}

// holderExists reports whether another object holds a ledger, and exists or may exist.
func (p *Pass) holderExists(ctx context.Context, ledger *v1alpha1.RequestLedger) (bool, error) {
	if ledger == nil || ledger.Spec.Holder.UID == p.Ledger.Holder.UID {
		return false, nil
	}
	holder, object := ledger.Spec.Holder, apiserver.Empty(p.Subject)
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Namespace: holder.Namespace, Name: holder.Name}, object)
	exists, failed := apiserver.MayExist(err, holder.Name)
	if failed != nil {
		return false, fmt.Errorf("look for %s/%s, the holder: %w", holder.Namespace, holder.Name, failed)
	}
	wasReplaced := err == nil && string(object.GetUID()) != holder.UID
	return exists && !wasReplaced, nil
}

// recordLearned records in the ledger what the object has learned without an attempt. Values that
// cannot be read again would otherwise be lost with the status.
func (p *Pass) recordLearned(ctx context.Context) error {
	if p.Ledger == nil || p.Verdict != nil || p.lacksLedger() && p.Here.ForbidsNewLedgers() {
		return nil
	}
	return p.Ledger.RecordLearned(ctx)
}
