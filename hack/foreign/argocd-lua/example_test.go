// SPDX-License-Identifier: Apache-2.0

package argocd_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/rbac"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

// Argo CD accepts the example with every field.
func TestExample(t *testing.T) {
	g := NewWithT(t)
	project, application := &v1alpha1.AppProject{}, &v1alpha1.Application{}
	strictly(t, "project.yaml", project)
	strictly(t, "application.yaml", application)
	g.Expect(project.ValidateProject()).To(Succeed())
	g.Expect(application.Spec.Project).To(Equal(project.Name))
	g.Expect(project.IsSourcePermitted(application.Spec.GetSource())).To(BeTrue())
}

// An approver may run only the action approve; the helpdesk may run all others.
func TestExampleRoles(t *testing.T) {
	g := NewWithT(t)
	project := &v1alpha1.AppProject{}
	strictly(t, "project.yaml", project)
	enforcer := rbac.NewEnforcer(fake.NewClientset(), "argocd", "argocd-rbac-cm", nil)
	may := func(role, action string) bool {
		return enforcer.EnforceRuntimePolicy(project.Name, project.ProjectPoliciesString(),
			"proj:broadband:"+role, "applications", "action/wholesale.broadband/BroadbandService/"+action, "broadband/sites")
	}
	g.Expect(may("approver", "approve")).To(BeTrue())
	g.Expect(may("helpdesk", "approve")).To(BeFalse())
	for _, action := range []string{"reconcile", "retry", "resolve-not-accepted"} {
		g.Expect(may("helpdesk", action)).To(BeTrue(), action)
		g.Expect(may("approver", action)).To(BeFalse(), action)
	}
}

func strictly(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(config, "example", file)) //nolint:gosec // a file of the repository
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(yaml.UnmarshalStrict(text, into)).To(Succeed(), file)
}
