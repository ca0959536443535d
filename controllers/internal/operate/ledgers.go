// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Ledgers reads and writes RequestLedgers: "Written only by create and by update with
// resourceVersion".
type Ledgers struct {
	Cluster client.Client // reads from the cache
	Live    client.Reader

	// MayCreate fails where no ledger may be created; nil: it always may.
	MayCreate func(ctx context.Context) error

	mu     sync.Mutex
	seen   map[string]sight // by name: the newest that this process has seen
	writes map[string]int64 // by name: the revision that it has written last, or is about to

	unlisted map[string]time.Time // by name: since when one is not there
}

// ErrLedgerPruned is what the API server did to a ledger by a CRD that does not know all of its
// fields.
var ErrLedgerPruned = errors.New(
	"the API server has not kept all of it: upgrade the CustomResourceDefinition requestledgers")

// ErrLedgerChanged closes the gate.
var ErrLedgerChanged = errors.New("the RequestLedger was changed after the intent was written")

// ErrLedgerDamaged is a ledger under the name of another: "identity and id inside are compared
// after every read".
var ErrLedgerDamaged = errors.New("it is about something else than its name says")

// LedgerName is the name of the ledger of what a spec is about: "at least 128 bits of a hash of the
// JSON array [kind, identity, exact id]". "" where it is about nothing.
func LedgerName(spec *v1alpha1.RequestLedgerSpec) string {
	switch {
	case spec.Order != nil:
		return nameOf("order", spec.Identity, spec.Order.CustomerReference)
	case spec.Service != nil && spec.Service.ID != "":
		return nameOf("service", spec.Identity, string(spec.Service.ID))
	case spec.Diagnostics != nil && spec.Diagnostics.ID != "":
		return nameOf("diagnostics", spec.Identity, string(spec.Diagnostics.ID))
	case spec.Account != nil:
		return nameOf("identity", spec.Identity, "")
	}
	return ""
}

