// SPDX-License-Identifier: Apache-2.0

package helm_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

// keep is the annotation that prevents Helm from deleting an object.
const keep = "helm.sh/resource-policy"

// withoutKeep returns the objects of the chart without the annotation that only Helm understands.
func withoutKeep(objects map[string]*unstructured.Unstructured) map[string]*unstructured.Unstructured {
	for _, one := range objects {
		if one.GetKind() == "CustomResourceDefinition" {
			annotations := one.GetAnnotations()
			delete(annotations, keep)
			one.SetAnnotations(annotations)
		}
	}
	return objects
}

func (p programs) kustomize(t *testing.T, folder string) map[string]*unstructured.Unstructured {
	t.Helper()
	return parse(t, must(t, command(t.Context(), t.TempDir(), p.kubectl, "kustomize", root+"/config/"+folder)))
}

func TestHelmFindsNothingToComplainAbout(t *testing.T) {
	t.Parallel()
	out := must(t, command(t.Context(), t.TempDir(), find(t).helm, "lint", "--strict", chart))
	NewWithT(t).Expect(out).To(ContainSubstring("1 chart(s) linted, 0 chart(s) failed"))
	NewWithT(t).Expect(out).NotTo(ContainSubstring("WARNING"))
}

// expectSame compares object by object, so that a failure shows which one differs.
func expectSame(t *testing.T, got, want map[string]*unstructured.Unstructured) {
	t.Helper()
	g := NewWithT(t)
	g.Expect(slices.Sorted(maps.Keys(got))).To(Equal(slices.Sorted(maps.Keys(want))))
	for id, one := range want {
		g.Expect(got[id].Object).To(BeComparableTo(one.Object), id)
	}
}

func TestTheChartHasTheObjectsOfTheManifests(t *testing.T) {
	t.Parallel()
	p := find(t)
	expectSame(t, withoutKeep(parse(t, p.template(t, "--set=namespace.create=true"))), p.kustomize(t, "default"))
}

func TestTheChartIsRestrictedToNamespacesLikeTheManifests(t *testing.T) {
	t.Parallel()
	p := find(t)
	expectSame(t, withoutKeep(parse(t, p.template(t, "--set=namespace.create=true", "--set=namespaces={sites,offices}"))),
		p.kustomize(t, "namespaced/example"))
}

// Only the namespace differs: in fields, in a flag, and in the name of the operator's user.
func TestTheChartMovesToTheNamespaceOfItsRelease(t *testing.T) {
	t.Parallel()
	p := find(t)
	moved := p.template(t, "--set=namespace.create=true", "--namespace=namespace-of-the-release")
	replaced := strings.NewReplacer(
		"namespace: namespace-of-the-release\n", "namespace: broadband-operator\n",
		"name: namespace-of-the-release\n", "name: broadband-operator\n",
		"--operator-namespace=namespace-of-the-release", "--operator-namespace=broadband-operator",
		"system:serviceaccount:namespace-of-the-release:", "system:serviceaccount:broadband-operator:",
	).Replace(moved)
	expectSame(t, parse(t, replaced), parse(t, p.template(t, "--set=namespace.create=true")))
	NewWithT(t).Expect(replaced).NotTo(ContainSubstring("namespace-of-the-release"))
}

