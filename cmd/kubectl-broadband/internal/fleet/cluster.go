// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// PageSize is the maximum number of objects that one list call returns.
const PageSize = 500

// FieldManager is the name under which the plugin writes.
const FieldManager = "kubectl-broadband"

// Cluster is the API server, and the namespace that a command is about.
type Cluster struct {
	client.Client

	Namespace string // "": all namespaces

	user func(context.Context) string // the API server's name for the user; "" if it does not say
}

// NewScheme returns the types that the plugin reads and writes.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme),
		apiextensionsv1.AddToScheme(scheme))
	if err != nil {
		return nil, fmt.Errorf("build the scheme: %w", err)
	}
	return scheme, nil
}

// Connect returns a cluster.
func Connect(config *rest.Config, namespace string) (*Cluster, error) {
	scheme, err := NewScheme()
	if err != nil {
		return nil, err
	}
	made, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connect to the API server %s: %w", config.Host, err)
	}
	return &Cluster{Client: client.WithFieldOwner(made, FieldManager), Namespace: namespace, user: whoami(made)}, nil
}

// whoami returns a function that asks the API server once who the user is.
func whoami(cluster client.Client) func(context.Context) string {
	var (
		once sync.Once
		user string
	)
	return func(ctx context.Context) string {
		once.Do(func() {
			review := &authenticationv1.SelfSubjectReview{}
			if cluster.Create(ctx, review) == nil {
				user = review.Status.UserInfo.Username
			}
		})
		return user
	}
}

// Each passes the objects of a kind that match a selector to a function, page by page.
func (c *Cluster) Each(ctx context.Context, kind Kind, selector labels.Selector, do func(Object) error) error {
	options := client.ListOptions{Namespace: c.Namespace, LabelSelector: selector}
	return c.eachPage(ctx, kind.Name, options, func(item runtime.Object) error {
		object, is := item.(Object)
		if !is {
			return fmt.Errorf("%T is not an object of the operator", item)
		}
		return do(object)
	})
}

// eachPage passes the objects of a kind to a function, page by page.
func (c *Cluster) eachPage(
	ctx context.Context, kind string, options client.ListOptions, do func(runtime.Object) error,
) error {
	options.Limit = PageSize
	for {
		made, err := c.Scheme().New(v1alpha1.GroupVersion.WithKind(kind + "List"))
		list, is := made.(client.ObjectList)
		if err != nil || !is {
			return fmt.Errorf("list %s: %w", kind, err)
		}
		if err = c.List(ctx, list, &options); err != nil {
			return fmt.Errorf("list %s: %w", kind, err)
		}
		err = meta.EachListItem(list, do)
		if options.Continue = list.GetContinue(); err != nil || options.Continue == "" {
			return err //nolint:wrapcheck // the error of the function
		}
	}
}

// CheckNamespace returns an error if the namespace is known not to exist.
func (c *Cluster) CheckNamespace(ctx context.Context) error {
	if c.Namespace == "" {
		return nil
	}
	err := c.Get(ctx, client.ObjectKey{Name: c.Namespace}, &corev1.Namespace{})
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("there is no namespace %q: kubectl get namespaces lists all: %w", c.Namespace, err)
	}
	return nil
}

// Fetch reads an object by name.
func (c *Cluster) Fetch(ctx context.Context, kind Kind, name string) (Object, error) {
	object := kind.New()
	err := c.Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: name}, object)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("there is no %s %q in namespace %q: kubectl get %s -A lists all: %w",
			kind.Name, name, c.Namespace, kind.Short, err)
	}
	return object, err
}

// Account reads the account of an object; nil if it does not exist.
func (c *Cluster) Account(ctx context.Context, namespace, name string) (*v1alpha1.CarrierAccount, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // an account has no account
	}
	account := &v1alpha1.CarrierAccount{}
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, account)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // a missing account is a fact, not an error
	}
	return account, err
}

// AccountNames returns the names of the accounts of a namespace.
func (c *Cluster) AccountNames(ctx context.Context, namespace string) ([]string, error) {
	var list v1alpha1.CarrierAccountList
	err := c.List(ctx, &list, client.InNamespace(namespace))
	names := make([]string, 0, len(list.Items))
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names, err
}

