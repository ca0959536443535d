// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
)

// CheckResult is how a check ended.
type CheckResult string

// The results of checks.
const (
	CheckOK      CheckResult = "ok"
	CheckFailed  CheckResult = "failed"
	CheckWarning CheckResult = "warning"
	CheckSkipped CheckResult = "skipped" // what it needs cannot be read, or is not known yet
)

// Check is one check of an installation.
type Check struct {
	About  string      `json:"about"`
	What   string      `json:"what"`
	Result CheckResult `json:"result"`
	Detail string      `json:"detail,omitempty"`
}

// CheckAccount checks an account as the operator reports it.
func CheckAccount(account *v1alpha1.CarrierAccount) []Check {
	about := ReferenceTo(account).Namespace + "/" + ReferenceTo(account).Short()
	ready := Ready(account)
	token := checkCondition(Check{About: about, What: "login"}, &ready)
	clock := Check{about, "clock", CheckOK, "the identity provider accepts the operator's time"}
	switch {
	case ready.Reason == v1alpha1.ReasonClockSkew:
		clock.Result, clock.Detail = CheckFailed, ready.Message
	case ready.Status != metav1.ConditionTrue:
		clock.Result, clock.Detail = CheckSkipped, "no token was issued"
	}
	reach := checkCondition(Check{about, "carrier", CheckSkipped, "the carrier was not called yet"},
		Condition(account, v1alpha1.ConditionCarrier))
	checks := []Check{token, clock, reach, checkVersion(about, account.Spec.APIVersion)}
	if len(account.Spec.Extensions) > 0 {
		checks = append(checks, checkCondition(Check{about, "extensions", CheckSkipped, "none was called yet"},
			Condition(account, v1alpha1.ConditionExtensions)))
	}
	return checks
}

// checkCondition returns a check with the result that a condition shows. Without the condition, the
// check is unchanged: the operator sets the condition after the first call.
func checkCondition(check Check, condition *metav1.Condition) Check {
	switch {
	case condition == nil:
	case condition.Status == metav1.ConditionTrue:
		check.Result, check.Detail = CheckOK, condition.Message
	default:
		check.Result, check.Detail = CheckFailed, condition.Reason+": "+condition.Message
	}
	return check
}

// checkVersion knows that the carrier has deprecated versions 1 and 2, and that 8 is the newest.
func checkVersion(about string, version int32) Check {
	const deprecated, newest = 2, 8
	check := Check{about, "API version", CheckOK, fmt.Sprint(version)}
	switch {
	case version <= deprecated:
		check.Result = CheckFailed
		check.Detail = fmt.Sprintf("version %d is deprecated by the carrier: raise apiVersion", version)
	case version < newest:
		check.Result, check.Detail = CheckWarning, fmt.Sprintf("version %d; %d is the newest", version, newest)
	}
	return check
}

const toInstall = "install the manifests or the chart of this version (docs/install.md)"

// CheckCRD compares the CustomResourceDefinition of the cluster, if it has one, with this
// version's.
func CheckCRD(wanted, found *apiextensionsv1.CustomResourceDefinition) Check {
	check := Check{wanted.Name, "CustomResourceDefinition", CheckOK, "as in this version of the plugin"}
	switch {
	case found == nil:
		check.Result, check.Detail = CheckFailed, "it is not installed: "+toInstall
	case !equality.Semantic.DeepEqual(schemasOf(wanted), schemasOf(found)):
		check.Result = CheckWarning
		check.Detail = "it differs from that of this plugin's version: install CRDs and plugin of the same version"
	}
	return check
}

// CheckPolicy compares an admission policy and its binding, as the operator does.
func CheckPolicy(wanted, found admission.Policy) Check {
	check := Check{wanted.Name(), "admission policy", CheckOK, "as in this version of the plugin"}
	if flaw := wanted.Flaw(found); flaw != "" {
		check.Result, check.Detail = CheckFailed, flaw+": "+toInstall
	}
	return check
}

func schemasOf(crd *apiextensionsv1.CustomResourceDefinition) map[string]*apiextensionsv1.CustomResourceValidation {
	schemas := make(map[string]*apiextensionsv1.CustomResourceValidation)
	for _, version := range crd.Spec.Versions {
		schemas[version.Name] = version.Schema
	}
	return schemas
}

// CheckVersions compares the versions of plugin and operator, which is the tag of its image.
func CheckVersions(plugin, image string, available int32) Check {
	check := Check{"operator", "deployment", CheckOK, image}
	tag := tagOf(image)
	switch {
	case available == 0:
		check.Result, check.Detail = CheckFailed, image+": no replica is available"
	case tag == "":
		check.Result, check.Detail = CheckSkipped, image+" runs; without a tag, its version is not known"
	case tag != plugin:
		check.Result, check.Detail = CheckWarning, fmt.Sprintf("the operator is %s, and this plugin is %s", tag, plugin)
	}
	return check
}

// tagOf returns the tag of an image, before the digest if there is one; "" if it has no tag.
func tagOf(image string) string {
	name, _, _ := strings.Cut(image, "@")
	_, tag, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	return tag
}
