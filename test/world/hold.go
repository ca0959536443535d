// SPDX-License-Identifier: Apache-2.0

package world

import (
	"net/http"
	"sync"

	"github.com/onsi/ginkgo/v2"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// holds are the answers that the carrier keeps back.
type holds struct {
	mu    sync.Mutex
	until map[string]chan struct{} // by the subject of the POST
}

// HoldAnswer has the carrier keep back its answer to a POST about a subject, until letGo
// is called. The POST has taken effect by then: it is under way in the strictest sense.
func (w *World) HoldAnswer(subject string) (letGo func()) {
	until := make(chan struct{})
	w.held.mu.Lock()
	defer w.held.mu.Unlock()
	if w.held.until == nil {
		w.held.until = map[string]chan struct{}{}
	}
	w.held.until[subject] = until
	letGo = sync.OnceFunc(func() { close(until) })
	ginkgo.DeferCleanup(letGo) // a server with an answer outstanding cannot be closed
	return letGo
}

// observe is told of each call just before it is answered.
func (h *holds) observe(call simulator.Call) {
	h.mu.Lock()
	until, held := h.until[call.Subject]
	h.mu.Unlock()
	if held && call.Method == http.MethodPost {
		<-until
	}
}
