// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	// gateAfter: "less than 10 s since the intent was begun, by the larger of the monotonic and the
	// wall clock's difference" (R13).
	gateAfter = 10 * time.Second

	// gateRead: "Each has 3 s" (R12).
	gateRead = 3 * time.Second
)

// The reasons for which a gate is closed.
var (
	errDeleting = errors.New("the object is being deleted")
	errTooLate  = errors.New("more than 10 s went by between the intent and the POST")
	errChanged  = errors.New("the object was changed after this was decided")
	errRevoked  = errors.New("the approval was taken back")
	errSettled  = errors.New("the attempt has been settled since its intent was written")

	errAccountChanged  = errors.New("the CarrierAccount was changed after this was decided")
	errAccountDeleting = errors.New("the CarrierAccount is being deleted")
)

// moment is a time by both clocks. Linux stops the monotonic one while the machine is suspended,
// and people set the other one.
type moment struct {
	wall      time.Time
	monotonic time.Duration
}

func (p *Protocol) timed() moment { return moment{p.Now(), p.Elapsed()} }

// since is the time that has gone by, by the clock that shows more of it.
func (p *Protocol) since(began moment) time.Duration {
	now := p.timed()
	return max(now.monotonic-began.monotonic, now.wall.Round(0).Sub(began.wall.Round(0)))
}

// gate is step 4, and remembers to a fraction of a second when it was closed: the next attempt waits
// from then.
func (p *Protocol) gate(ctx context.Context, scope Scope, intent v1alpha1.Request, began moment) error {
	err := p.stands(ctx, scope, intent, began)
	if err != nil {
		now := p.Now()
		p.Memory.Note(scope.Subject.GetUID(), now, func(memory *decide.Memory) { memory.Gate.ClosedAt = now })
	}
	return err
}

// stands is the last look before the POST, with the finalizer before it where the status has the
// attempts: past every cache, at whatever could have taken back what was decided (R12), and at the
// time (R13).
func (p *Protocol) stands(ctx context.Context, scope Scope, intent v1alpha1.Request, began moment) error {
	if scope.Ledger == nil || scope.Marks {
		if err := p.Hold(ctx, scope.Subject); err != nil {
			return err
		}
	}
	if err := p.accountStands(ctx, scope); err != nil {
		return err
	}
	live, err := p.subjectStands(ctx, scope, intent)
	if err != nil {
		return err
	}
	if err := p.ledgerStands(ctx, scope.Ledger, live); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("this process is stopping: %w", ctx.Err())
	case p.since(began) >= gateAfter:
		return errTooLate
	}
	return nil
}

// accountStands: "the account (same UID and generation as judged, not deleting, still lists the
// service)". The list is part of its spec, and so of the generation.
func (p *Protocol) accountStands(ctx context.Context, scope Scope) error {
	var live v1alpha1.CarrierAccount
	if err := p.readAtGate(ctx, client.ObjectKeyFromObject(scope.Account), &live); err != nil {
		return err
	}
	p.Memory.Note(scope.Subject.GetUID(), p.Now(), func(memory *decide.Memory) {
		memory.Gate.Account = decide.Seen(&live, scope.Account)
	})
	switch {
	case live.UID != scope.Account.UID || live.Generation != scope.Account.Generation:
		return errAccountChanged
	case !live.DeletionTimestamp.IsZero():
		return errAccountDeleting
	}
	return nil
}

// subjectStands: "the object (same UID and generation, not deleting, AppointmentCancel apart;
// where the attempt has an approved hash the annotation still says it)", and the intent, where it
// is in its status.
func (p *Protocol) subjectStands(ctx context.Context, scope Scope, intent v1alpha1.Request) (Subject, error) {
	subject := scope.Subject
	live, is := subject.DeepCopyObject().(Subject)
	if !is {
		return nil, fmt.Errorf("%T holds no requests", subject)
	}
	if err := p.readAtGate(ctx, client.ObjectKeyFromObject(subject), live); err != nil {
		return nil, err
	}
	p.Memory.Note(subject.GetUID(), p.Now(), func(memory *decide.Memory) {
		memory.Gate.Object = decide.Seen(live, subject)
	})
	switch {
	case live.GetUID() != subject.GetUID() || live.GetGeneration() != subject.GetGeneration():
		return nil, errChanged
	case !live.GetDeletionTimestamp().IsZero() && intent.Operation != v1alpha1.OperationAppointmentCancel:
		return nil, errDeleting
	case scope.Ledger == nil:
		return live, errors.Join(wordsStand(live, intent), intentStands(live.RequestOf(intent.Operation), intent))
	}
	return live, wordsStand(live, intent)
}

// wordsStand: "where the attempt has an approved hash the annotation still says it". And what a person
// has said of the attempt by now was said too early: once its answer is lost, it would be taken for
// the truth.
func wordsStand(live Subject, intent v1alpha1.Request) error {
	switch {
	case intent.ApprovedHash != "" && live.GetAnnotations()[v1alpha1.AnnotationApprove] != intent.ApprovedHash:
		return errRevoked
	case decide.IsResolved(live, intent.AttemptID):
		return errSettled
	}
	return nil
}

// ledgerStands: "last of the ledger (the resourceVersion that the intent returned)".
func (*Protocol) ledgerStands(ctx context.Context, ledger Ledger, live Subject) error {
	if ledger == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gateRead)
	defer cancel()
	return ledger.Stands(ctx, live)
}

// intentStands: a person, or another process, may have settled what was about to be sent.
func intentStands(onRecord *v1alpha1.Request, intent v1alpha1.Request) error {
	same := onRecord != nil && onRecord.AttemptID == intent.AttemptID
	if !same || onRecord.Phase != v1alpha1.PhaseSubmitting || onRecord.Error != nil {
		return errSettled
	}
	return nil
}

func (p *Protocol) readAtGate(ctx context.Context, key client.ObjectKey, into client.Object) error {
	ctx, cancel := context.WithTimeout(ctx, gateRead)
	defer cancel()
	if err := p.Live.Get(ctx, key, into); err != nil {
		if apierrors.IsNotFound(err) {
			return fmt.Errorf("%s is gone: %w", key.Name, err)
		}
		return fmt.Errorf("read %s once more before the POST: %w", key.Name, err)
	}
	return nil
}
