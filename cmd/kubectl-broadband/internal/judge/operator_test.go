// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// pairs is the number of random pairs of spec and status.
const pairs = 2000

// The operator sends exactly what `plan` says. For random pairs of spec and status, the operator's
// decisions are carried out one after the other until it has nothing left to do.
func TestThePlanIsWhatTheOperatorThenSends(t *testing.T) {
	t.Parallel()
	sent, empty := 0, 0
	for seed := range uint64(pairs) {
		random := rand.New(rand.NewPCG(seed, 22)) //nolint:gosec // a test draws, it does not hide
		service, account := randomPair(random)
		plan := judge.PlanService(service.DeepCopy(), judge.Known{Account: account, Now: start()})
		planned := make([]string, 0, len(plan.Requests))
		for _, request := range plan.Requests {
			planned = append(planned, string(request.Operation)+" "+string(request.Body))
		}
		op := &operator{service: service, account: account, now: start()}
		op.run(t)
		slices.Sort(planned)
		slices.Sort(op.sent)
		if !slices.Equal(planned, op.sent) {
			t.Fatalf("seed %d: planned %q, and sent %q; spec %+v, carrier %+v",
				seed, planned, op.sent, service.Spec, service.Status.Carrier)
		}
		sent += len(op.sent)
		if len(op.sent) == 0 {
			empty++
		}
	}
	t.Logf("%d pairs, %d requests, %d pairs without any", pairs, sent, empty)
	if sent < pairs || empty == 0 {
		t.Fatalf("the pairs are all alike: %d requests, %d pairs without any", sent, empty)
	}
}

// The offers of a PlanOptionsQuery have the same price as those that the operator reads.
func TestThePlanContainsAnAdditionalNTDThatTheCarrierRequires(t *testing.T) {
	t.Parallel()
	service, account := randomPair(rand.New(rand.NewPCG(1, 22))) //nolint:gosec // a test draws, it does not hide
	account.Spec.Approval = v1alpha1.ApprovalOnCost
	service.Spec.Plan = &v1alpha1.Plan{Name: "Fast", Term: 12}
	service.Status.Carrier = &v1alpha1.CarrierState{
		Plan: &v1alpha1.KnownValue{Value: "Slow", Source: v1alpha1.SourceChangeResult},
	}
	offers := &v1alpha1.PlanOptionsQuery{}
	offers.Status.Plans = []v1alpha1.PlanOption{{Name: "Fast", Term: "12", RequiresAdditionalNTD: new(true)}}
	plan := judge.PlanService(service, judge.Known{Account: account, Offers: offers, Now: start()})
	if len(plan.Changes) == 0 || plan.Changes[0].NTDOption == nil {
		t.Errorf("the plan of changes is %+v", plan.Changes)
	}
}

// A plan has each price of the offers that are known.
func TestAPlanHasThePriceOfEachOffer(t *testing.T) {
	t.Parallel()
	service, account := randomPair(rand.New(rand.NewPCG(1, 22))) //nolint:gosec // a test draws, it does not hide
	account.Spec.Approval = v1alpha1.ApprovalAlways
	service.Spec.Plan = &v1alpha1.Plan{Name: "Home 2000/500", Term: 12, NTDOption: "4_PORT"}
	service.Spec.RestorationSLA, service.Spec.Cancellation = "Enhanced", nil
	service.Spec.AggregationMethod, service.Spec.DSLStabilityProfile = "", ""
	carrierHas := service.Status.Carrier
	carrierHas.Plan.Value, carrierHas.Term.Value, carrierHas.Term.Plan = "Home 50/20", "12", "Home 50/20"
	carrierHas.RestorationSLA = &v1alpha1.KnownValue{Value: "Standard", Source: v1alpha1.SourceChangeResult}
	offers := &v1alpha1.PlanOptionsQuery{Status: v1alpha1.PlanOptionsQueryStatus{
		Plans: []v1alpha1.PlanOption{
			{Name: "Home 50/20", Term: "12", OneTime: money("0.00"), Monthly: money("45.00")},
			{
				Name: "Home 2000/500", Term: "12", OneTime: money("1.00"), Monthly: money("110.00"),
				NFASOneTime: money("200.00"), NFASMonthly: money("3.00"),
				NTDOptions: []v1alpha1.NTDOptionOffer{{Option: "4_PORT", OneTime: money("99.00"), Monthly: money("2.00")}},
			},
		},
		SLAs: []v1alpha1.SLAOption{
			{Name: "Standard", OneTime: money("0.00"), Monthly: money("0.00")},
			{Name: "Enhanced", OneTime: money("5.00"), Monthly: money("10.00")},
		},
	}}
	var plan judge.Plan
	plan.Add(judge.PlanService(service, judge.Known{Account: account, Offers: offers, Now: start()}))
	const want = "one-time 305.00 AUD, monthly 45.00 AUD → 125.00 AUD (+80.00 AUD)"
	if got := plan.Sums.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func start() time.Time { return time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC) }

