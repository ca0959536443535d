// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

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
