// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/controllers/internal/fairqueue"
)

// StandingOf says whether the carrier of an account answers, for the work queues.
func (r *Registry) StandingOf(account fairqueue.Group) fairqueue.Standing {
	r.mu.Lock()
	opened := r.sessions[types.NamespacedName{Namespace: account.Namespace, Name: account.Account}]
	r.mu.Unlock()
	if opened == nil {
		return fairqueue.Unheard
	}
	return opened.session.breaker().standing()
}

// standing says whether the carrier answers.
func (b *breaker) standing() fairqueue.Standing {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.silence.calls > 0:
		return fairqueue.Silent
	case b.heardAt.IsZero():
		return fairqueue.Unheard
	}
	return fairqueue.Answering
}
