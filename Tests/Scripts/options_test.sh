#!/usr/bin/env bash
# Scripts that build a program handle --help and unknown options before they build.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
# A stub of swift that reports each build and fails.
printf '#!/bin/sh\n[ "$1" != --version ] || { echo "Swift version 6.3"; exit; }\necho IT IS BUILT\nexit 1\n' >"$scratch/swift"
chmod +x "$scratch/swift"

# `said STATUS WORDS SCRIPT OPTION...`: exit status, WORDS in the output, and no build.
said() {
    local status=$1 words=$2 said got
    shift 2
    said=$(PATH="$scratch:$PATH" timeout 20 "$@" 2>&1)
    got=$?
    [ $got = "$status" ] && [[ $said == *"$words"* ]] && [[ $said != *"IT IS BUILT"* || $status = 1 ]] && return
    printf 'FAILED: %s: got status %s and\n%s\n' "$*" $got "$said"
    failed=1
}

refused() {
    local words=$1
    shift
    said 2 "$words" "$@"
    [ "$(PATH="$scratch:$PATH" timeout 20 "$@" 2>&1 | wc -l)" = 1 ] || { echo "FAILED: $*: more than one line" && failed=1; }
}

said 0 "--stall-limit   Seconds without" scripts/stress.sh --help
said 0 "--self-test     Show that" scripts/stress.sh --seconds 3 -h
refused "stress.sh: there is no option '--nonsense'" scripts/stress.sh --nonsense
refused "stress.sh: there is no option '--secondsx'" scripts/stress.sh --secondsx=3
refused "stress.sh: there is no option '-x'" scripts/stress.sh -x
refused "--sanitize needs thread or address" scripts/stress.sh --sanitize memory
said 1 "IT IS BUILT" scripts/stress.sh --seconds=3 --self-test

said 0 "Prints, as a table" scripts/compare-speed.sh --help
refused "takes --rounds N and names of rows, not '--nonsense'" scripts/compare-speed.sh --nonsense
refused "--rounds needs a number, not 'few'" scripts/compare-speed.sh --rounds few
refused "--rounds needs a number, not ''" scripts/compare-speed.sh --rounds
said 1 "IT IS BUILT" scripts/compare-speed.sh --rounds 5 map

said 0 "--exhaust        every schedule" scripts/explore.sh --help
refused "unknown argument '--nonsense'" scripts/explore.sh --nonsense
refused "--seconds needs a number above 0" scripts/explore.sh --seconds 0
refused "--schedule and --exhaust need --program" scripts/explore.sh --exhaust
said 1 "IT IS BUILT" scripts/explore.sh --seed 3 --self-test
said 1 "IT IS BUILT" scripts/explore.sh --unoptimized --self-test

said 0 "--seconds N      the duration" scripts/test-quickstart.sh --help
refused "unknown argument '--nonsense'" scripts/test-quickstart.sh --nonsense
refused "--seconds takes a number from 2 to 600, not '1'" scripts/test-quickstart.sh --seconds 1
refused "--seconds takes a number from 2 to 600, not ''" scripts/test-quickstart.sh --seconds
refused "--viewer takes a number from 1 to 60, not '61'" scripts/test-quickstart.sh --viewer 61
refused "--viewer takes a number from 1 to 60, not ''" scripts/test-quickstart.sh --viewer
refused "--build takes a folder" scripts/test-quickstart.sh --build

for example in gateway storm tail ticker; do
    said 0 "  --" Examples/$example.sh --help
    refused "Examples/$example.sh: there is no option '--nonsense'" Examples/$example.sh --nonsense
done
said 0 "--clients       The number of clients that ask at once. (default: 64)" Examples/gateway.sh --help
said 0 "--drain         The milliseconds that the drain may take. (default: 1_000)" Examples/gateway.sh serve --help
refused "there is no option '--drain'" Examples/gateway.sh --drain 5
said 1 "IT IS BUILT" Examples/gateway.sh serve --drain 5
said 1 "IT IS BUILT" Examples/tail.sh write /tmp --rate 5
refused "there is no option '--behind'" Examples/tail.sh write /tmp --behind

[ $failed = 0 ] && echo "Tests/Scripts/options_test.sh passed"
exit $failed
