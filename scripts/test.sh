#!/usr/bin/env bash
# Builds the library and its tests, and runs every test once. Installs missing packages.
#
# During the build, it prints the progress every ten seconds. During the tests, it prints one line for each suite, and
# every failure in full. The full output is in .build/test.log. RX_TEST_FLAGS contains further options of `swift build`.
#
#   --sanitizers [--all]
#                  instead, builds and runs the suites of concurrent code with ThreadSanitizer. Those of code with
#                  unsafe memory, and 20 seconds of soak, run with AddressSanitizer, which also detects leaks. With
#                  --all, both run the suites of concurrent code of every module and all laws. The full output is in
#                  .build-thread/test.log and .build-address/test.log.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/progress.sh
. scripts/lib/step.sh
. scripts/lib/watch.sh

# The test targets that have suites of concurrent code. ContractTests also has the operators of the other modules.
# Every module is built with ThreadSanitizer, without the trait `Foundation`: this checks that the library compiles
# without it. Only the modules RxSwift and RxBlocking use unsafe memory. With the soak, rx-stress, RxSwiftTests are
# those of the folders that use it (Package.swift).
sanitizers=false all=false seconds=1800 still=300 thread_traits=(--disable-default-traits)
thread_targets=RxSwiftTests,RxBlockingTests,RxResilienceTests,ContractTests
address_targets=RxSwiftTests,RxBlockingTests,rx-stress
all_targets=RxSwiftTests,RxRelayTests,RxCocoaTests,RxBlockingTests,RxSwiftExtTests,RxResilienceTests,ContractTests

# Suites of the contract tests that use one thread, or two threads in turn. A sanitizer finds little more in these
# suites than the plain run. scripts/nightly.sh runs these suites with both sanitizers.
alone='ContractTests\.((AfterEnd|Grammar|LockInversion|Reentrancy|Release|SilentSource|Table|Throwing|Upstream)Tests'
alone+='|AfterDisposeTests/(sameThread|insideDelivery))'

case $* in
'') ;;
--sanitizers) sanitizers=true ;;
'--sanitizers --all')
    sanitizers=true all=true thread_targets=$all_targets address_targets=$all_targets alone='^$' seconds=3600 still=900
    thread_traits=()
    ;;
-h | --help) help_of scripts/test.sh && exit 0 ;;
*) refuse scripts/test.sh "expected --sanitizers, --sanitizers --all or nothing, not '$*'" ;;
esac

# The names of suites and tests of code that several threads use concurrently.
concurrency='ContractTests|Concurren|Thread|Race|Subject|Schedul|Dispos|Relay|Lock|Gate|Share|PausingTests|MapFilterFusionTests'

# Tests that intentionally do not dispose of subscriptions. A leak report would make their exit tests fail.
leaving='serverWithoutMainQueueServiceIsWarnedOnce|aLoopOfRelaysIsWarnedOf'

read -ra flags <<<"${RX_TEST_FLAGS-}"

# announced FOLDER MINUTES_FRESH MINUTES_AGAIN WHAT [FOLDER]: prints WHAT, its duration, and the path of the full output.
# Empties the logs. The minutes are those of two cores; more cores take less.
announced() {
    local folder=$1 minutes=$3 state="with what is built already" cores last='' each
    [ -d "$folder/debug" ] || { minutes=$2 && state="for the first build"; }
    cores=$(nproc)
    [ ! -s "$folder/test.seconds" ] || last="; the last run took $(clock "$(cat "$folder/test.seconds")")"
    for each in "$folder" ${5+"$5"}; do
        mkdir -p "$each"
        : >"$each/test.log"
    done
    echo "$4"
    echo "This takes about $(((minutes * 2 + cores - 1) / cores)) minutes on $cores free cores, $state$last."
    echo "The full output is in $folder/test.log${5+ and $5/test.log}."
}

plain() {
    step "build" built .build/test.log swift build --build-tests "${flags[@]}"
    [ $step_failed = 0 ] || return
    step "tests" tested .build/test.log swift test "${flags[@]}" --skip-build
}

