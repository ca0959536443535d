// SPDX-License-Identifier: Apache-2.0

package store

import (
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

// reader reads the current or an earlier state of the store.
type reader struct {
	store   *Store
	asOf    func() int64
	indexed bool // lists select by the indexes of a cache
}

var _ client.Reader = reader{}

// AsOf returns a reader of the state at a version, like a cache that has seen no more.
func (s *Store) AsOf(version int64) client.Reader {
	return reader{store: s, asOf: func() int64 { return version }, indexed: true}
}

// IndexField indexes a field of a kind, for the lists of the readers that [Store.AsOf] returns.
func (s *Store) IndexField(_ context.Context, of client.Object, field string, values client.IndexerFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.indexes[path{reflect.TypeOf(of).Elem(), field}] = values
	return nil
}

// live returns a reader of the current state. The store is locked when the version is read.
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
	var found []runtime.Object
	version := r.asOf()
	for _, held := range r.store.kinds[group] {
		if wanted.Namespace != "" && held.name.Namespace != wanted.Namespace {
			continue
		}
		if object := held.at(version); object != nil && r.selects(wanted, object) {
			found = append(found, object.DeepCopyObject())
		}
	}
	return found
}

// selects reports whether the selectors of a list match an object.
func (r reader) selects(wanted *client.ListOptions, object client.Object) bool {
	if wanted.LabelSelector != nil && !wanted.LabelSelector.Matches(labels.Set(object.GetLabels())) {
		return false
	}
	if wanted.FieldSelector == nil || !r.indexed {
		return wanted.FieldSelector == nil || wanted.FieldSelector.Matches(selectable{r.store, object})
	}
	of := reflect.TypeOf(object).Elem()
	for _, required := range wanted.FieldSelector.Requirements() {
		found := r.valuesOf(object, path{of, required.Field})
		if !slices.Contains(found, required.Value) { // a cache has no other operator than equality
			return false
		}
	}
	return true
}

// valuesOf returns the values of an object in an index, or that of a field without one.
func (r reader) valuesOf(object client.Object, at path) []string {
	if index := r.store.indexes[at]; index != nil {
		return index(object)
	}
	return []string{selectable{r.store, object}.Get(at.name)}
}

// selectable are the fields of an object by their paths, as in a CRD's selectableFields. The store
// is locked.
type selectable struct {
	store  *Store
	object client.Object
}

var _ fields.Fields = selectable{}

// Has reports whether there is a value at a path.
func (s selectable) Has(path string) bool { return s.Get(path) != "" }

// Get returns the value at a path; "" if there is none.
func (s selectable) Get(name string) string {
	switch name {
	case "metadata.name":
		return s.object.GetName()
	case "metadata.namespace":
		return s.object.GetNamespace()
	}
	value := reflect.ValueOf(s.object).Elem()
	at := path{value.Type(), name}
	index, known := s.store.paths[at]
	if !known {
		index = indexOf(at)
		s.store.paths[at] = index
	}
	for _, i := range index {
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				return ""
			}
			value = value.Elem()
		}
		value = value.Field(i)
	}
	return text(value)
}

// path is a field of a type as a selector names it.
type path struct {
	of   reflect.Type
	name string
}

// indexOf returns the index path of a field.
func indexOf(at path) []int {
	var index []int
	of := at.of
	for name := range strings.SplitSeq(at.name, ".") {
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		i := member(of, name)
		index, of = append(index, i), of.Field(i).Type
	}
	return index
}

// member returns the field of a struct with this JSON name.
func member(of reflect.Type, name string) int {
	for i := range of.NumField() {
		if tag, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); tag == name {
			return i
		}
	}
	panic(fmt.Sprintf("%s has no field %s to select by", of, name))
}

// text returns a scalar as a selector writes it, "" for what JSON omits.
func text(value reflect.Value) string {
	for value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return ""
		}
		value = value.Elem()
	}
	switch {
	case value.IsZero():
		return ""
	case value.Kind() == reflect.String:
		return value.String()
	case value.CanInt():
		return strconv.FormatInt(value.Int(), 10)
	}
	return fmt.Sprint(value.Interface())
}

// show copies a stored object into one of the caller.
func show(held, into client.Object) {
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(held.DeepCopyObject()).Elem())
}
