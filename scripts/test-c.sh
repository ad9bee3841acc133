#!/usr/bin/env bash
# Tests the C core: truth tables and stress, without sanitizers, under ThreadSanitizer, under AddressSanitizer, and for
# arm64 under emulation; with the system's libatomic_ops and with the compiler's builtins, which replace libatomic_ops
# if it is missing; and the fuzzers' corpus. Needs Swift's toolchain and installs the other programs. Takes one to two
# minutes.
#
#   NUMBER      multiplies the amount of stress (default: 1)
#   --measure   instead prints the cost of the core's operations without contention
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

measures=false
case $* in
--measure) measures=true && set -- ;;
-h | --help) help_of scripts/test-c.sh && exit 0 ;;
esac
scale=${1-1}
[[ $# -le 1 && $scale =~ ^[0-9]+(\.[0-9]+)?$ ]] || refuse scripts/test-c.sh "expected --measure or one number, not '$*'"

core=CSources/CRxCore
tests=Tests/CRxCoreTests
build=.build-c
warnings=(-Wall -Wextra -Wshadow -Wstrict-prototypes -Werror)

compiled() {
    local name=$1
    shift
    "$clang" -std=gnu11 -g -O2 "${warnings[@]}" "$@" -I"$core/include" "$core"/*.c "$tests"/*.c -lpthread -o "$build/$name"
}

# run NAME SCALE [EMULATOR]: runs a compiled program, for ten seconds, or minutes under load. A hanging program prints
# the addresses of its threads; these are replaced by names.
run() {
    local said=$build/$1.said status
    limited 600 ${3+"$3"} "$build/$1" "$(scaled "$2")" 2>"$said"
    status=$?
    sed "s|^$build/$1(+\\(0x[0-9a-f]*\\)).*|\\1|" "$said" | "${toolchain}/llvm-symbolizer" --obj="$build/$1" --pretty-print |
        grep -v '^??' | cat -s
    return $status
}

plain() {
    compiled plain && run plain 1
}

# Swift's ThreadSanitizer needs dispatch. The test of a failed allocation needs a null pointer from the allocator. The
# test of a fork needs a thread in the child process.
threads() {
    compiled threads "${thread_sanitizer[@]}" &&
        TSAN_OPTIONS="halt_on_error=1:allocator_may_return_null=1:die_after_fork=0" run threads 1
}

addresses() {
    compiled addresses -fuse-ld=lld -fsanitize=address,undefined -fno-sanitize-recover=all &&
        ASAN_OPTIONS="allocator_may_return_null=1" run addresses 1
}

# arm64 ARCHITECTURE: runs the tests under qemu, which executes arm64's instructions, but orders memory as this machine
# does.
arm64() {
    compiled "arm64-$1" --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include -L/usr/aarch64-linux-gnu/lib -static "-march=$1" &&
        CRX_TESTS_EMULATED=1 run "arm64-$1" 0.1 qemu-aarch64
}

# Compiles the headers as a Swift client with C++ interoperability does. Also links them, because a function without C
# linkage would compile.
cxx() {
    local standard
    for standard in c++14 c++20; do
        "$clang" -x c++ "-std=$standard" -Wall -Wextra -Wshadow -Werror -I"$core/include" -c "$tests/headers.cpp" -o "$build/headers.o" &&
            "$clang" -std=gnu11 "$build/headers.o" -I"$core/include" "$core"/*.c -lpthread -o "$build/headers" && "$build/headers" || return 1
    done
}

# The tests of `plain` and `threads` without libatomic_ops (CSources/CAtomicOps/builtins.h), with a tenth of the stress.
# The header must also compile as C++.
builtins() {
    compiled builtins -DCRX_ATOMIC_OPS_BUILTINS && run builtins 0.1 &&
        echo '#include "CSources/CAtomicOps/builtins.h"' |
        "$clang" -x c++ -std=c++11 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I. -
}

builtins_threads() {
    compiled builtins-threads -DCRX_ATOMIC_OPS_BUILTINS "${thread_sanitizer[@]}" &&
        TSAN_OPTIONS="halt_on_error=1:allocator_may_return_null=1:die_after_fork=0" run builtins-threads 0.1
}

scaled() {
    awk "BEGIN { print $1 * $scale }"
}

need libatomic-ops-dev libc6-dev-arm64-cross gcc-aarch64-linux-gnu qemu-user
need_swift
toolchain=$(dirname "$(readlink -f "$(command -v swift)")")
clang=$toolchain/clang
libraries=$toolchain/../lib/swift/linux
[ -x "$clang" ] || { echo "missing: the clang that comes with Swift, beside $toolchain/swift" >&2 && exit 1; }
thread_sanitizer=(-fsanitize=thread "-L$libraries" "-Wl,-rpath,$libraries" -ldispatch -lBlocksRuntime)
mkdir -p "$build"

if $measures; then
    "$clang" -std=gnu11 -O2 "${warnings[@]}" -I"$core/include" "$core"/*.c "$tests"/bench/bench.c -o "$build/bench" && exec "$build/bench"
    exit 1
fi

step "C core" plain
step "C core, ThreadSanitizer" threads
step "C core, AddressSanitizer" addresses
step "C core for arm64, emulated" arm64 armv8-a
step "C core for arm64, its newer atomics" arm64 armv8.1-a+lse
step "C core, builtin atomics" builtins
step "C core, builtin atomics, ThreadSanitizer" builtins_threads
step "C core, its headers as C++" cxx
if scripts/fuzz.sh --check; then
    step "fuzzers, their corpus (scripts/fuzz.sh)" scripts/fuzz.sh --corpus
else
    left_out "fuzzers, their corpus (scripts/fuzz.sh)" "no clang here has libFuzzer"
fi
finish "scripts/test-c.sh"
