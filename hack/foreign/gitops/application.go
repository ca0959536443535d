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

// Argo CD's names for the states of an Application and of its resources.
const (
	synced      = "Synced"
	healthy     = "Healthy"
	progressing = "Progressing"
	degraded    = "Degraded"
	suspended   = "Suspended"
	running     = "Running"
)

// application is an Application as Argo CD's API server returns it.
type application struct {
	Status struct {
		Sync           syncStatus     `json:"sync"`
		Health         health         `json:"health"`
		History        []historyEntry `json:"history"`
		OperationState operation      `json:"operationState"`
		Resources      []resource     `json:"resources"`
		Conditions     []condition    `json:"conditions"`
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

type historyEntry struct {
	Revision string `json:"revision"`
}

// operation is the latest sync.
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

// at reports whether the Application is synced to a revision and has the given health, while no
// sync is running.
func (a *application) at(revision, health string) bool {
	sync := a.Status.Sync
	return sync.Status == synced && sync.Revision == revision && a.Status.Health.Status == health &&
		a.Status.OperationState.Phase != running
}

// healthOf returns the health of one resource of the Application, zero if it has no such resource.
func (a *application) healthOf(name string) health {
	i := slices.IndexFunc(a.Status.Resources, func(r resource) bool { return r.Name == name })
	if i < 0 {
		return health{}
	}
	return a.Status.Resources[i].Health
}

// readApplication reads the Application from Argo CD's API server with the read-only account.
func (s *site) readApplication(ctx context.Context) (*application, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.api("applications/"+s.name), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("read the Application: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+s.users.viewer.token)
	shown := &application{}
	return shown, machine.Send(request, machine.JSON(shown))
}

// refresh makes Argo CD compare the Application with the repository now, and waits until it has
// done so.
func (s *site) refresh(ctx context.Context, how string) error {
	const annotation = "argocd.argoproj.io/refresh"
	application := &metav1.PartialObjectMetadata{}
	application.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "argoproj.io", Version: "v1alpha1", Kind: "Application",
	})
	application.SetNamespace(argocdName)
	application.SetName(s.name)
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+annotation+`":"`+how+`"}}}`))
	if err := s.cluster.Patch(ctx, application, patch); err != nil {
		return err
	}
	return s.waitFor(ctx, "Argo CD has compared with the repository", func(ctx context.Context) (bool, error) {
		err := s.cluster.Get(ctx, client.ObjectKeyFromObject(application), application)
		return application.Annotations[annotation] == "", err
	})
}

// line formats the Application as one line.
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

// line formats the resource as one line.
func (r *resource) line() string {
	return joined([]string{r.Status, r.Health.Status, r.Health.Message})
}

// joined joins the non-empty parts with commas.
func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}
