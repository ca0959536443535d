// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const planner = "broadband-operator-plan" // the ServiceAccount of config/ci

// pipeline runs the steps of config/ci in a folder, as GitHub and GitLab do.
type pipeline struct {
	folder string
	env    map[string]string
}

// newPipeline applies config/ci in the namespace of the world. Its steps get the plugin from a
// release.
func (f *fleetWorld) newPipeline(ctx context.Context, release string) *pipeline {
	GinkgoHelper()
	p := &pipeline{folder: GinkgoT().TempDir()}
	p.env = map[string]string{
		"PATH": p.path("stubs") + ":" + os.Getenv("PATH"), "HOME": p.folder, "NAMESPACE": f.Namespace,
		"FOLDER": p.path("sites"), "RELEASE": "file://" + release, "RUNNER_TEMP": p.path("temp"),
	}
	for _, name := range []string{"stubs", "sites", "temp"} {
		Expect(os.Mkdir(p.path(name), 0o750)).To(Succeed())
	}
	f.installPlanner(ctx)
	credentials := rest.AnonymousClientConfig(plane.Config)
	credentials.BearerToken = f.tokenOfPlanner(ctx)
	Expect(world.WriteKubeconfig(p.path("kubeconfig"), credentials)).To(Succeed())
	return p
}

func (p *pipeline) path(name string) string { return filepath.Join(p.folder, name) }

func (p *pipeline) read(name string) string {
	GinkgoHelper()
	text, err := os.ReadFile(p.path(name))
	Expect(err).NotTo(HaveOccurred())
	return string(text)
}

// newRelease builds the plugin, and packs it as a release does.
func newRelease(ctx context.Context) (folder string) {
	GinkgoHelper()
	const archive = "kubectl-broadband-linux-amd64.tar.gz"
	folder = GinkgoT().TempDir()
	run := func(program string, arguments ...string) {
		out, err := exec.CommandContext(ctx, program, arguments...).CombinedOutput() //nolint:gosec // go and tar
		Expect(err).NotTo(HaveOccurred(), string(out))
	}
	run("go", "build", "-o", filepath.Join(folder, "kubectl-broadband"), "../..")
	run("tar", "-czf", filepath.Join(folder, archive), "-C", folder, "kubectl-broadband")
	packed, err := os.ReadFile(filepath.Join(folder, archive)) //nolint:gosec // written above
	Expect(err).NotTo(HaveOccurred())
	sums := fmt.Sprintf("%x  %s\n%064d  something-else\n", sha256.Sum256(packed), archive, 0)
	file := filepath.Join(folder, "checksums.txt")
	Expect(os.WriteFile(file, []byte(sums), 0o600)).To(Succeed()) //nolint:gosec // in our own folder
	return folder
}

// installPlanner applies config/ci.
func (f *fleetWorld) installPlanner(ctx context.Context) {
	GinkgoHelper()
	text, err := plane.Kubectl("kustomize", filepath.Join(root, "config", "ci"))
	Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(GinkgoT().TempDir(), "planner.yaml")
	text = strings.ReplaceAll(text, "namespace: sites", "namespace: "+f.Namespace)
	Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
	_, err = plane.Kubectl("apply", "--server-side", "-f", file)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() {
		_, err := plane.Kubectl("delete", "-f", file)
		Expect(err).NotTo(HaveOccurred())
	})
	as := "--as=system:serviceaccount:" + f.Namespace + ":" + planner
	Eventually(func() error {
		_, err := plane.Kubectl("annotate", "bbs", "site-0000", "-n", f.Namespace, "--overwrite", as, "note=planned")
		return err
	}).WithContext(ctx).WithTimeout(time.Minute).Should(MatchError(ContainSubstring("only plans")))
}

func (f *fleetWorld) tokenOfPlanner(ctx context.Context) string {
	GinkgoHelper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: planner}}
	request := &authenticationv1.TokenRequest{}
	Expect(plane.Client.SubResource("token").Create(ctx, account, request)).To(Succeed())
	return request.Status.Token
}

// expression is a value that GitHub fills in.
var expression = regexp.MustCompile(`\$\{\{ *([a-z_.A-Z]+) *\}\}`)

// job is the part of both files that this test runs.
type job struct {
	Env       map[string]string `json:"env"`
	Variables map[string]string `json:"variables"`
	Script    []string          `json:"script"`
	Steps     []struct {
		Name string            `json:"name"`
		Env  map[string]string `json:"env"`
		Run  string            `json:"run"`
	} `json:"steps"`
}

