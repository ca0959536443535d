#!/usr/bin/env bash
# Downloads etcd, kube-apiserver and kubectl into the folder given (bin/controlplane), or, if that
# fails, in CI and with OFFLINE=1, builds them from the versions pinned in go.mod beside this file.
# Does nothing when they are there already and nothing they are built from has changed.
set -euo pipefail

out=${1:?usage: build.sh FOLDER}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")"

# The same flags as the Makefile uses for the operator: packages that both need
# (client-go, apimachinery, ...) are then compiled once.
export CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false' GOWORK=off

stamp=$( { cat go.mod go.sum build.sh; go version; go env GOOS GOARCH; } | git hash-object --stdin)
built_from=$(cat "$out/.built-from" 2>/dev/null || true)
if [ "$built_from" = "$stamp" ] || { [ -z "${CI:-}" ] && [ "$built_from" = "downloaded $stamp" ]; }; then
  exit 0
fi

kubernetes=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${kubernetes#v1.}
minor=${minor%%.*}
version=k8s.io/component-base/version
link="-s -w -X $version.gitVersion=$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=$minor"

if [ -n "${CI:-}" ]; then
  why="CI is set"
elif [ "${OFFLINE:-0}" != 0 ]; then
  why="OFFLINE is set"
elif why=$(./download.sh "$out" "1.$minor"); then
  echo "downloaded $stamp" >"$out/.built-from"
  exit 0
fi
echo "controlplane: not downloaded ($why); building takes about 10 minutes on two cores, the first time"

# `go build -v` names each package that it compiles: count them, so that minutes
# of work do not look like a hang.
build() { # build NAME PACKAGE
  local total started=$SECONDS
  total=$(go list -deps "$2" | wc -l)
  echo "controlplane: $1 ($2), $total packages; those in the build cache are skipped"
  go build -v -ldflags "$link" -o "$out/$1.new" "$2" 2>&1 |
    awk -v name="$1" -v total="$total" '
      /^[a-z0-9.-]+(\/[^ ]*)?$/ { if (++built % 50 == 0) { printf "controlplane: %s: %d of at most %d packages\n", name, built, total; fflush() } next }
      { print; fflush() }'
  mv "$out/$1.new" "$out/$1"
  echo "controlplane: $1 ready after $((SECONDS - started)) s"
}

build etcd go.etcd.io/etcd/server/v3
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
build kubectl k8s.io/kubernetes/cmd/kubectl
echo "$stamp" >"$out/.built-from"
