// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// gatherQualification reads the result of the qualification if the order still has to be checked
// against it, or may have to be in this pass, because a person resolves its last attempt. The
// ConfigMap belongs to the user, and is read directly from the API server, so that the operator does
// not list all ConfigMaps of a cluster.
func (o *order) gatherQualification(ctx context.Context, p *pass.Pass) error {
	ref, request := o.object.Spec.QualificationResultRef, o.object.Status.Request
	if ref == nil || request != nil && !decide.MayOrderAgain(request.Phase) && !o.isResolvedAsNotAccepted(request) {
		return nil
	}
	var result corev1.ConfigMap
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Namespace: o.object.Namespace, Name: ref.Name}, &result)
	switch {
	case apierrors.IsNotFound(err):
		o.qualificationErr = fmt.Errorf(
			"ConfigMap %s does not exist in this namespace: create it; it is read again in a minute", ref.Name)
		return nil
	case err != nil:
		return fmt.Errorf("read ConfigMap %s: %w", ref.Name, err)
	}
	text := result.BinaryData[ref.Key]
	if plain, ok := result.Data[ref.Key]; ok {
		text = []byte(plain)
	}
	if len(text) == 0 {
		o.qualificationErr = fmt.Errorf(
			"ConfigMap %s has no key %s, or the key is empty: add it; it is read again in a minute", ref.Name, ref.Key)
		return nil
	}
	qualification, err := carrier.DecodeQualification(identifierWord(p), text)
	if err != nil {
		o.qualificationErr = fmt.Errorf("key %s of ConfigMap %s is not a qualification result (%w): correct it; "+
			"it is read again in a minute", ref.Key, ref.Name, err)
		return nil
	}
	o.qualification = &qualification
	return nil
}

// isResolvedAsNotAccepted reports whether a person resolves an attempt as not accepted, so that the
// order may be sent again.
func (o *order) isResolvedAsNotAccepted(request *v1alpha1.Request) bool {
	resolved, _ := decide.ParseResolution(decide.Control(o.object, v1alpha1.AnnotationResolve))
	return resolved.AttemptID == request.AttemptID && resolved.Outcome == decide.ResolvedNotAccepted
}

// identifierWord returns the carrier's own word in identifiers, which also occurs in the document.
func identifierWord(p *pass.Pass) string {
	if p.Account.Object == nil {
		return ""
	}
	return p.Account.Object.Spec.IdentifierWord
}
