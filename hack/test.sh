#!/usr/bin/env bash
# Runs every test: those of pkg/ and controllers/ with the race detector, if there is a
# C compiler for it. The rest measure and kill whole processes, and run without it.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

run() { # run CGO_ENABLED ARGUMENTS
  CGO_ENABLED=$1 go test -shuffle=on -timeout=20m "${@:2}" 2>&1 | grep --line-buffered -v '\[no test files\]$' | tee -a "$log" || failed=1
}

if echo '#include <stdlib.h>' | "$(go env CC)" -x c -c -o /dev/null - 2>/dev/null; then
  mapfile -t rest < <(go list ./... | grep -vE '^[^/]+/[^/]+/[^/]+/(pkg|controllers)(/|$)')
  echo "test: pkg/ and controllers/ with the race detector"
  run 1 -race ./pkg/... ./controllers/...
  echo "test: everything else"
  run 0 "${rest[@]}"
else
  echo "test: without the race detector, which needs a C compiler"
  run 0 ./...
fi

echo "test: Flux's health checks, a module of its own"
go -C hack/flux test ./... || failed=1

echo "test: what of the specification the simulator was walked through:"
CGO_ENABLED=0 go test -run='^TestConformance$' -v ./pkg/carrier/simulator | grep -E '^ +§' || failed=1

echo "test: the packages that took longest:"
awk '($1 == "ok" || $1 == "FAIL") && $3 ~ /^[0-9.]+s$/ { print "  " $3, $2 }' "$log" | sort -rn -k1.3 | sed 5q
exit "$failed"
