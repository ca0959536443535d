// SPDX-License-Identifier: Apache-2.0

package installation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=validatingadmissionpolicies;validatingadmissionpolicybindings,resourceNames=broadband-operator-annotations;broadband-operator-approval;broadband-operator-ledger-crd;broadband-operator-ledgers;broadband-operator-retry,verbs=get

// Policies is what this process knows about the admission policies of the installation.
type Policies struct {
	client.Client // reads from the cache

	Live   client.Reader
	Events operate.Recorder
	Marker *Marker
	Now    func() time.Time
	Wanted []admission.Policy // as this version ships them; none: something else checks approvals

	mu     sync.Mutex
	found  map[string]string // by name of the policy: its flaw; "" if it is in force
	known  decide.Policies
	seenAt time.Time     // when all of them were read last; zero: never
	wakes  []chan wakeUp // wake the controllers whose objects wait for the policies

	missing atomic.Bool // whether something is wrong with them, for scrapes, which must not wait for a read
}

// Reasons of the Events about the policies.
const (
	eventPolicyMissing  = "PolicyMissing"
	eventPolicyRestored = "PolicyRestored"
)

// Errors of the last check before a POST.
var (
	ErrPoliciesMissing = errors.New("the admission policies are not in force")
	ErrPolicyReplaced  = errors.New("the admission policy of approvals has been replaced or changed since the decision")
)

const (
	// checkPoliciesEvery is the interval between two checks.
	checkPoliciesEvery = time.Minute

	// policiesUnknownFor is how long the last known state counts if the policies cannot be read. It
	// covers the restart of an API server. No longer time is needed: before a POST, the same API
	// server has to answer reads and a write, so nothing is sent while it does not answer. The
	// limit only matters to a manager that lost its right to read the policies.
	policiesUnknownFor = 3 * time.Minute
)

// Start checks the policies while this process leads.
func (c *Policies) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := c.Check(ctx); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot check the admission policies")
		}
	}, checkPoliciesEvery)
	return nil
}

// Check reads all policies. It fails if they cannot be read.
func (c *Policies) Check(ctx context.Context) error {
	_, err := c.check(ctx, c.Wanted)
	return err
}

// Missing reports whether something was wrong with the policies when they were last read.
func (c *Policies) Missing() bool { return c.missing.Load() }

// Current returns the state of the policies as of the last check. The first call checks them, and
// fails if the API server does not answer: nothing is decided before they have been read once.
func (c *Policies) Current(ctx context.Context) (decide.Policies, error) {
	c.mu.Lock()
	known, isKnown := c.known, len(c.Wanted) == 0 || c.known != (decide.Policies{})
	c.mu.Unlock()
	if isKnown {
		return known, nil
	}
	known, err := c.check(ctx, c.Wanted)
	if known.Flaw != "" {
		err = nil // the known state is that they cannot be read
	}
	return known, err
}

// Verify fails if, at the last check, the policies were not in force, or were not those that a
// decision was based on.
func (c *Policies) Verify(ctx context.Context, judged decide.Policies) error {
	return verify(judged)(c.Current(ctx))
}

// VerifyLive is Verify for actions that only a person with the right may take. It reads the
// policy of approvals and resolutions again, because since the last check somebody may have
// removed it, set the annotation, and restored it.
func (c *Policies) VerifyLive(ctx context.Context, judged decide.Policies) error {
	if err := c.Verify(ctx, judged); err != nil {
		return err
	}
	return verify(judged)(c.check(ctx, slices.DeleteFunc(slices.Clone(c.Wanted), func(one admission.Policy) bool {
		return one.Name() != admission.Approval
	})))
}

// verify returns a function that compares the state of the policies with what was judged.
func verify(judged decide.Policies) func(decide.Policies, error) error {
	return func(known decide.Policies, err error) error {
		switch {
		case err != nil:
			return err
		case known.Flaw != "":
			return fmt.Errorf("%w: %s", ErrPoliciesMissing, known.Flaw)
		case known.InForce != judged.InForce:
			return ErrPolicyReplaced
		}
		return nil
	}
}

