#!/usr/bin/env bash
# Fails if a program that is released, or the one that builds and pushes a release, can reach a function with a
# known vulnerability. Arguments replace the folders of these programs. VULNDB replaces the database,
# https://vuln.go.dev: it may be a copy of it, as file:///folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
make --no-print-directory --silent bin/govulncheck

folders=("$@")
[ "$#" != 0 ] || folders=(. cmd/kubectl-broadband hack/release)
failed=0
for folder in "${folders[@]}"; do
  echo "vulnerabilities: $folder"
  bin/govulncheck -C "$folder" ${VULNDB:+-db="$VULNDB"} . || failed=1
done
exit "$failed"
