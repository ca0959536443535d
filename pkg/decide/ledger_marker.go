// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Found is what exists in a cluster when a process starts.
type Found struct {
	Objects  bool     // there are objects whose requests are recorded in ledgers
	Restored bool     // a status names the revision of a ledger
	Clusters []string // the clusters named in ledgers
}

// RequiredAcknowledgement returns what a person has to acknowledge before requests are sent (R5).
// The marker is nil if it does not exist. Records from another cluster, or from before the marker
// was lost, mean a restore. If there are only objects, another installation may have sent their
// requests.
func RequiredAcknowledgement(marker *v1alpha1.LedgerMarker, cluster string, found Found) v1alpha1.MarkerWait {
	foreign := func(named string) bool { return marker == nil || !slices.Contains(marker.Clusters, named) }
	switch {
	case slices.ContainsFunc(found.Clusters, foreign),
		marker == nil && found.Restored, marker != nil && foreign(cluster):
		return v1alpha1.MarkerRecovery
	case marker != nil:
		return marker.Waits
	case found.Objects:
		return v1alpha1.MarkerNewInstallation
	}
	return ""
}

// IsLost reports whether a ledger belongs to a cluster that does not count, because the marker does
// not list it (R26). After a restore, a person has to decide first whether anything was lost.
func (i *Installation) IsLost(ledger *v1alpha1.RequestLedger) bool {
	if i.Marker == "" || ledger == nil || i.Waits == v1alpha1.MarkerRecovery {
		return false
	}
	return !slices.Contains(i.Clusters, ledger.Spec.Cluster)
}

// ForbidsNewLedgers reports whether no ledger may be created: a restore has yet to bring back the
// previous ledgers, or this address now leads to another cluster.
func (i *Installation) ForbidsNewLedgers() bool {
	return i.MarkerGone || i.Waits == v1alpha1.MarkerRecovery
}

// command returns the command with which a person acknowledges the installation.
func (i *Installation) command() string {
	return fmt.Sprintf("kubectl annotate --overwrite ledger %s '%s=%s'",
		i.Marker, v1alpha1.AnnotationAcknowledge, i.Cluster)
}

func markerIsMissing(in *Input, _ DesiredChange) *Decision {
	if !in.Installation.MarkerGone {
		return nil
	}
	return RestOn(markerGone(&in.Installation))
}

func markerGone(installation *Installation) Verdict {
	return Verdict{Stuck, v1alpha1.ReasonLedgerLost, fmt.Sprintf(
		"RequestLedger %s is missing, or is not the one that this manager started with: nothing is sent for objects that "+
			"have no RequestLedger yet. Restore the RequestLedgers, then restart the manager", installation.Marker)}
}

// Unrecordable returns why the loss of a ledger cannot be recorded; nil if it can.
func Unrecordable(in *LedgerInput) *Verdict {
	switch {
	case in.Installation.Waits == v1alpha1.MarkerRecovery:
		return &Verdict{Waiting, v1alpha1.ReasonPlanned, in.Withheld().Why +
			", and the RequestLedger of this object is missing or older than the newest one seen: nothing is sent"}
	case in.Installation.MarkerGone && in.Ledger == nil:
		return new(markerGone(&in.Installation))
	}
	return nil
}

// ImplausibleRevision is the message about a revision that is ignored.
func ImplausibleRevision(of v1alpha1.LedgerReference) string {
	return fmt.Sprintf("status.ledger.revision %d of RequestLedger %s is above 2^53, which no ledger can reach: "+
		"the revision is ignored. Find out who wrote this status", of.Revision, of.Name)
}

// Withheld is why nothing may be sent at all. The zero value withholds nothing.
type Withheld struct {
	Why string

	state  State
	reason string
}

// Withheld returns why nothing may be sent at all.
func (in *Input) Withheld() Withheld {
	switch {
	case !in.Submit:
		return Withheld{"the manager runs with --submit=false", Waiting, v1alpha1.ReasonPlanned}
	case in.Installation.Waits == v1alpha1.MarkerRecovery:
		return Withheld{fmt.Sprintf("the objects of this cluster were restored (restore the RequestLedgers too, compare "+
			"them with the carrier's records, then run: %s)", in.Installation.command()), Waiting, v1alpha1.ReasonPlanned}
	}
	return in.Installation.Policies.Withheld()
}

// Rest returns the decision to send nothing, with its meaning here; nil if nothing is withheld.
func (w Withheld) Rest(meaning string) *Decision {
	if w.Why == "" {
		return nil
	}
	return RestOn(Verdict{w.state, w.reason, w.Why + ", so " + meaning})
}

// AwaitAcknowledgement holds back requests that only their ledger keeps from being sent twice,
// until a person has said that this is a new installation (R5). For any other request, the value
// is read before it is changed.
func AwaitAcknowledgement(in *Input, what string) *Decision {
	if in.Installation.Waits != v1alpha1.MarkerNewInstallation {
		return nil
	}
	return RestWaiting(v1alpha1.ReasonNewInstallation, fmt.Sprintf(
		"objects existed before the operator first ran: if another installation has already sent their requests, "+
			"restore its RequestLedgers first; otherwise run %s. Until then, %s is not sent", in.Installation.command(), what))
}

// sentOnlyOnce reports whether only its ledger keeps an operation from being sent again.
func sentOnlyOnce(operation v1alpha1.Operation) bool {
	return operation == v1alpha1.OperationOrderCreate || operation == v1alpha1.OperationDiagnosticTest
}

// Withheld returns why nothing is sent as long as the admission policies are not in force.
func (p Policies) Withheld() Withheld {
	if p.Flaw == "" {
		return Withheld{}
	}
	return Withheld{p.Flaw + ", so nothing decides who may approve or resolve (install the manifests or the chart of " +
		"this version again: docs/install.md)", Stuck, v1alpha1.ReasonPolicyMissing}
}

// voidResolution describes a resolve annotation that has no effect because anybody who may edit the
// object could have set it; "" if the policies are in force.
func (p Policies) voidResolution(value string) string {
	if p.Flaw == "" {
		return ""
	}
	return fmt.Sprintf("the annotation %s is %q, but has no effect, now or later: %s, so anybody who may edit the object "+
		"could have set it. Once the policy is restored, remove the annotation, and set it again", v1alpha1.AnnotationResolve,
		value, p.Flaw)
}
