// SPDX-License-Identifier: Apache-2.0

package installation

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/pkg/admission"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// clusterPolicies is a cluster with admission policies, at a time. It supports nothing else.
type clusterPolicies struct {
	client.Reader

	held  map[string]admission.Policy
	fails error
	now   time.Time
}

// Get reads a policy or a binding.
func (c *clusterPolicies) Get(
	_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption,
) error {
	held := c.held[key.Name]
	switch into := into.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		if c.fails == nil && held.Policy != nil {
			held.Policy.DeepCopyInto(into)
			return nil
		}
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		if c.fails == nil && held.Binding != nil {
			held.Binding.DeepCopyInto(into)
			return nil
		}
	}
	if c.fails != nil {
		return c.fails
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// remove removes the binding of the policy of approvals.
func (c *clusterPolicies) remove() {
	c.held[admission.Approval] = admission.Policy{Policy: c.held[admission.Approval].Policy}
}

// install installs the policy of approvals, whose binding gets a UID.
func (c *clusterPolicies) install(shipped admission.Policy, uid types.UID) {
	one := admission.Policy{Policy: shipped.Policy.DeepCopy(), Binding: shipped.Binding.DeepCopy()}
	one.Policy.UID, one.Binding.UID = "policy", uid
	c.held[one.Name()] = one
}

// guarded returns a cluster with the policies of this version, the policies as a process knows them,
// and the channel on which it wakes the objects of a kind.
func guarded(t *testing.T) (*clusterPolicies, *Policies, chan wakeUp) {
	t.Helper()
	shipped, err := admission.Shipped("broadband-operator")
	if err != nil {
		t.Fatal(err)
	}
	cluster := &clusterPolicies{
		held: map[string]admission.Policy{}, now: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC),
	}
	for _, one := range shipped {
		cluster.install(one, "first")
	}
	wakes := make(chan wakeUp, 1)
	return cluster, &Policies{
		Live: cluster, Now: func() time.Time { return cluster.now }, Marker: &Marker{}, Wanted: shipped,
		wakes: []chan wakeUp{wakes},
	}, wakes
}

// woken reports whether objects were woken since the last call.
func woken(wakes chan wakeUp) bool {
	select {
	case <-wakes:
		return true
	default:
		return false
	}
}

// current returns the state of the policies, which has to be known.
func current(t *testing.T, policies *Policies) decide.Policies {
	t.Helper()
	known, err := policies.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return known
}

func TestTheObjectsThatWaitAreWokenWhenThePoliciesChange(t *testing.T) {
	t.Parallel()
	cluster, policies, wakes := guarded(t)
	first := current(t, policies)
	if first.Flaw != "" || first.InForce == "" || woken(wakes) {
		t.Errorf("the first check found %+v, or has woken objects", first)
	}
	for _, change := range []struct {
		name  string
		edit  func()
		flaw  string
		wakes bool
	}{
		{"nothing", func() {}, "", false},
		{"the binding is removed", cluster.remove, "Binding broadband-operator-approval is not installed", true},
		{"nothing again", func() {}, "Binding broadband-operator-approval is not installed", false},
		{"it is installed again", func() { cluster.install(policies.approval(), "second") }, "", true},
		{"it is replaced", func() { cluster.install(policies.approval(), "third") }, "", true},
	} {
		change.edit()
		if err := policies.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", change.name, err)
		}
		expectFlaw(t, policies, change.name, change.flaw)
		if got := woken(wakes); got != change.wakes {
			t.Errorf("%s: woken %t, want %t", change.name, got, change.wakes)
		}
	}
	if current(t, policies).InForce == first.InForce {
		t.Error("a policy that was replaced is mistaken for the first one")
	}
}

// expectFlaw checks what is known to be wrong with the policies; "" for nothing.
func expectFlaw(t *testing.T, policies *Policies, after, flaw string) {
	t.Helper()
	known := current(t, policies).Flaw
	isMissing := flaw != ""
	if !strings.Contains(known, flaw) || (known != "") != isMissing || policies.missing.Load() != isMissing {
		t.Errorf("%s: the flaw is %q, want %q", after, known, flaw)
	}
}

// approval returns the policy of approvals as it is shipped.
func (c *Policies) approval() admission.Policy {
	for _, one := range c.Wanted {
		if one.Name() == admission.Approval {
			return one
		}
	}
	panic("there is no policy of approvals")
}

// An API server that restarts is no reason to hold back every request.
func TestPoliciesThatCannotBeReadCountForThreeMinutes(t *testing.T) {
	t.Parallel()
	cluster, policies, wakes := guarded(t)
	first := current(t, policies)
	cluster.fails = errors.New("connection refused")
	for _, after := range []time.Duration{0, time.Minute, time.Minute, 59 * time.Second} {
		cluster.now = cluster.now.Add(after)
		if err := policies.Check(t.Context()); err == nil {
			t.Error("the check does not say that the policies cannot be read")
		}
		if known := current(t, policies); known != first || woken(wakes) {
			t.Errorf("after less than three minutes they are %+v, not %+v", known, first)
		}
	}
	cluster.now = cluster.now.Add(time.Second)
	if err := policies.Check(t.Context()); err == nil || !woken(wakes) {
		t.Errorf("nobody was woken when the policies counted as missing: %v", err)
	}
	expectFlaw(t, policies, "after three minutes", "connection refused")
	cluster.fails = nil
	if err := policies.Check(t.Context()); err != nil || current(t, policies) != first || !woken(wakes) {
		t.Errorf("they can be read again: %+v, %v", current(t, policies), err)
	}
}

func TestNothingIsDecidedBeforeThePoliciesWereRead(t *testing.T) {
	t.Parallel()
	cluster, policies, _ := guarded(t)
	cluster.fails = errors.New("connection refused")
	if known, err := policies.Current(t.Context()); err == nil {
		t.Errorf("they are %+v although they were never read", known)
	}
	cluster.fails = apierrors.NewForbidden(schema.GroupResource{}, admission.Approval, errors.New("no"))
	if known := current(t, policies); !strings.Contains(known.Flaw, "forbidden") {
		t.Errorf("a manager that may not read them knows %+v", known)
	}
}

func TestTheLastCheckSeesWhatHappenedSinceTheDecision(t *testing.T) {
	t.Parallel()
	cluster, policies, _ := guarded(t)
	judged := current(t, policies)
	if err := policies.VerifyLive(t.Context(), judged); err != nil {
		t.Errorf("nothing has changed: %v", err)
	}
	cluster.install(policies.approval(), "second") // removed and restored between two checks
	if err := policies.Verify(t.Context(), judged); err != nil {
		t.Errorf("the last check is not a minute old: %v", err)
	}
	if err := policies.VerifyLive(t.Context(), judged); !errors.Is(err, ErrPolicyReplaced) {
		t.Errorf("another policy than the one that was judged: %v", err)
	}
	cluster.remove()
	if err := policies.VerifyLive(t.Context(), current(t, policies)); !errors.Is(err, ErrPoliciesMissing) {
		t.Errorf("no policy: %v", err)
	}
}