// Ledger reads a RequestLedger; nil if there is none, or if the user may not read ledgers.
func (c *Cluster) Ledger(ctx context.Context, reference *v1alpha1.LedgerReference) (*v1alpha1.RequestLedger, error) {
	if reference == nil {
		return nil, nil //nolint:nilnil // nothing was sent yet
	}
	ledger := &v1alpha1.RequestLedger{}
	err := c.Get(ctx, client.ObjectKey{Name: reference.Name}, ledger)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return nil, nil //nolint:nilnil // the status has the same requests, shortened
	}
	return ledger, err
}

// Events returns the Events about an object.
func (c *Cluster) Events(ctx context.Context, object client.Object) ([]corev1.Event, error) {
	var events corev1.EventList
	matching := client.MatchingFields{"involvedObject.uid": string(object.GetUID())}
	err := c.List(ctx, &events, client.InNamespace(object.GetNamespace()), matching)
	return events.Items, err
}

// Annotate sets an annotation if the object is still the version that was shown. If the object has
// changed, the API server refuses the write with a conflict. A second annotation names the user:
// config/policy checks the name, and config/usernames sets it.
func (c *Cluster) Annotate(ctx context.Context, object client.Object, key, value string) error {
	annotations := map[string]any{key: value}
	if setter := v1alpha1.SetterAnnotation(key); setter != "" {
		annotations[setter] = nil // removes the name of another user
		if user := c.user(ctx); user != "" {
			annotations[setter] = user
		}
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": object.GetUID(), "resourceVersion": object.GetResourceVersion(), "annotations": annotations,
	}})
	if err != nil {
		return fmt.Errorf("build the patch: %w", err)
	}
	return c.Patch(ctx, object, client.RawPatch(types.MergePatchType, patch))
}

// EachLedger passes every RequestLedger to a function, page by page.
func (c *Cluster) EachLedger(ctx context.Context, do func(*v1alpha1.RequestLedger)) error {
	return c.eachPage(ctx, "RequestLedger", client.ListOptions{}, func(item runtime.Object) error {
		if ledger, is := item.(*v1alpha1.RequestLedger); is {
			do(ledger)
		}
		return nil
	})
}

// DryRun returns the object that would result from applying a manifest. The API server adds the
// defaults, and refuses an invalid object. Nothing is written. An object that kubectl apply has
// written is merged as kubectl apply would do it; any other object is applied on the server side.
func (c *Cluster) DryRun(ctx context.Context, manifest *unstructured.Unstructured) (Object, error) {
	kind, err := KindNamed(manifest.GetKind())
	if err != nil {
		return nil, err
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(manifest.GroupVersionKind())
	err = c.Get(ctx, client.ObjectKeyFromObject(manifest), live)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	applied := manifest.DeepCopy()
	last := live.GetAnnotations()[corev1.LastAppliedConfigAnnotation]
	if !apierrors.IsNotFound(err) && last != "" {
		applied, err = c.merge(ctx, live, manifest, []byte(last))
	} else {
		err = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), client.DryRunAll, client.ForceOwnership)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s/%s: %w", manifest.GetKind(), manifest.GetNamespace(), manifest.GetName(), err)
	}
	object := kind.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(applied.Object, object); err != nil {
		return nil, fmt.Errorf("read the %s that the API server returned: %w", kind.Name, err)
	}
	return object, nil
}

// merge merges as kubectl apply does: it removes fields that only the last manifest contained.
func (c *Cluster) merge(
	ctx context.Context, live, manifest *unstructured.Unstructured, last []byte,
) (*unstructured.Unstructured, error) {
	modified, modifiedErr := json.Marshal(manifest)
	current, currentErr := json.Marshal(live)
	if modifiedErr != nil || currentErr != nil {
		return nil, fmt.Errorf("build the patch: %w, %w", modifiedErr, currentErr)
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(last, modified, current)
	if err != nil {
		return nil, fmt.Errorf("build the patch: %w", err)
	}
	merged := live.DeepCopy()
	return merged, c.Patch(ctx, merged, client.RawPatch(types.MergePatchType, patch), client.DryRunAll)
}

// SetBy returns who set an annotation of the operator: the user, or else the client.
func SetBy(object client.Object, annotation string) string {
	if who := object.GetAnnotations()[v1alpha1.SetterAnnotation(annotation)]; who != "" {
		return who
	}
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 != nil && bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(`"f:`+annotation+`"`)) {
			return entry.Manager
		}
	}
	return "another client"
}
