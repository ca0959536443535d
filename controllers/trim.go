// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
)

// longestAnnotation is how much of an annotation's value is kept. No value that has an effect is
// longer.
const longestAnnotation = 1 << 10

// Trim removes from an object what the operator does not read, before a cache keeps it: otherwise
// anybody who may edit objects could fill the memory of the manager with labels, annotations,
// owners and finalizers. Only the status of such an object is written, and the API server ignores
// the metadata of that write; the finalizers are kept because a patch replaces their list. A
// RequestLedger is written as a whole, so it keeps everything except the managed fields.
func Trim(object any) (any, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, fmt.Errorf("trim a cached object: %w", err)
	}
	accessor.SetManagedFields(nil)
	if _, isLedger := object.(*v1alpha1.RequestLedger); !isLedger {
		accessor.SetLabels(nil)
		accessor.SetOwnerReferences(nil)
		accessor.SetAnnotations(ownAnnotations(accessor))
		accessor.SetFinalizers(operate.KeptFinalizers(accessor.GetFinalizers()))
	}
	return object, nil
}

// ownAnnotations returns the annotations of the operator; nil if there are none.
func ownAnnotations(of metav1.Object) map[string]string {
	var own map[string]string
	for name, value := range of.GetAnnotations() {
		if !strings.HasPrefix(name, v1alpha1.GroupVersion.Group+"/") {
			continue
		}
		if own == nil {
			own = map[string]string{}
		}
		own[name] = strings.Clone(value[:min(len(value), longestAnnotation)])
	}
	return own
}
