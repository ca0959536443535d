// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"net/http"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// accessIn returns access for the operator's user, with its usual permissions in another namespace.
func accessIn(ctx SpecContext, namespace string) *rest.Config {
	GinkgoHelper()
	var roles rbacv1.RoleList
	var bindings rbacv1.RoleBindingList
	Expect(plane.Client.List(ctx, &roles, client.InNamespace(world.OperatorName))).To(Succeed())
	Expect(plane.Client.List(ctx, &bindings, client.InNamespace(world.OperatorName))).To(Succeed())
	for _, role := range roles.Items {
		role.ObjectMeta = metav1.ObjectMeta{Name: role.Name, Namespace: namespace}
		Expect(plane.Client.Create(ctx, &role)).To(Succeed())
	}
	for _, binding := range bindings.Items {
		binding.ObjectMeta = metav1.ObjectMeta{Name: binding.Name, Namespace: namespace}
		Expect(plane.Client.Create(ctx, &binding)).To(Succeed())
	}
	config, err := plane.AddUser(user)
	Expect(err).NotTo(HaveOccurred())
	return config
}

// leaseConfirmer is a transport to an API server. It confirms every lease to every writer and
// stores none, so all managers that elect a leader lead until they end. Leader election fails,
// although the managers run as shipped.
type leaseConfirmer struct{ next http.RoundTripper }

// RoundTrip responds to a write of a lease with what is written.
func (a leaseConfirmer) RoundTrip(request *http.Request) (*http.Response, error) {
	writes := request.Method == http.MethodPost || request.Method == http.MethodPut
	if !writes || !strings.Contains(request.URL.Path, "/leases") {
		return a.next.RoundTrip(request)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Request: request,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": request.Header["Content-Type"]},
		Body:   request.Body, ContentLength: request.ContentLength,
	}, nil
}
