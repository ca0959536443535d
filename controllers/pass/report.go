// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// reportInterval is the minimum interval between changes of the message of one refusal, because a
// webhook may return a different message for each attempt.
const reportInterval = 10 * time.Minute

// Failed ends a pass after an error, and shows the error on the object. An object that silently
// stays unchanged would look settled (R18).
func (p *Pass) Failed(ctx context.Context, err error) (ctrl.Result, error) {
	if verdict := ErrorVerdict(err); verdict != nil {
		p.keepRead()
		err = errors.Join(err, p.report(ctx, *verdict))
	}
	return RetryAfter(err)
}

// keepRead restores the readings of a pass whose step failed or has to wait. They are not in the
// status, so they would otherwise be read again at each attempt.
func (p *Pass) keepRead() {
	if p.read != nil {
		restore := func(memory *decide.Memory) { memory.Readings = *p.read }
		p.Protocol.Memory.Change(p.Subject.GetUID(), p.Protocol.Now(), restore)
	}
}

// ErrorVerdict returns the verdict for an error that the next pass cannot resolve by itself; nil
// if there is nothing to report.
func ErrorVerdict(err error) *decide.Verdict {
	switch {
	case errors.Is(err, requestledger.ErrPruned):
		return new(decide.Pruned(v1alpha1.ReasonLedgerUnreadable, err))
	case errors.Is(err, operate.ErrStatusPruned):
		return new(decide.Pruned(v1alpha1.ReasonAPIServerRefused, err))
	case errors.Is(err, requestledger.ErrDamaged):
		return new(decide.DamagedLedger(err))
	case errors.Is(err, requestledger.ErrNewer):
		return new(decide.LedgerOfNewerVersion(err))
	case errors.Is(err, ErrTooManySteps):
		return new(decide.NotFinished(err))
	}
	return decide.APIRefused(err)
}

// report writes a verdict to the conditions of the live object, because the changes that this pass
// made to the object's status must not be shown before they are in the ledger. It does not read the
// status of the pass's own object, which the goroutine that records
// responses late may be changing.
func (p *Pass) report(ctx context.Context, verdict decide.Verdict) error {
	live := apiserver.Empty(p.Subject)
	err := p.Protocol.Live.Get(ctx, client.ObjectKeyFromObject(p.Subject), live)
	if err != nil || live.GetUID() != p.Subject.GetUID() || p.isReported(live, verdict) {
		return client.IgnoreNotFound(err)
	}
	before, now := live.DeepCopyObject(), p.Protocol.Now()
	conditions, observed := live.Describes()
	target := status.Object{Conditions: conditions, Generation: live.GetGeneration()}
	status.Describe(target, verdict, now)
	status.Unjudged(target, verdict, now)
	*observed = live.GetGeneration()
	if equality.Semantic.DeepEqual(before, live) {
		return nil
	}
	if err = p.Protocol.WriteStatus(ctx, live); err != nil {
		return fmt.Errorf("report it in the status: %w", err)
	}
	if held, isSubject := before.(Subject); isSubject {
		p.announce(held, live)
	}
	again := now.Add(reportInterval)
	p.Protocol.Memory.Change(live.GetUID(), now, func(memory *decide.Memory) { memory.NextRefusalWrite = again })
	return nil
}

// isReported reports whether an object shows the reason of a verdict and was updated recently.
func (p *Pass) isReported(live Subject, verdict decide.Verdict) bool {
	ready := readyCondition(live)
	return ready != nil && ready.Reason == verdict.Reason && ready.ObservedGeneration == live.GetGeneration() &&
		p.Protocol.Now().Before(p.Protocol.Memory.View(live.GetUID()).NextRefusalWrite)
}

// RecordNotice writes a notification, and retries after each conflict. A deleted object needs no
// update.
func RecordNotice(notification decide.Notification, write func() error) error {
	err := client.IgnoreNotFound(retry.RetryOnConflict(retry.DefaultBackoff, write))
	if err != nil {
		return fmt.Errorf("record %s: %w", notification.Event, err)
	}
	return nil
}

// WriteNotice records a new notification and its consequences. held is the notice recorded so
// far, and record puts the new one into the status. The resourceVersion that was read makes this
// safe on a standby.
func (p *Pass) WriteNotice(
	ctx context.Context, held *v1alpha1.Notice, notification decide.Notification, record func(*v1alpha1.Notice),
) error {
	if p.Account.Unproven {
		return fmt.Errorf("CarrierAccount %s has not logged in to the carrier yet: %w",
			p.Subject.AccountName(), receiver.ErrNotYet)
	}
	if !decide.IsNews(held, notification) {
		return nil
	}
	notice := decide.NoticeOf(notification, p.Protocol.Now())
	record(notice)
	decision := p.Decide()
	decision.Handled = *p.Subject.Record().Controls() // no annotation is acted on here
	p.describe(decision)
	if err := p.Protocol.WriteStatus(ctx, p.Subject); err != nil {
		return fmt.Errorf("update the status of %s: %w", p.Subject.GetName(), err)
	}
	p.noteWritten()
	p.Protocol.Events.Eventf(p.Subject, nil, corev1.EventTypeWarning, string(notification.Event), "Notification",
		"%s", decide.NoticeText(notice))
	return nil
}
