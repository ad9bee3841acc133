#!/usr/bin/env bash
# Builds a release client and counts the cost of an event on synchronous paths: heap allocations, requests for metadata,
# exclusivity checks, mutexes, and retains and releases. Twice the number of events must have the same counts, except
# those that a row permits for subscriptions. Chains of 1 000 linear or 150 other stages must fit a stack of 512 KiB. An
# operator must work even if the deinit of an element pushes another element.
#
# Then callgrind counts all calls again, including those within the runtime, except for rows that may allocate.
# Arguments are the names of the rows to run (default: all).
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh

case ${1-} in
-h | --help) help_of scripts/check-hot-path.sh && exit 0 ;;
-*) refuse scripts/check-hot-path.sh "takes names of rows and no options, not '$1'" ;;
esac

need libatomic-ops-dev pkg-config valgrind
need_swift

client=.build-hot-path
rm -rf "$client/Sources" && mkdir -p "$client" && cp -r Tests/HotPath/Sources "$client" || exit 1
sed "s#@RXSWIFT@#$PWD#" Tests/HotPath/Package.swift.in >"$client/Package.swift" || exit 1
log=$client/build.log
if ! swift build -c release --package-path "$client" >"$log" 2>&1; then
    grep -E 'error:' -A 6 "$log" || tail -n 30 "$log"
    exit 1
fi

# With a fixed hash seed, dictionaries grow at the same time in each run.
export SWIFT_DETERMINISTIC_HASHING=1
failed=0
"$client/.build/release/HotPath" "$@" || failed=$?
[ $failed != 2 ] || exit 2

# valgrind cannot read Swift's debug information.
profiled=$client/profiled
strip -g -o "$profiled" "$client/.build/release/HotPath" || exit 1
forbidden='malloc swift_getGenericMetadata swift_getTypeByMangledNameInContext2 swift_getWitnessTable swift_beginAccess pthread_mutex_lock'

# calls COUNT ROW...: prints the number of calls of each forbidden function.
calls() {
    local count=$1
    shift
    rm -f "$client/callgrind.out"
    valgrind --tool=callgrind --callgrind-out-file="$client/callgrind.out" "$profiled" --count "$count" "$@" >"$log" 2>&1
    [ -s "$client/callgrind.out" ] && awk -v names="$forbidden" '
        /^c?fn=/ { id = $1; sub(/^c?fn=/, "", id); if (NF > 1) name[id] = $2 }
        /^cfn=/ { called = id }
        /^calls=/ { sub(/^calls=/, "", $1); calls[name[called]] += $1 }
        END { n = split(names, each, " "); for (i = 1; i <= n; i++) print each[i], calls[each[i]] + 0 }' "$client/callgrind.out"
}

if ! once=$(calls 1000 "$@") || ! twice=$(calls 2000 "$@"); then
    tail -n 20 "$log"
    echo "scripts/check-hot-path.sh FAILED: callgrind"
    exit 1
fi
printf '\n%-42s%12s%12s\n' "calls, under callgrind" "N events" "2N events"
while read -r name first && read -r _ second <&3; do
    verdict=ok
    [ "$first" = "$second" ] || { verdict=MISSED && failed=1; }
    printf '%-42s%12d%12d  %s\n' "$name" "$first" "$second" "$verdict"
done <<<"$once" 3<<<"$twice"
[ $failed = 0 ] && echo "scripts/check-hot-path.sh passed" || echo "scripts/check-hot-path.sh FAILED"
exit $failed
