// SPDX-License-Identifier: Apache-2.0

package ledgers

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
)

// WithoutHolder counts, by operation, the open attempts whose object is deleted, according to the
// cache. They stay in the ledger (R24), where nobody would see them.
func WithoutHolder(
	ctx context.Context, o *pass.Operator, ledgers []v1alpha1.RequestLedger,
) (map[v1alpha1.Operation]int, error) {
	left := make(map[v1alpha1.Operation]int)
	for i := range ledgers {
		for _, open := range ledgers[i].Spec.Open {
			gone, err := lacksHolder(ctx, o, &ledgers[i].Spec, open.UID)
			if err != nil {
				return nil, err
			}
			if gone {
				left[open.Operation]++
			}
		}
	}
	return left, nil
}

// lacksHolder reports whether the object of an open attempt is deleted. An object outside this
// manager's namespaces is counted by another manager.
func lacksHolder(
	ctx context.Context, o *pass.Operator, ledger *v1alpha1.RequestLedgerSpec, uid string,
) (bool, error) {
	switch {
	case ledger.Diagnostics != nil:
		return isTestGone(ctx, o, uid)
	case !o.Watches(ledger.Holder.Namespace):
		return false, nil
	}
	_, holder, err := readHolder(ctx, o, ledger)
	switch {
	case holder == nil || apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("look for %s, the holder: %w", keyOf(ledger.Holder), err)
	}
	return string(holder.GetUID()) != ledger.Holder.UID, nil
}

// isTestGone reports whether a test is deleted. Only its UID is known, not its namespace, so a
// manager limited to some namespaces cannot find out.
func isTestGone(ctx context.Context, o *pass.Operator, uid string) (bool, error) {
	if len(o.Namespaces) > 0 {
		return false, nil
	}
	var tests v1alpha1.DiagnosticTestList
	if err := o.List(ctx, &tests, client.MatchingFields{index.TestUID: uid}); err != nil {
		return false, fmt.Errorf("look for the test with UID %s: %w", uid, err)
	}
	return len(tests.Items) == 0, nil
}