// check reads policies, and wakes the objects that wait for them if their state has changed.
func (c *Policies) check(ctx context.Context, policies []admission.Policy) (decide.Policies, error) {
	if len(c.Wanted) == 0 {
		return decide.Policies{}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.known
	err := c.read(ctx, policies)
	if err != nil && !c.isUnknown(err) {
		return c.known, err
	}
	c.known.Flaw = ""
	if err != nil {
		c.known.Flaw = err.Error()
	}
	for _, one := range c.Wanted {
		if c.known.Flaw == "" {
			c.known.Flaw = c.found[one.Name()]
		}
	}
	c.missing.Store(c.known.Flaw != "")
	if before != c.known {
		c.announce(ctx, before)
	}
	return c.known, err
}

// isUnknown reports whether policies that cannot be read count as missing: after a while, or at once
// if this process may not read them and never could.
func (c *Policies) isUnknown(err error) bool {
	if c.seenAt.IsZero() {
		return apierrors.IsForbidden(err)
	}
	return c.Now().Sub(c.seenAt) >= policiesUnknownFor
}

// read compares policies with those of the cluster.
func (c *Policies) read(ctx context.Context, policies []admission.Policy) error {
	found := map[string]string{}
	for _, wanted := range policies {
		one, err := admission.Read(ctx, c.Live, wanted.Name())
		if err != nil {
			return err
		}
		found[wanted.Name()] = wanted.Flaw(one)
		if wanted.Name() == admission.Approval {
			c.known.InForce = one.Identity()
		}
	}
	if c.found == nil {
		c.found = map[string]string{}
	}
	maps.Copy(c.found, found)
	if len(policies) == len(c.Wanted) {
		c.seenAt = c.Now()
	}
	return nil
}

// announce reports a change of the state, and wakes the objects that wait for it. The first state is
// reported only if something is wrong.
func (c *Policies) announce(ctx context.Context, before decide.Policies) {
	log := ctrl.LoggerFrom(ctx).WithName("policies")
	switch isFirst := before == (decide.Policies{}); {
	case c.known.Flaw != "":
		log.Error(ErrPoliciesMissing, "requests that change something at the carrier are not sent", "flaw", c.known.Flaw)
		c.report(ctx, corev1.EventTypeWarning, eventPolicyMissing, c.known.Withheld().Why)
	case !isFirst:
		log.Info("the admission policies are in force: requests are sent again")
		c.report(ctx, corev1.EventTypeNormal, eventPolicyRestored,
			"the admission policies are in force. Approvals that were given before have to be given again")
	default:
		return
	}
	for _, wakes := range c.wakes {
		select {
		case wakes <- wakeUp{}:
		default: // one is waiting already
		}
	}
}

// report emits an Event about the marker, which stands for the installation.
func (c *Policies) report(ctx context.Context, kind, reason, message string) {
	marker, err := c.Marker.Object(ctx)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot find the marker for an Event about the admission policies")
		return
	}
	if marker != nil {
		c.Events.Eventf(marker, nil, kind, reason, "Check", "%s", message)
	}
}

// wakeUp says that the state of the admission policies has changed.
type wakeUp = event.TypedGenericEvent[struct{}]

// Waiting returns a source of the objects of a list that wait for an approval or for the policies.
// They are reconciled when the state of the policies changes.
func (c *Policies) Waiting(list client.ObjectList) source.Source {
	wakes := make(chan wakeUp, 1)
	c.wakes = append(c.wakes, wakes)
	find := func(ctx context.Context, _ struct{}) (requests []reconcile.Request) {
		err := apiserver.Each(ctx, c, apiserver.Empty(list), func(object described) {
			if conditions, _ := object.Describes(); slices.ContainsFunc(*conditions, waits) {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
			}
		})
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot find the objects that wait for the admission policies")
		}
		return requests
	}
	return source.TypedChannel(wakes, handler.TypedEnqueueRequestsFromMapFunc(find))
}

type described interface {
	client.Object
	v1alpha1.Described
}

// waits reports whether a condition waits for an approval or for the policies.
func waits(condition metav1.Condition) bool {
	return condition.Reason == v1alpha1.ReasonPolicyMissing || condition.Reason == v1alpha1.ReasonAwaitingApproval
}
