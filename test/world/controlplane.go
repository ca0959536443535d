// SPDX-License-Identifier: Apache-2.0

package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/source"
)

// ControlPlane is a running etcd and kube-apiserver with the CRDs installed.
type ControlPlane struct {
	Config *rest.Config
	Client client.Client // the administrator's client
	Scheme *apiruntime.Scheme

	// Operator is the client of a Process. Its user has the operator's roles, or is the administrator.
	Operator client.Client
	// Live reads as the same user, and never from a cache.
	Live client.Reader

	env     *envtest.Environment // nil if another process has started the control plane
	closers []func() error       // end what depends on the control plane, in reverse order
}

// StartControlPlane starts a control plane. Arguments go to the kube-apiserver, "name=value".
func StartControlPlane(ctx context.Context, arguments ...string) (*ControlPlane, error) {
	return startWithCRDs(ctx, &envtest.Environment{}, arguments...)
}

// startWithCRDs starts a control plane with what an installation of the operator contains.
func startWithCRDs(ctx context.Context, env *envtest.Environment, arguments ...string) (*ControlPlane, error) {
	env.CRDInstallOptions = crds()
	plane, err := startPlane(env, arguments...)
	if err != nil {
		return nil, err
	}
	if err = plane.AddNamespace(ctx, OperatorName); err != nil {
		return nil, fmt.Errorf("create the operator's namespace: %w", err)
	}
	if err = plane.createMarker(ctx); err != nil {
		return nil, fmt.Errorf("create the marker: %w", err)
	}
	return plane, nil
}

// StartEmpty starts a control plane without our CRDs and our namespace.
func StartEmpty() (*ControlPlane, error) { return startPlane(&envtest.Environment{}) }

// planeTimeout is how long a control plane may take to start, to stop and to serve its CRDs. On a
// busy machine the 20 and 10 seconds of envtest are not enough.
const planeTimeout = 2 * time.Minute

func startPlane(env *envtest.Environment, arguments ...string) (*ControlPlane, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		env.BinaryAssetsDirectory = builtAssets()
	}
	env.ControlPlaneStartTimeout, env.ControlPlaneStopTimeout = planeTimeout, planeTimeout
	flags := env.ControlPlane.GetAPIServer().Configure()
	for _, argument := range arguments {
		name, value, _ := strings.Cut(argument, "=")
		flags.Append(name, value)
	}
	restore, err := raiseGOGC()
	if err != nil {
		return nil, err
	}
	config, err := env.Start()
	if err = errors.Join(err, restore()); err != nil {
		return nil, fmt.Errorf("start the control plane: %w", errors.Join(err, env.Stop()))
	}
	plane, err := connect(config)
	if err != nil {
		return nil, errors.Join(err, env.Stop())
	}
	plane.env = env
	return plane, nil
}

// gcPercent is GOGC for tests and their control planes. With it they use more memory and a fifth
// less CPU time.
const gcPercent = 400

// raiseGOGC makes programs collect garbage less often if they are started before restore is called.
func raiseGOGC() (restore func() error, err error) {
	const name = "GOGC"
	before, was := os.LookupEnv(name)
	restore = func() error {
		if was {
			return os.Setenv(name, before)
		}
		return os.Unsetenv(name)
	}
	return restore, os.Setenv(name, cmp.Or(before, strconv.Itoa(gcPercent)))
}

// newScheme returns the types that the operator uses.
func newScheme() (*apiruntime.Scheme, error) {
	scheme := apiruntime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("build the scheme: %w", err)
	}
	return scheme, nil
}

// connect creates the administrator's clients of a control plane.
func connect(config *rest.Config) (*ControlPlane, error) {
	config.QPS = -1
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("create a client: %w", err)
	}
	return &ControlPlane{Config: config, Client: direct, Operator: direct, Live: direct, Scheme: scheme}, nil
}

// builtAssets returns the folder of the control plane's programs, as installed by make.
func builtAssets() string { return filepath.Join(source.Root(), "bin", "controlplane") }

// Stop stops the control plane.
func (c *ControlPlane) Stop() error {
	failures := make([]error, 0, len(c.closers)+1)
	for _, end := range slices.Backward(c.closers) {
		failures = append(failures, end())
	}
	if c.env != nil {
		failures = append(failures, c.env.Stop())
	}
	return errors.Join(failures...)
}

// AddUser returns the client configuration of a new user in these groups.
func (c *ControlPlane) AddUser(name string, groups ...string) (*rest.Config, error) {
	if c.env == nil { // only the process that started it can sign certificates
		config := rest.CopyConfig(c.Config)
		config.Impersonate = rest.ImpersonationConfig{UserName: name, Groups: groups}
		return config, nil
	}
	user, err := c.env.AddUser(envtest.User{Name: name, Groups: groups}, c.Config)
	if err != nil {
		return nil, fmt.Errorf("add user %s: %w", name, err)
	}
	return user.Config(), nil
}

// AddNamespace creates a namespace.
func (c *ControlPlane) AddNamespace(ctx context.Context, name string) error {
	return c.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}
