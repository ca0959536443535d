// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/broadband-operator/broadband-operator/test/store"
)

// processEnded is the panic value that ends a process.
type processEnded struct{ at Effect }

var (
	errProcessEnded      = errors.New("this process has been killed")
	errResponseLost      = errors.New("the response was lost")
	errConnectionRefused = errors.New("the connection was refused")
)

// port is a process's connection to the world outside. All its effects pass through here.
type port struct {
	env      environment
	store    *store.Store
	carrier  http.Handler
	marker   string        // the one that the operator looks for; "": none
	sender   string        // the id that identifies the process as the sender
	token    string        // the newest one
	asleep   time.Duration // what its monotonic clock has not counted, because the machine was suspended
	ahead    time.Duration // how far its clock is ahead of the carrier's
	dead     bool
	doubles  bool                 // a gateway sends the present POST twice
	lastPoll map[string]time.Time // when it last polled a request, by Location
	newest   map[string]int       // the number of the newest effect of a name
	reads    map[string]int       // how often the present pass has sent a GET to the carrier, by name
}

// note remembers the newest effect of each name.
func (p *port) note(effect Effect) {
	if p.newest == nil {
		p.newest, p.reads = map[string]int{}, map[string]int{}
	}
	p.newest[effect.What] = effect.Number
	if effect.Op == Poll {
		p.reads[effect.What]++
	}
}

// maxReads is how often one pass may send the same GET: as a reading, as a poll, and once more after
// each of them.
const maxReads = 4

// beginPass begins to count the GETs of a pass.
func (p *port) beginPass() { clear(p.reads) }

// readsAgain describes a GET that the present pass has sent again and again; "" if there is none.
func (p *port) readsAgain() string {
	for what, times := range p.reads {
		if times > maxReads {
			return fmt.Sprintf("one pass sent %s %d times", what, times)
		}
	}
	return ""
}

// clock returns the time as the process sees it.
func (p *port) clock() time.Time { return now().Add(p.ahead) }

// environment is the environment of a process.
type environment interface {
	injector
	posting(p *port, path string, body []byte)         // immediately before the carrier gets a POST
	reportPanic(how string)                            // an unplanned panic
	reportEarlyPoll(how string)                        // sooner than the carrier or the account allows
	cached(p *port, into runtime.Object) client.Reader // what the process's cache shows
}

// injector decides what happens at each effect.
type injector interface {
	begin(sort Op, what string) (Effect, FaultKind)
	responseReplaced(effect Effect, kind FaultKind) // instead of the effect
	act(p *port, sort Op, kind FaultKind)           // what another actor does immediately before it
	delayResponse(p *port, sort Op)                 // while its response is late
	check(effect Effect)                            // after it
}

// effect carries out an effect of a process, or the fault of the plan.
func (p *port) effect(op Op, what string, do func() error) error {
	if p.dead {
		panic(processEnded{Effect{Op: op, What: what}})
	}
	effect, kind := p.env.begin(op, what)
	p.note(effect)
	if kind.replacesEffect() {
		p.env.responseReplaced(effect, kind)
		return injectedError(kind, op)
	}
	if kind != noFault {
		p.env.act(p, op, kind)
	}
	p.doubles = kind == Doubled
	if p.dead = p.dead || kind == CrashBefore; p.dead {
		panic(processEnded{effect})
	}
	err := do()
	p.env.check(effect)
	if kind == CrashAfter {
		p.dead = true
		panic(processEnded{effect})
	}
	return p.result(op, kind, err)
}

// result returns what a process learns about the result of an effect.
func (p *port) result(op Op, kind FaultKind, err error) error {
	if kind.isLate() {
		p.env.delayResponse(p, op)
	}
	if err == nil && kind.losesResponse() {
		return injectedError(kind, op)
	}
	return err
}

// statusError is an error with the HTTP status and the body of a response that is not the
// simulator's.
type statusError struct {
	status int
	body   string
}

// Error returns the text of the status.
func (r statusError) Error() string { return http.StatusText(r.status) }

// injectedError returns the error that a process gets instead of a result.
func injectedError(kind FaultKind, op Op) error {
	if op == Write || op == Read || op == Key {
		return apiServerError(kind)
	}
	if status := kind.status(); status != 0 {
		return statusError{status, kind.body()}
	}
	if kind == Lost || kind == LostLate {
		return errResponseLost
	}
	return errConnectionRefused
}

// apiServerError returns the error of the API server, or of a proxy in front of it.
func apiServerError(kind FaultKind) error {
	if kind == Conflict {
		return apierrors.NewConflict(schema.GroupResource{}, "", errResponseLost)
	}
	if kind == Lost {
		return apierrors.NewTimeoutError("the request timed out", 1)
	}
	return apierrors.NewServiceUnavailable("the API server is starting")
}

// live returns a client whose reads bypass the cache.
func (p *port) live() client.WithWatch {
	return interceptor.NewClient(p.store.Client(), interceptor.Funcs{
		Get: func(
			ctx context.Context, next client.WithWatch, key client.ObjectKey, into client.Object, options ...client.GetOption,
		) (err error) {
			op := Read
			if _, is := into.(*corev1.Secret); is {
				op = Key
				defer func() { // a login has a goroutine of its own, which must recover the end of a process
					if recover() != nil {
						err = errProcessEnded
					}
				}()
			}
			return p.effect(op, "read "+key.Name, func() error { return next.Get(ctx, key, into, options...) })
		},
		List: func(ctx context.Context, next client.WithWatch, into client.ObjectList, options ...client.ListOption) error {
			return p.effect(Read, fmt.Sprintf("list %T", into), func() error { return next.List(ctx, into, options...) })
		},
	})
}

// cluster returns a client that reads from the cache and writes to the store.
func (p *port) cluster() client.WithWatch {
	return interceptor.NewClient(p.store.Client(), interceptor.Funcs{
		Get: func(
			ctx context.Context, _ client.WithWatch, key client.ObjectKey, into client.Object, options ...client.GetOption,
		) error {
			return p.env.cached(p, into).Get(ctx, key, into, options...)
		},
		List: func(ctx context.Context, _ client.WithWatch, into client.ObjectList, options ...client.ListOption) error {
			return p.env.cached(p, into).List(ctx, into, options...)
		},
		Create: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.CreateOption) error {
			return p.write("create", object, func() error { return next.Create(ctx, object, options...) })
		},
		Update: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			if isDryRun(options) {
				return p.effect(Read, "try to update "+object.GetName(), func() error {
					return next.Update(ctx, object, options...)
				})
			}
			return p.write("update", object, func() error { return next.Update(ctx, object, options...) })
		},
		Delete: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			return p.write("delete", object, func() error { return next.Delete(ctx, object, options...) })
		},
		Patch: func(
			ctx context.Context, next client.WithWatch,
			object client.Object, patch client.Patch, options ...client.PatchOption,
		) error {
			return p.write("patch", object, func() error { return next.Patch(ctx, object, patch, options...) })
		},
		SubResourceUpdate: func(
			ctx context.Context, next client.Client,
			part string, object client.Object, options ...client.SubResourceUpdateOption,
		) error {
			return p.write("update "+part, object, func() error {
				return next.SubResource(part).Update(ctx, object, options...)
			})
		},
	})
}

func (p *port) write(how string, object client.Object, do func() error) error {
	return p.effect(Write, fmt.Sprintf("%s %T %s", how, object, object.GetName()), do)
}
