// SPDX-License-Identifier: Apache-2.0

// Package store is an in-memory replacement of the API server: versioned objects in this process,
// behind controller-runtime's client, with the responses of a real kube-apiserver. A call takes
// microseconds, and every version is kept, so that a reader can be shown what a stale cache would
// show.
//
// It does not validate: its objects are written by programs. In all other respects, a test compares
// it with the real API server, write by write.
package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Store holds every version of every object.
type Store struct {
	scheme *runtime.Scheme
	now    func() time.Time
	newUID func() types.UID

	mu      sync.Mutex
	version int64 // of the newest write, over all objects, as in etcd
	objects map[key]*record
	kinds   map[schema.GroupKind][]*record // all of them by kind, ordered by namespace and name
	paths   map[path][]int                 // where a requested field is found
	indexes map[path]client.IndexerFunc    // of a cache
	log     []Change
}

// Change is the result of one write.
type Change struct {
	Version     int64
	Before, Now client.Object // nil if there was, or is, no object; must not be changed
}

// Options are the dependencies of a store.
type Options struct {
	Scheme *runtime.Scheme
	Now    func() time.Time // for creationTimestamp and deletionTimestamp
	NewUID func() types.UID
}

// New creates an empty store.
func New(options Options) *Store {
	return &Store{
		scheme: options.Scheme, now: options.Now, newUID: options.NewUID, objects: map[key]*record{},
		kinds: map[schema.GroupKind][]*record{}, paths: map[path][]int{},
		indexes: map[path]client.IndexerFunc{},
	}
}

// key identifies an object.
type key struct {
	group schema.GroupKind
	name  types.NamespacedName
}

// record is the history of one name, oldest first.
type record struct {
	name      types.NamespacedName
	revisions []revision
}

func byName(a, b *record) int {
	return cmp.Or(cmp.Compare(a.name.Namespace, b.name.Namespace), cmp.Compare(a.name.Name, b.name.Name))
}

// revision is the object that a name has from a version on; nil if it has none.
type revision struct {
	version int64
	object  client.Object
}

// at returns the object of the name at a version.
func (r *record) at(version int64) client.Object {
	if r == nil {
		return nil
	}
	for _, held := range slices.Backward(r.revisions) {
		if held.version <= version {
			return held.object
		}
	}
	return nil
}

// untouched reports whether nothing was written since the object was created.
func (r *record) untouched() bool {
	before := len(r.revisions) - 2
	return before < 0 || r.revisions[before].object == nil
}

// Version returns the version of the newest write.
func (s *Store) Version() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Since returns the changes after a version, oldest first, as a watch would send them.
func (s *Store) Since(version int64) []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, _ := slices.BinarySearchFunc(s.log, version+1, func(change Change, wanted int64) int {
		return cmp.Compare(change.Version, wanted)
	})
	return s.log[first:len(s.log):len(s.log)]
}

// Versions returns the versions at which an object was written, oldest first, including deletions.
func (s *Store) Versions(object client.Object) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err := s.keyOf(object)
	if err != nil || s.objects[at] == nil {
		return nil
	}
	versions := make([]int64, 0, len(s.objects[at].revisions))
	for _, held := range s.objects[at].revisions {
		versions = append(versions, held.version)
	}
	return versions
}

// keyOf returns the key of an object.
func (s *Store) keyOf(object client.Object) (key, error) {
	group, err := s.kindOf(object)
	return key{group.GroupKind(), client.ObjectKeyFromObject(object)}, err
}

func (s *Store) kindOf(object runtime.Object) (schema.GroupVersionKind, error) {
	group, err := apiutil.GVKForObject(object, s.scheme)
	if err != nil {
		return group, fmt.Errorf("find the kind of %T: %w", object, err)
	}
	return group, nil
}

// resource returns the name of a kind in errors.
func resource(group schema.GroupKind) schema.GroupResource {
	plural, _ := meta.UnsafeGuessKindToResource(group.WithVersion(""))
	return plural.GroupResource()
}

// newest returns the current object of a key, or nil.
func (s *Store) newest(at key) client.Object { return s.objects[at].at(s.version) }

// put stores an object as the newest of its key, under the next version.
func (s *Store) put(at key, object client.Object) {
	s.version++
	object.SetResourceVersion(strconv.FormatInt(s.version, 10))
	s.keep(at, object)
}

// drop removes the object of a key.
func (s *Store) drop(at key) {
	s.version++
	s.keep(at, nil)
}

func (s *Store) keep(at key, object client.Object) {
	held := s.objects[at]
	if held == nil {
		held = &record{name: at.name}
		s.objects[at] = held
		of := s.kinds[at.group]
		place, _ := slices.BinarySearchFunc(of, held, byName)
		s.kinds[at.group] = slices.Insert(of, place, held)
	}
	s.log = append(s.log, Change{s.version, held.at(s.version), object})
	held.revisions = append(held.revisions, revision{s.version, object})
}

// errNotSupported is for calls that the operator does not use.
var errNotSupported = errors.New("the store does not support this")
