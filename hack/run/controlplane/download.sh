#!/usr/bin/env bash
# Downloads etcd, kube-apiserver and kubectl into the folder given, with setup-envtest, which compares the checksum:
# of the minor version given, the newest patch version in its index, which seldom has all of them.
# If they cannot be had, prints why in one line, and fails.
#   ENVTEST_INDEX    URL of another index
#   ENVTEST_SECONDS  time limit (10) for the first 1 MB, and for each further 1 MB; building takes no longer than
#                    a slower download
set -euo pipefail
out=${1:?usage: download.sh FOLDER MINOR} minor=${2:?usage: download.sh FOLDER MINOR}
seconds=${ENVTEST_SECONDS:-10}
cd "$(dirname "$0")"

# A folder of its own, so that an interrupted download leaves nothing that looks complete.
new=$(mktemp -d "$out/.download.XXXXXX")
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; chmod -R u+w "$new"; rm -rf "$new"' EXIT

fail() { # fail WHY
  echo "$1"
  exit 1
}

echo "controlplane: downloading etcd, kube-apiserver and kubectl of Kubernetes $minor" >&2
tool=$(go -C ../tools tool -n setup-envtest 2>"$new/error") || fail "$(tail -n 1 "$new/error")"
TMPDIR=$new "$tool" ${ENVTEST_INDEX:+--index="$ENVTEST_INDEX"} --bin-dir="$new" --print=path use "$minor" \
  >"$new/path" 2>"$new/error" &
pid=$!

# setup-envtest has no time limit, and shows no progress.
before=0 limit=$((SECONDS + seconds))
while kill -0 "$pid" 2>/dev/null; do
  if ((SECONDS >= limit)); then
    now=$(du -sk "$new" 2>/dev/null | cut -f1 || true)
    ((now >= before + 1024)) || fail "less than 1 MB arrived in $seconds s"
    echo "controlplane: $((now / 1024)) MB written" >&2
    before=$now limit=$((SECONDS + seconds))
  fi
  sleep 0.1
done
wait "$pid" || fail "$(tail -n 1 "$new/error")"

folder=$(cat "$new/path")
chmod -R u+w "$folder"
mv "$folder"/{etcd,kube-apiserver,kubectl} "$out" 2>"$new/error" || fail "$(tail -n 1 "$new/error")"
echo "controlplane: ${folder##*/} downloaded after $SECONDS s" >&2
