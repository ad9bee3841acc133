#!/usr/bin/env bash
# Prints the costs of timers with 1 000 to 1 000 000 pending, or with the numbers given, and those of one DispatchSource
# for each timer. Lateness is measured around the moment when the timer wheel enters the slot that contains all other
# timers. A row takes up to half a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

case ${1-} in
-h | --help) help_of scripts/timer-table.sh && exit 0 ;;
esac
[ $# -gt 0 ] || set -- 1000 10000 100000 1000000
for count in "$@"; do
    [[ $count =~ ^([1-9][0-9]{0,7}|100000000)$ ]] ||
        refuse scripts/timer-table.sh "takes numbers of timers, at most 100000000, not '$count'"
done

need libatomic-ops-dev pkg-config
need_swift
swift build -c release --product rx-timers >&2
program="$(swift build -c release --show-bin-path)/rx-timers"

echo "| pending | timers of | start, ns | reset, ns | cancel, ns | bytes each | late p50, µs | late p99, µs | late max, µs |"
echo "|---|---|---|---|---|---|---|---|---|"
# A separate process for each row reuses no memory of another row.
for count in "$@"; do
    for kind in library dispatch; do
        "$program" "$kind" "$count"
    done
done
