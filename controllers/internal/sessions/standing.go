// SPDX-License-Identifier: Apache-2.0

package sessions

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

// serve notes that the carrier has answered a call for an object.
func (b *breaker) serve() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serves = true
}

// standing says whether the carrier answers the calls for objects. That it accepts a token shows
// nothing: it may answer that call only.
func (b *breaker) standing() fairqueue.Standing {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.silence.calls > 0:
		return fairqueue.Silent
	case !b.serves:
		return fairqueue.Unheard
	}
	return fairqueue.Answering
}