// github runs the steps of the workflow, until one fails, and returns its name and its exit code.
func (p *pipeline) github(ctx context.Context, env map[string]string) (failed string, code int) {
	GinkgoHelper()
	var workflow struct {
		job `json:",inline"`

		Jobs map[string]job `json:"jobs"`
	}
	p.parse("github.yaml", &workflow)
	values := p.with(workflow.Env, map[string]string{
		"GITHUB_PATH": p.path("path"), "GITHUB_ENV": p.path("env"), "GITHUB_STEP_SUMMARY": p.path("summary"),
	}, env)
	known := map[string]string{
		"secrets.PLAN_KUBECONFIG": p.read("kubeconfig"), "github.repository": "isp/sites", "github.token": "canary",
		"github.event.pull_request.number": "7", "env.VERSION": workflow.Env["VERSION"],
	}
	for _, step := range workflow.Jobs["plan"].Steps {
		if step.Run == "" {
			continue
		}
		for name, value := range step.Env {
			if _, set := p.env[name]; !set {
				values[name] = expression.ReplaceAllStringFunc(value, func(found string) string {
					Expect(known).To(HaveKey(expression.FindStringSubmatch(found)[1]))
					return known[expression.FindStringSubmatch(found)[1]]
				})
			}
		}
		if code := p.bash(ctx, step.Run, values); code != 0 {
			return step.Name, code
		}
		p.takeOver(values)
	}
	return "", 0
}

// takeOver applies what a step has written for the next ones.
func (p *pipeline) takeOver(values map[string]string) {
	for _, file := range []string{"path", "env"} {
		text, err := os.ReadFile(p.path(file))
		if os.IsNotExist(err) {
			continue
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if name, value, is := strings.Cut(line, "="); is && file == "env" {
				values[name] = value
			} else {
				values["PATH"] = line + ":" + values["PATH"]
			}
		}
		Expect(os.Remove(p.path(file))).To(Succeed())
	}
}

// gitlab runs the script of the job in one shell, as GitLab does, and returns its exit code.
func (p *pipeline) gitlab(ctx context.Context, env map[string]string) int {
	GinkgoHelper()
	var jobs map[string]job
	p.parse("gitlab.yaml", &jobs)
	return p.bash(ctx, strings.Join(jobs["plan"].Script, "\n"), p.with(jobs["plan"].Variables, env))
}

// parse reads a file of config/ci.
func (*pipeline) parse(name string, into any) {
	GinkgoHelper()
	text, err := os.ReadFile(filepath.Join(root, "config", "ci", name)) //nolint:gosec // a file of this repository
	Expect(err).NotTo(HaveOccurred())
	Expect(yaml.Unmarshal(text, into)).To(Succeed())
}

// with returns variables: those of a file, then those of the pipeline, then others.
func (p *pipeline) with(ofFile map[string]string, others ...map[string]string) map[string]string {
	all := make(map[string]string)
	for _, some := range append([]map[string]string{ofFile, p.env}, others...) {
		maps.Copy(all, some)
	}
	return all
}

// bash runs a script as both do, and returns its exit code.
func (p *pipeline) bash(ctx context.Context, script string, values map[string]string) int {
	GinkgoHelper()
	arguments := []string{"--noprofile", "--norc", "-eo", "pipefail", "-c", script}
	command := exec.CommandContext(ctx, "bash", arguments...) //nolint:gosec // the steps of config/ci
	command.Dir = p.folder
	for name, value := range values {
		command.Env = append(command.Env, name+"="+value)
	}
	out, err := command.CombinedOutput()
	GinkgoWriter.Printf("%s\n%s", script, out)
	if _, failed := err.(*exec.ExitError); !failed { //nolint:errorlint // exec returns it unwrapped
		Expect(err).NotTo(HaveOccurred())
	}
	return command.ProcessState.ExitCode()
}

// stubOfGH stands for GitHub's client: it keeps the body of the comment, and lists it.
const stubOfGH = `#!/bin/bash
echo "$*" >>gh.log
case "$*" in
*--jq*) if [ -e comment ]; then echo 77; fi ;;
*) last=${!#}; cp "${last#--field=body=@}" comment ;;
esac
`

// gitlabNotes stands for GitLab's notes of a merge request.
type gitlabNotes struct {
	methods []string
	body    string
}

