#!/usr/bin/env bash
# Builds Argo CD, and a redis for it, into the folder given (bin/argocd), from the versions
# pinned in go.mod beside this file, and lays the manifests of its installation there. Does
# nothing when they are there already and nothing they are built from has changed.
set -euo pipefail

out=${1:?usage: build.sh FOLDER}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")"

export CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false' GOWORK=off

stamp=$( { cat go.mod go.sum build.sh redis/*.go; go version; go env GOOS GOARCH; } | git hash-object --stdin)
if [ "$(cat "$out/.built-from" 2>/dev/null)" = "$stamp" ]; then
  exit 0
fi

module=github.com/argoproj/argo-cd/v3
version=$(go list -m -f '{{.Version}}' $module)
echo "argocd: building $version, about 2200 packages; those in the build cache are skipped"
go build -ldflags "-s -w -X $module/common.version=${version#v}" -o "$out/argocd.new" $module/cmd
go build -ldflags '-s -w' -o "$out/redis" ./redis

# One binary is all of Argo CD: what it does depends on the name by which it is called.
mv "$out/argocd.new" "$out/argocd"
for name in argocd-application-controller argocd-repo-server argocd-server; do
  ln -sf argocd "$out/$name"
done

manifests=$(go list -m -f '{{.Dir}}' $module)/manifests
rm -rf "$out/manifests"
mkdir "$out/manifests"
cp -r "$manifests"/{crds,base,namespace-install,cluster-rbac,cluster-install} "$out/manifests"
chmod -R u+w "$out/manifests"
echo "$stamp" >"$out/.built-from"
echo "argocd: $version ready after $SECONDS s"
