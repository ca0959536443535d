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

// Learn makes the receiver listen for an account as its spec says now, with its Secrets as
// they are now, and returns the path for its status. The error says why its notifications
// are not taken; it is that of Secret, or a [WeakSecretError]. A Secret that cannot be read
// this time leaves everything as it is.
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

// lost says whether an error is about the Secret itself, and not about reading it.
func lost(err error) bool {
	_, missing := errors.AsType[*decide.SecretError](err)
	_, weak := errors.AsType[*WeakSecretError](err)
	return missing || weak
}

// Listens says whether the receiver takes notifications for an account, and where.
func (r *Receiver) Listens(account types.NamespacedName) (path string, listens bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.endpoints[account]
	if found == nil {
		return "", false
	}
	return found.path(), r.fault == nil
}

// Forget makes the receiver deaf for an account.
func (r *Receiver) Forget(account types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close(account)
}

// close takes a endpoint away. The lock is held.
func (r *Receiver) close(account types.NamespacedName) {
	if gone := r.endpoints[account]; gone != nil {
		for _, path := range gone.paths {
			delete(r.paths, hashOf(path))
		}
		delete(r.endpoints, account)
	}
}

// open reads the Secrets of an account.
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

// install puts a endpoint in its place. The lock is held.
func (r *Receiver) install(learned *endpoint) {
	learned.inherit(r.endpoints[learned.account], r.config.Now)
	r.close(learned.account)
	r.endpoints[learned.account] = learned
	for _, path := range learned.paths {
		r.paths[hashOf(path)] = learned
	}
	r.once.Do(func() { close(r.asked) })
}

// at is the endpoint at a path.
func (r *Receiver) at(path string) *endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths[hashOf(path)]
}

func hashOf(path string) [sha256.Size]byte { return sha256.Sum256([]byte(path)) }

// accounts are those that ask for notifications. The lock is held.
func (r *Receiver) accounts() []types.NamespacedName { return slices.Collect(maps.Keys(r.endpoints)) }
