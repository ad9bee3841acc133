#!/usr/bin/env bash
# Compares RxStreamsNATS with NATS' own C client (Debian's libnats-dev), on one server on loopback, in one run.
#
#   scripts/compare-streams.sh [--messages N] [--rounds N] [--version debian|pypi] [--instructions]
#
# Prints the messages per second of both, the best of all rounds, and the share of RxStreamsNATS. Messages of 128 bytes
# with an id go to a stream in a file, with one or 256 in flight; a group consumes and acknowledges them. Live messages
# go to a subscriber. The default is 100000 messages (a twentieth with one in flight) in 3 rounds.
#
# With --instructions, prints instead each program's instructions for one message, under valgrind.
#
#   scripts/compare-streams.sh --postgres [--messages N] [--rounds N] [--snapshot SECONDS]
#
# Compares RxStreamsPostgreSQL with pgbench, which runs the driver's own statements on one connection, and prints
# latencies and the memory of a slow worker. The server's files are in memory if possible. With --snapshot, prints
# instead the rounds per second and the largest size of each table. A round publishes, pulls and settles 16 messages.
# Measures three periods of SECONDS each: before, while and after another connection holds a snapshot.
#
#   scripts/compare-streams.sh --engines [--messages N] [--rounds N]
#
# Compares SQLite, PostgreSQL and NATS, all with files in memory if possible: the messages per second, the best of
# alternating rounds; the median and the 99th percentile of the time from a publication to another broker's handler, at
# 10, 100 and 1000 messages a second; and the highest memory of a process with a slow worker, on ten times the messages.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib/install.sh
. scripts/lib/options.sh
me=scripts/compare-streams.sh

messages=100000 rounds=3 version=debian instructions='' postgres='' engines='' snapshot=0
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of $me && exit 0 ;;
    --instructions) instructions=yes && shift && continue ;;
    --postgres) postgres=yes && shift && continue ;;
    --engines) engines=yes && shift && continue ;;
    --messages | --rounds | --snapshot)
        [[ ${2-} =~ ^[1-9][0-9]{0,7}$ ]] || refuse $me "$1 takes a number, not '${2-}'"
        case $1 in
        --messages) messages=$2 ;;
        --rounds) rounds=$2 ;;
        --snapshot) snapshot=$2 ;;
        esac
        ;;
    --version)
        [[ ${2-} =~ ^(debian|pypi)$ ]] || refuse $me "--version takes debian or pypi, not '${2-}'"
        version=$2
        ;;
    *) refuse $me "unknown option '$1'" ;;
    esac
    shift 2
done
[ "$messages" -ge 20 ] || refuse $me "--messages takes at least 20"

[ $snapshot = 0 ] || [ -n "$postgres" ] || refuse $me "--snapshot needs --postgres"
[ $snapshot = 0 ] || [ $snapshot -ge 10 ] || refuse $me "--snapshot takes at least 10 seconds"

need_swift
if [ -n "$postgres$engines" ]; then
    need libatomic-ops-dev libpq-dev libsqlite3-dev pkg-config
    [ "$messages" -ge 10000 ] || refuse $me "--postgres and --engines take at least 10000 messages"
    swift build -c release --package-path Packages/rx-streams --product rx-postgres-bench || exit 1
    ours=$(swift build -c release --package-path Packages/rx-streams --show-bin-path)/rx-postgres-bench || exit 1
    export TMPDIR=${TMPDIR:-$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)}
    [ -z "$engines" ] || exec scripts/postgres.sh run -- scripts/broker.sh run --version "$version" -- \
        Packages/rx-streams/Benchmarks/engines-bench.sh "$ours" "$messages" "$rounds"
    exec scripts/postgres.sh run -- Packages/rx-streams/Benchmarks/postgres-bench.sh "$ours" "$messages" "$rounds" "$snapshot"
fi

need libnats-dev gcc
build=Packages/rx-streams/.build-bench
mkdir -p $build || exit 1
gcc -O2 -Wall -Wextra -o $build/nats-bench Packages/rx-streams/Benchmarks/nats-bench.c -lnats || exit 1
swift build -c release --package-path Packages/rx-streams --product rx-nats-bench || exit 1
ours=$(swift build -c release --package-path Packages/rx-streams --show-bin-path)/rx-nats-bench || exit 1

# counted PROGRAM MESSAGES ROWS: prints the instructions of a whole run. With a fixed hash seed, dictionaries grow at
# the same time in each run.
counted() {
    scripts/broker.sh run --version "$version" -- sh -c '
        SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$1" "$RX_NATS_URL" "$2" "$3" 2>&1
    ' sh "$1" "$2" "$3" | tee "$build/counted.log" | sed -n 's/,//g; s/.*I *refs: *//p' | grep . || { cat "$build/counted.log" >&2 && return 1; }
}

# each PROGRAM ROWS: prints the instructions of one additional message in all rows.
each() {
    local once twice
    once=$(counted "$1" 10000 "$2") && twice=$(counted "$1" 30000 "$2") && echo $(((twice - once) / 20000))
}

if [ -n "$instructions" ]; then
    need valgrind
    # valgrind cannot read Swift's debug information.
    strip -g -o $build/rx-nats-bench "$ours" || exit 1
    printf '%-14s %14s %14s %8s\n' instructions/m "C client" "RxStreamsNATS" ratio
    published=
    for rows in publish-256 publish-256,consume-256 live; do
        theirs=$(each $build/nats-bench $rows) && mine=$(each $build/rx-nats-bench $rows) || exit 1
        case $rows in
        publish-256) published=("$theirs" "$mine") ;;
        # The run also publishes the messages. Subtracts the instructions for that.
        publish-256,*) theirs=$((theirs - published[0])) mine=$((mine - published[1])) ;;
        esac
        awk -v row="${rows#*,}" -v theirs="$theirs" -v mine="$mine" \
            'BEGIN { printf "%-14s %14d %14d %8.2f\n", row, theirs, mine, mine / theirs }'
    done
    exit
fi

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
