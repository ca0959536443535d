// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing/iotest"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Effect is one action of a process on the world outside it.
type Effect struct {
	Number int    // the position in its process, from 1
	What   string // "update status", "patch", "POST /api/…", "token", …
}

// CrashPoint is the point at which a process ends.
type CrashPoint struct {
	At    int    // the effect at which it ends; 0: never
	After bool   // whether that effect still happens
	What  string // the effect, for messages
}

// CrashPoints returns the points at which a process with these effects can end. Ending after one
// effect differs from ending before the next only in the time between them, so `make test` tries
// only one of these two.
func CrashPoints(effects []Effect) []CrashPoint {
	cuts := make([]CrashPoint, 0, 2*len(effects))
	for _, effect := range effects {
		if Scale(effect.Number == 1, true) {
			cuts = append(cuts, CrashPoint{At: effect.Number, What: effect.What})
		}
		cuts = append(cuts, CrashPoint{At: effect.Number, After: true, What: effect.What})
	}
	return cuts
}

// String returns where a process ends.
func (c CrashPoint) String() string {
	if c.After {
		return fmt.Sprintf("after effect %d, %s", c.At, c.What)
	}
	return fmt.Sprintf("before effect %d, %s", c.At, c.What)
}

// processEnded is the panic value that ends a process.
type processEnded struct{ at Effect }

var errProcessEnded = errors.New("this process has been killed")

// Seam is the point that every effect of one process passes through.
type Seam struct {
	Fault        func(Effect) error // an error that the process gets instead of the effect; nil: none
	LoseResponse func(Effect) error // an error that the process gets after the effect happened; nil: none

	EndsBefore func(Effect) bool // whether the process ends before an effect; nil: only at its crash point

	FailRead func() error               // an error that the process gets instead of a read past its cache; nil: none
	Unlisted string                     // the name of a service that the cache does not list yet
	Stale    *v1alpha1.BroadbandService // what the cache shows instead of the newest version; nil: the newest

	mu         sync.Mutex
	crashPoint CrashPoint
	dead       bool
	effects    []Effect
}

// Effects returns the effects so far.
func (s *Seam) Effects() []Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Effect(nil), s.effects...)
}

// Dead reports whether the process has ended.
func (s *Seam) Dead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

// pass carries out an effect, unless the process ends here. A dead process has no effect.
func (s *Seam) pass(what string, do func() error) error {
	effect, alive := s.begin(what)
	if !alive {
		panic(processEnded{effect})
	}
	if s.Fault != nil {
		if err := s.Fault(effect); err != nil {
			return err
		}
	}
	if s.ends(effect, false) {
		panic(processEnded{effect})
	}
	err := do()
	if s.LoseResponse != nil && err == nil {
		err = s.LoseResponse(effect)
	}
	if s.ends(effect, true) {
		panic(processEnded{effect})
	}
	return err
}

func (s *Seam) begin(what string) (Effect, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	effect := Effect{Number: len(s.effects) + 1, What: what}
	if !s.dead {
		s.effects = append(s.effects, effect)
	}
	return effect, !s.dead
}

func (s *Seam) ends(effect Effect, after bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = s.dead || effect.Number == s.crashPoint.At && s.crashPoint.After == after ||
		!after && s.EndsBefore != nil && s.EndsBefore(effect)
	return s.dead
}

// Transport wraps the transport to the carrier with the seam. A token is exchanged in a goroutine
// of its own, in which a dead process only gets an error.
func (s *Seam) Transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (response *http.Response, err error) {
		if strings.HasSuffix(request.URL.Path, "/token") {
			defer func() {
				if recover() != nil {
					response, err = nil, errProcessEnded
				}
			}()
		}
		err = s.pass(request.Method+" "+request.URL.Path, func() error {
			response, err = readWhole(next, request) //nolint:bodyclose // the caller closes it: this is a transport
			return err
		})
		return response, err
	})
}

// readWhole makes a call and reads its response to the end, so that the effect ends when it
// returns. Of a response that is cut off, the headers have arrived.
func readWhole(next http.RoundTripper, request *http.Request) (*http.Response, error) {
	response, err := next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := readBody(response.Body)
	if closeErr := response.Body.Close(); err == nil {
		err = closeErr
	}
	rest := io.Reader(bytes.NewReader(body))
	if err != nil {
		rest = io.MultiReader(rest, iotest.ErrReader(err))
	}
	response.Body = io.NopCloser(rest)
	return response, nil
}