func (n *gitlabNotes) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	defer GinkgoRecover()
	const notes = "/api/v4/projects/5/merge_requests/7/notes"
	n.methods = append(n.methods, request.Method+" "+strings.TrimPrefix(request.URL.Path, notes))
	if request.Method != http.MethodGet {
		n.body = request.FormValue("body")
		return
	}
	listed := `[{"id":1,"body":"a word from a person"}]`
	if n.body != "" {
		listed = `[{"id":1,"body":"a word from a person"},{"id":2,"body":"<!-- kubectl broadband plan -->"}]`
	}
	_, err := io.WriteString(response, listed)
	Expect(err).NotTo(HaveOccurred())
}

var _ = Describe("config/ci", Ordered, func() {
	var (
		release string
		f       *fleetWorld
		p       *pipeline
	)
	BeforeAll(func(ctx SpecContext) { release = newRelease(ctx) })
	BeforeEach(func(ctx SpecContext) {
		w := world.NewInRealTime(ctx, plane, time.Now) //nolint:forbidigo // the manager's clock
		w.Manage(ctx, operator)
		w.AwaitLogin(ctx, world.Unlimited, func(account *v1alpha1.CarrierAccount) {
			account.Spec.Approval = v1alpha1.ApprovalAutomatic
		})
		f = &fleetWorld{World: w, lines: make(map[string]int64)}
		f.deploy(ctx, 2)
		p = f.newPipeline(ctx, release)
	})
	stable := func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan, s.Spec.DSLStabilityProfile = nil, "Stable"
	}

	It("comments on a pull request at GitHub, and fails on the chosen exit codes", func(ctx SpecContext) {
		Expect(os.WriteFile(p.path("stubs/gh"), []byte(stubOfGH), 0o700)).To(Succeed()) //nolint:gosec // it is run
		versions := f.versions(ctx)
		run := func(failOn string) (string, int) { return p.github(ctx, map[string]string{"FAIL_ON": failOn}) }
		f.manifest(p.path("sites"), "site-0000", withPlan(world.PlanFast))
		failed, code := run("3")
		Expect(failed).To(Equal("check"))
		Expect(code).To(Equal(3))
		Expect(p.read("comment")).To(HavePrefix("<!-- kubectl broadband plan -->\n**Plan: 1 object, 1 request: "+
			"one-time 0.00 AUD, monthly 45.00 AUD → 58.00 AUD (+13.00 AUD)**\n"), "also if the account asks nobody")
		Expect(p.read("summary")).To(ContainSubstring("+13.00 AUD"))
		f.manifest(p.path("sites"), "site-0000", stable)
		failed, code = run("2 3")
		Expect(failed).To(Equal("check"))
		Expect(code).To(Equal(2))
		failed, _ = run("3")
		Expect(failed).To(BeEmpty())
		Expect(p.read("gh.log")).To(MatchRegexp(`(?s)^api --paginate repos/isp/sites/issues/7/comments [^\n]*\n` +
			`api --silent --method=POST repos/isp/sites/issues/7/comments [^\n]*\n.*` +
			`api --silent --method=PATCH repos/isp/sites/issues/comments/77 [^\n]*\n`))
		f.manifest(p.path("sites"), "site-0000", withPlan(""))
		failed, code = run("")
		Expect(failed).To(Equal("plan"))
		Expect(code).To(Equal(4))
		Expect(f.versions(ctx)).To(Equal(versions))
		Expect(f.queries(ctx)).To(BeEmpty())
	})

	It("notes on a merge request at GitLab, and fails on the chosen exit codes", func(ctx SpecContext) {
		notes := &gitlabNotes{}
		server := httptest.NewServer(notes)
		DeferCleanup(server.Close)
		run := func(failOn string) int {
			return p.gitlab(ctx, map[string]string{
				"FAIL_ON": failOn, "PLAN_KUBECONFIG": p.path("kubeconfig"), "PLAN_TOKEN": "canary",
				"CI_API_V4_URL": server.URL + "/api/v4", "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "7",
			})
		}
		f.manifest(p.path("sites"), "site-0000", withPlan(world.PlanFast))
		Expect(run("3")).To(Equal(3))
		Expect(notes.body).To(ContainSubstring("(+13.00 AUD)**"))
		f.manifest(p.path("sites"), "site-0000", withPlan(world.PlanSlow))
		Expect(run("2 3")).To(BeZero())
		Expect(notes.body).To(ContainSubstring("nothing would change"))
		Expect(notes.methods).To(Equal([]string{"GET ", "POST ", "GET ", "PUT /2"}))
		f.manifest(p.path("sites"), "site-0000", withPlan(""))
		Expect(run("")).To(Equal(4))
		Expect(notes.methods).To(HaveLen(4))
	})
})
