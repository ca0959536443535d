#!/usr/bin/env bash
# Runs every fuzz target of the tree, one after the other, each for the given time.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:?usage: fuzz.sh TIME}

targets=$(grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's/:func /:/' | sort)
if [ -z "$targets" ]; then
  echo "fuzz: no target found" >&2
  exit 1
fi
while IFS=: read -r file name; do
  echo "fuzz: $name ($(dirname "$file"))"
  go test -run='^$' -fuzz="^$name\$" -fuzztime="$time" -fuzzminimizetime=20x "$(dirname "$file")"
done <<<"$targets"
