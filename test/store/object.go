// SPDX-License-Identifier: Apache-2.0

package store

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// isCustom reports whether an object is of one of our kinds: those have a spec, and a generation
// that counts its changes.
func isCustom(object client.Object) bool {
	_, isLedger := object.(*v1alpha1.RequestLedger)
	return isLedger || hasStatus(object)
}

// hasStatus reports whether an object is of one of our kinds with a status subresource.
func hasStatus(object client.Object) bool {
	status := aspect(object, "Status")
	return status.IsValid() && status.FieldByName("ObservedGeneration").IsValid()
}

// spec returns what a user declares; nil if a kind has no spec.
func spec(object client.Object) any {
	declared := aspect(object, "Spec")
	if !declared.IsValid() {
		return nil
	}
	return declared.Interface()
}

// aspect returns a field of an object by its name, settable.
func aspect(object client.Object, name string) reflect.Value {
	return reflect.ValueOf(object).Elem().FieldByName(name)
}

// copyStatus copies the status of one object into another.
func copyStatus(from, into client.Object) {
	if status := aspect(clone(from), "Status"); status.IsValid() {
		aspect(into, "Status").Set(status)
	}
}

// resetStatus resets a status to that of a new object: empty except for the CRDs' defaults.
func resetStatus(object client.Object) {
	if !hasStatus(object) {
		return
	}
	status := aspect(object, "Status")
	status.SetZero()
	status.FieldByName("ObservedGeneration").SetInt(-1)
}

func clone(object client.Object) client.Object {
	copied, is := object.DeepCopyObject().(client.Object)
	if !is {
		panic("the copy of an object is an object")
	}
	return copied
}

// normalized returns a copy of an object as if it came back from JSON: times are whole seconds, and
// empty values are absent.
func normalized(object client.Object) client.Object {
	copied := clone(object)
	normalize(reflect.ValueOf(copied).Elem())
	copied.SetManagedFields(nil)
	return copied
}

func normalize(value reflect.Value) {
	if !value.CanSet() {
		return
	}
	switch value.Kind() { //nolint:exhaustive // the other kinds stay as they are
	case reflect.Struct:
		normalizeStruct(value)
	case reflect.Pointer:
		normalize(value.Elem())
	case reflect.Slice:
		normalizeSlice(value)
	case reflect.Map:
		if value.Len() == 0 {
			value.SetZero()
		}
	}
}

func normalizeStruct(value reflect.Value) {
	if moment, is := reflect.TypeAssert[*metav1.Time](value.Addr()); is {
		*moment = moment.Rfc3339Copy()
		return
	}
	for _, held := range value.Fields() {
		normalize(held)
	}
}

func normalizeSlice(value reflect.Value) {
	switch {
	case value.Len() == 0:
		value.SetZero()
	case value.Type().Elem().Kind() != reflect.Uint8:
		for i := range value.Len() {
			normalize(value.Index(i))
		}
	}
}
