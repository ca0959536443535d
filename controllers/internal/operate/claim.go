// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Claims keeps, for ever, which object ordered under a customerReference and what became
// of it: a ConfigMap of the operator's namespace for each, with no owner, never deleted,
// and "updated only with resourceVersion".
type Claims struct {
	Cluster   client.Client
	Live      client.Reader
	Namespace string
}

// errNoAttempt is a claim that names no attempt: nobody could say what it claims.
var errNoAttempt = errors.New("it names no attempt")

// Claim is a claim as it was read: it can be changed only while it is still that.
type Claim struct {
	decide.Claim

	version string // the resourceVersion of its record
}

// The keys of a claim, beside those of every record.
const (
	keyReference  = "customerReference"
	keyNamespace  = "namespace"
	keyName       = "name"
	keyUID        = "uid"
	keyResource   = "resourceVersion"
	keyRequest    = "request"
	keyOrder      = "order"
	keyAttempt    = "attemptID" // for people: what the request says too
	keyOutcome    = "outcome"
	claimLabel    = "claim"
	claimPrefix   = "broadband-order-"
	claimKindName = "ServiceOrder"
)

// claimName is a hash "of account identity and the exact bytes of customerReference".
func claimName(identity, reference string) string {
	sum := sha256.Sum256([]byte(identity + "\x00" + reference))
	return claimPrefix + hex.EncodeToString(sum[:16])
}

// Get reads a claim past the cache, or nil when there is none.
func (c *Claims) Get(ctx context.Context, identity, reference string) (*Claim, error) {
	var record corev1.ConfigMap
	key := client.ObjectKey{Namespace: c.Namespace, Name: claimName(identity, reference)}
	if err := c.Live.Get(ctx, key, &record); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil //nolint:nilnil // most references have not been used: that is no error
		}
		return nil, fmt.Errorf("look for the claim of customerReference %q: %w", reference, err)
	}
	return decodeClaim(&record)
}

// Put makes a claim, in place of the one that was read, if there was one. Who comes second
// gets a conflict, and has somebody else's claim to look at.
func (c *Claims) Put(ctx context.Context, held *Claim, claim decide.Claim) error {
	record, err := c.encode(claim)
	if err != nil {
		return err
	}
	if held == nil {
		err = c.Cluster.Create(ctx, record)
		if apierrors.IsAlreadyExists(err) {
			err = apierrors.NewConflict(corev1.Resource("configmaps"), record.Name, err)
		}
	} else {
		record.ResourceVersion = held.version
		err = c.Cluster.Update(ctx, record)
	}
	if err != nil {
		return fmt.Errorf("claim customerReference %q: %w", claim.CustomerReference, err)
	}
	return nil
}

// Record writes what became of an attempt into the claim that holds it, whoever holds the
// claim by now. An outcome is never taken back by an attempt that is still open, and a
// claim that somebody deleted is put back while the order may be with the carrier.
func (c *Claims) Record(ctx context.Context, claim decide.Claim) error {
	held, err := c.Get(ctx, claim.Identity, claim.CustomerReference)
	request := claim.Request
	switch {
	case err != nil:
		return err
	case held == nil && decide.Freed(request.Phase):
		return nil
	case held == nil:
		return c.Put(ctx, nil, claim)
	case held.Request.AttemptID != request.AttemptID || held.Request.Phase.Ended() && !request.Phase.Ended():
		return nil
	}
	next := held.Claim
	next.Request, next.Known = request, claim.Known
	return c.change(ctx, held, next)
}

// change writes a claim that is not as it was.
func (c *Claims) change(ctx context.Context, held *Claim, next decide.Claim) error {
	before, beforeErr := c.encode(held.Claim)
	after, afterErr := c.encode(next)
	if beforeErr == nil && afterErr == nil && maps.Equal(before.Data, after.Data) {
		return nil
	}
	return c.Put(ctx, held, next)
}

func (c *Claims) encode(claim decide.Claim) (*corev1.ConfigMap, error) {
	request, err := json.Marshal(claim.Request)
	if err != nil {
		return nil, fmt.Errorf("encode the attempt of customerReference %q: %w", claim.CustomerReference, err)
	}
	order, err := json.Marshal(claim.Known)
	if err != nil {
		return nil, fmt.Errorf("encode the order of customerReference %q: %w", claim.CustomerReference, err)
	}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: c.Namespace, Name: claimName(claim.Identity, claim.CustomerReference),
			Labels: map[string]string{LabelRecord: claimLabel},
		},
		Data: map[string]string{
			keyKind: claimKindName, keyIdentity: claim.Identity, keyReference: claim.CustomerReference,
			keyBaseURL: claim.BaseURL, keyNamespace: claim.Namespace, keyName: claim.Name, keyUID: claim.UID,
			keyResource: claim.ResourceVersion, keyRequest: string(request), keyOrder: string(order),
			keyAttempt: claim.Request.AttemptID, keyOutcome: string(claim.Request.Phase),
		},
	}, nil
}

func decodeClaim(record *corev1.ConfigMap) (*Claim, error) {
	data := record.Data
	claim := &Claim{version: record.ResourceVersion, Claim: decide.Claim{
		Identity: data[keyIdentity], CustomerReference: data[keyReference], BaseURL: data[keyBaseURL],
		Namespace: data[keyNamespace], Name: data[keyName], UID: data[keyUID], ResourceVersion: data[keyResource],
	}}
	if err := json.Unmarshal([]byte(data[keyRequest]), &claim.Request); err != nil {
		return nil, damaged(record, keyRequest, err)
	}
	if claim.Request.AttemptID == "" {
		return nil, damaged(record, keyRequest, errNoAttempt)
	}
	if err := json.Unmarshal([]byte(data[keyOrder]), &claim.Known); err != nil {
		return nil, damaged(record, keyOrder, err)
	}
	return claim, nil
}

// HolderLives says whether the object that holds a claim is there: "live GET, same UID".
func (c *Claims) HolderLives(ctx context.Context, claim *Claim) (bool, error) {
	var holder v1alpha1.ServiceOrder
	err := c.Live.Get(ctx, client.ObjectKey{Namespace: claim.Namespace, Name: claim.Name}, &holder)
	if err != nil {
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return false, fmt.Errorf("look for ServiceOrder %s/%s, which holds the claim: %w", claim.Namespace, claim.Name, err)
	}
	return string(holder.UID) == claim.UID, nil
}
