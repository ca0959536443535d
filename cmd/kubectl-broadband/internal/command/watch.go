// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

// redrawPause is the time between two outputs, so that quick changes are shown together.
const redrawPause = 500 * time.Millisecond

// follow shows the state whenever an object changes, until the context ends.
func (o *statusOptions) follow(ctx context.Context, names []string) error {
	changed, err := o.changes(ctx)
	if err != nil {
		return err
	}
	o.wave = judge.NewWave(o.Now())
	shown := ""
	for err == nil && ctx.Err() == nil {
		shown, err = o.showChange(ctx, names, shown)
		if err == nil && arrives(ctx, changed) {
			arrives(ctx, o.Wait(redrawPause))
		}
	}
	return unlessInterrupted(ctx, err)
}

// unlessInterrupted drops an error that the interruption by the person may have caused.
func unlessInterrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = nil
	}
	return err
}

func (o *statusOptions) showChange(ctx context.Context, names []string, shown string) (string, error) {
	text, err := o.drawn(ctx, names)
	if err == nil && text != shown {
		err = o.redraw(text)
	}
	return text, err
}

// arrives waits for a value; false if the context ends first.
func arrives[T any](ctx context.Context, values <-chan T) bool {
	select {
	case <-ctx.Done():
		return false
	case <-values:
		return true
	}
}

// drawn returns what a run without --watch prints.
func (o *statusOptions) drawn(ctx context.Context, names []string) (string, error) {
	var text bytes.Buffer
	once := *o
	own := *o.tool
	own.Out, once.tool = &text, &own
	err := once.once(ctx, names)
	if ended, is := errors.AsType[*exitError](err); is && ended.reason == nil {
		err = nil // a watch continues even if something needs a person
	}
	return text.String(), err
}

// redraw replaces the output on a terminal, line by line, so that the screen does not flicker.
func (o *statusOptions) redraw(text string) error {
	if !o.Terminal {
		return o.print(text + "---\n")
	}
	const home, clearLine, clearBelow = "\x1b[H", "\x1b[K", "\x1b[J"
	return o.print(home + strings.ReplaceAll(text, "\n", clearLine+"\n") + clearBelow)
}

// changes returns a channel that receives a value after objects have changed.
func (o *statusOptions) changes(ctx context.Context) (<-chan struct{}, error) {
	cluster, err := o.cluster()
	if err != nil {
		return nil, err
	}
	options := cache.Options{DefaultTransform: cache.TransformStripManagedFields()}
	if cluster.Namespace != "" {
		options.DefaultNamespaces = map[string]cache.Config{cluster.Namespace: {}}
	}
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default: // one value is enough for any number of changes
		}
	}
	handler := toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { notify() }, UpdateFunc: func(any, any) { notify() }, DeleteFunc: func(any) { notify() },
	}
	var metadata []client.Object // enough to notice a change
	for _, kind := range fleet.Kinds() {
		object := &metav1.PartialObjectMetadata{}
		object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind.Name))
		metadata = append(metadata, object)
	}
	return changed, o.watchObjects(ctx, cluster, options, handler, metadata...)
}

func (t *tool) watchObjects(
	ctx context.Context, cluster *fleet.Cluster, options cache.Options, handler toolscache.ResourceEventHandler,
	objects ...client.Object,
) error {
	config, err := t.connection.ToRESTConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	options.Scheme, options.Mapper = cluster.Scheme(), cluster.RESTMapper()
	watched, err := cache.New(config, options)
	if err != nil {
		return fmt.Errorf("watch the API server: %w", err)
	}
	for _, object := range objects {
		informer, err := watched.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err == nil {
			_, err = informer.AddEventHandler(handler)
		}
		if err != nil {
			return fmt.Errorf("watch the objects: %w", err)
		}
	}
	go watched.Start(ctx) //nolint:errcheck // it ends without an error when the context does
	return nil
}
