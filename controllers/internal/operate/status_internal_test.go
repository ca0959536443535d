// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// older is an API server whose CRD does not know the field of a status that holds a login.
type older struct {
	client.Client

	writes int
	stored *v1alpha1.CarrierAccount
}

func (o *older) Status() client.SubResourceWriter { return olderStatus{older: o} }

type olderStatus struct {
	client.SubResourceWriter

	older *older
}

// Update drops the field or, under strict validation, refuses the write.
func (s olderStatus) Update(_ context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	o := s.older
	o.writes++
	wanted := client.SubResourceUpdateOptions{}
	wanted.ApplyOptions(options)
	account, is := object.(*v1alpha1.CarrierAccount)
	switch {
	case !is:
		return errors.ErrUnsupported
	case account.Status.Login != nil && wanted.FieldValidation == metav1.FieldValidationStrict:
		return apierrors.NewBadRequest(`strict decoding error: unknown field "status.login"`)
	}
	o.stored = account.DeepCopy()
	o.stored.Status.Login = nil
	return nil
}

// A CRD that was not upgraded once dropped fields of a status without a word.
func TestAStatusThatWouldBePrunedIsNotWritten(t *testing.T) {
	t.Parallel()
	account := &v1alpha1.CarrierAccount{}
	account.Status.Login = new(account.Login())
	cluster, events := &older{}, &noted{}
	err := WriteStatus(t.Context(), cluster, events, account)
	if !errors.Is(err, ErrStatusPruned) || cluster.stored != nil || cluster.writes != 1 {
		t.Errorf("%d writes, stored %v: %v", cluster.writes, cluster.stored, err)
	}
	for _, words := range []string{"CustomResourceDefinition", "upgrade it", `unknown field "status.login"`} {
		if !strings.Contains(fmt.Sprint(err), words) || !strings.Contains(events.note, words) {
			t.Errorf("%q is not in %v and in the Event %q", words, err, events.note)
		}
	}
}

func TestAStatusThatTheCRDKnowsIsWritten(t *testing.T) {
	t.Parallel()
	cluster, events := &older{}, &noted{}
	if err := WriteStatus(t.Context(), cluster, events, &v1alpha1.CarrierAccount{}); err != nil {
		t.Fatal(err)
	}
	if cluster.stored == nil || events.note != "" {
		t.Errorf("stored %v, with the Event %q", cluster.stored, events.note)
	}
}