// options maps each value of the chart to a setting that differs from its default, and to what the
// setting adds to the manifests or, after an exclamation mark, removes from them.
func options() map[string][2]string {
	return map[string][2]string{
		"replicas":                               {"=0", "replicas: 0"},
		"submit":                                 {"=false", "- --submit=false"},
		"approvalCheckedElsewhere":               {"=true", "- --approval-checked-elsewhere"},
		"usernames":                              {"=false", "!MutatingAdmissionPolicy"},
		"carrierHosts":                           {"={a.example,*.b.example}", "--carrier-hosts=a.example,*.b.example"},
		"image.repository":                       {"=registry.example/op", `image: "registry.example/op:v`},
		"image.tag":                              {"=v7", `broadband-operator:v7"`},
		"image.digest":                           {"=sha256:" + strings.Repeat("a", 64), "broadband-operator@sha256:aaa"},
		"image.pullPolicy":                       {"=Always", "imagePullPolicy:\n          Always"},
		"imagePullSecrets":                       {"[0].name=registry", "imagePullSecrets:\n        - name: registry"},
		"namespaces":                             {"={a,b}", "- --namespaces=a,b"},
		"fleetSize":                              {"=large", "value: 5500MiB"},
		"resources":                              {".limits.memory=9Gi", "memory: 9Gi"},
		"extraArgs":                              {"={--log-level=debug}", "- --log-level=debug"},
		"extraEnv":                               {"[0].name=TZ,extraEnv[0].value=UTC", "name: TZ"},
		"extraVolumes":                           {"[0].name=ca", "-operator-events-cert\n      - name: ca"},
		"extraVolumeMounts":                      {"[0].name=ca,extraVolumeMounts[0].mountPath=/ca", "- mountPath: /ca"},
		"proxy.httpsProxy":                       {"=http://proxy:3128", "name: HTTPS_PROXY"},
		"proxy.noProxy":                          {"=10.0.0.1", "name: NO_PROXY"},
		"events.certSecret":                      {"=other-cert", "secretName: other-cert"},
		"events.serviceAnnotations":              {".lb=internal", "annotations:\n    lb: internal"},
		"metrics.certSecret":                     {"=metrics-cert", "secretName: metrics-cert"},
		"crds.install":                           {"=false", "!kind: CustomResourceDefinition"},
		"crds.keep":                              {"=false", "!" + keep},
		"namespace.create":                       {"=true", "kind: Namespace\n"},
		"serviceMonitor.enabled":                 {"=true", "kind: ServiceMonitor"},
		"serviceMonitor.labels":                  {".team=isp,serviceMonitor.enabled=true", "team: isp"},
		"serviceMonitor.interval":                {"=17s,serviceMonitor.enabled=true", "interval: 17s"},
		"serviceMonitor.tlsConfig":               {".serverName=metrics,serviceMonitor.enabled=true", "serverName: metrics"},
		"serviceMonitor.serviceAccount":          {"=prom,serviceMonitor.enabled=true", "name: prom\n"},
		"serviceMonitor.serviceAccountNamespace": {"=o,serviceMonitor.serviceAccount=p,serviceMonitor.enabled=true", ": o\n"},
		"prometheusRule.enabled":                 {"=true", "kind: PrometheusRule"},
		"prometheusRule.labels":                  {".team=isp,prometheusRule.enabled=true", "team: isp"},
		"dashboard.enabled":                      {"=true", "broadband-operator.json: |\n    {"},
		"dashboard.labels":                       {".team=isp,dashboard.enabled=true", "team: isp"},
		"rbac.aggregate.viewer":                  {"=false", `aggregate-to-view: "false"`},
		"rbac.aggregate.editor":                  {"=false", `aggregate-to-edit: "false"`},
		"rbac.aggregate.accountEditor":           {"=true", `aggregate-to-admin: "true"`},
		"rbac.aggregate.approver":                {"=true", `aggregate-to-admin: "true"`},
		"rbac.aggregate.resolver":                {"=true", `aggregate-to-admin: "true"`},
		"serviceAccount.create":                  {"=false", "!kind: ServiceAccount\nmetadata"},
		"serviceAccount.annotations":             {".role=sender", "annotations:\n    role: sender"},
		"networkPolicy.enabled":                  {"=false", "!kind: NetworkPolicy"},
		"networkPolicy.metricsNamespace":         {"=obs", "kubernetes.io/metadata.name: obs"},
		"networkPolicy.dnsNamespace":             {"=dns", "kubernetes.io/metadata.name: dns"},
		"networkPolicy.egressPorts":              {"[0].port=8443", "- port: 6443\n      protocol: TCP\n    - port: 8443"},
		"podDisruptionBudget.enabled":            {"=false", "!kind: PodDisruptionBudget"},
		"podDisruptionBudget.minAvailable":       {"=2", "minAvailable: 2"},
		"commonLabels":                           {".owner=isp", "\n    owner: isp"},
		"podLabels":                              {".team=isp", "\n        team: isp"},
		"podSecurityContext":                     {".runAsUser=null", "!runAsUser"},
		"securityContext":                        {".privileged=false", "privileged: false"},
		"podAnnotations":                         {".a=b", "annotations:\n        a: b"},
		"priorityClassName":                      {"=high", "priorityClassName:\n        high"},
		"nodeSelector":                           {".disk=ssd", "nodeSelector:\n        disk: ssd"},
		"tolerations":                            {"[0].operator=Exists", "tolerations:\n        - operator: Exists"},
		"topologySpreadConstraints":              {"[0].maxSkew=1", "topologySpreadConstraints:\n        - maxSkew: 1"},
		"affinity":                               {"=null", "!podAntiAffinity"},
	}
}

