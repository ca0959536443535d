// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// errQuota is the API server's error when a quota is used up.
var errQuota = apierrors.NewForbidden(
	schema.GroupResource{Group: "wholesale.broadband", Resource: "requestledgers"}, "ledger",
	errors.New("exceeded quota: few, limited: 3"))

// failEffect makes the API server return this error for every effect whose name has this prefix.
func failEffect(what string, answer error) func(world.Effect) error {
	return func(effect world.Effect) error {
		if strings.HasPrefix(effect.What, what) {
			return answer
		}
		return nil
	}
}

// loginLedger returns the ledger of what the accounts with the world's login share, or nil.
func loginLedger(ctx SpecContext, w *world.World) *v1alpha1.RequestLedger {
	GinkgoHelper()
	return ledgerOfLogin(ctx, w, w.Account().Login())
}

// ledgerOfLogin returns the ledger of what the accounts with a login share, or nil.
func ledgerOfLogin(ctx SpecContext, w *world.World, login v1alpha1.CarrierLogin) *v1alpha1.RequestLedger {
	GinkgoHelper()
	name := decide.LoginLedgerName(login)
	ledger := &v1alpha1.RequestLedger{}
	err := w.Get(ctx, client.ObjectKey{Name: name}, ledger)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	if err != nil {
		return nil
	}
	return ledger
}

// reserved are the attempts that count towards the chargeLimit of a world's login.
func reserved(ctx SpecContext, w *world.World) []string {
	GinkgoHelper()
	counting := loginLedger(ctx, w).Spec.Account.Reservations
	ids := make([]string, 0, len(counting))
	for _, one := range counting {
		ids = append(ids, one.AttemptID)
	}
	return ids
}
