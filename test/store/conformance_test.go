// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/store"
	"github.com/broadband-operator/broadband-operator/test/world"
)

const (
	length  = 16
	writers = 64 // a list waits up to 100 ms for the API server's cache: more writers share that wait
	tenant  = "default"
)

// sequences is the number of sequences.
var sequences = world.Scale[uint64](100, 500)

// TestSameResponses makes the same sequences of calls to the store and to a real kube-apiserver,
// which must give the same responses. Versions and UIDs, which each assigns itself, are compared up
// to renaming.
func TestSameResponses(t *testing.T) {
	klog.SetLogger(ctrl.Log) // nowhere: the API server's warnings are not about us
	plane, err := world.JoinControlPlane(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Stop(); err != nil {
			t.Error(err)
		}
	})
	memory := store.New(store.Options{
		Scheme: plane.Scheme, NewUID: serial(), Now: func() time.Time { return time.Unix(0, 0) },
	}).Client()
	seeds := make(chan uint64)
	var running sync.WaitGroup
	calls := make([]int, writers)
	for i := range writers {
		running.Go(func() {
			for seed := range seeds {
				calls[i] += compare(t, seed, plane.Client, memory)
			}
		})
	}
	for seed := range sequences {
		seeds <- seed
	}
	close(seeds)
	running.Wait()
	total := 0
	for _, n := range calls {
		total += n
	}
	t.Logf("store: %d calls in %d sequences, with the responses of a real kube-apiserver", total, sequences)
}

// serial returns a generator of distinguishable UIDs.
func serial() func() types.UID {
	var mu sync.Mutex
	last := 0
	return func() types.UID {
		mu.Lock()
		defer mu.Unlock()
		last++
		return types.UID(strconv.Itoa(last))
	}
}

// compare makes one sequence of calls to the store and to the API server, and returns the number of
// calls.
func compare(t *testing.T, seed uint64, server, memory client.Client) int {
	t.Helper()
	name := fmt.Sprintf("sequence-%d", seed)
	want, got := runSequence(t.Context(), seed, name, server), runSequence(t.Context(), seed, name, memory)
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("seed %d: the store (+) responds differently from the API server (-):\n%s", seed, difference)
	}
	return len(want)
}

// result is the result of a call, and the state after it.
type result struct {
	Call     string
	Error    string // its class
	Returned state  // the object as the call returned it
	Stored   state  // as it is read afterwards
	Listed   int    // by a list
}

// state is what must be equal in an object.
type state struct {
	Present    bool
	Version    int // renamed: by the order in which it was first seen
	UID        int
	Generation int64
	Deleting   bool
	Finalizers int
	Value      string
	Observed   int64
	Labels     int
}

// sequence is one sequence of calls in progress.
type sequence struct {
	client.Client

	random   *rand.Rand
	name     string
	make     func(name string) client.Object
	versions map[string]int // in the order in which they were first seen
	uids     map[types.UID]int
	copies   []client.Object // as the caller has read them, oldest first
	results  []result
}

func runSequence(ctx context.Context, seed uint64, name string, on client.Client) []result {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a sequence must be reproducible
	kinds := []func(string) client.Object{service, service, record, ledger}
	s := &sequence{
		Client: on, random: random, name: name, make: kinds[random.IntN(len(kinds))],
		versions: map[string]int{"": 0}, uids: map[types.UID]int{"": 0},
	}
	for range length {
		s.step(ctx)
	}
	return s.results
}

func service(name string) client.Object {
	number := int64(1)
	return &v1alpha1.BroadbandService{
		ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: name},
		Spec: v1alpha1.BroadbandServiceSpec{
			AccountRef: v1alpha1.AccountReference{Name: name}, ServiceID: v1alpha1.CarrierIDOf(number),
			ManagementPolicy: "Manage", DriftPolicy: "Report",
			Observe: v1alpha1.Observe{HealthInterval: "24h", CancellationInterval: "0"},
		},
	}
}

func record(name string) client.Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: name}}
}

func ledger(name string) client.Object {
	return &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.RequestLedgerSpec{
			Schema: 1, Login: v1alpha1.CarrierLogin{BaseURL: name, ClientName: name}, Revision: 1,
		},
	}
}

// step makes one call, with a copy of the object that the caller has: the newest, an older one, or
// one that was made without reading.
func (s *sequence) step(ctx context.Context) {
	object := s.copy()
	calls := []struct {
		name string
		make func() error
	}{
		{"create", func() error { object = s.make(s.name); return s.Create(ctx, object) }},
		{"create", func() error { object = s.make(s.name); return s.Create(ctx, object) }},
		{"update", func() error { s.edit(object); return s.Update(ctx, object) }},
		{"update", func() error { s.edit(object); return s.Update(ctx, object) }},
		{"label", func() error { s.label(object); return s.Update(ctx, object) }},
		{"update by nothing", func() error { return s.Update(ctx, object) }},
		{"status", func() error { return s.status(ctx, object) }},
		{"status", func() error { return s.status(ctx, object) }},
		{"hold", func() error { return s.patch(ctx, object, controllerutil.AddFinalizer, locked()) }},
		{"hold", func() error { return s.patch(ctx, object, controllerutil.AddFinalizer, locked()) }},
		{"hold anyway", func() error { return s.patch(ctx, object, controllerutil.AddFinalizer) }},
		{"release", func() error { return s.patch(ctx, object, controllerutil.RemoveFinalizer, locked()) }},
		{"delete", func() error { return s.Delete(ctx, object) }},
		{"delete as seen", func() error { return s.Delete(ctx, object, preconditions(object)) }},
		{"read", func() error { return s.Get(ctx, client.ObjectKeyFromObject(object), object) }},
	}
	chosen := calls[s.random.IntN(len(calls))]
	err := chosen.make()
	s.results = append(s.results, result{
		Call: chosen.name, Error: class(err), Returned: s.returned(object, err), Stored: s.stored(ctx), Listed: s.listed(ctx),
	})
}

