// SPDX-License-Identifier: Apache-2.0

// Package installation finds out what this process may do in its cluster from its marker, which is
// the RequestLedger that names the cluster, and from the admission policies that check approvals.
package installation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Marker is the RequestLedger that records to which cluster an installation's ledgers belong, as
// this process found it.
type Marker struct {
	client.Client // reads from the cache

	Live       client.Reader
	Ledgers    *requestledger.Store
	Name       string   // "": there is no marker
	Namespaces []string // the namespaces of this manager; none: all

	mu           sync.Mutex
	uid          types.UID // of the marker that this process started with; "": not read yet
	version      string    // the resourceVersion of the marker when it was last seen
	installation decide.Installation

	awaited atomic.Value // installation.Waits, for scrapes, which must not wait for a read
}

// errMarkerGone prevents the creation of ledgers.
var errMarkerGone = errors.New("the marker RequestLedger has been deleted or replaced since this manager started")

// retryMarkerAfter is the wait before the next attempt to read or create the marker.
const retryMarkerAfter = 2 * time.Second

// Start creates the marker if there is none, once this process leads. It does not wait for the first
// object, because a person has to acknowledge a marker that is created when objects exist already.
func (m *Marker) Start(ctx context.Context) error {
	looking, found := context.WithCancel(ctx)
	defer found()
	wait.UntilWithContext(looking, func(ctx context.Context) {
		if _, err := m.Installation(ctx); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot determine whether requests may be sent in this cluster: nothing is sent")
			return
		}
		found()
	}, retryMarkerAfter)
	return nil
}

// Installation returns the state of this installation according to the marker. At the first call it
// creates the marker if there is none; every pass calls it first.
func (m *Marker) Installation(ctx context.Context) (decide.Installation, error) {
	if m.Name == "" {
		return decide.Installation{}, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.firstRead(ctx); err != nil {
		return decide.Installation{}, fmt.Errorf("use RequestLedger %s: %w", m.Name, err)
	}
	if err := m.reread(ctx); err != nil {
		return decide.Installation{}, fmt.Errorf("read RequestLedger %s: %w", m.Name, err)
	}
	return m.installation, nil
}

// firstRead reads the marker once per process. It fails if the process may not update the ledgers,
// because it must not send anything then. An existing acknowledgment is handled by the next read.
func (m *Marker) firstRead(ctx context.Context) error {
	if m.uid != "" {
		return nil
	}
	var system corev1.Namespace
	if err := m.Live.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, &system); err != nil {
		return fmt.Errorf("read the namespace %s, whose UID is that of the cluster: %w", metav1.NamespaceSystem, err)
	}
	m.installation = decide.Installation{Marker: m.Name, Cluster: string(system.UID)}
	found, err := m.existing(ctx)
	if err != nil {
		return err
	}
	marker, err := m.read(ctx, m.Live)
	if err == nil && marker == nil {
		marker = m.newMarker(decide.RequiredAcknowledgement(nil, m.installation.Cluster, found))
		err = m.Ledgers.Write(ctx, marker)
		found = decide.Found{} // the marker has recorded it
	}
	if err == nil {
		err = m.Ledgers.CheckUpdate(ctx, marker)
	}
	if err != nil {
		return err
	}
	m.uid = marker.UID
	m.update(marker, found)
	if marker.Annotations[v1alpha1.AnnotationAcknowledge] != "" {
		m.version = "" // the marker is read again
	}
	return nil
}

// newMarker returns a marker to create.
func (m *Marker) newMarker(waits v1alpha1.MarkerWait) *v1alpha1.RequestLedger {
	return requestledger.New(m.Name, v1alpha1.RequestLedgerSpec{
		Cluster: m.installation.Cluster,
		Marker:  &v1alpha1.LedgerMarker{Clusters: []string{m.installation.Cluster}, Waits: waits},
	})
}

// existing returns what exists in this cluster, in the namespaces of this manager.
func (m *Marker) existing(ctx context.Context) (found decide.Found, err error) {
	namespaces := m.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	for _, namespace := range namespaces {
		for _, list := range []client.ObjectList{
			&v1alpha1.BroadbandServiceList{}, &v1alpha1.ServiceOrderList{}, &v1alpha1.DiagnosticTestList{},
		} {
			err = apiserver.Each(ctx, m, list, func(object client.Object) {
				found.Objects = true
				found.Restored = found.Restored || namesLedger(object)
			}, client.InNamespace(namespace))
			if err != nil {
				return found, fmt.Errorf("look for what was applied before: %w", err)
			}
		}
	}
	found.Clusters, err = m.clusters(ctx)
	return found, err
}

