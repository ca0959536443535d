// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("The metadata of an object is limited",
	func(ctx SpecContext, most int, add func(*v1alpha1.BroadbandService, int), message string) {
		for _, size := range []int{most, most + 1} {
			made := service(nil)
			add(made, size)
			err := plane.Client.Create(ctx, made)
			if size == most {
				Expect(err).NotTo(HaveOccurred())
				continue
			}
			Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
			Expect(err).To(MatchError(ContainSubstring(message)))
		}
	},
	Entry("finalizers", 32, func(of *v1alpha1.BroadbandService, size int) {
		for i := range size {
			of.Finalizers = append(of.Finalizers, fmt.Sprintf("example.com/%d", i))
		}
	}, "33 finalizers (at most 32)"),
	Entry("owners", 32, func(of *v1alpha1.BroadbandService, size int) {
		for i := range size {
			of.OwnerReferences = append(of.OwnerReferences, metav1.OwnerReference{
				APIVersion: "v1", Kind: "Secret", Name: fmt.Sprintf("owner-%d", i), UID: "u",
			})
		}
	}, "33 ownerReferences (at most 32)"),
	Entry("labels", 64, func(of *v1alpha1.BroadbandService, size int) {
		of.Labels = map[string]string{}
		for i := range size {
			of.Labels[fmt.Sprintf("label-%d", i)] = ""
		}
	}, "65 labels (at most 64)"),
	Entry("annotations", 64, func(of *v1alpha1.BroadbandService, size int) {
		of.Annotations = map[string]string{}
		for i := range size {
			of.Annotations[fmt.Sprintf("note-%d", i)] = ""
		}
	}, "65 annotations (at most 64)"),
	Entry("the bytes of annotations", 1<<16, func(of *v1alpha1.BroadbandService, size int) {
		of.Annotations = map[string]string{"note": strings.Repeat("é", size/2-2) + strings.Repeat("x", size%2)}
	}, "65537 bytes of annotations (at most 65536)"),
	Entry("the bytes of owners", 1<<14, func(of *v1alpha1.BroadbandService, size int) {
		owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Secret", UID: "u"}
		owner.Name = strings.Repeat("x", size-len(owner.APIVersion+owner.Kind)-len(owner.UID))
		of.OwnerReferences = []metav1.OwnerReference{owner}
	}, "16385 bytes of ownerReferences (at most 16384)"),
)
