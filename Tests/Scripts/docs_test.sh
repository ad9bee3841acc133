#!/usr/bin/env bash
# scripts/docs.sh refuses what it does not know, before it builds anything, and replaces nothing that it has not written.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# refused WORDS OPTION...: it ends with 2 and says this, and nothing else.
refused() {
    local words=$1 said status
    shift
    said=$(scripts/docs.sh "$@" 2>&1)
    status=$?
    [ $status = 2 ] && [ "$said" = "scripts/docs.sh: $words" ] && return
    printf 'FAILED: %s: got status %s and\n%s\n' "$*" $status "$said"
    failed=1
}

touch "$scratch/thesis"
refused "unknown option '--fast'" --fast
refused "--output needs a folder" --output
refused "--hosting-base-path needs a path" --hosting-base-path
refused "--hosting-base-path takes a path such as 'rx/docs', not 'a b'" --hosting-base-path "a b"
refused "'$scratch' is there, and is not from an earlier run" --output "$scratch"
refused "'$scratch/thesis' is there, and is not from an earlier run" --output "$scratch/thesis"
[ -f "$scratch/thesis" ] || failed=1

[ $failed = 0 ] && echo "Tests/Scripts/docs_test.sh passed"
exit $failed
