#!/usr/bin/env bash
# scripts/docs.sh rejects unknown options before it builds, and replaces only its own output.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# refused WORDS OPTION...: checks for exit status 2 and exactly these words.
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
refused "'$scratch' exists and is not the output of an earlier run" --output "$scratch"
refused "'$scratch/thesis' exists and is not the output of an earlier run" --output "$scratch/thesis"
[ -f "$scratch/thesis" ] || failed=1

[ $failed = 0 ] && echo "Tests/Scripts/docs_test.sh passed"
exit $failed
