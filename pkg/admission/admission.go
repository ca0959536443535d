// SPDX-License-Identifier: Apache-2.0

// Package admission compares the admission policies of a cluster with those that this version
// ships. Without them, anybody who may edit an object could approve what it spends.
package admission

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/config"
)

// Approval is the name of the policy that lets only those approve and resolve who may.
const Approval = "broadband-operator-approval"

// Policy is an admission policy with the binding of the same name, without which it refuses nothing.
// Either is nil if the cluster does not have it.
type Policy struct {
	Policy  *admissionregistrationv1.ValidatingAdmissionPolicy
	Binding *admissionregistrationv1.ValidatingAdmissionPolicyBinding
}

// Shipped returns the policies of this version for an operator in a namespace, in the order of
// their files.
func Shipped(namespace string) ([]Policy, error) {
	files, err := fs.Glob(config.Manifests, "policy/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("find the policies of this version: %w", err)
	}
	var shipped []Policy
	for _, file := range files {
		text, err := config.Manifests.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the policies of this version: %w", err)
		}
		if strings.Contains(string(text), "kind: Kustomization\n") {
			continue
		}
		one, err := parse(string(text), namespace)
		if err != nil {
			return nil, fmt.Errorf("read %s of this version: %w", file, err)
		}
		shipped = append(shipped, one)
	}
	return shipped, nil
}

// operatorUser matches the user name of the operator, which the policy of RequestLedgers permits.
var operatorUser = regexp.MustCompile(`system:serviceaccount:[a-z0-9-]+:broadband-operator-manager`)

func userIn(namespace string) string {
	return "system:serviceaccount:" + namespace + ":broadband-operator-manager"
}

// parse reads a policy and, after it, its binding.
func parse(text, namespace string) (Policy, error) {
	first, second, found := strings.Cut(text, "\n---\n")
	if !found {
		return Policy{}, errors.New("it has no binding")
	}
	one := Policy{
		Policy:  &admissionregistrationv1.ValidatingAdmissionPolicy{},
		Binding: &admissionregistrationv1.ValidatingAdmissionPolicyBinding{},
	}
	err := errors.Join(
		yaml.UnmarshalStrict([]byte(operatorUser.ReplaceAllString(first, userIn(namespace))), one.Policy),
		yaml.UnmarshalStrict([]byte(second), one.Binding))
	return one, err
}

// Read returns the policy and the binding that a cluster has under a name. It needs the right to get
// them.
func Read(ctx context.Context, from client.Reader, name string) (Policy, error) {
	found := Policy{
		Policy:  &admissionregistrationv1.ValidatingAdmissionPolicy{},
		Binding: &admissionregistrationv1.ValidatingAdmissionPolicyBinding{},
	}
	key := client.ObjectKey{Name: name}
	policy, binding := from.Get(ctx, key, found.Policy), from.Get(ctx, key, found.Binding)
	if apierrors.IsNotFound(policy) {
		found.Policy, policy = nil, nil
	}
	if apierrors.IsNotFound(binding) {
		found.Binding, binding = nil, nil
	}
	if err := errors.Join(policy, binding); err != nil {
		return Policy{}, fmt.Errorf("read admission policy %s: %w", name, err)
	}
	return found, nil
}

// Name returns the name of the policy and its binding.
func (p Policy) Name() string { return p.Policy.Name }

// Flaw returns what is wrong with the policy that the cluster has under this name; "" if it is in
// force as shipped. Only what decides about requests is compared: labels and annotations may differ.
func (p Policy) Flaw(found Policy) string {
	policy, binding := "ValidatingAdmissionPolicy "+p.Name(), "ValidatingAdmissionPolicyBinding "+p.Name()
	switch {
	case found.Policy == nil:
		return policy + " is not installed"
	case permittedUser(found.Policy) != permittedUser(p.Policy):
		return fmt.Sprintf("%s permits %s, but the operator is %s", policy,
			orNobody(permittedUser(found.Policy)), orNobody(permittedUser(p.Policy)))
	case !equality.Semantic.DeepEqual(p.Policy.Spec, found.Policy.Spec):
		return policy + " differs from that of this version"
	case found.Binding == nil:
		return binding + " is not installed"
	case !equality.Semantic.DeepEqual(p.Binding.Spec, found.Binding.Spec):
		return binding + " differs from that of this version"
	case !found.Policy.DeletionTimestamp.IsZero(), !found.Binding.DeletionTimestamp.IsZero():
		return policy + " or its binding is being deleted"
	}
	return ""
}

// permittedUser returns the user name of the operator that a policy permits; "" if it names none.
func permittedUser(policy *admissionregistrationv1.ValidatingAdmissionPolicy) string {
	for i := range policy.Spec.Validations {
		if user := operatorUser.FindString(policy.Spec.Validations[i].Expression); user != "" {
			return user
		}
	}
	return ""
}

func orNobody(user string) string {
	if user == "" {
		return "nobody"
	}
	return user
}

// Identity identifies the policy and the binding that a cluster has, "none" if one is missing. It
// changes whenever one of the two is replaced or its spec is changed, even if the change is undone
// later: UIDs are never used again, and a generation never goes back.
func (p Policy) Identity() string {
	if p.Policy == nil || p.Binding == nil {
		return "none"
	}
	version := func(object metav1.Object) string {
		return fmt.Sprintf("%s/%d", object.GetUID(), object.GetGeneration())
	}
	return version(p.Policy) + " " + version(p.Binding)
}
