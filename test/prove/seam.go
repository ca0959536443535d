// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing/iotest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/broadband-operator/broadband-operator/test/store"
)

// killed is what unwinds a process whose end has come.
type killed struct{ at Effect }

var (
	errKilled = errors.New("this process has been killed")
	errLost   = errors.New("the answer was lost")
	errDialed = errors.New("the connection was refused")
)

// port is a process's way to the world outside it. Each of its effects passes through here.
type port struct {
	scene   scene
	store   *store.Store
	carrier http.Handler
	sender  string // the id by which the process signs what it sends
	token   string // that it was granted last
	dead    bool
}

// scene is where a process is at work.
type scene interface {
	director
	sends(p *port, path string, body []byte)           // just before the carrier has a POST
	panics(how string)                                 // which nobody has planned
	cached(p *port, into runtime.Object) client.Reader // what the process's cache shows
}

// director decides what happens at each effect.
type director interface {
	begin(sort Sort, what string) (Effect, Kind)
	refuses(effect Effect, kind Kind)  // in place of it
	act(p *port, sort Sort, kind Kind) // what somebody else does just before it
	wait(p *port, sort Sort)           // while its answer is late
	check(effect Effect)               // after it
}

// effect lets a process do something, or has happen to it what the plan says.
func (p *port) effect(sort Sort, what string, do func() error) error {
	if p.dead {
		panic(killed{Effect{Sort: sort, What: what}})
	}
	effect, kind := p.scene.begin(sort, what)
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

// hears is how a process comes to know what became of an effect.
func (p *port) hears(sort Sort, kind Kind, err error) error {
	if kind.late() {
		p.scene.wait(p, sort)
	}
	if err == nil && kind.loses() {
		return refusal(kind, sort)
	}
	return err
}

// refused is the answer of the carrier in place of its own.
type refused struct{ status int }

// Error says which.
func (r refused) Error() string { return http.StatusText(r.status) }

// refusal is what a process is told in place of what it asked for.
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

// unserved is what the API server, or what stands before it, says instead of its answer.
func unserved(kind Kind) error {
	if kind == Conflict {
		return apierrors.NewConflict(schema.GroupResource{}, "", errLost)
	}
	if kind == Lost {
		return apierrors.NewTimeoutError("the request timed out", 1)
	}
	return apierrors.NewServiceUnavailable("the API server is starting")
}

// live reads past the cache, and writes.
func (p *port) live() client.WithWatch {
	return interceptor.NewClient(p.store.Client(), interceptor.Funcs{
		Get: func(
			ctx context.Context, next client.WithWatch, key client.ObjectKey, into client.Object, options ...client.GetOption,
		) (err error) {
			sort := Read
			if _, is := into.(*corev1.Secret); is {
				sort = Key
				defer func() { // a login has a goroutine of its own, where nothing catches the end of a process
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

// cluster reads from the cache, and writes.
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

// RoundTrip makes a call of the carrier, or of the identity provider, in this process.
func (p *port) RoundTrip(request *http.Request) (answer *http.Response, err error) {
	sort := Poll
	switch {
	case strings.HasSuffix(request.URL.Path, "/token"):
		sort = Token
		defer func() { // nothing above it catches the end of a process
			if recover() != nil {
				answer, err = nil, errKilled
			}
		}()
	case request.Method == http.MethodPost:
		sort = Post
	}
	body, err := bodyOf(request)
	if err != nil {
		return nil, err
	}
	err = p.effect(sort, request.Method+" "+request.URL.Path, func() error {
		if sort == Post {
			p.scene.sends(p, request.URL.Path, body)
		}
		answer, err = p.call(request, sort, body) //nolint:bodyclose // whoever called closes it: this is a transport
		return err
	})
	return told(request, answer, err)
}

// told is an answer as the process hears it. Once it is connected, bytes may have left it.
func told(request *http.Request, answer *http.Response, err error) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(request.Context())
	if !errors.Is(err, errDialed) && trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if instead, is := errors.AsType[refused](err); is {
		return &http.Response{
			StatusCode: instead.status, Header: http.Header{}, Body: http.NoBody, Request: request, ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// mostBody is more than either side of a conversation has to say.
const mostBody = 1 << 20

func bodyOf(request *http.Request) ([]byte, error) {
	if request.Body == nil {
		return nil, nil
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(io.LimitReader(request.Body, mostBody)); err != nil {
		return nil, fmt.Errorf("read what is sent: %w", err)
	}
	return body.Bytes(), nil
}

// call has the carrier answer. The production transport, which authorizes a call at the last
// moment, stands behind the seam: so the token that the process was granted last is added here.
func (p *port) call(request *http.Request, sort Sort, body []byte) (*http.Response, error) {
	heard := request.Clone(request.Context())
	heard.Body = io.NopCloser(bytes.NewReader(body))
	heard.RequestURI = request.URL.RequestURI()
	heard.Host = request.URL.Host
	if sort != Token {
		heard.Header.Set("Authorization", "Bearer "+p.token)
	}
	says := httptest.NewRecorder()
	whole := serve(p.carrier, says, heard)
	if !whole && !says.Flushed {
		return nil, errLost
	}
	if sort == Token {
		p.granted(says.Body.Bytes())
	}
	answer := says.Result()
	answer.Request = request
	if !whole {
		answer.Body = io.NopCloser(io.MultiReader(answer.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
	}
	return answer, nil
}

// serve has a call answered, and says whether the connection has lived to see the end of it.
func serve(carrier http.Handler, says http.ResponseWriter, heard *http.Request) (whole bool) {
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler { //nolint:errorlint // it is thrown, not wrapped
			panic(cause)
		}
	}()
	carrier.ServeHTTP(says, heard)
	return true
}

// granted remembers the token of an exchange.
func (p *port) granted(answer []byte) {
	var grant struct {
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal(answer, &grant) == nil {
		p.token = grant.AccessToken
	}
}
