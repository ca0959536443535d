// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// Failed is the exit of a pass that an error has ended. An object that silently stays as it is
// would look settled, so the error is shown on it (R18).
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

// ErrorVerdict returns the verdict for an error that the next pass does not get past by itself; nil
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
// status of the pass's own object, which another goroutine may be changing: see
// [UnrecordedResponses].
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

// announce emits an Event if the reason of Ready has changed: a Warning if only a person can help.
// Pending approvals thus appear among the Events, too.
func (o *Operator) announce(before, now Subject) {
	held, ready := readyCondition(before), readyCondition(now)
	if ready == nil || held != nil && held.Reason == ready.Reason || isExpected(before, now) {
		return
	}
	kind := corev1.EventTypeNormal
	if conditions, _ := now.Describes(); meta.IsStatusConditionTrue(*conditions, v1alpha1.ConditionStalled) {
		kind = corev1.EventTypeWarning
	}
	o.Protocol.Events.Eventf(now, nil, kind, ready.Reason, "Reconcile", "%s", ready.Message)
}

// isExpected reports whether a change of Ready needs no Event: a new object is in progress or Ready,
// of which importing a fleet would emit one each, or an object is in progress or in sync because a
// request was accepted or has ended, whose own Event says as much.
func isExpected(before, now Subject) bool {
	conditions, _ := now.Describes()
	inProgress, ready := meta.IsStatusConditionTrue(*conditions, v1alpha1.ConditionReconciling), readyCondition(now)
	switch {
	case readyCondition(before) == nil:
		return inProgress || ready.Status == metav1.ConditionTrue
	case !slices.Equal(openAttempts(before), openAttempts(now)):
		return inProgress || ready.Reason == v1alpha1.ReasonInSync
	}
	return false
}

// openAttempts returns the ids of the requests that are in progress.
func openAttempts(subject Subject) (ids []string) {
	for _, open := range subject.Record().OpenRequests() {
		ids = append(ids, open.AttemptID)
	}
	return ids
}

func readyCondition(subject Subject) *metav1.Condition {
	conditions, _ := subject.Describes()
	return meta.FindStatusCondition(*conditions, v1alpha1.ConditionReady)
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

// WriteNotice records a new notification and its consequences: what is recorded of it so far is held,
// and record puts it into the status. The resourceVersion that was read makes this safe on a replica
// that does not lead.
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