func locked() client.MergeFromOption { return client.MergeFromWithOptimisticLock{} }

func preconditions(object client.Object) client.Preconditions {
	uid, version := object.GetUID(), object.GetResourceVersion()
	if uid == "" {
		return client.Preconditions{}
	}
	return client.Preconditions{UID: &uid, ResourceVersion: &version}
}

// copy returns the object as the caller has it.
func (s *sequence) copy() client.Object {
	if len(s.copies) == 0 || s.random.IntN(8) == 0 {
		return s.make(s.name)
	}
	newest := len(s.copies) - 1
	if s.random.IntN(3) == 0 {
		newest = s.random.IntN(len(s.copies))
	}
	return copied(s.copies[newest])
}

func copied(object client.Object) client.Object {
	copied, _ := object.DeepCopyObject().(client.Object) //nolint:errcheck // the copy of an object is one
	return copied
}

// edit changes the spec.
func (s *sequence) edit(object client.Object) {
	value := strconv.Itoa(s.random.IntN(3))
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		object.Spec.Plan = &v1alpha1.Plan{Name: value, Term: 12}
	case *corev1.ConfigMap:
		object.Data = map[string]string{"value": value}
	case *v1alpha1.RequestLedger:
		object.Spec.Cluster = value
	}
}

func (s *sequence) label(object client.Object) {
	object.SetLabels(map[string]string{"example.com/label" + strconv.Itoa(s.random.IntN(3)): ""})
}

// status writes a status, and tries to change the spec with it. A kind without status is read.
func (s *sequence) status(ctx context.Context, object client.Object) error {
	written, has := object.(*v1alpha1.BroadbandService)
	if !has {
		return s.Get(ctx, client.ObjectKeyFromObject(object), object)
	}
	s.edit(object)
	written.Status.ObservedGeneration = 1 + s.random.Int64N(3)
	return s.Status().Update(ctx, object)
}

func (s *sequence) patch(
	ctx context.Context, object client.Object, change func(client.Object, string) bool, with ...client.MergeFromOption,
) error {
	before := copied(object)
	change(object, v1alpha1.Finalizer)
	return s.Patch(ctx, object, client.MergeFromWithOptions(before, with...))
}

// returned returns the object as a successful call left it. The caller keeps it.
func (s *sequence) returned(object client.Object, err error) state {
	if err != nil {
		return state{}
	}
	s.copies = append(s.copies, copied(object))
	return s.stateOf(object)
}

func (s *sequence) stored(ctx context.Context) state {
	object := s.make(s.name)
	if err := s.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
		return state{Value: class(err)}
	}
	return s.stateOf(object)
}

// listed lists objects by everything that the API server can select by.
func (s *sequence) listed(ctx context.Context) int {
	var list client.ObjectList
	var by client.MatchingFields
	of := client.InNamespace(tenant)
	switch s.make(s.name).(type) {
	case *corev1.ConfigMap:
		list, by = &corev1.ConfigMapList{}, client.MatchingFields{"metadata.name": s.name}
	case *v1alpha1.RequestLedger:
		list, by, of = &v1alpha1.RequestLedgerList{}, client.MatchingFields{"metadata.name": s.name}, ""
	default:
		list = &v1alpha1.BroadbandServiceList{}
		by = client.MatchingFields{"spec.accountRef.name": s.name, "spec.serviceID": "1"}
	}
	if err := s.List(ctx, list, of, by); err != nil {
		return -1
	}
	return meta.LenList(list)
}

func (s *sequence) stateOf(object client.Object) state {
	seen := state{
		Present: true, Version: renamed(s.versions, object.GetResourceVersion()), UID: renamed(s.uids, object.GetUID()),
		Generation: object.GetGeneration(), Deleting: object.GetDeletionTimestamp() != nil,
		Finalizers: len(object.GetFinalizers()), Labels: len(object.GetLabels()),
	}
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		seen.Observed = object.Status.ObservedGeneration
		if object.Spec.Plan != nil {
			seen.Value = object.Spec.Plan.Name
		}
	case *corev1.ConfigMap:
		seen.Value = object.Data["value"]
	case *v1alpha1.RequestLedger:
		seen.Value = object.Spec.Cluster
	}
	return seen
}

func renamed[K comparable](names map[K]int, name K) int {
	if _, known := names[name]; !known {
		names[name] = len(names)
	}
	return names[name]
}

// class returns the API server's reason for an error. Other errors are from the client library,
// which is the same on both sides.
func class(err error) string {
	if err == nil {
		return ""
	}
	if reason := apierrors.ReasonForError(err); reason != metav1.StatusReasonUnknown {
		return string(reason)
	}
	return "refused by the client"
}
