#!/usr/bin/env bash
# Builds the soak, rx-stress, in release mode and runs it. The options are the program's; --sanitize also selects the
# build. Exit status 0: no guarantee was broken. 1: one was. 2: wrong usage. 130: interrupted.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib/install.sh
. "$checkout/scripts/lib/install.sh"
# shellcheck source=scripts/lib/options.sh
. "$checkout/scripts/lib/options.sh"

program_options "$checkout/scripts/stress.sh" "$checkout/Sources/rx-stress/Options.swift" "$@"
sanitize=
for ((i = 1; i <= $#; i++)); do
    case ${!i} in
        --sanitize)
            next=$((i + 1))
            sanitize=${!next-}
            [ -n "$sanitize" ] || refuse rx-stress "--sanitize needs thread or address"
            ;;
        --sanitize=*) sanitize=${!i#*=} ;;
    esac
done

build=(-c release --package-path "$checkout" --product rx-stress)
case $sanitize in
    '') ;;
    thread | address) build+=(--sanitize "$sanitize" --scratch-path "$checkout/.build-$sanitize") ;;
    *) refuse rx-stress "--sanitize needs thread or address, not '$sanitize'" ;;
esac

need libatomic-ops-dev pkg-config
need_swift

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ -t 2 ]; then echo "building rx-stress${sanitize:+ with the $sanitize sanitizer} ..." >&2; fi
if ! swift build "${build[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    echo "rx-stress: the build failed" >&2
    exit 1
fi
binary=$(swift build "${build[@]}" --show-bin-path)/rx-stress
rm -f "$log"

# The program cannot determine these facts for the report.
RX_STRESS_COMMIT=$(git -C "$checkout" describe --always --abbrev=12 --dirty=' with changes' 2>/dev/null || true)
RX_STRESS_SWIFT=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([^ ]*\).*/\1/p' | head -n 1)
export RX_STRESS_COMMIT RX_STRESS_SWIFT

# A sanitizer's report fails the run, but must not end it before the verdict. The quarantine for freed memory is
# limited.
case $sanitize in
    thread) export TSAN_OPTIONS="halt_on_error=0 exitcode=66 second_deadlock_stack=1 suppressions=$checkout/scripts/lib/races.txt ${TSAN_OPTIONS-}" ;;
    address) export ASAN_OPTIONS="quarantine_size_mb=64 detect_leaks=0 ${ASAN_OPTIONS-}" ;;
esac
exec "$binary" "$@"
