// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// create stores a new object under its name. The fields that the server owns are set by the server.
func (s *Store) create(object client.Object) error {
	at, err := s.keyOf(object)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest(at) != nil {
		return apierrors.NewAlreadyExists(resource(at.group), at.name.Name)
	}
	created := normalized(object)
	created.SetUID(s.newUID())
	created.SetCreationTimestamp(s.clock())
	created.SetDeletionTimestamp(nil)
	created.SetDeletionGracePeriodSeconds(nil)
	if isCustom(created) {
		created.SetGeneration(1)
		resetStatus(created)
	}
	s.put(at, created)
	show(created, object)
	return nil
}

// clock returns the time as metadata holds it.
func (s *Store) clock() metav1.Time { return metav1.NewTime(s.now()).Rfc3339Copy() }

// part is what a write may change.
type part int

const (
	everything part = iota // except the status, if it is a subresource
	statusOnly
)

// update replaces the version of an object from which this one was made.
func (s *Store) update(object client.Object, of part) error {
	at, err := s.keyOf(object)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(at, object, of)
}

// write is update for a caller that has locked the store.
func (s *Store) write(at key, object client.Object, of part) error {
	if err := s.admit(at, object); err != nil {
		return err
	}
	held := s.newest(at)
	next := merged(held, object, of)
	if err := mayHold(at, held, next); err != nil {
		return err
	}
	s.replace(at, held, next)
	show(next, object)
	return nil
}

// patch applies a merge patch to the newest version. A patch that names another version is a
// conflict.
func (s *Store) patch(object client.Object, changes []byte) error {
	at, err := s.keyOf(object)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.newest(at)
	if held == nil {
		return apierrors.NewNotFound(resource(at.group), at.name.Name)
	}
	next, err := patched(held, changes)
	if err != nil {
		return err
	}
	if err := s.write(at, next, everything); err != nil {
		return err
	}
	show(next, object)
	return nil
}

// patched returns an object with the changes of a merge patch.
func patched(held client.Object, changes []byte) (client.Object, error) {
	before, err := json.Marshal(held)
	if err != nil {
		return nil, fmt.Errorf("encode the stored object: %w", err)
	}
	after, err := jsonpatch.MergePatch(before, changes)
	if err != nil {
		return nil, fmt.Errorf("apply the patch: %w", err)
	}
	next := clone(held)
	reflect.ValueOf(next).Elem().SetZero()
	if err := json.Unmarshal(after, next); err != nil {
		return nil, fmt.Errorf("decode the patched object: %w", err)
	}
	return next, nil
}

var (
	errOtherUID = errors.New("precondition failed: another UID")
	errVersion  = errors.New("the object has been modified")
)

// admit compares an object to be written with the stored one: the optimistic lock.
func (s *Store) admit(at key, object client.Object) error {
	held, version := s.newest(at), object.GetResourceVersion()
	switch {
	case held == nil:
		return apierrors.NewNotFound(resource(at.group), at.name.Name)
	case object.GetUID() != "" && held.GetUID() != object.GetUID():
		return apierrors.NewConflict(resource(at.group), at.name.Name, errOtherUID)
	case version == "" && isCustom(held):
		return invalid(at, field.Invalid(field.NewPath("metadata", "resourceVersion"), version, "must be specified"))
	case version != "" && version != held.GetResourceVersion():
		return apierrors.NewConflict(resource(at.group), at.name.Name, errVersion)
	}
	return nil
}

func invalid(at key, why *field.Error) error {
	return apierrors.NewInvalid(at.group, at.name.Name, field.ErrorList{why})
}

// merged returns the result of a write: the writable part from the caller, the rest as it was.
func merged(held, object client.Object, of part) client.Object {
	if of == statusOnly {
		next := clone(held)
		copyStatus(object, next)
		return normalized(next)
	}
	next := normalized(object)
	next.SetUID(held.GetUID())
	next.SetCreationTimestamp(held.GetCreationTimestamp())
	next.SetDeletionTimestamp(held.GetDeletionTimestamp())
	next.SetDeletionGracePeriodSeconds(held.GetDeletionGracePeriodSeconds())
	next.SetGeneration(held.GetGeneration())
	if isCustom(held) {
		copyStatus(held, next)
		if !equality.Semantic.DeepEqual(spec(held), spec(next)) {
			next.SetGeneration(held.GetGeneration() + 1)
		}
	}
	return next
}

// mayHold refuses a new finalizer of an object that is being deleted, as the API server does.
func mayHold(at key, held, next client.Object) error {
	if held.GetDeletionTimestamp() == nil {
		return nil
	}
	for _, name := range next.GetFinalizers() {
		if !slices.Contains(held.GetFinalizers(), name) {
			return invalid(at, field.Forbidden(field.NewPath("metadata", "finalizers"),
				"no new finalizer can be added while the object is being deleted: "+name))
		}
	}
	return nil
}

// replace stores the result of a write, unless nothing has changed. An object that is being deleted
// is removed with its last finalizer. The status of a new object is not stored: reads show the
// CRDs' default. The first write stores it, and so always changes something.
func (s *Store) replace(at key, held, next client.Object) {
	next.SetResourceVersion(held.GetResourceVersion())
	switch {
	case next.GetDeletionTimestamp() != nil && len(next.GetFinalizers()) == 0:
		s.drop(at)
	case hasStatus(held) && s.objects[at].untouched(), !equality.Semantic.DeepEqual(held, next):
		s.put(at, next)
	}
}

// remove deletes an object, or marks it for deletion while a finalizer holds it.
func (s *Store) remove(object client.Object, wanted *metav1.Preconditions) error {
	at, err := s.keyOf(object)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.newest(at)
	if held == nil {
		return apierrors.NewNotFound(resource(at.group), at.name.Name)
	}
	if wanted != nil && !meets(held, wanted) {
		return apierrors.NewConflict(resource(at.group), at.name.Name, errVersion)
	}
	if len(held.GetFinalizers()) == 0 {
		s.drop(at)
		return nil
	}
	if held.GetDeletionTimestamp() != nil {
		return nil
	}
	next, now := clone(held), s.clock()
	next.SetDeletionTimestamp(&now)
	next.SetDeletionGracePeriodSeconds(new(int64))
	if next.GetGeneration() > 0 {
		next.SetGeneration(next.GetGeneration() + 1)
	}
	s.put(at, next)
	return nil
}

func meets(held client.Object, wanted *metav1.Preconditions) bool {
	uid := wanted.UID == nil || *wanted.UID == held.GetUID()
	return uid && (wanted.ResourceVersion == nil || *wanted.ResourceVersion == held.GetResourceVersion())
}