func pick[T any](random *rand.Rand, values ...T) T { return values[random.IntN(len(values))] }

// randomPair returns a service with a random spec and a random known state, and its account. The
// values of the service are known, unknown, equal or different; nothing holds its changes back.
func randomPair(random *rand.Rand) (*v1alpha1.BroadbandService, *v1alpha1.CarrierAccount) {
	account := &v1alpha1.CarrierAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: "default"},
		Spec: v1alpha1.CarrierAccountSpec{
			BaseURL: "https://api.carrier.example", APIVersion: 8, Auth: v1alpha1.Auth{ClientName: "reseller"},
			Approval: v1alpha1.ApprovalAutomatic, UnknownValues: v1alpha1.UnknownRequest,
		},
	}
	account.Status.Login = &v1alpha1.CarrierLogin{BaseURL: account.Spec.BaseURL, ClientName: "reseller"}
	account.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}}
	service := &v1alpha1.BroadbandService{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "sites", Name: "site", UID: types.UID(fmt.Sprintf("u-%d", random.Uint32())), Generation: 2,
		},
		Spec: v1alpha1.BroadbandServiceSpec{
			AccountRef: v1alpha1.AccountReference{Name: "default"}, ServiceID: "1234567",
			RestorationSLA:      pick(random, "", "Standard", "Enhanced"),
			AggregationMethod:   pick(random, "", "L2TP", "ETHERNET"),
			DSLStabilityProfile: pick(random, "", "Standard", "Stable"),
		},
	}
	if name := pick(random, "", "Home 50/20", "Home 100/20", "home 50/20"); name != "" {
		service.Spec.Plan = &v1alpha1.Plan{Name: name, Term: pick(random, int32(1), 12)}
	}
	if pick(random, true, false, false) {
		service.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: "2099-06-30"}
		if pick(random, true, false) {
			service.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationNever}
		}
	}
	service.Status = randomStatus(random)
	return service, account
}

func randomStatus(random *rand.Rand) v1alpha1.BroadbandServiceStatus {
	known := func(source v1alpha1.ValueSource, values ...string) *v1alpha1.KnownValue {
		value := pick(random, values...)
		if value == "" {
			return nil
		}
		return &v1alpha1.KnownValue{Value: value, Source: source, Since: metav1.NewTime(start().Add(-time.Hour))}
	}
	state := &v1alpha1.CarrierState{
		Login:               v1alpha1.CarrierLogin{BaseURL: "https://api.carrier.example", ClientName: "reseller"},
		Plan:                known(v1alpha1.SourceHealth, "Home 50/20", "Home 100/20", "Home 25/5"),
		Term:                known(v1alpha1.SourceChangeResult, "1", "12", "24"),
		RestorationSLA:      known(v1alpha1.SourceChangeResult, "", "Standard", "Enhanced"),
		AggregationMethod:   known(v1alpha1.SourceChangeResult, "", "L2TP", "ETHERNET"),
		DSLStabilityProfile: known(v1alpha1.SourceChangeResult, "", "Standard", "Stable"),
		Cancellation:        &v1alpha1.CancellationState{CanRequest: true},
	}
	state.Term.Plan = state.Plan.Value
	if pick(random, true, false) {
		state.Cancellation = &v1alpha1.CancellationState{
			Status: string(carrier.CancellationRequested), RequestDate: pick(random, "2099-01-31", "2099-06-30"),
			RequestedOn: "2026-01-01", CanAbort: true, CanReschedule: true,
		}
		state.Cancellation.PendingDate = state.Cancellation.RequestDate
	}
	return v1alpha1.BroadbandServiceStatus{
		ObservedGeneration: 1, ServiceID: "1234567", Carrier: state,
		Health:      &v1alpha1.HealthStatus{Summary: "Green"},
		Disruptions: &v1alpha1.DisruptionStatus{},
	}
}

