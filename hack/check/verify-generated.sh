#!/usr/bin/env bash
# Fails if a generated file is not current, a kustomization does not build, or a go.mod
# is not tidy. Writes nothing into the tree, so the result is the same with uncommitted
# changes.
set -euo pipefail
cd "$(dirname "$0")/../.."

into=$(mktemp -d)
trap 'rm -rf "$into"' EXIT
failed=0

make --no-print-directory --silent generate manifests argocd INTO="$into"
for generated in api/v1alpha1/zz_generated.deepcopy.go config/crd/bases config/rbac/role.yaml \
  config/default/kustomization.yaml config/install/kustomization.yaml config/manager/kustomization.yaml README.md CONTRIBUTING.md docs/api-reference.md docs/install.md docs/gitops.md \
  charts/broadband-operator/Chart.yaml charts/broadband-operator/README.md charts/broadband-operator/templates charts/broadband-operator/files \
  config/argocd/wholesale.broadband config/argocd/component; do
  if ! diff -ruN -x testdata -x '*_test.yaml' -x kustomization.yaml -x _helpers.tpl -x NOTES.txt \
    -x servicemonitor.yaml -x prometheusrule.yaml -x dashboard.yaml -x fleet-sizes.yaml "$generated" "$into/$generated"; then
    echo "verify: $generated is not current: run make generate manifests argocd" >&2
    failed=1
  fi
done

for kustomization in config/*/kustomization.yaml; do
  bin/kustomize build "${kustomization%/*}" >"$into/built.yaml" || failed=1
done

# hack/run/controlplane, hack/foreign/argocd and hack/foreign/argocd-lua are left out: checking them requires every test
# dependency of Kubernetes and of Argo CD.
for module in . hack/run/tools hack/run/tools/golangci-lint hack/run/tools/helm-docs hack/run/tools/crd-ref-docs \
  hack/run/tools/hugo hack/foreign/flux hack/foreign/browser hack/foreign/prometheus hack/foreign/kubestatemetrics \
  hack/foreign/helm hack/foreign/terminal hack/release bench; do
  if ! go -C "$module" mod tidy -diff; then
    echo "verify: $module/go.mod is not tidy: run go mod tidy there" >&2
    failed=1
  fi
done
exit "$failed"
