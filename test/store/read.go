// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reader reads the store as it is, or as it was.
type reader struct {
	store *Store
	asOf  func() int64
}

var _ client.Reader = reader{}

// AsOf reads what was there at a version: what a cache shows that has seen no more.
func (s *Store) AsOf(version int64) client.Reader {
	return reader{store: s, asOf: func() int64 { return version }}
}

// live reads what is there now. The store is locked when it is asked for the version.
func (s *Store) live() reader { return reader{store: s, asOf: func() int64 { return s.version }} }

// Get reads one object.
func (r reader) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	group, err := r.store.kindOf(into)
	if err != nil {
		return err
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	held := r.store.objects[key{group.GroupKind(), name}].at(r.asOf())
	if held == nil {
		return apierrors.NewNotFound(resource(group.GroupKind()), name.Name)
	}
	show(held, into)
	return nil
}

// List reads the objects of a kind, ordered by namespace and name.
func (r reader) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	group, err := r.store.kindOf(into)
	if err != nil {
		return err
	}
	group.Kind = strings.TrimSuffix(group.Kind, "List")
	wanted := client.ListOptions{}
	wanted.ApplyOptions(options)
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	found := r.find(group.GroupKind(), &wanted)
	into.SetResourceVersion(strconv.FormatInt(r.asOf(), 10))
	if err := meta.SetList(into, found); err != nil {
		return fmt.Errorf("fill a %T: %w", into, err)
	}
	return nil
}

func (r reader) find(group schema.GroupKind, wanted *client.ListOptions) []runtime.Object {
	var found []client.Object
	for at, held := range r.store.objects {
		if at.group != group || wanted.Namespace != "" && at.name.Namespace != wanted.Namespace {
			continue
		}
		if object := held.at(r.asOf()); object != nil && selects(wanted, object) {
			found = append(found, object)
		}
	}
	slices.SortFunc(found, func(a, b client.Object) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	copies := make([]runtime.Object, len(found))
	for i, object := range found {
		copies[i] = object.DeepCopyObject()
	}
	return copies
}

// selects says whether the selectors of a list take an object.
func selects(wanted *client.ListOptions, object client.Object) bool {
	if wanted.LabelSelector != nil && !wanted.LabelSelector.Matches(labels.Set(object.GetLabels())) {
		return false
	}
	return wanted.FieldSelector == nil || wanted.FieldSelector.Matches(selectable{object})
}

// selectable are the fields of an object by their paths, as a CRD's selectableFields name
// them.
type selectable struct{ object client.Object }

var _ fields.Fields = selectable{}

// Has says whether there is a value at a path.
func (s selectable) Has(path string) bool { return s.Get(path) != "" }

// Get is the value at a path; "" when there is none.
func (s selectable) Get(path string) string {
	switch path {
	case "metadata.name":
		return s.object.GetName()
	case "metadata.namespace":
		return s.object.GetNamespace()
	}
	value := reflect.ValueOf(s.object)
	for name := range strings.SplitSeq(path, ".") {
		if value = member(value, name); !value.IsValid() {
			return ""
		}
	}
	return text(value)
}

// member is the field of a struct that JSON calls by a name.
func member(value reflect.Value, name string) reflect.Value {
	for value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for i := range value.NumField() {
		tag, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		if tag == name {
			return value.Field(i)
		}
	}
	return reflect.Value{}
}

// text is a scalar as a selector writes it. What JSON would leave out is not there.
func text(value reflect.Value) string {
	for value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return ""
		}
		value = value.Elem()
	}
	if value.IsZero() {
		return ""
	}
	return fmt.Sprint(value.Interface())
}

// show copies an object that is held into one that a caller has.
func show(held, into client.Object) {
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(held.DeepCopyObject()).Elem())
}
