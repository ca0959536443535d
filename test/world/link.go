// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"
)

// Link is a manager's connection to the API server, which can be cut.
type Link struct {
	mu   sync.Mutex
	down bool
	held chan struct{} // nil unless calls are held; closed when they continue
	open map[*http.Request]context.CancelFunc
}

// Wrap routes a manager's calls over the link.
func (l *Link) Wrap(cluster *rest.Config) {
	cluster.Wrap(func(next http.RoundTripper) http.RoundTripper { return linkTransport{link: l, next: next} })
}

// Cut ends every call and watch, and makes new ones fail.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	l.endAll()
}

// Hold ends every call and watch, and makes new ones wait until the link is restored. A manager
// whose calls fail retries with growing pauses, and would notice the restored link late.
func (l *Link) Hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = make(chan struct{})
	l.endAll()
}

func (l *Link) endAll() {
	for _, end := range l.open {
		end()
	}
	clear(l.open)
}

// Restore lets calls through again.
func (l *Link) Restore() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
	if l.held != nil {
		close(l.held)
		l.held = nil
	}
}

// await waits until calls are not held.
func (l *Link) await(ctx context.Context) error {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	if held == nil {
		return nil
	}
	select {
	case <-held:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("reach the API server: %w", ctx.Err())
	}
}

// admit lets a call onto the link. The call ends when the link is cut.
func (l *Link) admit(call *http.Request) (*http.Request, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errors.New("the API server cannot be reached")
	}
	ctx, end := context.WithCancel(call.Context())
	if l.open == nil {
		l.open = map[*http.Request]context.CancelFunc{}
	}
	admitted := call.WithContext(ctx)
	l.open[admitted] = end
	return admitted, nil
}

// linkTransport is a transport that uses a link.
type linkTransport struct {
	link *Link
	next http.RoundTripper
}

// RoundTrip makes one call.
func (o linkTransport) RoundTrip(call *http.Request) (*http.Response, error) {
	if err := o.link.await(call.Context()); err != nil {
		return nil, err
	}
	admitted, err := o.link.admit(call)
	if err != nil {
		return nil, err
	}
	return o.next.RoundTrip(admitted)
}
