// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// recorded writes a notification down, anew after each conflict. An object that is gone
// needs to know nothing any more.
func recorded(told decide.Notification, write func() error) error {
	err := client.IgnoreNotFound(retry.RetryOnConflict(retry.DefaultBackoff, write))
	if err != nil {
		return fmt.Errorf("record %s: %w", told.Event, err)
	}
	return nil
}

// note writes down what the carrier told, if it is news, and what follows from it. The
// resourceVersion that was read makes it safe on a replica that does not lead.
func (p *pass) note(ctx context.Context, held **v1alpha1.Notice, told decide.Notification) error {
	if !decide.News(*held, told) {
		return nil
	}
	*held = decide.NoticeOf(told, p.Protocol.Now())
	decision := p.decide()
	decision.Handled = *p.subject.Controls() // nothing that a person has asked for is done here
	p.describe(decision)
	if err := p.Protocol.WriteStatus(ctx, p.subject); err != nil {
		return fmt.Errorf("update the status of %s: %w", p.subject.GetName(), err)
	}
	p.noteWritten()
	p.Protocol.Events.Eventf(p.subject, nil, corev1.EventTypeWarning, string(told.Event), "Notification",
		"%s", decide.NoticeWords(*held))
	return nil
}
