// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
)

// What Argo CD calls the states of an Application and of what is in it.
const (
	synced      = "Synced"
	healthy     = "Healthy"
	progressing = "Progressing"
	degraded    = "Degraded"
	suspended   = "Suspended"
	running     = "Running"
)

// application is what Argo CD's API server shows of an Application.
type application struct {
	Status struct {
		Sync           syncStatus  `json:"sync"`
		Health         health      `json:"health"`
		History        []deployed  `json:"history"`
		OperationState operation   `json:"operationState"`
		Resources      []resource  `json:"resources"`
		Conditions     []condition `json:"conditions"`
	} `json:"status"`
}

type syncStatus struct {
	Status   string `json:"status"`
	Revision string `json:"revision"`
}

type health struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type deployed struct {
	Revision string `json:"revision"`
}

// operation is the newest sync.
type operation struct {
	Phase   string `json:"phase"`
	Message string `json:"message"`
}

type condition struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// resource is one object of the Application.
type resource struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Health health `json:"health"`
}

// at tells whether the Application is as a commit says, and as healthy as that.
func (a *application) at(revision, health string) bool {
	sync := a.Status.Sync
	return sync.Status == synced && sync.Revision == revision && a.Status.Health.Status == health &&
		a.Status.OperationState.Phase != running
}

// healthOf is the health of one of its objects.
func (a *application) healthOf(name string) health {
	i := slices.IndexFunc(a.Status.Resources, func(r resource) bool { return r.Name == name })
	if i < 0 {
		return health{}
	}
	return a.Status.Resources[i].Health
}

// ask asks Argo CD's API server, as somebody who may only see.
func (s *site) ask(ctx context.Context) (*application, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.api("applications/"+s.name), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask Argo CD: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+s.people.viewer.token)
	shown := &application{}
	return shown, machine.Send(request, machine.JSON(shown))
}

// refresh has Argo CD look at the repository now, and waits until it has.
func (s *site) refresh(ctx context.Context, how string) error {
	const annotation = "argocd.argoproj.io/refresh"
	asked := &metav1.PartialObjectMetadata{}
	asked.SetGroupVersionKind(schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"})
	asked.SetNamespace(argocdName)
	asked.SetName(s.name)
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+annotation+`":"`+how+`"}}}`))
	if err := s.cluster.Patch(ctx, asked, patch); err != nil {
		return err
	}
	return s.await(ctx, "Argo CD has looked at the repository", func(ctx context.Context) (bool, error) {
		err := s.cluster.Get(ctx, client.ObjectKeyFromObject(asked), asked)
		return asked.Annotations[annotation] == "", err
	})
}

// line is the Application in one line.
func (a *application) line() string {
	parts := []string{a.Status.Sync.Status, a.Status.Health.Status}
	if operation := a.Status.OperationState; operation.Phase == running {
		parts = append(parts, "syncing", operation.Message)
	}
	for _, condition := range a.Status.Conditions {
		parts = append(parts, condition.Type+": "+condition.Message)
	}
	return joined(parts)
}

// line is the object in one line.
func (r *resource) line() string {
	return joined([]string{r.Status, r.Health.Status, r.Health.Message})
}

// joined are the parts that are not empty.
func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}
