// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/uuid"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

const (
	progressPause = 10 * time.Second // between two lines of progress
	reportEach    = 100              // queries that are created between two lines of progress
	quietTicks    = 30               // after so many pauses without a response, the rest is given up
	removeWithin  = 2 * time.Minute  // the longest wait for the removal of the queries that are left
)

// runLabel is the label of all queries of one run.
const runLabel = "plugin.wholesale.broadband/run"

// asker asks the carrier what it offers for services, with a PlanOptionsQuery for each. The queries
// do not wait for each other, so only the account's rate limits them. A query is free and changes
// nothing at the carrier.
type asker struct {
	*tool

	cluster   *fleet.Cluster
	run       labels.Set
	inquiries []judge.Inquiry
	places    map[client.ObjectKey]int // where queries without a response are in inquiries and answers
	answers   []judge.Answer
	finished  chan *v1alpha1.PlanOptionsQuery
	failed    chan error
	left      bool // whether there may be a query left that is not in places
}

func (t *tool) newAsker(cluster *fleet.Cluster) *asker {
	return &asker{
		tool: t, cluster: cluster, run: labels.Set{runLabel: string(uuid.NewUUID())},
		places:   make(map[client.ObjectKey]int),
		finished: make(chan *v1alpha1.PlanOptionsQuery), failed: make(chan error, 1),
	}
}

// ask creates a query, and does not wait. The operator removes it even if this process is killed.
func (a *asker) ask(ctx context.Context, inquiry judge.Inquiry) error {
	place := len(a.inquiries)
	a.inquiries = append(a.inquiries, inquiry) // even if the response is lost, the query is removed
	query := &v1alpha1.PlanOptionsQuery{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: inquiry.Service.Namespace, Name: fmt.Sprintf("plan-%s-%d", a.run[runLabel], place), Labels: a.run,
		},
		Spec: v1alpha1.OneShotSpec{
			AccountRef: inquiry.Service.Spec.AccountRef, ServiceID: inquiry.Number, TTLAfterFinished: "1h",
		},
	}
	if err := a.cluster.Create(ctx, query); err != nil {
		a.left = true // the API server may have created it nevertheless
		return fmt.Errorf("create the query for service %s: %w", inquiry.Number, err)
	}
	a.places[client.ObjectKeyFromObject(query)] = place
	if len(a.inquiries)%reportEach == 0 {
		a.reportf("asked the carrier what it offers for %d services so far", len(a.inquiries))
	}
	return nil
}

func (a *asker) await(ctx context.Context) ([]judge.Answer, error) {
	if len(a.inquiries) == 0 {
		return nil, nil
	}
	a.reportf("asked the carrier what it offers for %s; at the rateLimit of the account this takes at least %s",
		judge.Counted(len(a.inquiries), "service"), judge.LeastTime(a.inquiries))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := a.watchAnswers(ctx); err != nil {
		return nil, err
	}
	a.answers = make([]judge.Answer, len(a.inquiries))
	return a.answers, a.receive(ctx)
}

// receive waits until all queries have finished, or none has for a long time.
func (a *asker) receive(ctx context.Context) error {
	began, quiet := a.Now(), 0
	tick := a.Wait(progressPause)
	for len(a.places) > 0 && quiet < quietTicks {
		select {
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // the user interrupted it
		case err := <-a.failed:
			return err
		case query := <-a.finished:
			quiet = 0
			a.take(ctx, query)
		case <-tick:
			quiet++
			a.reportProgress(began)
			tick = a.Wait(progressPause)
		}
	}
	a.reportProgress(began)
	return nil
}

// take keeps a response, and removes its query, which may be reported more than once.
func (a *asker) take(ctx context.Context, query *v1alpha1.PlanOptionsQuery) {
	key := client.ObjectKeyFromObject(query)
	if place, open := a.places[key]; open {
		a.answers[place] = judge.AnswerOf(query)
		delete(a.places, key)
		err := a.cluster.Delete(ctx, query.DeepCopy()) // the cache has the original
		a.left = a.left || client.IgnoreNotFound(err) != nil
	}
}

func (a *asker) reportProgress(began time.Time) {
	a.reportf("%d of %s answered after %s", len(a.answers)-len(a.places), judge.Counted(len(a.answers), "service"),
		a.Now().Sub(began).Round(time.Second))
}

// reportf writes a line for the person who waits, apart from the output.
func (a *asker) reportf(format string, values ...any) {
	_, _ = fmt.Fprintf(a.Err, format+"\n", values...) //nolint:errcheck // the result does not depend on it
}

// watchAnswers passes on the queries that have finished, or are gone, until the context ends.
func (a *asker) watchAnswers(ctx context.Context) error {
	options := cache.Options{DefaultNamespaces: make(map[string]cache.Config)}
	for _, namespace := range judge.NamespacesOf(a.inquiries) {
		options.DefaultNamespaces[namespace] = cache.Config{LabelSelector: a.run.AsSelector()}
	}
	options.DefaultWatchErrorHandler = func(ctx context.Context, r *toolscache.Reflector, err error) {
		if apierrors.IsForbidden(err) {
			a.fail(fmt.Errorf("watch the queries: %w", err))
			return
		}
		toolscache.DefaultWatchErrorHandler(ctx, r, err)
	}
	return a.watchObjects(ctx, a.cluster, options, toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { a.pass(ctx, object, isFinished) },
		UpdateFunc: func(_, object any) { a.pass(ctx, object, isFinished) },
		DeleteFunc: func(object any) { a.pass(ctx, object, isGone) },
	}, &v1alpha1.PlanOptionsQuery{})
}

func (a *asker) fail(err error) {
	select {
	case a.failed <- err:
	default: // one error is enough
	}
}

// pass passes on a query that will not change any more.
func (a *asker) pass(ctx context.Context, object any, isLast func(*v1alpha1.PlanOptionsQuery) bool) {
	query, is := object.(*v1alpha1.PlanOptionsQuery)
	if !is || !isLast(query) {
		return
	}
	select {
	case a.finished <- query:
	case <-ctx.Done():
	}
}

func isFinished(query *v1alpha1.PlanOptionsQuery) bool {
	return judge.Ready(query).Status == metav1.ConditionTrue || judge.Stalled(query) != nil
}

func isGone(*v1alpha1.PlanOptionsQuery) bool { return true }

func (a *asker) remove(ctx context.Context) {
	if len(a.places) == 0 && !a.left {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
	defer cancel()
	for _, namespace := range judge.NamespacesOf(a.inquiries) {
		err := a.cluster.DeleteAllOf(ctx, &v1alpha1.PlanOptionsQuery{},
			client.InNamespace(namespace), client.MatchingLabels(a.run))
		if err != nil {
			a.reportf("the queries in namespace %s are not removed: %v; the operator removes each an hour after it "+
				"has finished, or run: kubectl delete poq -n %s -l %s", namespace, err, namespace, a.run)
		}
	}
}
