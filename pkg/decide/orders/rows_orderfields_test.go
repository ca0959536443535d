// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// furtherFields gives an order every field of the extension OrderFields.
func furtherFields(spec *v1alpha1.ServiceOrderSpec) {
	spec.POTS = &v1alpha1.POTS{Waiver: new(true)}
	spec.QuoteName, spec.NTDOption = "Q-1", "4_PORT"
	spec.ExtraFields = []v1alpha1.ExtraField{
		{Name: "siteAccessCode", Text: new(`4"711`)},
		{Name: "floors", Number: new("2.50")},
		{Name: "hasLift", Flag: new(false)},
	}
}

func TestFieldsOfAnExtensionNeedTheExtension(t *testing.T) {
	t.Parallel()
	view := refusedOrder("")
	furtherFields(&view.Order.Spec)
	view.Order.Spec.Approval = v1alpha1.ApprovalAutomatic
	decision := orders.Decide(view)
	const words = "spec.pots, spec.quoteName, spec.ntdOption, spec.extraFields needs the extension OrderFields, which " +
		"CarrierAccount default does not have. Nothing was sent: if the carrier has these fields, add OrderFields to " +
		"spec.extensions of the account; otherwise remove them from the order"
	if decision.Verdict.Reason != v1alpha1.ReasonOrderNotPossible || decision.Verdict.Message != words {
		t.Errorf("%+v", decision.Verdict)
	}
	view.Account.Object.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionOrderFields}
	if step := decidetest.StepName(orders.Decide(view).Step); step != "Submit" {
		t.Errorf("with the extension: %s", step)
	}
}

func TestAnExtraFieldIsPartOfWhatIsApproved(t *testing.T) {
	t.Parallel()
	view := refusedOrder("")
	view.Account.Object.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionOrderFields}
	furtherFields(&view.Order.Spec)
	first := orders.Decide(view).Pending
	rows := map[string]string{}
	for _, row := range first.Changes {
		rows[row.Field] += row.To + "; "
	}
	for field, to := range map[string]string{
		"pots": "serviceOwner false, waiver true", "quoteName": "Q-1", "ntdOption": "4_PORT",
		"extraFields": `siteAccessCode "4\"711"; floors 2.50; hasLift false`,
	} {
		if rows[field] != to+"; " {
			t.Errorf("%s: %q, want %q", field, rows[field], to)
		}
	}
	view.Order.Spec.ExtraFields[0].Text = new("4712")
	if orders.Decide(view).Pending.Hash == first.Hash {
		t.Error("the hash covers another text")
	}
	body := string(orders.Body(&view.Order.Spec, "", v1alpha1.Contact{}))
	if want := `"floors":2.50,"hasLift":false,"siteAccessCode":"4712"}`; !strings.HasSuffix(body, want) {
		t.Error(body)
	}
	slice := view.Order.Spec.ExtraFields
	slice[0], slice[2] = slice[2], slice[0]
	if again := string(orders.Body(&view.Order.Spec, "", v1alpha1.Contact{})); again != body {
		t.Errorf("in another order: %s", again)
	}
}

func TestATelephoneServiceWithAnotherNumberNeedsAWaiver(t *testing.T) {
	t.Parallel()
	pair := func(matches *bool) *carrier.Qualification {
		found := carrier.Infrastructure{
			InfrastructureID: "CPI1", CopperPair: &carrier.CopperPair{POTSInterconnectMatch: matches},
		}
		return &carrier.Qualification{
			QualificationSearchID: "SQ", LocationID: "LOC000000000001", Infrastructures: []carrier.Infrastructure{found},
		}
	}
	for name, c := range map[string]struct {
		pots    *v1alpha1.POTS
		matches *bool
		refused bool
	}{
		"another number":             {&v1alpha1.POTS{ServiceOwner: true}, new(false), true},
		"another number, and waived": {&v1alpha1.POTS{ServiceOwner: true, Waiver: new(true)}, new(false), false},
		"the same number":            {&v1alpha1.POTS{ServiceOwner: true}, new(true), false},
		"not known":                  {&v1alpha1.POTS{ServiceOwner: true}, nil, false},
		"not stated":                 {nil, new(false), false},
	} {
		spec := asks(v1alpha1.ScenarioFree, "Slow", "wholesale-no-action")
		spec.Infrastructure, spec.POTS = &v1alpha1.OrderedInfrastructure{ID: "CPI1"}, c.pots
		why := decide.JoinTexts(orders.Refusals(spec, pair(c.matches))...)
		if strings.Contains(why, "spec.pots.waiver: true") != c.refused {
			t.Errorf("%s: %s", name, why)
		}
	}
}