func nameOf(kind, identity, id string) string {
	text, err := json.Marshal([]string{kind, identity, id})
	if err != nil {
		panic("operate: strings always marshal: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return kind + "-" + hex.EncodeToString(sum[:16])
}

// Get reads a ledger; nil when there is none. It is read past the cache where the cache does not
// show what a status or this process has seen of it (R32); what is not there either is lost (R5,
// R6).
func (l *Ledgers) Get(
	ctx context.Context, name string, shown int64,
) (ledger *v1alpha1.RequestLedger, lost bool, err error) {
	l.noteShown(name, Plausible(shown))
	if ledger, err = l.read(ctx, l.Cluster, name); err != nil {
		return nil, false, err
	}
	if l.isBehind(name, ledger) {
		return l.Latest(ctx, name)
	}
	l.note(name, ledger)
	return ledger, false, nil
}

// Newest reads a ledger past the cache; nil when there is none.
func (l *Ledgers) Newest(ctx context.Context, name string) (*v1alpha1.RequestLedger, error) {
	return l.read(ctx, l.Live, name)
}

// Latest reads a ledger past the cache, nil when there is none, and says whether it has lost what this
// process has seen of it (R6).
func (l *Ledgers) Latest(ctx context.Context, name string) (ledger *v1alpha1.RequestLedger, lost bool, err error) {
	if ledger, err = l.Newest(ctx, name); err != nil {
		return nil, false, err
	}
	l.note(name, ledger)
	return ledger, l.isBehind(name, ledger), nil
}

// Unchanged fails unless a ledger is on record as it was written last.
func (l *Ledgers) Unchanged(ctx context.Context, written *v1alpha1.RequestLedger) error {
	live, err := l.Newest(ctx, written.Name)
	if err == nil && (live == nil || live.ResourceVersion != written.ResourceVersion) {
		err = ErrLedgerChanged
	}
	return err
}

// Plausible is a revision that a ledger may have come to: "A revision above 2^53 is ignored".
func Plausible(revision int64) int64 {
	if revision > 1<<53 {
		return 0
	}
	return revision
}

func revisionOf(ledger *v1alpha1.RequestLedger) int64 {
	if ledger == nil {
		return 0
	}
	return ledger.Spec.Revision
}

func (*Ledgers) read(ctx context.Context, from client.Reader, name string) (*v1alpha1.RequestLedger, error) {
	var ledger v1alpha1.RequestLedger
	if err := from.Get(ctx, client.ObjectKey{Name: name}, &ledger); err != nil {
		if IsGone(err, name) {
			return nil, nil //nolint:nilnil // most orders have not been sent: that is no error
		}
		return nil, fmt.Errorf("read RequestLedger %s: %w", name, err)
	}
	if LedgerName(&ledger.Spec) != name {
		return nil, fmt.Errorf("read RequestLedger %s: %w", name, ErrLedgerDamaged)
	}
	return &ledger, nil
}

// ErrLedgerNewer keeps what this version does not know of a ledger: "a newer schema is not written"
// (R30).
var ErrLedgerNewer = errors.New("a newer version of the operator wrote it")

// Write creates a ledger that is new, or updates one under the resourceVersion that was read:
// "Conflict or AlreadyExists: no POST, judge anew" (R1). Its revision will be above every one that
// was seen.
func (l *Ledgers) Write(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	return l.writeAs(ctx, ledger, max(ledger.Spec.Revision, l.highest(ledger.Name))+1)
}

// Amend updates a ledger that has lost what this process has seen of it, and keeps its revision:
// whoever reads it next is still to find that it is behind (R6).
func (l *Ledgers) Amend(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	return l.writeAs(ctx, ledger, ledger.Spec.Revision)
}

func (l *Ledgers) writeAs(ctx context.Context, ledger *v1alpha1.RequestLedger, revision int64) error {
	if ledger.Spec.Schema > v1alpha1.LedgerSchema {
		return fmt.Errorf("write RequestLedger %s: %w", ledger.Name, ErrLedgerNewer)
	}
	ledger.Spec.Revision = revision
	l.announce(ledger.Name, revision)
	wanted := ledger.Spec.DeepCopy()
	if err := l.put(ctx, ledger); err != nil {
		return fmt.Errorf("write RequestLedger %s: %w", ledger.Name, unknownTo(err))
	}
	l.note(ledger.Name, ledger)
	if !equality.Semantic.DeepEqual(ledger.Spec, *wanted) {
		return fmt.Errorf("write RequestLedger %s: %w", ledger.Name, ErrLedgerPruned)
	}
	return nil
}

func (l *Ledgers) put(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	const strict = client.FieldValidation(metav1.FieldValidationStrict)
	if ledger.ResourceVersion != "" {
		return l.Cluster.Update(ctx, ledger, strict)
	}
	if l.MayCreate != nil && ledger.Spec.Marker == nil {
		if err := l.MayCreate(ctx); err != nil {
			return err
		}
	}
	err := l.Cluster.Create(ctx, ledger, strict)
	if apierrors.IsAlreadyExists(err) {
		return changedSince(ledger.Name)
	}
	return err
}

// unknownTo: asked to be strict, the API server refuses what it would have pruned.
func unknownTo(err error) error {
	if apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "strict decoding error") {
		return fmt.Errorf("%w: %w", ErrLedgerPruned, err)
	}
	return err
}

// changedSince is the conflict of a ledger that is not as it was judged.
func changedSince(name string) error { return conflictOf(name, errNotNewest) }

var errBehind = errors.New("it is older than what was seen of it")

// Behind is the conflict of a ledger that has gone back while this process runs.
func Behind(name string) error { return conflictOf(name, errBehind) }

func conflictOf(name string, why error) error {
	group := schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "requestledgers"}
	return apierrors.NewConflict(group, name, why) //nolint:wrapcheck // it is made here
}

// IsNews says whether that revision of a ledger is another process's, and this one has not seen it. A
// watch may show what this one has written before it has the answer to its own write.
func (l *Ledgers) IsNews(name string, revision int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return revision > max(l.seen[name].revision, l.writes[name])
}

func (l *Ledgers) announce(name string, revision int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writes == nil {
		l.writes = map[string]int64{}
	}
	l.writes[name] = revision
}

func (l *Ledgers) highest(name string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen[name].revision
}