func TestEveryValueHasAnEffect(t *testing.T) {
	t.Parallel()
	p := find(t)
	for name, option := range options() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rendered := p.template(t, "--set", name+option[0])
			objects := parse(t, rendered)
			if removed, is := strings.CutPrefix(option[1], "!"); is {
				delete(objects, "CustomResourceDefinition/requestledgers.wholesale.broadband") // always kept
				NewWithT(t).Expect(manifests(t, objects)).NotTo(ContainSubstring(removed))
				return
			}
			NewWithT(t).Expect(rendered).To(ContainSubstring(option[1]))
		})
	}
}

func TestTheChartHasThePolicyOfUsernamesWhereItIsServed(t *testing.T) {
	t.Parallel()
	g, p := NewWithT(t), find(t)
	const served = "--api-versions=admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"
	g.Expect(p.template(t, served)).To(And(ContainSubstring("kind: MutatingAdmissionPolicy\n"),
		ContainSubstring("kind: MutatingAdmissionPolicyBinding\n")))
	g.Expect(p.template(t)).NotTo(ContainSubstring("MutatingAdmissionPolicy"))
	g.Expect(p.template(t, served, "--set=usernames=false")).NotTo(ContainSubstring("MutatingAdmissionPolicy"))
}

func TestTheChartCreatesNoPriorityClassButItsOwn(t *testing.T) {
	t.Parallel()
	p := find(t)
	NewWithT(t).Expect(p.template(t)).To(And(ContainSubstring("kind: PriorityClass"),
		ContainSubstring("priorityClassName:\n        broadband-operator-manager\n")))
	NewWithT(t).Expect(p.template(t, "--set=priorityClassName=high")).NotTo(ContainSubstring("kind: PriorityClass"))
	none := p.template(t, "--set=priorityClassName=")
	NewWithT(t).Expect(none).NotTo(MatchRegexp("kind: PriorityClass|priorityClassName"))
}

// A release adds an annotation with the digest of its image to Chart.yaml.
func TestTheChartOfAReleaseNamesTheDigestOfItsImage(t *testing.T) {
	t.Parallel()
	g, p, released := NewWithT(t), find(t), filepath.Join(t.TempDir(), "broadband-operator")
	g.Expect(os.CopyFS(released, os.DirFS(chart))).To(Succeed())
	digest, version := "sha256:"+strings.Repeat("a", 64), strings.TrimSpace(string(read(t, root+"/VERSION")))
	described := append(read(t, chart+"/Chart.yaml"), "  wholesale.broadband/image-digest: "+digest+"\n"...)
	g.Expect(os.WriteFile(filepath.Join(released, "Chart.yaml"), described, 0o600)).To(Succeed())
	for set, image := range map[string]string{
		"":                              "ghcr.io/broadband-operator/broadband-operator:" + version + "@" + digest,
		"image.repository=r.example/op": "r.example/op:" + version + "@" + digest,
		"image.tag=v7":                  "ghcr.io/broadband-operator/broadband-operator:v7",
	} {
		out := must(t, command(t.Context(), t.TempDir(), p.helm, "template", release, released, "--set", set))
		g.Expect(out).To(ContainSubstring(`image: "`+image+"\"\n"), set)
	}
}

func manifests(t *testing.T, objects map[string]*unstructured.Unstructured) string {
	t.Helper()
	var all strings.Builder
	for _, one := range objects {
		text, err := yaml.Marshal(one.Object)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		all.Write(text)
	}
	return all.String()
}

// whole are values that are documented as a whole.
var whole = []string{"affinity", "labels", "podSecurityContext", "securityContext"}

// leaves are the paths of values: those of the chart, of its schema, and of its README.
func leaves(prefix string, values map[string]any) []string {
	var found []string
	for name, value := range values {
		inner, nested := value.(map[string]any)
		if !nested || len(inner) == 0 || slices.Contains(whole, name) {
			found = append(found, prefix+name)
			continue
		}
		found = append(found, leaves(prefix+name+".", inner)...)
	}
	slices.Sort(found)
	return found
}

func TestEveryValueIsDocumentedAndTested(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var values map[string]any
	g.Expect(yaml.UnmarshalStrict(read(t, chart+"/values.yaml"), &values)).To(Succeed())
	g.Expect(slices.Sorted(maps.Keys(options()))).To(Equal(leaves("", values)))
	readme := string(read(t, chart+"/README.md"))
	for _, name := range leaves("", values) {
		g.Expect(readme).To(MatchRegexp(`\| `+name+` \| \w+ \| [^|]+ \| \S[^|]+ \|`), "a description")
	}
	var schema property
	g.Expect(yaml.Unmarshal(read(t, chart+"/values.schema.json"), &schema)).To(Succeed())
	delete(schema.Properties, "global")
	delete(schema.Properties, "enabled") // only a chart that depends on this one sets it
	g.Expect(schema.leaves("")).To(Equal(leaves("", values)))
}

