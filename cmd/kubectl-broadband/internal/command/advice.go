// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"net"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/clientcmd"
)

// advice adds to an error what to do about it, if that is known.
func advice(err error) error {
	_, network := errors.AsType[*net.OpError](err)
	switch {
	case meta.IsNoMatchError(err):
		return &advised{err, "the operator's CustomResourceDefinitions are not installed in this cluster: " +
			"check --context, or install them (docs/install.md)"}
	case apierrors.IsUnauthorized(err):
		return &advised{err, "log in again, or choose another --context"}
	case apierrors.IsForbidden(err):
		return &advised{err, "ask for one of the roles of broadband-operator " +
			"(viewer, editor, approver, resolver: docs/access.md)"}
	case clientcmd.IsEmptyConfig(err):
		return &advised{err, "name a kubeconfig with --kubeconfig or $KUBECONFIG"}
	case network:
		return &advised{err, "check --server and --context, and whether the API server runs"}
	}
	return err
}

type advised struct {
	err  error
	todo string
}

func (a *advised) Error() string { return a.err.Error() + "; " + a.todo }

func (a *advised) Unwrap() error { return a.err }