// maxBody is larger, in bytes, than any body that either side of a call sends.
const maxBody = 2 << 20

// readBody reads a body to its end.
func readBody(body io.Reader) ([]byte, error) {
	var read bytes.Buffer
	_, err := read.ReadFrom(io.LimitReader(body, maxBody))
	return read.Bytes(), err
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// seamClient wraps a Kubernetes client with the seam. Reads do not count as effects: they change
// nothing, and a process that ends at a read has in effect ended at the effect before it.
type seamClient struct {
	client.Client

	cache client.Reader // with the administrator's permissions: a cache read checks none
	seam  *Seam
}

// Get reads as from a cache, which may be stale.
func (c seamClient) Get(
	ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption,
) error {
	service, isService := object.(*v1alpha1.BroadbandService)
	if stale := c.seam.Stale; isService && stale != nil && client.ObjectKeyFromObject(stale) == key {
		stale.DeepCopyInto(service)
		return nil
	}
	return c.cache.Get(ctx, key, object, options...)
}

// List reads as from a cache, which may be stale.
func (c seamClient) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	err := c.cache.List(ctx, list, options...)
	if services, are := list.(*v1alpha1.BroadbandServiceList); are && err == nil {
		services.Items = slices.DeleteFunc(services.Items, func(service v1alpha1.BroadbandService) bool {
			return service.Name == c.seam.Unlisted
		})
	}
	return err
}

// seamReader bypasses the cache.
type seamReader struct {
	client.Reader

	seam *Seam
}

// Get reads, unless reads are made to fail. A read may take any time here, because its limit (R12)
// is in real time, and a busy machine must not decide what is sent. The same holds for writes with
// time limits.
func (r seamReader) Get(
	ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption,
) error {
	if r.seam.FailRead != nil {
		if err := r.seam.FailRead(); err != nil {
			return err
		}
	}
	return r.Reader.Get(context.WithoutCancel(ctx), key, object, options...)
}

// Create is an effect.
func (c seamClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	ctx = context.WithoutCancel(ctx)
	return c.seam.pass("create "+object.GetName(), func() error { return c.Client.Create(ctx, object, options...) })
}

// Update is an effect.
func (c seamClient) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	ctx = context.WithoutCancel(ctx)
	return c.seam.pass("update "+object.GetName(), func() error { return c.Client.Update(ctx, object, options...) })
}

// Patch is an effect.
func (c seamClient) Patch(
	ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption,
) error {
	return c.seam.pass("patch "+object.GetName(), func() error { return c.Client.Patch(ctx, object, patch, options...) })
}

// Delete is an effect.
func (c seamClient) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	return c.seam.pass("delete "+object.GetName(), func() error { return c.Client.Delete(ctx, object, options...) })
}

// Status returns the client for writing a status.
func (c seamClient) Status() client.SubResourceWriter {
	return seamStatus{SubResourceWriter: c.Client.Status(), seam: c.seam}
}

type seamStatus struct {
	client.SubResourceWriter

	seam *Seam
}

// Update is an effect.
func (w seamStatus) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	ctx = context.WithoutCancel(ctx)
	return w.seam.pass("update status of "+object.GetName(), func() error {
		return w.SubResourceWriter.Update(ctx, object, options...)
	})
}

// errNoSeam is for write methods that the operator does not use. A method that the operator starts
// to use needs a seam first; otherwise no test would end a process at it.
var errNoSeam = errors.New("this kind of write has no seam yet")

// Apply has no seam.
func (seamClient) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	return errNoSeam
}

// DeleteAllOf has no seam.
func (seamClient) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	return errNoSeam
}

// Create has no seam.
func (seamStatus) Create(context.Context, client.Object, client.Object, ...client.SubResourceCreateOption) error {
	return errNoSeam
}

// Patch has no seam.
func (seamStatus) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return errNoSeam
}

// Apply has no seam.
func (seamStatus) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return errNoSeam
}
