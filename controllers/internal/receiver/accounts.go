// SPDX-License-Identifier: Apache-2.0

package receiver

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Learn makes the receiver listen for an account, with its current spec and Secrets, and returns
// the path for its status. The error says why its notifications are not accepted; it is an error of
// Config.Secret, or a [WeakSecretError]. If a Secret cannot be read this time, nothing changes.
func (r *Receiver) Learn(ctx context.Context, account *v1alpha1.CarrierAccount) (string, error) {
	key := client.ObjectKeyFromObject(account)
	if account.Spec.Events == nil {
		r.Forget(key)
		return "", nil
	}
	learned, err := r.open(ctx, account)
	if lost(err) {
		r.Forget(key)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.install(learned)
	}
	if kept := r.endpoints[key]; kept != nil {
		return kept.shown(), r.fault
	}
	return "", err
}

// lost reports whether an error is about the Secret itself, and not about reading it.
func lost(err error) bool {
	_, missing := errors.AsType[*decide.SecretError](err)
	_, weak := errors.AsType[*WeakSecretError](err)
	return missing || weak
}

// Listens reports whether the receiver accepts notifications for an account, and at which path.
func (r *Receiver) Listens(account types.NamespacedName) (path string, listens bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.endpoints[account]
	if found == nil {
		return "", false
	}
	return found.path(), r.fault == nil
}

// Forget stops listening for an account.
func (r *Receiver) Forget(account types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close(account)
}

// close removes an endpoint. The lock must be held.
func (r *Receiver) close(account types.NamespacedName) {
	if gone := r.endpoints[account]; gone != nil {
		for _, path := range gone.paths {
			delete(r.paths, hashOf(path))
		}
		delete(r.endpoints, account)
	}
}

// open builds an account's endpoint from its Secrets.
func (r *Receiver) open(ctx context.Context, account *v1alpha1.CarrierAccount) (*endpoint, error) {
	spec := account.Spec
	opened := &endpoint{
		account: client.ObjectKeyFromObject(account), uid: account.UID,
		signed: spec.Events.Signature != v1alpha1.SignatureNone,
	}
	for _, ref := range spec.Events.SecretRefs {
		secret, err := r.config.Secret(ctx, account.Namespace, ref, spec.BaseURL, spec.Auth.TokenURL)
		if err == nil {
			err = opened.add(ref, secret)
		}
		if err != nil {
			return nil, err
		}
	}
	return opened, nil
}

// install replaces the endpoint of an account. The lock must be held.
func (r *Receiver) install(learned *endpoint) {
	learned.inherit(r.endpoints[learned.account], r.config.Now)
	r.close(learned.account)
	r.endpoints[learned.account] = learned
	for _, path := range learned.paths {
		r.paths[hashOf(path)] = learned
	}
	r.once.Do(func() { close(r.asked) })
}

// at returns the endpoint at a path.
func (r *Receiver) at(path string) *endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths[hashOf(path)]
}

func hashOf(path string) [sha256.Size]byte { return sha256.Sum256([]byte(path)) }

// accounts returns the accounts with an endpoint. The lock must be held.
func (r *Receiver) accounts() []types.NamespacedName { return slices.Collect(maps.Keys(r.endpoints)) }