// namesLedger reports whether the status of an object names a ledger.
func namesLedger(object client.Object) bool {
	shown := *requestledger.ShownBy(object).At
	return shown != nil && requestledger.Plausible(shown.Revision) != 0
}

// clusters returns the clusters that the ledgers name.
func (m *Marker) clusters(ctx context.Context) ([]string, error) {
	var ledgers v1alpha1.RequestLedgerList
	if err := m.List(ctx, &ledgers, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("look for the clusters of the RequestLedgers: %w", err)
	}
	seen := map[string]bool{}
	var named []string
	for i := range ledgers.Items {
		spec := &ledgers.Items[i].Spec
		if spec.Marker == nil && spec.Cluster != "" && !seen[spec.Cluster] {
			seen[spec.Cluster], named = true, append(named, spec.Cluster)
		}
	}
	return named, nil
}

// reread is a later read: a person may have acknowledged the ledgers found, and another manager may
// have recorded that.
func (m *Marker) reread(ctx context.Context) error {
	marker, err := m.read(ctx, m.Client)
	if err != nil || marker == nil || marker.UID != m.uid || marker.ResourceVersion == m.version {
		return err
	}
	named, err := m.clusters(ctx)
	if err != nil {
		return err
	}
	if marker.Annotations[v1alpha1.AnnotationAcknowledge] == m.installation.Cluster {
		marker = acknowledged(marker, append(named, m.installation.Cluster))
		if err := m.Ledgers.Write(ctx, marker); err != nil {
			return err
		}
	}
	m.update(marker, decide.Found{Clusters: named})
	return nil
}

// acknowledged returns the marker with the acknowledgment applied, so that it accepts the ledgers
// of the given clusters. The annotation is removed, because otherwise it would also acknowledge the
// next restore.
func acknowledged(marker *v1alpha1.RequestLedger, clusters []string) *v1alpha1.RequestLedger {
	marker = marker.DeepCopy()
	delete(marker.Annotations, v1alpha1.AnnotationAcknowledge)
	marker.Spec.Marker.Waits = ""
	clusters = append(clusters, marker.Spec.Marker.Clusters...)
	slices.Sort(clusters)
	marker.Spec.Marker.Clusters = slices.Compact(clusters)
	return marker
}

// update takes over the state of a marker. Once a process sends requests, a ledger of another
// cluster blocks only its own subject.
func (m *Marker) update(marker *v1alpha1.RequestLedger, found decide.Found) {
	if m.version == "" || m.installation.Waits != "" {
		m.installation.Waits = decide.RequiredAcknowledgement(marker.Spec.Marker, m.installation.Cluster, found)
	}
	m.installation.Clusters, m.version = marker.Spec.Marker.Clusters, marker.ResourceVersion
	m.awaited.Store(string(m.installation.Waits))
}

// Awaited returns what a person has to acknowledge, as of the last read; "" for nothing.
func (m *Marker) Awaited() string {
	awaited, _ := m.awaited.Load().(string) //nolint:errcheck // nothing is stored before the first read
	return awaited
}

// Verify fails if no ledger may be created: the marker is missing, or is not the one that this
// process started with, so this may be another cluster, or a restored one (R5).
func (m *Marker) Verify(ctx context.Context) error {
	if m.Name == "" {
		return nil
	}
	marker, err := m.read(ctx, m.Live)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if marker == nil || marker.UID != m.uid {
		m.installation.MarkerGone = true
		return errMarkerGone
	}
	return nil
}

// Object returns the marker; nil if there is none, or none is used.
func (m *Marker) Object(ctx context.Context) (*v1alpha1.RequestLedger, error) {
	if m.Name == "" {
		return nil, nil //nolint:nilnil // a missing marker is no error
	}
	return m.read(ctx, m.Client)
}

// read reads the marker; nil when there is none.
func (m *Marker) read(ctx context.Context, from client.Reader) (*v1alpha1.RequestLedger, error) {
	var marker v1alpha1.RequestLedger
	switch err := from.Get(ctx, client.ObjectKey{Name: m.Name}, &marker); {
	case apiserver.IsGone(err, m.Name):
		return nil, nil //nolint:nilnil // a missing marker is no error
	case err != nil:
		return nil, fmt.Errorf("read the marker: %w", err)
	case marker.Spec.Marker == nil:
		return nil, requestledger.ErrDamaged
	}
	return &marker, nil
}
