#!/usr/bin/env bash
# Installs what is missing, builds, runs every test, and then runs the concurrency suites under ThreadSanitizer and AddressSanitizer.
#
#   --plain   without the sanitizers
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh
. scripts/lib/watch.sh

sanitizers=true
case $* in
'') ;;
--plain) sanitizers=false ;;
-h | --help) help_of scripts/test.sh && exit 0 ;;
*) refuse scripts/test.sh "takes --plain and nothing else, not '$*'" ;;
esac

# What several threads touch at once, by the names of suites and tests.
concurrency='ContractTests|Concurren|Thread|Race|Subject|Schedul|Dispos|Relay|Lock|Gate|Share|PausingTests|StepsTests'

# What leaves subscriptions behind on purpose, in a process that has to end well.
leaving='aServerThatForgetsItIsWarnedOnce|aLoopOfRelaysIsWarnedOf'

# Laws of one thread alone, or of two that wait for each other turn by turn: the sanitizers have little to see there that
# the plain run does not. scripts/nightly.sh runs them under both.
alone='ContractTests\.((AfterEnd|Grammar|LockInversion|Reentrancy|Release|SilentSource|Table|Throwing|Upstream)Tests'
alone+='|AfterDisposeTests/(sameThread|insideDelivery))'

# More for the compiler: the gate has it take warnings for errors.
read -ra flags <<<"${RX_TEST_FLAGS-}"

suite() {
    watched 1800 300 swift test "${flags[@]}" --skip-build
}

# Sanitizers have builds of their own, so that no build throws away another's, and of no more than their suites need.
build_for() {
    RX_SANITIZED=1 swift build --build-tests "${flags[@]}" --sanitize="$1" --scratch-path ".build-$1"
}

# Leaks are looked for too; what is none and
# looks like one is named in scripts/lib/leaks.txt.
#
# sanitized SANITIZER
sanitized() {
    local sanitizer=$1
    RX_SANITIZED=1 TSAN_OPTIONS="halt_on_error=0 exitcode=66 second_deadlock_stack=1 ${TSAN_OPTIONS-}" \
        ASAN_OPTIONS="detect_leaks=1 ${ASAN_OPTIONS-}" \
        LSAN_OPTIONS="suppressions=$PWD/scripts/lib/leaks.txt print_suppressions=0 ${LSAN_OPTIONS-}" \
        watched 1800 300 swift test "${flags[@]}" --skip-build --sanitize="$sanitizer" --scratch-path ".build-$sanitizer" \
        --filter "$concurrency" --skip "$leaving" --skip "$alone"
}

need libatomic-ops-dev pkg-config
need_swift
beside "build" swift build --build-tests "${flags[@]}"
if $sanitizers; then
    beside "build, ThreadSanitizer" build_for thread
    beside "build, AddressSanitizer" build_for address
fi
together
[ $step_failed = 0 ] || finish "scripts/test.sh"
step "tests" suite
if $sanitizers; then
    step "concurrency suites, ThreadSanitizer" sanitized thread
    step "concurrency suites, AddressSanitizer" sanitized address
fi
finish "scripts/test.sh"
