// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Operator is what the reconcilers of all kinds that send requests share.
type Operator struct {
	client.Client // reads from the cache, writes to the API server

	Protocol *operate.Protocol
	Accounts *accounts.Book
	Submit   bool // whether requests may be sent at all

	Namespaces []string      // those that it looks after; none: all
	DoubtAfter time.Duration // how long a step back stands before it is doubted
}

// Subject is an object that a pass can take as far as it can go.
type Subject interface {
	operate.Subject
	decide.Subject
	v1alpha1.Described
}
