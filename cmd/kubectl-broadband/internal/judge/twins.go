// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
)

type declared struct {
	account Reference
	number  v1alpha1.CarrierID
}

// addTwin adds a service that another object declares, too. The operator refuses the second once the
// first has sent a request; until then, either may change what the other one declares.
func (o *Overview) addTwin(object fleet.Object, ready metav1.Condition) {
	service, is := object.(*v1alpha1.BroadbandService)
	if !is || !manages(service) || ready.Reason == v1alpha1.ReasonConflict {
		return
	}
	key := declared{accountOf(object), service.ServiceNumber()}
	first, found := o.services[key]
	if found {
		ready.Reason = v1alpha1.ReasonConflict
		ready.Message = fmt.Sprintf("service %s is declared by %s, too: delete one of the two, and create it again if it "+
			"is for another service", key.number, first.Short())
		o.Needs = append(o.Needs, needOf(object, Correct, ready))
		return
	}
	if o.services == nil {
		o.services = make(map[declared]Reference)
	}
	o.services[key] = ReferenceTo(object)
}

// manages reports whether the operator may change a service because of this object.
func manages(service *v1alpha1.BroadbandService) bool {
	policy := service.Spec.ManagementPolicy
	return service.ServiceNumber() != "" && (policy == "" || policy == v1alpha1.ManagementManage)
}
