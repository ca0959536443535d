#!/usr/bin/env bash
# Runs every fuzz target of the tree, one after the other, each for the given time. Fails at the end if one of
# them has failed: its input is then below testdata/fuzz of its package.
#   hack/check/fuzz.sh TIME
#   hack/check/fuzz.sh list    only prints the targets
set -euo pipefail
cd "$(dirname "$0")/../.."
time=${1:?usage: fuzz.sh TIME|list}

targets=$(grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's/:func /:/' | sort)
if [ -z "$targets" ]; then
  echo "fuzz: no target found" >&2
  exit 1
fi
if [ "$time" = list ]; then
  echo "$targets"
  exit
fi
failed=0
while IFS=: read -r file name; do
  folder=$(dirname "$file")
  echo "fuzz: $name ($folder)"
  go -C "$folder" test -run='^$' -fuzz="^$name\$" -fuzztime="$time" -fuzzminimizetime=20x . || failed=1
done <<<"$targets"
exit "$failed"
