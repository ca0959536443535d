// SPDX-License-Identifier: Apache-2.0

package main

import "context"

// plottedServices are the services of a wave that are changed once more for the plots.
const plottedServices = "site-0000{01..40}"

// lostService is the service of the wave whose next plan change gets no response.
const (
	lostService = "site-000041"
	lostNumber  = 40 // the first service has the number 0
)

// runPlotted runs a wave, and then what a wave lacks: waits for a rate limit, approved prices,
// passes that fail, and a lost response. Afterwards, every panel of the dashboard shows something.
func (d *demo) runPlotted(ctx context.Context) error {
	if err := d.runWave(ctx); err != nil {
		return err
	}
	for _, part := range d.plottedParts() {
		d.Printf("demo: %s\n", part.title)
		if err := part.try(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// plottedParts returns what is done after the wave.
func (d *demo) plottedParts() []experiment {
	const asks = `--for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=AwaitingApproval`
	plan := func(services, spec string) string {
		return "kubectl patch bbs " + services + " --type=merge -p '{\"spec\":{" + spec + "}}'"
	}
	return []experiment{
		{
			title: "40 services wait for the approval of a plan that costs more, and the account makes 5 calls per second",
			commands: []string{
				"kubectl patch carrieraccount default --type=merge " +
					`-p '{"spec":{"rateLimit":{"requestsPerSecond":5,"burst":5}}}'`,
				plan(plottedServices, `"approval":"OnCost","plan":{"name":"Home 250/25"}`),
				"kubectl wait " + asks + " --timeout=2m bbs " + plottedServices,
				"kubectl broadband approve --all --yes --max-one-time=0",
				"kubectl wait --for=condition=Ready --timeout=3m bbs " + plottedServices,
			},
			service: waveService(0).Name, serviceID: waveID(0), posts: 2,
		},
		{
			title: "the response to a plan change is lost, and the manager lacks its ClusterRole for some seconds",
			commands: []string{
				`curl -sf -d '{"target":"POST PlanChange","kind":"Reset","processed":true}' http://` +
					d.Addresses.CarrierControls + "/_sim/faults",
				plan(lostService, `"plan":{"name":"`+waveFrom+`"}`),
				"until kubectl get bbs " + lostService + " -o jsonpath='{.status.requests[*].error}' | grep -q .; do " +
					"sleep 0.2; done",
				"kubectl delete clusterrolebinding broadband-operator-manager-rolebinding",
				plan("site-0000{42..46}", `"plan":{"name":"`+waveFrom+`"}`),
				"sleep 5",
				"kubectl apply --server-side --field-manager=broadband-operator --kustomize=config/install",
			},
			service: lostService, serviceID: waveID(lostNumber), posts: 2,
		},
	}
}
