// SPDX-License-Identifier: Apache-2.0

package world

import (
	"net/http"
	"sync"

	"github.com/onsi/ginkgo/v2"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// heldResponses are the responses that the carrier delays.
type heldResponses struct {
	mu    sync.Mutex
	until map[string]chan struct{} // by the subject of the POST
}

// HoldResponse makes the carrier delay its response to a POST about a subject until release is called.
// By then the POST has taken effect.
func (w *World) HoldResponse(subject string) (release func()) {
	until := make(chan struct{})
	w.held.mu.Lock()
	defer w.held.mu.Unlock()
	if w.held.until == nil {
		w.held.until = map[string]chan struct{}{}
	}
	w.held.until[subject] = until
	release = sync.OnceFunc(func() { close(until) })
	ginkgo.DeferCleanup(release) // a server with a pending response cannot be closed
	return release
}

// observe is called with each call just before its response.
func (h *heldResponses) observe(call simulator.Call) {
	h.mu.Lock()
	until, held := h.until[call.Subject]
	h.mu.Unlock()
	if held && call.Method == http.MethodPost {
		<-until
	}
}
