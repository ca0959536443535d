// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
)

// Empty returns an empty object of the same kind as another, to read into.
func Empty[O runtime.Object](object O) O {
	empty, _ := reflect.TypeAssert[O](reflect.New(reflect.TypeOf(object).Elem())) // of the type of object, so an O
	return empty
}
