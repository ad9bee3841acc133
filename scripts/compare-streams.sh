#!/usr/bin/env bash
# Compares RxStreamsNATS with NATS' own C client (Debian's libnats-dev), on one server on loopback, in one run.
#
#   scripts/compare-streams.sh [--messages N] [--rounds N] [--version debian|pypi]
#
# Prints messages a second of both, each the best of the rounds, and ours as a share of theirs. Messages of 128 bytes
# with an id go to a stream in a file, one or 256 in flight, and are taken by a group and acknowledged; live messages go to
# a subscriber. 100000 messages in 3 rounds unless told otherwise; a twentieth of them where one is in flight.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib/install.sh
. scripts/lib/options.sh
me=scripts/compare-streams.sh

messages=100000 rounds=3 version=debian
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of $me && exit 0 ;;
    --messages | --rounds)
        [[ ${2-} =~ ^[1-9][0-9]{0,7}$ ]] || refuse $me "$1 takes a number, not '${2-}'"
        [ "$1" = --messages ] && messages=$2 || rounds=$2
        ;;
    --version)
        [[ ${2-} =~ ^(debian|pypi)$ ]] || refuse $me "--version takes debian or pypi, not '${2-}'"
        version=$2
        ;;
    *) refuse $me "does not take '$1'" ;;
    esac
    shift 2
done
[ "$messages" -ge 20 ] || refuse $me "--messages takes at least 20"

need libnats-dev gcc
need_swift
build=Packages/rx-streams/.build-bench
mkdir -p $build || exit 1
gcc -O2 -Wall -Wextra -o $build/nats-bench Packages/rx-streams/Benchmarks/nats-bench.c -lnats || exit 1
swift build -c release --package-path Packages/rx-streams --product rx-nats-bench || exit 1
ours=$(swift build -c release --package-path Packages/rx-streams --show-bin-path)/rx-nats-bench || exit 1

results=$(mktemp) || exit 1
trap 'rm -f "$results"' EXIT
for ((round = 0; round < rounds; round++)); do
    for side in theirs ours; do
        program=$build/nats-bench
        [ $side = theirs ] || program=$ours
        scripts/broker.sh run --version "$version" -- sh -c '"$1" "$RX_NATS_URL" "$2"' sh "$program" "$messages" |
            sed "s/^/$side /" >>"$results" || exit 1
    done
done
awk '
    { rate = $3 / $4; if (!(($1, $2) in best)) { if (!($2 in seen)) { order[++rows] = $2; seen[$2] = 1 } }
      if (rate > best[$1, $2]) best[$1, $2] = rate }
    END {
        printf "%-14s %14s %14s %8s\n", "messages/s", "C client", "RxStreamsNATS", "share"
        for (row = 1; row <= rows; row++)
            printf "%-14s %14d %14d %8.2f\n", order[row], best["theirs", order[row]], best["ours", order[row]],
                best["ours", order[row]] / best["theirs", order[row]]
    }' "$results"
