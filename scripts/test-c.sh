#!/usr/bin/env bash
# Tests the C core: truth tables and stress, plain, under ThreadSanitizer and under AddressSanitizer; then compiles it for arm64.
# Needs Swift's toolchain; installs what else is missing. Takes a minute or two. A number multiplies the stress;
# --measure prints what the core costs uncontended instead.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/step.sh

measures=false
case ${1:-1} in
--measure) measures=true && shift ;;
-h | --help) sed -n '2,4s/^# //p' "$0" && exit 0 ;;
*[!0-9.]* | '' | .) echo "scripts/test-c.sh: takes one number, not $1" >&2 && exit 2 ;;
esac
scale=${1:-1}

core=CSources/CRxCore
tests=Tests/CRxCoreTests
build=.build-c
warnings=(-Wall -Wextra -Wshadow -Wstrict-prototypes -Werror)

# compiled NAME FLAGS...: the tests and the core they test, by the clang that comes with Swift.
compiled() {
    local name=$1
    shift
    "$clang" -std=gnu11 -g -O2 "${warnings[@]}" "$@" -I"$core/include" "$core"/*.c "$tests"/*.c -lpthread -o "$build/$name"
}

plain() {
    compiled plain && limited 120 "$build/plain" "$(times 1)"
}

# Swift's ThreadSanitizer knows of dispatch, and wants it linked. The test of a failed allocation needs the null pointer, that of a fork a thread in
# the child.
threads() {
    compiled threads -fsanitize=thread -L"$libraries" -Wl,-rpath,"$libraries" -ldispatch -lBlocksRuntime &&
        TSAN_OPTIONS="halt_on_error=1:allocator_may_return_null=1:die_after_fork=0" limited 120 "$build/threads" "$(times 1)"
}

addresses() {
    compiled addresses -fuse-ld=lld -fsanitize=address,undefined -fno-sanitize-recover=all &&
        ASAN_OPTIONS="allocator_may_return_null=1" limited 120 "$build/addresses" "$(times 1)"
}

# For a machine that may not be here: compiled, not run. With and without the atomics of ARMv8.1.
arm64() {
    local file flags
    for flags in "" -march=armv8.1-a+lse; do
        for file in "$core"/*.c; do
            "$clang" --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include -std=gnu11 -O2 "${warnings[@]}" $flags \
                -I"$core/include" -c "$file" -o "$build/arm64.o" || return 1
        done
    done
}

times() {
    awk "BEGIN { print $1 * $scale }"
}

need libatomic-ops-dev libc6-dev-arm64-cross
need_swift
toolchain=$(dirname "$(readlink -f "$(command -v swift)")")
clang=$toolchain/clang
libraries=$toolchain/../lib/swift/linux
[ -x "$clang" ] || { echo "missing: the clang that comes with Swift, beside $toolchain/swift" >&2 && exit 1; }
mkdir -p "$build"

if $measures; then
    "$clang" -std=gnu11 -O2 "${warnings[@]}" -I"$core/include" "$core"/*.c "$tests"/bench/bench.c -o "$build/bench" && exec "$build/bench"
    exit 1
fi

step "C core" plain
step "C core, ThreadSanitizer" threads
step "C core, AddressSanitizer" addresses
step "C core for arm64, compiled" arm64
finish "scripts/test-c.sh"
