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

// killed is the panic value that ends a process.
type killed struct{ at Effect }

var (
	errKilled = errors.New("this process has been killed")
	errLost   = errors.New("the answer was lost")
	errDialed = errors.New("the connection was refused")
)

// port is a process's connection to the world outside. All its effects pass through here.
type port struct {
	scene   scene
	store   *store.Store
	carrier http.Handler
	marker  string        // the one it looks for; "": none
	sender  string        // the id that identifies the process as the sender
	token   string        // the newest one
	asleep  time.Duration // what its monotonic clock has not counted, because the machine was suspended
	ahead   time.Duration // how far its clock is ahead of the carrier's
	dead    bool
	asked   map[string]time.Time // when it last polled a request, by Location
	newest  map[string]int       // the number of the newest effect of a name
}

// note remembers the newest effect of each name.
func (p *port) note(effect Effect) {
	if p.newest == nil {
		p.newest = map[string]int{}
	}
	p.newest[effect.What] = effect.Number
}

// clock returns the time as the process sees it.
func (p *port) clock() time.Time { return now().Add(p.ahead) }

// scene is the environment of a process.
type scene interface {
	director
	sends(p *port, path string, body []byte)           // immediately before the carrier gets a POST
	panics(how string)                                 // an unplanned panic
	hurries(how string)                                // sooner than the carrier or the account allows
	cached(p *port, into runtime.Object) client.Reader // what the process's cache shows
}

// director decides what happens at each effect.
type director interface {
	begin(sort Sort, what string) (Effect, Kind)
	refuses(effect Effect, kind Kind)  // instead of the effect
	act(p *port, sort Sort, kind Kind) // what another actor does immediately before it
	wait(p *port, sort Sort)           // while its response is late
	check(effect Effect)               // after it
}

// effect carries out an effect of a process, or the fault of the plan.
func (p *port) effect(sort Sort, what string, do func() error) error {
	if p.dead {
		panic(killed{Effect{Sort: sort, What: what}})
	}
	effect, kind := p.scene.begin(sort, what)
	p.note(effect)
	if kind.refuses() {
		p.scene.refuses(effect, kind)
		return refusal(kind, sort)
	}
	if kind != nothing {
		p.scene.act(p, sort, kind)
	}
	if p.dead = p.dead || kind == CrashBefore; p.dead {
		panic(killed{effect})
	}
	err := do()
	p.scene.check(effect)
	if kind == CrashAfter {
		p.dead = true
		panic(killed{effect})
	}
	return p.hears(sort, kind, err)
}

// hears returns what a process learns about the result of an effect.
func (p *port) hears(sort Sort, kind Kind, err error) error {
	if kind.late() {
		p.scene.wait(p, sort)
	}
	if err == nil && kind.loses() {
		return refusal(kind, sort)
	}
	return err
}

// refused is an error with the HTTP status of a response that is not the carrier's own.
type refused struct{ status int }

// Error returns the text of the status.
func (r refused) Error() string { return http.StatusText(r.status) }

// refusal returns the error that a process gets instead of a result.
func refusal(kind Kind, sort Sort) error {
	if sort == Write || sort == Read || sort == Key {
		return unserved(kind)
	}
	if status := kind.status(); status != 0 {
		return refused{status}
	}
	if kind == Lost || kind == LostLate {
		return errLost
	}
	return errDialed
}

// unserved returns the error of the API server, or of a proxy in front of it.
func unserved(kind Kind) error {
	if kind == Conflict {
		return apierrors.NewConflict(schema.GroupResource{}, "", errLost)
	}
	if kind == Lost {
		return apierrors.NewTimeoutError("the request timed out", 1)
	}
	return apierrors.NewServiceUnavailable("the API server is starting")
}

// live returns a client that reads past the cache, and writes.
func (p *port) live() client.WithWatch {
	return interceptor.NewClient(p.store.Client(), interceptor.Funcs{
		Get: func(
			ctx context.Context, next client.WithWatch, key client.ObjectKey, into client.Object, options ...client.GetOption,
		) (err error) {
			sort := Read
			if _, is := into.(*corev1.Secret); is {
				sort = Key
				defer func() { // a login has a goroutine of its own, which must recover the end of a process
					if recover() != nil {
						err = errKilled
					}
				}()
			}
			return p.effect(sort, "read "+key.Name, func() error { return next.Get(ctx, key, into, options...) })
		},
		List: func(ctx context.Context, next client.WithWatch, into client.ObjectList, options ...client.ListOption) error {
			return p.effect(Read, fmt.Sprintf("list %T", into), func() error { return next.List(ctx, into, options...) })
		},
	})
}

// cluster returns a client that reads from the cache, and writes.
func (p *port) cluster() client.WithWatch {
	return interceptor.NewClient(p.store.Client(), interceptor.Funcs{
		Get: func(
			ctx context.Context, _ client.WithWatch, key client.ObjectKey, into client.Object, options ...client.GetOption,
		) error {
			return p.scene.cached(p, into).Get(ctx, key, into, options...)
		},
		List: func(ctx context.Context, _ client.WithWatch, into client.ObjectList, options ...client.ListOption) error {
			return p.scene.cached(p, into).List(ctx, into, options...)
		},
		Create: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.CreateOption) error {
			return p.write("create", object, func() error { return next.Create(ctx, object, options...) })
		},
		Update: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.UpdateOption) error {
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