// property is a part of a JSON schema.
type property struct {
	Description string
	Properties  map[string]property
}

func (p property) leaves(prefix string) []string {
	var found []string
	for name, inner := range p.Properties {
		if len(inner.Properties) == 0 {
			found = append(found, prefix+name)
			continue
		}
		found = append(found, inner.leaves(prefix+name+".")...)
	}
	slices.Sort(found)
	return found
}

func TestAMistypedValueIsRefused(t *testing.T) {
	t.Parallel()
	p := find(t)
	for set, complaint := range map[string]string{
		"replica=3": "'replica' not allowed", "replicas=-1": "minimum", "fleetSize=huge": "must be one of",
		`commonLabels.app\.kubernetes\.io/part-of=isp`: "invalid propertyName",
		`podLabels.app\.kubernetes\.io/version=v7`:     "invalid propertyName",
		"image.digest=latest":                          "does not match", "crds.keep=yes": "want boolean",
	} {
		_, said, err := run(command(t.Context(), t.TempDir(), p.helm, "template", release, chart, "--set", set))
		NewWithT(t).Expect(err).To(HaveOccurred(), set)
		NewWithT(t).Expect(said).To(ContainSubstring(complaint), set)
	}
	NewWithT(t).Expect(p.template(t, "--set=enabled=true")).NotTo(BeEmpty(), "as a chart that depends on this one sets it")
}

// The API server does not have the kinds of the Prometheus operator, so the Go types of these kinds
// check the objects.
func TestTheMonitorsAreThoseOfThePrometheusOperator(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	objects := parse(t, find(t).template(t, "--set=serviceMonitor.enabled=true,prometheusRule.enabled=true"))
	strict := func(id string, into any) {
		text, err := yaml.Marshal(objects[id].Object)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(yaml.UnmarshalStrict(text, into)).To(Succeed())
	}
	var monitor monitoringv1.ServiceMonitor
	strict("broadband-operator/ServiceMonitor/broadband-operator", &monitor)
	g.Expect(monitor.Spec.Endpoints).To(HaveLen(1))
	g.Expect(monitor.Spec.Endpoints[0].TLSConfig.InsecureSkipVerify).To(HaveValue(BeTrue()), "self-signed by default")
	service := objects["broadband-operator/Service/broadband-operator-metrics"]
	for label, value := range monitor.Spec.Selector.MatchLabels {
		g.Expect(service.GetLabels()).To(HaveKeyWithValue(label, value))
	}
	var rule monitoringv1.PrometheusRule
	strict("broadband-operator/PrometheusRule/broadband-operator", &rule)
	var rules monitoringv1.PrometheusRuleSpec
	g.Expect(yaml.UnmarshalStrict(read(t, root+"/config/prometheus/rules.yaml"), &rules)).To(Succeed())
	g.Expect(rules.Groups).NotTo(BeEmpty())
	g.Expect(rule.Spec).To(BeComparableTo(rules))
}

// The manager serves the certificate of the Secret, and Prometheus checks it.
func TestTheMetricsHaveTheCertificateOfASecret(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	objects := parse(t, find(t).template(t, "--set=metrics.certSecret=metrics-cert",
		"--set=serviceMonitor.enabled=true,serviceMonitor.tlsConfig.serverName=metrics"))
	list := func(id string, fields ...string) []any {
		found, _, err := unstructured.NestedSlice(objects["broadband-operator/"+id].Object, fields...)
		g.Expect(err).NotTo(HaveOccurred())
		return found
	}
	const manager = "Deployment/broadband-operator-manager"
	g.Expect(list(manager, "spec", "template", "spec", "volumes")).To(ContainElement(And(
		HaveKeyWithValue("name", "metrics-cert"),
		HaveKeyWithValue("secret", HaveKeyWithValue("secretName", "metrics-cert")))))
	g.Expect(list(manager, "spec", "template", "spec", "containers")).To(ConsistOf(And(
		HaveKeyWithValue("args", ContainElement("--metrics-cert-dir=/etc/broadband-operator/metrics-cert")),
		HaveKeyWithValue("volumeMounts", ContainElement(Equal(map[string]any{
			"name": "metrics-cert", "mountPath": "/etc/broadband-operator/metrics-cert", "readOnly": true,
		}))))))
	g.Expect(list("ServiceMonitor/broadband-operator", "spec", "endpoints")).To(ConsistOf(
		HaveKeyWithValue("tlsConfig", map[string]any{"serverName": "metrics"})))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // a file of the repository
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return text
}
