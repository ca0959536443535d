// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// experiment is something to try on the demo: commands to paste, and what they lead to.
type experiment struct {
	title    string
	commands []string
	leadsTo  string

	service   string // the BroadbandService that becomes Ready again
	serviceID string
	posts     int // how many plan changes the carrier has carried out for it by then
}

// within is how long an experiment may take. Health shows the outcome of a lost response after two
// minutes.
const within = 4 * time.Minute

// experiments returns what can be tried once the samples have the expected state.
func (d *demo) experiments(ctx context.Context) ([]experiment, error) {
	cluster, err := d.cluster()
	if err != nil {
		return nil, err
	}
	waiting, err := service(ctx, cluster, "asks-first")
	if err != nil {
		return nil, err
	}
	if waiting.Status.Pending == nil {
		return nil, fmt.Errorf("BroadbandService %s has no plan of changes to approve", waiting.Name)
	}
	controls := "http://" + d.Addresses.CarrierControls + "/_sim/"
	return []experiment{
		{
			title: "Approve the change that waits, " + waiting.Status.Change + ":",
			commands: []string{
				"kubectl annotate --overwrite bbs asks-first " + v1alpha1.AnnotationApprove + "=" + waiting.Status.Pending.Hash,
			},
			leadsTo: "It is sent, and after 8 s the service is InSync.",
			service: "asks-first", serviceID: "1000005", posts: 1,
		},
		{
			title: "Lose the carrier's response to a plan change:",
			commands: []string{
				`curl -s -d '{"target":"POST PlanChange","kind":"Reset","processed":true}' ` + controls + "faults",
				`kubectl patch bbs as-it-is --type=merge -p '{"spec":{"plan":{"name":"Home 50/20"}}}'`,
			},
			leadsTo: "Nothing is sent again. After 2 minutes the service's health shows that the carrier made the change.",
			service: "as-it-is", serviceID: "1000003", posts: 1,
		},
		{
			title:    "Edit a plan:",
			commands: []string{`kubectl patch bbs faster --type=merge -p '{"spec":{"plan":{"name":"Home 100/20"}}}'`},
			leadsTo:  "One plan change is sent, and after 8 s the service is InSync.",
			service:  "faster", serviceID: "1000001", posts: 2, // the samples changed it once
		},
	}, nil
}

// print prints an experiment.
func (e *experiment) print(d *demo, number int) {
	d.Printf("\n%d. %s\n", number, e.title)
	for _, command := range e.commands {
		d.Printf("   %s\n", command)
	}
	d.Printf("   %s\n", e.leadsTo)
}

// try runs the commands like somebody who pastes them, and fails unless they lead to the promised
// result.
func (e *experiment) try(ctx context.Context, d *demo) error {
	for _, command := range e.commands {
		run := exec.CommandContext(ctx, "bash", "-c", command) //nolint:gosec // our own commands
		path := strings.Join([]string{d.machine.BinDir, d.kubectlFolder(), os.Getenv("PATH")}, ":")
		run.Env = append(os.Environ(), "KUBECONFIG="+d.Admin.Path, "PATH="+path)
		if out, err := run.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", command, err, out)
		}
	}
	return d.awaitReady(ctx, e.service, e.serviceID, e.posts)
}

// awaitReady waits until a service is Ready for its generation, and the carrier has carried out the
// given number of plan changes for it. It fails immediately if the carrier has carried out more.
func (d *demo) awaitReady(ctx context.Context, name, serviceID string, posts int) error {
	cluster, err := d.cluster()
	if err != nil {
		return err
	}
	var last string
	err = poll(ctx, within, func(ctx context.Context) (bool, error) {
		sent, failed := d.planChanges(ctx, serviceID)
		if failed != nil {
			return false, failed
		}
		if sent > posts {
			return true, fmt.Errorf("the carrier carried out %d plan changes of service %s, want %d", sent, serviceID, posts)
		}
		current, failed := service(ctx, cluster, name)
		if failed != nil {
			return false, failed
		}
		ready := meta.FindStatusCondition(current.Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil {
			return false, nil
		}
		last = ready.Reason + ": " + ready.Message
		settled := ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == current.Generation
		return settled && sent == posts, nil
	})
	if err != nil {
		return fmt.Errorf("BroadbandService %s is %s: %w", name, last, err)
	}
	return nil
}

// planChanges returns how many plan changes the carrier has carried out for a service.
func (d *demo) planChanges(ctx context.Context, serviceID string) (int, error) {
	var count simulator.Count
	err := d.ReadJournal(ctx, "submissions/"+string(simulator.OpPlanChange)+"?subject="+serviceID, &count)
	return count.Processed, err
}

// cluster returns a client with the administrator's rights.
func (d *demo) cluster() (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("register the kinds: %w", err)
	}
	cluster, err := client.New(d.Admin.REST(), client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return cluster, nil
}

// service reads a BroadbandService of the samples.
func service(ctx context.Context, cluster client.Client, name string) (*v1alpha1.BroadbandService, error) {
	read := &v1alpha1.BroadbandService{}
	if err := cluster.Get(ctx, client.ObjectKey{Namespace: samplesNamespace, Name: name}, read); err != nil {
		return nil, fmt.Errorf("read BroadbandService %s: %w", name, err)
	}
	return read, nil
}

// kubectlFolder returns the folder that the commands find kubectl in.
func (d *demo) kubectlFolder() string { return filepath.Dir(d.Kubectl) }

// killBetween kills the manager after the carrier has accepted a plan change and before its
// response arrives, and shows that the next manager sends nothing twice.
func (d *demo) killBetween(ctx context.Context) error {
	d.Printf("\ndemo: bbs/faster is to be changed, the carrier accepts the request, and its response never arrives\n")
	kill := experiment{commands: []string{
		`curl -sf -d '{"target":"POST PlanChange","kind":"Hang","processed":true}' http://` +
			d.Addresses.CarrierControls + "/_sim/faults",
		`kubectl patch bbs faster --type=merge -p '{"spec":{"plan":{"name":"Home 50/20"}}}'`,
		"until curl -s http://" + d.Addresses.CarrierControls + "/_sim/submissions/PlanChange?subject=1000001 | " +
			"grep -q '\"processed\":2'; do sleep 0.1; done",
		"kill -9 $(cat " + d.InState(machine.ManagerPIDFile) + ")",
	}, service: "faster", serviceID: "1000001", posts: 2} // the samples changed it once
	for _, command := range kill.commands {
		d.Printf("   %s\n", command)
	}
	err := kill.try(ctx, d)
	if err == nil {
		d.Printf("demo: bbs/faster is InSync: the carrier carried out one change, and nothing was sent twice\n")
	}
	return err
}
