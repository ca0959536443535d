// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// keysOf returns a function that reads an account's keys from their Secrets. It is called at each
// login, so replacing a Secret is all that a rotation takes.
func keysOf(secrets client.Reader, account *v1alpha1.CarrierAccount) func(context.Context) ([]carrier.Key, error) {
	namespace, spec := account.Namespace, account.Spec
	return func(ctx context.Context) ([]carrier.Key, error) {
		keys := make([]carrier.Key, 0, len(spec.Auth.Keys))
		use := useOf(&spec)
		for _, ref := range spec.Auth.Keys {
			pem, err := SecretKey(ctx, secrets, namespace, ref.PrivateKeySecretRef, use)
			if err != nil {
				return nil, err
			}
			keys = append(keys, carrier.Key{ID: ref.KeyID, PEM: pem})
		}
		return keys, nil
	}
}

// Use says what a Secret is used for. The Secret, or proof of possessing it, is sent to these
// addresses.
type Use struct {
	Addresses []string
	Listed    bool // whether it needs its annotation; otherwise, a Secret without one may be used with any host
}

// useOf returns what an account uses its keys for. If the account sets an audience, the server of
// that audience would accept the assertion, wherever it was sent. So the owner of the key must have
// listed the host of the audience as well as those of the account's URLs.
func useOf(spec *v1alpha1.CarrierAccountSpec) Use {
	keys := Use{Addresses: []string{spec.BaseURL, spec.Auth.TokenURL}}
	if spec.Auth.Audience != "" {
		keys.Addresses, keys.Listed = append(keys.Addresses, spec.Auth.Audience), true
	}
	return keys
}

// SecretKey reads one key of a Secret for a use. It fails with a *decide.SecretError if there is none.
func SecretKey(
	ctx context.Context, secrets client.Reader, namespace string, ref v1alpha1.SecretKeyReference, needed Use,
) ([]byte, error) {
	secret, err := ReadSecret(ctx, secrets, types.NamespacedName{Namespace: namespace, Name: ref.Name}, needed)
	if err != nil {
		return nil, err
	}
	if len(secret.Data[ref.Key]) == 0 {
		return nil, &decide.SecretError{Secret: ref.Name, Key: ref.Key}
	}
	return secret.Data[ref.Key], nil
}

// ReadSecret reads a Secret for a use. A Secret whose annotation does not list all of its hosts counts
// as missing. Otherwise, anyone allowed to write an account could send a key, or proof of possessing
// it, to a host of their choice.
func ReadSecret(
	ctx context.Context, secrets client.Reader, name types.NamespacedName, needed Use,
) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := secrets.Get(ctx, name, secret)
	switch {
	case apierrors.IsNotFound(err), err == nil && !allows(secret, needed):
		return nil, &decide.SecretError{Secret: name.Name, Hosts: hostsOf(needed.Addresses), Listed: needed.Listed}
	case err != nil:
		return nil, fmt.Errorf("read Secret %s: %w", name.Name, err)
	}
	return secret, nil
}

// allows reports whether a Secret may be used with the hosts of all the addresses.
func allows(secret *corev1.Secret, needed Use) bool {
	hosts, limited := secret.Annotations[v1alpha1.AnnotationAllowedHosts]
	if !limited {
		return !needed.Listed
	}
	foreign := func(address string) bool { return !carrier.HostListed(hosts, address) }
	return !slices.ContainsFunc(needed.Addresses, foreign)
}

func hostsOf(addresses []string) []string {
	var hosts []string
	for _, address := range addresses {
		if host := carrier.HostOf(address); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}
