// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// extensions is what this process knows about the extensions of the carrier.
type extensions struct {
	mu    sync.Mutex
	known decide.Extensions
}

// note records the outcome of a call of an extension, and reports whether it is news. A carrier
// that has once carried out such a call has the extension, so a later refusal is about one service.
func (e *extensions) note(extension v1alpha1.Extension, refusal error) (news bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, isKnown := e.known[extension]
	if isKnown && (before == nil || refusal != nil) {
		return false
	}
	if e.known == nil {
		e.known = make(decide.Extensions)
	}
	e.known[extension] = refusal
	return true
}

// Extensions returns what is known about the extensions of the carrier.
func (s *Session) Extensions() decide.Extensions {
	s.extensions.mu.Lock()
	defer s.extensions.mu.Unlock()
	return maps.Clone(s.extensions.known)
}

// noteResponse records whether the carrier has an extension. Only a complete response shows this.
func (s *Session) noteResponse(extension v1alpha1.Extension, err error) {
	if isComplete(err) {
		s.NoteExtension(extension, err)
	}
}

// NoteExtension records that the carrier has an extension, or the error with which the carrier
// refused a call of it.
func (s *Session) NoteExtension(extension v1alpha1.Extension, refusal error) {
	if s.extensions.note(extension, refusal) {
		s.changed()
	}
}

// Service reads a service as the carrier describes it. A 403 or 404 is not noted as a refusal of
// the extension, because it may be about the service.
func (s *Session) Service(ctx context.Context, serviceID int64, version int) (carrier.Service, error) {
	found, err := s.client.Service(ctx, serviceID, version)
	s.noteRead(err)
	if !isRefused(err) {
		s.noteResponse(v1alpha1.ExtensionServiceRead, err)
	}
	if err != nil {
		return found, fmt.Errorf("read service %d: %w", serviceID, err)
	}
	return found, nil
}

// TestTypes lists the diagnostic tests that the carrier offers for a service.
func (s *Session) TestTypes(ctx context.Context, serviceID int64) ([]string, error) {
	found, err := s.client.TestTypes(ctx, serviceID)
	s.noteRead(err)
	s.noteResponse(v1alpha1.ExtensionTestTypes, err)
	if err != nil {
		return nil, fmt.Errorf("read the test types of service %d: %w", serviceID, err)
	}
	return found, nil
}

// Order reads an order that the carrier has accepted.
func (s *Session) Order(ctx context.Context, orderID int64) (carrier.Order, error) {
	found, err := s.client.Order(ctx, orderID)
	s.noteRead(err)
	s.noteResponse(v1alpha1.ExtensionOrderRead, err)
	if err != nil {
		return found, fmt.Errorf("read order %d: %w", orderID, err)
	}
	return found, nil
}
