// SPDX-License-Identifier: Apache-2.0

// Package requestledger reads and writes RequestLedgers: those in which the attempts of an object are
// recorded, and those of logins.
package requestledger

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Store reads and writes RequestLedgers. It only creates them, or updates the version that was
// read: a patch without a version would not notice another writer (R1).
type Store struct {
	knownLedgers

	Cluster client.Client // reads from the cache
	Live    client.Reader

	// MayCreate fails if a ledger may not be created; nil: creating is always allowed.
	MayCreate func(ctx context.Context, ledger *v1alpha1.RequestLedger) error
}

// ErrPruned means that the API server dropped fields of a ledger because its CRD does not
// know them.
var ErrPruned = errors.New(
	"the API server dropped some of its fields: upgrade the CustomResourceDefinition requestledgers")

// ErrChanged closes the gate: the ledger changed after the intent was written.
var ErrChanged = errors.New("the RequestLedger was changed after the intent was written")

// ErrDamaged means that a ledger's content does not match its name. The login and the id in the
// content are compared with the name after every read.
var ErrDamaged = errors.New("its content does not match its name")

// Get reads a ledger; nil when there is none. It bypasses the cache if the cache is older than what
// a status or this process has seen of the ledger (R32). If the live read is older too, the ledger
// is lost (R5, R6).
func (l *Store) Get(
	ctx context.Context, name string, shown int64,
) (ledger *v1alpha1.RequestLedger, lost bool, err error) {
	l.noteShown(name, Plausible(shown))
	if ledger, err = l.read(ctx, l.Cluster, name); err != nil {
		return nil, false, err
	}
	if l.isBehind(name, ledger) {
		return l.GetLive(ctx, name)
	}
	l.note(name, ledger)
	return ledger, false, nil
}

// GetFormer reads a ledger that the status of an object names although it is not the object's own, and
// reports whether it lacks something that the status or this process has seen of it. What the status
// says is not remembered: anyone who may write that status must not decide about another's ledger.
func (l *Store) GetFormer(
	ctx context.Context, name string, shown int64,
) (ledger *v1alpha1.RequestLedger, lost bool, err error) {
	isOlder := func() bool { return revisionOf(ledger) < Plausible(shown) }
	if ledger, lost, err = l.Get(ctx, name, 0); err == nil && isOlder() {
		ledger, lost, err = l.GetLive(ctx, name)
	}
	return ledger, lost || isOlder(), err
}

// GetLive reads a ledger, bypassing the cache, and reports whether it lacks something that this
// process has seen of it (R6). The ledger is nil if there is none.
func (l *Store) GetLive(ctx context.Context, name string) (ledger *v1alpha1.RequestLedger, lost bool, err error) {
	if ledger, err = l.read(ctx, l.Live, name); err != nil {
		return nil, false, err
	}
	l.note(name, ledger)
	return ledger, l.isBehind(name, ledger), nil
}

// Unchanged fails unless the ledger is still as it was last written.
func (l *Store) Unchanged(ctx context.Context, written *v1alpha1.RequestLedger) error {
	live, err := l.read(ctx, l.Live, written.Name)
	if err == nil && (live == nil || live.ResourceVersion != written.ResourceVersion) {
		err = ErrChanged
	}
	return err
}

func (*Store) read(ctx context.Context, from client.Reader, name string) (*v1alpha1.RequestLedger, error) {
	var ledger v1alpha1.RequestLedger
	if err := from.Get(ctx, client.ObjectKey{Name: name}, &ledger); err != nil {
		if apiserver.IsGone(err, name) {
			return nil, nil //nolint:nilnil // a missing ledger is no error: most orders have not been sent
		}
		return nil, fmt.Errorf("read RequestLedger %s: %w", name, err)
	}
	if decide.LedgerName(&ledger.Spec) != name {
		return nil, fmt.Errorf("read RequestLedger %s: %w", name, ErrDamaged)
	}
	return &ledger, nil
}

// ErrNewer protects the fields of a ledger that this version does not know, and would drop by
// writing it (R30).
var ErrNewer = errors.New("a newer version of the operator wrote it")

// Write creates a new ledger, or updates one under the resourceVersion that was read. If another
// writer was first, it returns a conflict, and nothing may be sent (R1). The new revision is above
// every revision seen so far.
func (l *Store) Write(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	return l.writeAs(ctx, ledger, max(ledger.Spec.Revision, l.of(ledger.Name).revision)+1)
}

// Amend updates a ledger that has lost something that this process has seen of it. It keeps the
// revision, so that the next reader still detects that the ledger is behind (R6).
func (l *Store) Amend(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	return l.writeAs(ctx, ledger, ledger.Spec.Revision)
}

// CheckUpdate fails if this process may not update a ledger. A user who may create ledgers, but not
// update them, could send a request and not record the response.
func (l *Store) CheckUpdate(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	trial := ledger.DeepCopy()
	trial.Spec.Revision++
	if err := l.Cluster.Update(ctx, trial, client.DryRunAll); err != nil {
		return fmt.Errorf("check that RequestLedger %s can be updated: %w", ledger.Name, err)
	}
	return nil
}

func (l *Store) writeAs(ctx context.Context, ledger *v1alpha1.RequestLedger, revision int64) error {
	if ledger.Spec.Schema > v1alpha1.LedgerSchema {
		return fmt.Errorf("write RequestLedger %s: %w", ledger.Name, ErrNewer)
	}
	ledger.Spec.Revision = revision
	l.change(ledger.Name, func(seen *ledgerState) { seen.written = revision })
	wanted := ledger.Spec.DeepCopy()
	if err := l.put(ctx, ledger); err != nil {
		return fmt.Errorf("write RequestLedger %s: %w", ledger.Name, unknownTo(err))
	}
	l.note(ledger.Name, ledger)
	if !equality.Semantic.DeepEqual(ledger.Spec, *wanted) {
		return fmt.Errorf("write RequestLedger %s: %w", ledger.Name, ErrPruned)
	}
	return nil
}

func (l *Store) put(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	if ledger.ResourceVersion != "" {
		return l.Cluster.Update(ctx, ledger, apiserver.StrictFields)
	}
	if l.MayCreate != nil && ledger.Spec.Marker == nil {
		if err := l.MayCreate(ctx, ledger); err != nil {
			return err
		}
	}
	err := l.Cluster.Create(ctx, ledger, apiserver.StrictFields)
	if apierrors.IsAlreadyExists(err) {
		return conflict(ledger.Name, apiserver.ErrNotNewest)
	}
	return err
}

// unknownTo returns ErrPruned if the API server refused fields that it would have dropped.
func unknownTo(err error) error {
	if apiserver.DropsFields(err) {
		return fmt.Errorf("%w: %w", ErrPruned, err)
	}
	return err
}

// The reasons why a write of a ledger conflicts with a newer state.
var (
	errContinues = errors.New("the login continues another one, under which its requests are recorded")
	errBehind    = errors.New("it is older than a version seen before")
)

func conflict(name string, why error) error { return apiserver.Conflict("requestledgers", name, why) }