# tested LOG COMMAND...: runs `swift test`. A test that hangs is killed.
tested() {
    watched "$seconds" "$still" "${@:2}" | suites "$1"
    return "${PIPESTATUS[0]}"
}

# A sanitizer's report needs line numbers, but no types. Line tables alone save about a tenth of the build's time.
lines=(-Xswiftc -gline-tables-only)

# sanitized_build SANITIZER TARGETS: builds into a separate folder, so that no build replaces another, and only the code
# that the targets need (Package.swift).
sanitized_build() {
    local traits=()
    [ "$1" != thread ] || traits=("${thread_traits[@]}")
    RX_SANITIZED=$2 built ".build-$1/test.log" swift build --build-tests --sanitize="$1" --scratch-path ".build-$1" \
        "${traits[@]}" "${flags[@]}" "${lines[@]}"
}

# sanitized_suites SANITIZER TARGETS: runs the suites of concurrent code. scripts/lib/leaks.txt lists false leaks.
sanitized_suites() {
    local traits=()
    [ "$1" != thread ] || traits=("${thread_traits[@]}")
    RX_SANITIZED=$2 TSAN_OPTIONS="halt_on_error=0 exitcode=66 second_deadlock_stack=1 ${TSAN_OPTIONS-}" \
        ASAN_OPTIONS="detect_leaks=1 ${ASAN_OPTIONS-}" \
        LSAN_OPTIONS="suppressions=$PWD/scripts/lib/leaks.txt print_suppressions=0 ${LSAN_OPTIONS-}" \
        tested ".build-$1/test.log" swift test --sanitize="$1" --scratch-path ".build-$1" "${traits[@]}" "${flags[@]}" \
        "${lines[@]}" --skip-build --filter "$concurrency" --skip "$leaving" --skip "$alone"
}

# lowered COMMAND...: runs a step at a low priority, so that tests that run at the same time are not delayed.
lowered() {
    renice -n 10 "$BASHPID" >/dev/null 2>&1
    "$@"
}

# The soak subscribes, pushes and disposes on many threads. It finds uses after free that need several threads, and
# leaks.
soak() {
    ASAN_OPTIONS="quarantine_size_mb=64 detect_leaks=1 ${ASAN_OPTIONS-}" \
        LSAN_OPTIONS="suppressions=$PWD/scripts/lib/leaks.txt print_suppressions=0 ${LSAN_OPTIONS-}" \
        limited 300 .build-address/debug/rx-stress --sanitize address --seconds 20
}

# The suites with ThreadSanitizer leave processors idle, so the build with AddressSanitizer runs at the same time.
sanitized() {
    local before built
    step "build, ThreadSanitizer" sanitized_build thread "$thread_targets"
    before=$step_failed
    if [ "$before" = 0 ]; then
        echo "The suites run with ThreadSanitizer beside the next build. Their output follows it."
        beside "suites of concurrent code, ThreadSanitizer" sanitized_suites thread "$thread_targets"
    fi
    step_failed=0
    step "build, AddressSanitizer" lowered sanitized_build address "$address_targets"
    built=$step_failed
    step_failed=$((before | built))
    [ "$before" != 0 ] || together
    [ "$built" = 0 ] || return
    step "suites of concurrent code, AddressSanitizer" sanitized_suites address "$address_targets"
    $all || step "soak, 20 s, AddressSanitizer" soak
}

need libatomic-ops-dev pkg-config
need_swift
if $sanitizers; then
    announced .build-thread 9 4 "Building the concurrent code with ThreadSanitizer and AddressSanitizer, and running its tests." .build-address
    sanitized
    [ $step_failed != 0 ] || echo $SECONDS >.build-thread/test.seconds
    finish "scripts/test.sh --sanitizers"
else
    announced .build 9 3 "Building RxLinux and its tests, then running every test once."
    plain
    [ $step_failed != 0 ] || echo $SECONDS >.build/test.seconds
    finish "scripts/test.sh"
fi
