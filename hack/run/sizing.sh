#!/usr/bin/env bash
# Measures what one manager needs for a number of services: docs/sizing.md has the results.
#   make build controlplane && hack/run/sizing.sh 1000
# The manager is that of make demo: with its own ServiceAccount, against a real kube-apiserver and the
# simulated carrier. Every service is imported as it is at the carrier, so that nothing is sent.
set -euo pipefail
cd "$(dirname "$0")/../.."
services=${1:?usage: sizing.sh NUMBER}

work=$(mktemp -d)
demo=
trap '[ -z "$demo" ] || { kill -INT "$demo"; wait "$demo" || true; }; rm -rf "$work"' EXIT
go build -o bin/demo-run ./hack/run/demo

# The demo's account, with a rate that does not delay the import.
mkdir "$work/samples" "$work/services"
sed 's/^  rateLimit: .*/  rateLimit: {requestsPerSecond: 1000, burst: 1000}/' \
  config/samples/carrieraccount.yaml >"$work/samples/account.yaml"
awk -v services="$services" '
  { print }
  /^services:/ { for (i = 1; i <= services; i++) printf "- {id: %d, plan: Home 50/20, term: 12}\n", 2000000 + i }
' hack/run/demo/carrier.yaml >"$work/carrier.yaml"
awk -v services="$services" -v into="$work/services" 'BEGIN {
  for (i = 1; i <= services; i++)
    printf "apiVersion: wholesale.broadband/v1alpha1\nkind: BroadbandService\nmetadata: {name: s-%06d}\nspec:\n" \
      "  accountRef: {name: default}\n  serviceID: \"%d\"\n  plan: {name: Home 50/20, term: 12}\n---\n", i, 2000000 + i \
      >(into "/" (i % 4) ".yaml")
}'

bin/demo-run -state="$work/demo" -samples="$work/samples" -carrier="$work/carrier.yaml" >"$work/log" &
demo=$!
until grep -q 'Ctrl-C stops everything' "$work/log"; do sleep 1; done
source "$work/demo/env"

# show WHEN prints the memory and the CPU time of the manager that runs now.
show() {
  local pid ticks
  pid=$(cat "$work/demo/manager.pid")
  ticks=$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$pid/stat")
  awk -v when="$1" -v cpu="$(awk "BEGIN { print $ticks / $(getconf CLK_TCK) }")" '
    /^VmRSS/ { now = $2 / 1024 } /^VmHWM/ { most = $2 / 1024 }
    END { printf "%-34s %4.0f MiB now, %4.0f MiB at most, %6.1f s of CPU time\n", when, now, most, cpu }
  ' "/proc/$pid/status"
}

# synced prints how many services are in sync.
synced() {
  kubectl get bbs -o jsonpath='{range .items[*]}{.status.conditions[?(@.type=="Ready")].reason}{"\n"}{end}' | grep -c InSync || true
}

show "without services:"
began=$SECONDS
for file in "$work"/services/*.yaml; do
  kubectl apply --server-side --filename="$file" >/dev/null &
  applying+=($!)
done
wait "${applying[@]}"
until [ "$(synced)" = "$services" ]; do sleep 5; done
show "$services services imported ($((SECONDS - began)) s):"
sleep 60
show "a minute later:"
kill -9 "$(cat "$work/demo/manager.pid")"
sleep 60
show "a minute after a restart:"
