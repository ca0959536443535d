// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Orphans keeps what deleted objects knew, in ConfigMaps of the operator's namespace,
// so that a new object for the same service goes on where the old one ended.
type Orphans struct {
	Cluster   client.Client
	Live      client.Reader
	Namespace string
}

// Orphan is what a deleted object knew: its requests, and the known values that no
// read gives.
type Orphan struct {
	Kind      string
	Identity  string
	BaseURL   string
	ServiceID int64
	Object    string // namespace/name of the object that was deleted
	Requests  []v1alpha1.Request
	Carrier   *v1alpha1.CarrierState
}

// LabelRecord marks the ConfigMaps that hold records of the operator.
const LabelRecord = "wholesale.broadband/record"

// The keys of a record.
const (
	keyIdentity = "identity"
	keyBaseURL  = "baseURL"
	keyService  = "serviceID"
	keyObject   = "object"
	keyRequests = "requests"
	keyCarrier  = "carrier"
	keyKind     = "kind"
)

// orphanName is a hash, because an identity may hold what a name may not.
func orphanName(kind, identity string, serviceID int64) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + identity + "\x00" + strconv.FormatInt(serviceID, 10)))
	return "broadband-orphan-" + hex.EncodeToString(sum[:16])
}

// Put writes a record, over an older one of the same service.
func (o *Orphans) Put(ctx context.Context, orphan Orphan) error {
	record, err := o.encode(orphan)
	if err != nil {
		return err
	}
	err = o.Cluster.Create(ctx, record)
	if apierrors.IsAlreadyExists(err) {
		err = o.Cluster.Update(ctx, record)
	}
	if err != nil {
		return fmt.Errorf("keep the record of service %d: %w", orphan.ServiceID, err)
	}
	return nil
}

// Get reads the record of a service, or nil when there is none.
func (o *Orphans) Get(ctx context.Context, kind, identity string, serviceID int64) (*Orphan, error) {
	var record corev1.ConfigMap
	key := client.ObjectKey{Namespace: o.Namespace, Name: orphanName(kind, identity, serviceID)}
	if err := o.Live.Get(ctx, key, &record); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil //nolint:nilnil // most services have no record: that is no error
		}
		return nil, fmt.Errorf("look for a record of service %d: %w", serviceID, err)
	}
	return decode(&record)
}

// Drop deletes a record that a new object has adopted.
func (o *Orphans) Drop(ctx context.Context, orphan Orphan) error {
	record := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: o.Namespace, Name: orphanName(orphan.Kind, orphan.Identity, orphan.ServiceID),
	}}
	if err := client.IgnoreNotFound(o.Cluster.Delete(ctx, record)); err != nil {
		return fmt.Errorf("drop the adopted record of service %d: %w", orphan.ServiceID, err)
	}
	return nil
}

func (o *Orphans) encode(orphan Orphan) (*corev1.ConfigMap, error) {
	requests, err := json.Marshal(orphan.Requests)
	if err != nil {
		return nil, fmt.Errorf("encode the requests of service %d: %w", orphan.ServiceID, err)
	}
	carrierState, err := json.Marshal(orphan.Carrier)
	if err != nil {
		return nil, fmt.Errorf("encode the known values of service %d: %w", orphan.ServiceID, err)
	}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: o.Namespace, Name: orphanName(orphan.Kind, orphan.Identity, orphan.ServiceID),
			Labels: map[string]string{LabelRecord: "orphan"},
		},
		Data: map[string]string{
			keyKind: orphan.Kind, keyIdentity: orphan.Identity, keyBaseURL: orphan.BaseURL,
			keyService: strconv.FormatInt(orphan.ServiceID, 10), keyObject: orphan.Object,
			keyRequests: string(requests), keyCarrier: string(carrierState),
		},
	}, nil
}

func decode(record *corev1.ConfigMap) (*Orphan, error) {
	orphan := Orphan{
		Kind: record.Data[keyKind], Identity: record.Data[keyIdentity],
		BaseURL: record.Data[keyBaseURL], Object: record.Data[keyObject],
	}
	var err error
	if orphan.ServiceID, err = strconv.ParseInt(record.Data[keyService], 10, 64); err != nil {
		return nil, damaged(record, keyService, err)
	}
	if err := json.Unmarshal([]byte(record.Data[keyRequests]), &orphan.Requests); err != nil {
		return nil, damaged(record, keyRequests, err)
	}
	if err := json.Unmarshal([]byte(record.Data[keyCarrier]), &orphan.Carrier); err != nil {
		return nil, damaged(record, keyCarrier, err)
	}
	return &orphan, nil
}

func damaged(record *corev1.ConfigMap, key string, err error) error {
	return fmt.Errorf("ConfigMap %s/%s, a record of requests, cannot be read at %s: mend or delete it: %w",
		record.Namespace, record.Name, key, err)
}
