#!/usr/bin/env bash
# Runs the tests. go test prints the time that each package took.
#   hack/check/test.sh part    the specs, slow ones at reduced size or not at all: for every change
#   hack/check/test.sh all     all specs at full size; concurrent packages with the race detector if there
#                              is a C compiler
# Neither runs what takes more than Go (browser and terminal of hack/foreign), or minutes to build for the first
# time (argocd and argocd-lua).
# SPECS=1 also prints the slowest specs.
set -euo pipefail
cd "$(dirname "$0")/../.."
size=${1:?usage: test.sh part|all}

mkdir -p bin
go build -o bin/ ./hack/check/testplane
TEST_REPORTS=$(mktemp -d)
export TEST_REPORTS
trap 'rm -rf "$TEST_REPORTS"' EXIT
began=$SECONDS

# Packages with many goroutines: whole managers, the client, the simulator, state shared by reconciles.
concurrent='^\./(controllers(/.*)?|pkg(/.*)?|test/lifecycle)$'
# Most specs of test/controllers call one reconciler after another. These files run managers.
mapfile -t managed < <(grep -lE '\.Manage\(|\boneOfEach\(' test/controllers/*/*_test.go)
mapfile -t managing < <(printf './%s\n' "${managed[@]%/*}" | sort -u)

# go test starts packages in this order, so the slowest come first.
longest=(./hack/run/demo ./test/controllers/{ledger,services,reading,requests,orders}
  ./cmd/kubectl-broadband/internal/command ./test/drill ./test/fleet ./test/isolation ./test/prove ./test/lifecycle
  ./internal/manager)
module=$(go list -m)
mapfile -t packages < <({
  printf '%s\n' "${longest[@]}"
  go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | sed -n "s|^$module|.|p"
} | awk '!seen[$0]++')

# Modules of their own: Flux's health checks; the alerts and the dashboard in Prometheus' engine. At full size
# also kube-state-metrics with our configuration, the chart and the documented commands in Helm, the files of a
# release, and the counts of a short run of the bench: half a minute to a minute of CPU time each.
modules=(hack/foreign/flux hack/foreign/prometheus)
raced=()
if [ "$size" = all ]; then
  export TEST_ALL=1
  modules+=(hack/foreign/kubestatemetrics hack/release hack/foreign/helm bench)
  if echo '#include <stdlib.h>' | "$(go env CC)" -x c -c -o /dev/null - 2>/dev/null; then
    mapfile -t raced < <(printf '%s\n' "${packages[@]}" | grep -E "$concurrent")
    mapfile -t packages < <(printf '%s\n' "${packages[@]}" | grep -vE "$concurrent")
    echo "test: with the race detector: ${raced[*]}, and ${managed[*]#*=}"
  else
    echo "test: without the race detector, which needs a C compiler"
  fi
fi

# On a new machine, the compiler would take the processors from specs that wait for an API server, until they
# run into their time limits. So it ends before they start.
compile() { # compile CGO_ENABLED FOLDER ARGUMENTS
  CGO_ENABLED=$1 go -C "$2" list -export -deps -test "${@:3}" >/dev/null
  echo "test: compiled $2 (CGO_ENABLED=$1), $((SECONDS - began)) s after the start"
}
compile 0 . ./...
[ "${#raced[@]}" = 0 ] || compile 1 . -race "${raced[@]}" "${managing[@]}"
for module in "${modules[@]}"; do
  compile 0 "$module" ./...
done

# Several packages mostly wait, so more of them run at once than there are cores. make verify runs vet.
run() { # run CGO_ENABLED ARGUMENTS
  CGO_ENABLED=$1 go test -vet=off -shuffle=on -timeout=60m "${@:2}"
}

# One control plane for all packages that can share it.
coproc PLANE { exec bin/testplane; }
plane=$PLANE_PID
read -r -u "${PLANE[0]}" shared
export "${shared?}"

# -count=1: go test does not notice a change of files outside of the module, such as config/.
(
  failed=0
  for module in "${modules[@]}"; do
    go -C "$module" test -vet=off -count=1 -timeout=60m ./... >"$TEST_REPORTS/module-${module##*/}" 2>&1 || failed=1
  done
  exit "$failed"
) &
modules_pid=$!

status=0
if [ "${#raced[@]}" != 0 ]; then
  {
    raced_status=0
    run 1 -p=2 -race "${raced[@]}" || raced_status=1
    # Managers look at all ledgers of a cluster, so these specs do not share one with the same specs.
    unset TEST_CONTROLPLANE
    for folder in "${managing[@]}"; do
      run 1 -race "$folder" "${managed[@]/#/-ginkgo.focus-file=}" || raced_status=1
    done
    exit "$raced_status"
  } &
  with_race=$!
  run 0 -p=3 "${packages[@]}" || status=1
  wait "$with_race" || status=1
else
  run 0 -p=4 "${packages[@]}" || status=1
fi

exec {PLANE[1]}>&-
wait "$plane" || status=1

wait "$modules_pid" || status=1
for module in "${modules[@]}"; do
  echo "test: $module, a module of its own"
  cat "$TEST_REPORTS/module-${module##*/}"
done

echo "test: what of the specification the simulator was walked through:"
cat "$TEST_REPORTS/conformance" || status=1

if [ "${SPECS:-}" = 1 ]; then
  echo "test: the specs that took longest:"
  bin/jq -r '.[] | .SuiteDescription as $suite | .SpecReports[] |
    ((.ContainerHierarchyTexts // []) + [.LeafNodeText, .LeafNodeType] | join(" ")) as $spec |
    "\(.RunTime / 1e8 | round / 10) s\t\($suite): \($spec)"' \
    "$TEST_REPORTS"/*.specs.json | sort -rn | sed -n 1,40p
fi
echo "test: $((SECONDS - began)) s in all, exit $status"
exit "$status"