// operator carries out decisions the way the reconciler does, with a carrier that accepts
// everything and responds immediately.
type operator struct {
	service *v1alpha1.BroadbandService
	account *v1alpha1.CarrierAccount
	memory  decide.Memory
	now     time.Time
	sent    []string
}

func (o *operator) run(t *testing.T) {
	t.Helper()
	o.memory = decide.Memory{Observed: decide.Observed{Sender: "s-1", FirstSeen: o.now}}
	for range 100 {
		decision := services.Decide(services.Input{
			Input: decide.Input{
				Subject: o.service, Account: decide.Account{Object: o.account}, Memory: o.memory, Now: o.now,
				Elapsed: o.now.Sub(start()), Submit: true,
			},
			Service: o.service,
		})
		switch step := decision.Step.(type) {
		case decide.StartReading:
			o.read(step.Topic)
		case decide.Submit:
			o.submit(step.Request)
		case decide.Rest:
			if decision.RequeueAt.IsZero() || decision.RequeueAt.Sub(o.now) > time.Hour {
				return
			}
			o.now = decision.RequeueAt
			continue
		case decide.SubmitQuery, decide.ReadContact, decide.ContinueReading, decide.Probe, decide.Poll,
			decide.RecordResponse, decide.Resolve:
			t.Fatalf("step %T: %+v", step, decision.Verdict)
		}
		o.now = o.now.Add(time.Second)
	}
	t.Fatalf("the operator does not settle: %q", o.sent)
}

// read gives a reading the state in the status as its result.
func (o *operator) read(topic decide.Topic) {
	reading := o.memory.Readings.Of(topic)
	*reading = decide.Reading{
		State: decide.ReadingAnswered, RequestedAt: o.now, Elapsed: o.now.Sub(start()), Generation: o.service.Generation,
	}
	state := o.service.Status.Carrier
	if state.Plan != nil {
		reading.Health.Plan = state.Plan.Value
	}
	if held := state.Cancellation; held != nil {
		reading.Cancellation = carrier.Cancellation{
			Status: carrier.CancellationStatus(held.Status), Cancelled: held.Cancelled, RequestDate: held.RequestDate,
			RequestedOn: carrier.Timestamp(held.RequestedOn), CanRequest: held.CanRequest, CanAbort: held.CanAbort,
			CanReschedule: held.CanReschedule,
		}
	}
}

// submit records a request that the carrier has carried out.
func (o *operator) submit(request v1alpha1.Request) {
	body := services.Body(request.Operation, o.service.ServiceNumber(), request.Target, v1alpha1.Contact{})
	o.sent = append(o.sent, string(request.Operation)+" "+string(body))
	request.AttemptID, request.Phase = fmt.Sprintf("a-%d", len(o.sent)), v1alpha1.PhaseSucceeded
	request.SubmittedAt, request.FinishedAt = metav1.NewTime(o.now), metav1.NewTime(o.now)
	o.service.PutRequest(request)
	services.ApplyTarget(o.service, &request, v1alpha1.SourceChangeResult, o.now)
	if state := o.service.Status.Carrier; state.Cancellation == nil || request.Operation.AltersCancellation() {
		state.Cancellation = afterwards(request)
	}
}

// afterwards is the cancellation after a request that altered it.
func afterwards(request v1alpha1.Request) *v1alpha1.CancellationState {
	if request.Operation == v1alpha1.OperationCancellationAbort {
		return &v1alpha1.CancellationState{Status: string(carrier.CancellationAborted), CanRequest: true}
	}
	return &v1alpha1.CancellationState{
		Status: string(carrier.CancellationRequested), RequestDate: request.Target.Date, PendingDate: request.Target.Date,
		RequestedOn: "2026-01-01", CanAbort: true, CanReschedule: true,
	}
}
