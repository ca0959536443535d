// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// keysOf reads an account's keys from their Secrets, at each login anew: replacing a
// Secret is all that a rotation takes.
func (b *Book) keysOf(namespace string, refs []v1alpha1.SigningKey) func(context.Context) ([]carrier.Key, error) {
	return func(ctx context.Context) ([]carrier.Key, error) {
		keys := make([]carrier.Key, 0, len(refs))
		for _, ref := range refs {
			pem, err := b.secretKey(ctx, namespace, ref.PrivateKeySecretRef)
			if err != nil {
				return nil, err
			}
			keys = append(keys, carrier.Key{ID: ref.KeyID, PEM: pem})
		}
		return keys, nil
	}
}

func (b *Book) secretKey(ctx context.Context, namespace string, ref v1alpha1.SecretKeyReference) ([]byte, error) {
	return SecretKey(ctx, b.Secrets, namespace, ref)
}

// SecretKey reads one key of a Secret. It fails with a *decide.SecretError when there is none.
func SecretKey(
	ctx context.Context, secrets client.Reader, namespace string, ref v1alpha1.SecretKeyReference,
) ([]byte, error) {
	var secret corev1.Secret
	err := secrets.Get(ctx, types.NamespacedName{Namespace: namespace, Name: ref.Name}, &secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, &decide.SecretError{Secret: ref.Name}
	case err != nil:
		return nil, fmt.Errorf("read Secret %s: %w", ref.Name, err)
	case len(secret.Data[ref.Key]) == 0:
		return nil, &decide.SecretError{Secret: ref.Name, Key: ref.Key}
	}
	return secret.Data[ref.Key], nil
}
