# `make` lists the targets. Everything is built from source with Go, without a C compiler. Nothing but Go modules
# is downloaded, and the control plane for tests and the demo; nothing at all with OFFLINE=1.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

# The operator, the control plane and the tools are built with the same flags, so
# that shared packages are compiled once.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false
export GOWORK := off

# VERSION is the release that this tree becomes; REVISION is its commit.
VERSION ?= $(shell cat VERSION)
REVISION ?= $(shell git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || echo unknown)
IMAGE ?= ghcr.io/broadband-operator/broadband-operator
MANAGER := github.com/broadband-operator/broadband-operator/internal/manager
# The kubectl plugin has the first variable, the manager has the others: the linker ignores what a program lacks.
LDFLAGS := -X main.version=$(VERSION) -X $(MANAGER).version=$(VERSION) -X $(MANAGER).revision=$(REVISION)

ifneq ($(filter-out 0,$(OFFLINE)),)
export GOPROXY := off
endif

# The control plane is downloaded or built here, unless KUBEBUILDER_ASSETS names a folder that contains one, or
# hack/run/controlplane/find.sh finds one. KUBECTL replaces only kubectl.
ifndef KUBEBUILDER_ASSETS
KUBEBUILDER_ASSETS := $(shell bash hack/run/controlplane/find.sh)
endif
ifneq ($(KUBEBUILDER_ASSETS),)
CONTROLPLANE :=
else
CONTROLPLANE := controlplane
KUBEBUILDER_ASSETS := $(CURDIR)/bin/controlplane
endif
KUBECTL_FROM := $(if $(KUBECTL),,$(CONTROLPLANE))
KUBECTL ?= $(KUBEBUILDER_ASSETS)/kubectl
export KUBEBUILDER_ASSETS KUBECTL

FUZZTIME ?= 10s

##@ Build

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/manager, bin/simulator and the kubectl plugin bin/kubectl-broadband.
	go build -ldflags '$(LDFLAGS)' -o bin/manager .
	go build -o bin/simulator ./hack/run/simulator
	go build -ldflags '$(LDFLAGS)' -o bin/kubectl-broadband ./cmd/kubectl-broadband

.PHONY: controlplane
controlplane: ## Download etcd, kube-apiserver and kubectl into bin/controlplane, or build them, which takes minutes.
	@bash hack/run/controlplane/build.sh bin/controlplane

.PHONY: dist
dist: bin/kustomize ## Write the files of release VERSION into dist: manifests, chart, programs, image, SBOMs, checksums.
	go -C hack/release run . -into=$(CURDIR)/dist -version=$(VERSION) -revision=$(REVISION) \
		-date=$(shell git log -1 --format=%ct)

.PHONY: push
push: ## Push the image in dist to IMAGE by its digest, and tag it VERSION.
	go -C hack/release run . -into=$(CURDIR)/dist -version=$(VERSION) -push=$(IMAGE)
	go -C hack/release run . -into=$(CURDIR)/dist -version=$(VERSION) -tag=$(IMAGE)

.PHONY: clean
clean: ## Remove everything that was built, including the control plane and the tools.
	rm -rf bin dist cover.out cover.html

##@ Generated files

CHART := charts/broadband-operator
# The root of the generated files; `make verify` sets another one and compares.
INTO ?= .

.PHONY: generate
generate: bin/controller-gen ## Write api/v1alpha1/zz_generated.deepcopy.go.
	@mkdir -p $(INTO)/api/v1alpha1
	bin/controller-gen object:headerFile=hack/run/boilerplate.go.txt paths=./api/v1alpha1 \
		output:object:dir=$(INTO)/api/v1alpha1

.PHONY: manifests
manifests: bin/controller-gen bin/crd-ref-docs bin/kustomize bin/helm-docs ## Write CRDs, roles and docs/api-reference.md from the types and markers, the version where it is stated, and the chart.
	@mkdir -p $(INTO)/config/crd/bases $(INTO)/config/rbac $(INTO)/docs
	bin/controller-gen crd paths=./api/v1alpha1 output:crd:dir=$(INTO)/config/crd/bases
	bin/controller-gen rbac:roleName=manager-role paths=./controllers/... output:rbac:dir=$(INTO)/config/rbac
	bin/crd-ref-docs --log-level=warn --config=hack/run/tools/crd-ref-docs/config.yaml --source-path=api/v1alpha1 \
		--renderer=markdown --templates-dir=hack/run/tools/crd-ref-docs/templates --output-path=$(INTO)/docs/api-reference.md
	go run ./hack/run/version -into=$(INTO)
	go run ./hack/run/chart -into=$(INTO)/$(CHART)
	bin/helm-docs --log-level=warning --chart-search-root=charts --dry-run >$(INTO)/$(CHART)/README.md

