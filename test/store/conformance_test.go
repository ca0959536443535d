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

// TestSameAnswers makes the same sequences of calls to the store and to a real kube-apiserver,
// which must give the same responses. Versions and UIDs, which each assigns itself, are compared up
// to renaming.
func TestSameAnswers(t *testing.T) {
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
	t.Logf("store: %d calls in %d sequences, with the answers of a real kube-apiserver", total, sequences)
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

// compare makes one sequence of calls to both, and returns the number of calls.
func compare(t *testing.T, seed uint64, server, memory client.Client) int {
	t.Helper()
	name := fmt.Sprintf("story-%d", seed)
	want, got := tell(t.Context(), seed, name, server), tell(t.Context(), seed, name, memory)
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("seed %d: the store (+) answers otherwise than the API server (-):\n%s", seed, difference)
	}
	return len(want)
}

// answer is the result of a call, and the state after it.
type answer struct {
	Call  string
	Error string // its class
	Told  shown  // the object as the call returned it
	Held  shown  // as it is read afterwards
	Found int    // by a list
}

// shown is what must be equal in an object.
type shown struct {
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

// story is one sequence of calls in progress.
type story struct {
	client.Client

	dice     *rand.Rand
	name     string
	make     func(name string) client.Object
	versions map[string]int // in the order in which they were first seen
	uids     map[types.UID]int
	copies   []client.Object // as the caller has read them, oldest first
	answers  []answer
}

func tell(ctx context.Context, seed uint64, name string, on client.Client) []answer {
	dice := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a sequence must be reproducible
	kinds := []func(string) client.Object{service, service, record, ledger}
	s := &story{
		Client: on, dice: dice, name: name, make: kinds[dice.IntN(len(kinds))],
		versions: map[string]int{"": 0}, uids: map[types.UID]int{"": 0},
	}
	for range length {
		s.step(ctx)
	}
	return s.answers
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
		Spec:       v1alpha1.RequestLedgerSpec{Schema: 1, Identity: name, BaseURL: name, Revision: 1},
	}
}

// step makes one call, with a copy of the object that the caller has: the newest, an older one, or
// one that was made without reading.
func (s *story) step(ctx context.Context) {
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
	chosen := calls[s.dice.IntN(len(calls))]
	err := chosen.make()
	s.answers = append(s.answers, answer{
		Call: chosen.name, Error: class(err), Told: s.told(object, err), Held: s.held(ctx), Found: s.found(ctx),
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
func (s *story) copy() client.Object {
	if len(s.copies) == 0 || s.dice.IntN(8) == 0 {
		return s.make(s.name)
	}
	newest := len(s.copies) - 1
	if s.dice.IntN(3) == 0 {
		newest = s.dice.IntN(len(s.copies))
	}
	return copied(s.copies[newest])
}

func copied(object client.Object) client.Object {
	copied, _ := object.DeepCopyObject().(client.Object) //nolint:errcheck // the copy of an object is one
	return copied
}

// edit changes the spec.
func (s *story) edit(object client.Object) {
	value := strconv.Itoa(s.dice.IntN(3))
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		object.Spec.Plan = &v1alpha1.Plan{Name: value, Term: 12}
	case *corev1.ConfigMap:
		object.Data = map[string]string{"value": value}
	case *v1alpha1.RequestLedger:
		object.Spec.BaseURL = value
	}
}

func (s *story) label(object client.Object) {
	object.SetLabels(map[string]string{"example.com/label" + strconv.Itoa(s.dice.IntN(3)): ""})
}

// status writes a status, and tries to change the spec with it. A kind without status is read.
func (s *story) status(ctx context.Context, object client.Object) error {
	written, has := object.(*v1alpha1.BroadbandService)
	if !has {
		return s.Get(ctx, client.ObjectKeyFromObject(object), object)
	}
	s.edit(object)
	written.Status.ObservedGeneration = 1 + s.dice.Int64N(3)
	return s.Status().Update(ctx, object)
}

func (s *story) patch(
	ctx context.Context, object client.Object, change func(client.Object, string) bool, with ...client.MergeFromOption,
) error {
	before := copied(object)
	change(object, v1alpha1.Finalizer)
	return s.Patch(ctx, object, client.MergeFromWithOptions(before, with...))
}

// told returns the object as a successful call left it. The caller keeps it.
func (s *story) told(object client.Object, err error) shown {
	if err != nil {
		return shown{}
	}
	s.copies = append(s.copies, copied(object))
	return s.show(object)
}

func (s *story) held(ctx context.Context) shown {
	object := s.make(s.name)
	if err := s.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
		return shown{Value: class(err)}
	}
	return s.show(object)
}

// found lists by what the API server can select by.
func (s *story) found(ctx context.Context) int {
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

func (s *story) show(object client.Object) shown {
	seen := shown{
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
		seen.Value = object.Spec.BaseURL
	}
	return seen
}

func renamed[K comparable](names map[K]int, name K) int {
	if _, known := names[name]; !known {
		names[name] = len(names)
	}
	return names[name]
}

// class returns the API server's reason of an error. Other errors are from the client library,
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
