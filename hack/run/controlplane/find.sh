#!/usr/bin/env bash
# Prints a folder that already has etcd, kube-apiserver and kubectl of the same minor version as
# go.mod beside this file: of setup-envtest, of kubebuilder, or of a distribution. Prints nothing if
# there is none, and in CI, which builds them.
set -euo pipefail
if [ -n "${CI:-}" ]; then
  exit 0
fi
minor=$(sed -n 's|^[[:blank:]]*k8s.io/kubernetes v\(1\.[0-9]*\)\..*|\1|p' "$(dirname "$0")/go.mod")

# setup-envtest keeps each version in a folder such as 1.37.1-linux-amd64.
case $(uname) in
  Darwin) store="$HOME/Library/Application Support/io.kubebuilder.envtest" ;;
  *) store=${XDG_DATA_HOME:-${HOME:-/nonexistent}/.local/share}/kubebuilder-envtest ;;
esac
packaged=$(command -v kube-apiserver || true)

for folder in "$store/k8s/$minor".*/ /usr/local/kubebuilder/bin "${packaged%/*}"; do
  folder=${folder%/}
  if [ -x "$folder/etcd" ] && [ -x "$folder/kube-apiserver" ] && [ -x "$folder/kubectl" ] &&
    [[ $("$folder/kube-apiserver" --version) == "Kubernetes v$minor."* ]]; then
    echo "$folder"
    exit 0
  fi
done