.PHONY: argocd
argocd: ## Write config/argocd, Argo CD's health checks and actions, from the fragments in config/argocd/lua.
	go run ./hack/run/customizations -into $(INTO)/config/argocd

.PHONY: argocd-testdata
argocd-testdata: $(CONTROLPLANE) ## Regenerate config/argocd/.../testdata: an object in every state that the specs of test/controllers reach.
	rm -rf config/argocd/wholesale.broadband/*/testdata
	ALBUM=$(CURDIR)/config/argocd/wholesale.broadband go test -p=1 -count=1 -timeout=30m ./test/controllers/...
	go test -count=1 ./test/gitops -update

##@ Check

.PHONY: fmt
fmt: bin/golangci-lint ## Format the Go files.
	bin/golangci-lint fmt

.PHONY: vet
vet: ## Run go vet.
	go vet ./...

.PHONY: lint
lint: bin/golangci-lint ## Run golangci-lint (.golangci.yml), and check for words that hack/check/prose/words.yaml forbids.
	bin/golangci-lint run --allow-parallel-runners ./...
	for module in foreign/flux foreign/prometheus foreign/kubestatemetrics foreign/helm foreign/terminal release; do \
		(cd hack/$$module && $(CURDIR)/bin/golangci-lint run --allow-parallel-runners ./...); done
	@# They use the packages of this checkout, so they have a replace directive.
	for module in hack/foreign/browser bench; do \
		(cd $$module && $(CURDIR)/bin/golangci-lint run --allow-parallel-runners --disable=gomoddirectives ./...); done
	@# Building Argo CD requires the replace block of its own go.mod.
	cd hack/foreign/argocd && $(CURDIR)/bin/golangci-lint run --allow-parallel-runners --disable=gomoddirectives ./...
	go run ./hack/check/prose

.PHONY: site
site: bin/hugo ## Build the documentation as a site into bin/site, and fail on a link that leads nowhere.
	bin/hugo --source=hack/check/site --destination=$(CURDIR)/bin/site --cleanDestinationDir --noBuildLock --panicOnWarning \
		--logLevel=warn --quiet
	go run ./hack/check/site

.PHONY: plots
plots: build $(CONTROLPLANE) $(KUBECTL_FROM) bin/kustomize ## Run a wave of 300 services and what else the dashboard shows, and plot its panels into docs/dashboard.
	go build -o bin/demo-run ./hack/run/demo
	bin/demo-run --wave=300 --scrapes=bin/scrapes.txt
	rm -f docs/dashboard/*.svg
	go -C hack/foreign/prometheus test -count=1 -run='Plotted|PageOfTheDashboard' . \
		-args -scrapes=$(CURDIR)/bin/scrapes.txt -plots=$(CURDIR)/docs/dashboard

.PHONY: bench
bench: build $(CONTROLPLANE) ## Measure the operator against a naive one and against the limit, and write docs/performance.md (half an hour; SCALE=0.1 for a tenth of the services, ONLY=burst for one scenario).
	go -C bench build -o $(CURDIR)/bin/bench-run .
	bin/bench-run $(if $(SCALE),-scale=$(SCALE)) $(if $(ONLY),-only=$(ONLY),-page=docs/performance.md)

.PHONY: verify
verify: bin/controller-gen bin/kustomize ## Fail unless generated files are current, modules tidy, links whole, lint clean and limits kept.
	@bash hack/check/verify-generated.sh
	@go run ./hack/check/layout
	@$(MAKE) --no-print-directory site
	@$(MAKE) --no-print-directory lint

.PHONY: test
test: $(CONTROLPLANE) bin/kustomize bin/jq bin/govulncheck ## Run the tests against a real kube-apiserver, the slow ones at reduced size or not at all; takes minutes.
	@bash hack/check/test.sh part

.PHONY: test-all
test-all: $(CONTROLPLANE) bin/kustomize bin/jq bin/govulncheck bin/helm ## Run what CI runs: the tests at full size, with the race detector if there is a C compiler.
	@bash hack/check/test.sh all

.PHONY: test-times
test-times: $(CONTROLPLANE) bin/kustomize bin/jq bin/govulncheck bin/helm ## Run what CI runs, and print the slowest specs.
	@SPECS=1 bash hack/check/test.sh all

.PHONY: prove
prove: ## Run the fault enumeration in memory: every single fault and most combinations; PROVE=all runs all of them.
	PROVE=$(or $(PROVE),most) GOGC=3000 GOMAXPROCS=2 go test -v -parallel=64 -timeout=4h -run='^TestProve$$' ./test/prove

.PHONY: test-argocd
test-argocd: ## Run the scripts of config/argocd in Argo CD's own Lua VM; the first build takes 5 CPU-minutes.
	go -C hack/foreign/argocd-lua test ./...

.PHONY: test-browser
test-browser: site ## Open the simulator's page and the documentation in Chromium (Debian's package chromium, or CHROMIUM) and use them.
	go -C hack/foreign/browser test -count=1 ./... $(if $(SCREENSHOT),-screenshot=$(abspath $(SCREENSHOT)))

.PHONY: test-terminal
test-terminal: $(CONTROLPLANE) $(KUBECTL_FROM) bin/kustomize ## Do the tutorial with the kubectl plugin in a real terminal (Debian's package tmux).
	go -C hack/foreign/terminal test -count=1 ./...

.PHONY: simulate
simulate: ## Run SEEDS (10000) long simulations of fifty objects, in memory; SIM_SEED=number prints one line by line.
	SEEDS=$(or $(SEEDS),10000) GOGC=600 go test -v -timeout=90m -run='^TestSimulation$$' ./test/prove

.PHONY: drill
drill: $(CONTROLPLANE) ## Run all of test/drill: kill, pause and duplicate the built manager, kill its control plane and the carrier; takes minutes.
	DRILL=all go test -v -count=1 -timeout=20m ./test/drill

.PHONY: cover
cover: $(CONTROLPLANE) ## Run all tests and write cover.out and cover.html.
	go test -shuffle=on -coverpkg=./api/...,./controllers/...,./internal/...,./pkg/... -coverprofile=cover.out ./...
	go tool cover -html=cover.out -o cover.html
	go tool cover -func=cover.out | tail -1

.PHONY: vulnerabilities
vulnerabilities: bin/govulncheck ## Fail if what is released can reach a known vulnerability (asks vuln.go.dev; VULNDB=file:///folder for a copy).
	@VULNDB='$(VULNDB)' bash hack/check/vulnerabilities.sh

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME each (10s).
	@bash hack/check/fuzz.sh '$(FUZZTIME)'

.PHONY: mutants
mutants: $(CONTROLPLANE) ## Break 102 rules of the protocol, one at a time: at least two layers of tests must detect each (ONLY=number for one).
	go run ./hack/check/mutants -only=$(or $(ONLY),0)

.PHONY: mutants-drawn
mutants-drawn: $(CONTROLPLANE) ## Break the code that decides and sends in N (200) places chosen by SEED (1): tests must detect 95 %; ONLY=101-200 for some.
	go run ./hack/check/mutants -draw=$(or $(N),200) -seed=$(or $(SEED),1) -only=$(or $(ONLY),0) -upto=$(UPTO)

##@ Run

# Every installation is a server-side apply by the same field manager: none conflicts with another.
APPLY = $(KUBECTL) apply --server-side --field-manager=broadband-operator
DELETE = $(KUBECTL) delete --ignore-not-found
OURS := app.kubernetes.io/part-of=broadband-operator

.PHONY: install
install: $(KUBECTL_FROM) ## Install namespace, CRDs, RBAC and policy into the current kubeconfig's cluster.
	$(APPLY) --kustomize config/install

.PHONY: deploy
deploy: $(KUBECTL_FROM) ## Install everything, including two managers (image: config/manager/kustomization.yaml).
	$(APPLY) --kustomize config/default

.PHONY: uninstall
uninstall: $(KUBECTL_FROM) ## Remove CRDs with all their objects (keep the manager running), RBAC and policy; the ledgers and the namespace remain.
	$(DELETE) crd --selector=$(OURS),app.kubernetes.io/component!=ledger
	$(DELETE) --namespace=broadband-operator deployment --selector=$(OURS)
	@# A manager that waits for the response to a request must be able to record it.
	$(KUBECTL) --namespace=broadband-operator wait pod --for=delete --timeout=3m --selector=$(OURS)
	$(DELETE) --namespace=broadband-operator service,serviceaccount --selector=$(OURS)
	$(DELETE) --namespace=broadband-operator networkpolicy,poddisruptionbudget --selector=$(OURS)
	$(DELETE) --all-namespaces role,rolebinding --selector=$(OURS)
	$(DELETE) clusterrole,clusterrolebinding,priorityclass --selector=$(OURS)
	$(DELETE) validatingadmissionpolicy,validatingadmissionpolicybinding --selector=$(OURS)
	@# Before Kubernetes 1.36, the API server does not serve this kind, and kubectl delete would fail.
	if $(KUBECTL) get --raw /apis/admissionregistration.k8s.io/v1 | grep mutatingadmissionpolicies >/dev/null; then \
		$(DELETE) mutatingadmissionpolicy,mutatingadmissionpolicybinding --selector=$(OURS); fi

# As the ServiceAccount of make install, because the policy lets no other user write RequestLedgers.
.PHONY: run
run: build $(KUBECTL_FROM) ## Run the manager on this machine, against the current kubeconfig's cluster.
	@umask 077 && $(KUBECTL) config view --raw --minify --flatten >bin/run.kubeconfig
	@token=$$($(KUBECTL) create token broadband-operator-manager --namespace=broadband-operator --duration=24h) && \
	  $(KUBECTL) --kubeconfig=bin/run.kubeconfig config set-credentials manager --token="$$token" >/dev/null
	@$(KUBECTL) --kubeconfig=bin/run.kubeconfig config set-context --current --user=manager >/dev/null
	bin/manager --kubeconfig=bin/run.kubeconfig --log-text $(ARGS)

.PHONY: sim
sim: build ## Run the simulated carrier (ARGS="--seed FILE ...").
	bin/simulator $(ARGS)

.PHONY: demo
demo: build $(CONTROLPLANE) $(KUBECTL_FROM) bin/kustomize ## Run the demo on this machine until Ctrl-C; ONCE=1 checks the outcome and exits, KILL=1 kills the manager, N=1000 changes that many plans.
	@go build -o bin/demo-run ./hack/run/demo
	@exec bin/demo-run $(if $(filter-out 0,$(ONCE)),--once) $(if $(filter-out 0,$(KILL)),--kill) $(if $(N),--wave=$(N))

.PHONY: e2e-argocd
e2e-argocd: build $(CONTROLPLANE) $(KUBECTL_FROM) bin/kustomize ## Test managing services from Git with the real Argo CD; builds Argo CD into bin/argocd once.
	@bash hack/foreign/argocd/build.sh bin/argocd
	@go build -o bin/e2e-argocd-run ./hack/foreign/gitops
	@exec bin/e2e-argocd-run

# Tools, at the versions pinned in hack/run/tools.

bin/controller-gen: TOOL := sigs.k8s.io/controller-tools/cmd/controller-gen
bin/kustomize: TOOL := sigs.k8s.io/kustomize/kustomize/v5
bin/jq: TOOL := github.com/itchyny/gojq/cmd/gojq
bin/govulncheck: TOOL := golang.org/x/vuln/cmd/govulncheck
bin/controller-gen bin/kustomize bin/jq bin/govulncheck: hack/run/tools/go.mod hack/run/tools/go.sum
	go build -C hack/run/tools -ldflags '-s -w' -o $(CURDIR)/$@ $(TOOL)
	@touch $@

# The module of the tests that run Helm pins its version.
bin/helm: hack/foreign/helm/go.mod hack/foreign/helm/go.sum
	go build -C hack/foreign/helm -ldflags '-s -w' -o $(CURDIR)/$@ helm.sh/helm/v4/cmd/helm
	@touch $@

# These have modules of their own: their dependencies conflict with those of the other tools.
bin/hugo: hack/run/tools/hugo/go.mod hack/run/tools/hugo/go.sum
	go build -C hack/run/tools/hugo -ldflags '-s -w' -o $(CURDIR)/$@ github.com/gohugoio/hugo
	@touch $@

bin/helm-docs: $(wildcard hack/run/tools/helm-docs/*)
	go build -C hack/run/tools/helm-docs -ldflags '-s -w' -o $(CURDIR)/$@ github.com/norwoodj/helm-docs/cmd/helm-docs
	@touch $@

bin/crd-ref-docs: hack/run/tools/crd-ref-docs/go.mod hack/run/tools/crd-ref-docs/go.sum
	go build -C hack/run/tools/crd-ref-docs -ldflags '-s -w' -o $(CURDIR)/$@ github.com/elastic/crd-ref-docs
	@touch $@

bin/golangci-lint: $(wildcard hack/run/tools/golangci-lint/*)
	go build -C hack/run/tools/golangci-lint -ldflags '-s -w' -o $(CURDIR)/$@ .
	@touch $@
