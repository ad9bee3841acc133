#!/usr/bin/env bash
# Builds the library and its tests, and runs every test once. Installs missing packages.
#
# During the build, it prints the progress every ten seconds. During the tests, it prints one line for each suite, and
# every failure in full. The full output is in .build/test.log. RX_TEST_FLAGS contains further options for the compiler.
#
#   --sanitizers   instead, builds and runs the suites of concurrent code with ThreadSanitizer and then with
#                  AddressSanitizer, which also detects leaks; the full output is in .build-thread/test.log and
#                  .build-address/test.log
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/progress.sh
. scripts/lib/step.sh
. scripts/lib/watch.sh

sanitizers=false
case $* in
'') ;;
--sanitizers) sanitizers=true ;;
-h | --help) help_of scripts/test.sh && exit 0 ;;
*) refuse scripts/test.sh "expected --sanitizers or nothing, not '$*'" ;;
esac

# The names of suites and tests of code that several threads use concurrently.
concurrency='ContractTests|Concurren|Thread|Race|Subject|Schedul|Dispos|Relay|Lock|Gate|Share|PausingTests|StepsTests'

# Tests that leave subscriptions behind on purpose. Their exit tests would fail because of a leak report.
leaving='aServerThatForgetsItIsWarnedOnce|aLoopOfRelaysIsWarnedOf'

# Suites of the contract tests that use one thread, or two threads in turn. The runs with sanitizers omit them, because
# they would find little more there. scripts/nightly.sh runs these suites with both sanitizers.
alone='ContractTests\.((AfterEnd|Grammar|LockInversion|Reentrancy|Release|SilentSource|Table|Throwing|Upstream)Tests'
alone+='|AfterDisposeTests/(sameThread|insideDelivery))'

read -ra flags <<<"${RX_TEST_FLAGS-}"

# announced FOLDER MINUTES_FRESH MINUTES_AGAIN WHAT: prints WHAT, the expected time, and where the full output is.
# Empties the log. The minutes are for two cores; more cores take less.
announced() {
    local folder=$1 minutes=$3 state="with what is built already" cores last=''
    [ -d "$folder/debug" ] || { minutes=$2 && state="for the first build"; }
    cores=$(nproc)
    [ ! -s "$folder/test.seconds" ] || last="; the last run took $(clock "$(cat "$folder/test.seconds")")"
    mkdir -p "$folder"
    : >"$folder/test.log"
    echo "$4"
    echo "This takes about $(((minutes * 2 + cores - 1) / cores)) minutes on $cores free cores, $state$last."
    echo "The full output is in $folder/test.log."
}

plain() {
    step "build" built .build/test.log swift build --build-tests "${flags[@]}"
    [ $step_failed = 0 ] || return
    step "tests" tested .build/test.log swift test "${flags[@]}" --skip-build
}

# tested LOG COMMAND...: runs `swift test`. A test that hangs is killed.
tested() {
    watched 1800 300 "${@:2}" | suites "$1"
    return "${PIPESTATUS[0]}"
}

# sanitized SANITIZER NAME: builds into a separate folder, so that no build replaces another, and only the code that the
# suites need (Package.swift). scripts/lib/leaks.txt lists false leaks.
sanitized() {
    local options=("${flags[@]}" --sanitize="$1" --scratch-path ".build-$1") failed=$step_failed
    export RX_SANITIZED=1
    step_failed=0
    step "build, $2" built ".build-$1/test.log" swift build --build-tests "${options[@]}"
    if [ $step_failed = 0 ]; then
        TSAN_OPTIONS="halt_on_error=0 exitcode=66 second_deadlock_stack=1 ${TSAN_OPTIONS-}" \
            ASAN_OPTIONS="detect_leaks=1 ${ASAN_OPTIONS-}" \
            LSAN_OPTIONS="suppressions=$PWD/scripts/lib/leaks.txt print_suppressions=0 ${LSAN_OPTIONS-}" \
            step "suites of concurrent code, $2" tested ".build-$1/test.log" swift test "${options[@]}" --skip-build \
            --filter "$concurrency" --skip "$leaving" --skip "$alone"
    fi
    [ $failed = 0 ] || step_failed=1
}

need libatomic-ops-dev pkg-config
need_swift
if $sanitizers; then
    announced .build-thread 10 4 "Building the concurrent code and its tests with ThreadSanitizer, then running them."
    sanitized thread ThreadSanitizer
    thread_seconds=$SECONDS
    [ $step_failed != 0 ] || echo $SECONDS >.build-thread/test.seconds
    echo
    announced .build-address 10 4 "Building the concurrent code and its tests with AddressSanitizer, then running them."
    sanitized address AddressSanitizer
    [ $step_failed != 0 ] || echo $((SECONDS - thread_seconds)) >.build-address/test.seconds
    finish "scripts/test.sh --sanitizers"
else
    announced .build 9 3 "Building RxLinux and its tests, then running every test once."
    plain
    [ $step_failed != 0 ] || echo $SECONDS >.build/test.seconds
    finish "scripts/test.sh"
fi
