// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// gatherQualification reads the result of the qualification while the order is to be checked
// against it. The ConfigMap belongs to the user, and is read past the cache, so that the operator
// does not list all ConfigMaps of a cluster.
func (p *orderPass) gatherQualification(ctx context.Context) error {
	ref, request := p.order.Spec.QualificationResultRef, p.order.Status.Request
	if ref == nil || request != nil && !decide.Freed(request.Phase) {
		return nil
	}
	var result corev1.ConfigMap
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Namespace: p.order.Namespace, Name: ref.Name}, &result)
	switch {
	case apierrors.IsNotFound(err):
		p.qualificationErr = fmt.Errorf(
			"ConfigMap %s does not exist in this namespace: create it, it is read again in a minute", ref.Name)
		return nil
	case err != nil:
		return fmt.Errorf("read ConfigMap %s: %w", ref.Name, err)
	}
	text := result.BinaryData[ref.Key]
	if held, found := result.Data[ref.Key]; found {
		text = []byte(held)
	}
	if len(text) == 0 {
		p.qualificationErr = fmt.Errorf("ConfigMap %s has no key %s, or it is empty: add it, it is read again in a minute",
			ref.Name, ref.Key)
		return nil
	}
	qualification, err := carrier.DecodeQualification(text)
	if err != nil {
		p.qualificationErr = fmt.Errorf("key %s of ConfigMap %s is no qualification result (%w): correct it, "+
			"it is read again in a minute", ref.Key, ref.Name, err)
		return nil
	}
	p.qualification = &qualification
	return nil
}
