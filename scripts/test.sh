#!/usr/bin/env bash
# Builds the library and its tests, and runs every test once. Installs missing packages.
#
# Prints the progress of the build every ten seconds, then one line for each suite, and every failure in full. The full
# output is in .build/test.log. RX_TEST_FLAGS contains further options of `swift build`.
#
#   --sanitizers [--all]
#                  instead runs the suites of concurrent code with ThreadSanitizer, and those of the folders with most
#                  unsafe memory with AddressSanitizer, which also detects leaks. With --all, both run the suites of
#                  concurrent code of every module and all laws. The full output is in .build-thread/test.log and
#                  .build-address/test.log.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/progress.sh
. scripts/lib/step.sh
. scripts/lib/watch.sh

# The targets with suites of concurrent code; ContractTests covers the other modules' operators. The build without the
# trait `Foundation` checks that the library compiles without it.
sanitizers=false all=false seconds=1800 still=300 traits=(--disable-default-traits)
targets=RxSwiftTests,RxBlockingTests,RxResilienceTests,ContractTests

# Contract suites that use one thread, or two in turn: a sanitizer finds little more than the plain run.
# scripts/nightly.sh runs them with both sanitizers.
alone='ContractTests\.((AfterEnd|Grammar|LockInversion|Reentrancy|Release|SilentSource|Table|Throwing|Upstream)Tests'
alone+='|AfterDisposeTests/(sameThread|insideDelivery)|SchedulerRecursionTests/(deep|chain))'

case $* in
'') ;;
--sanitizers) sanitizers=true ;;
'--sanitizers --all')
    sanitizers=true all=true alone='^$' seconds=3600 still=900 traits=()
    targets+=,RxRelayTests,RxCocoaTests,RxSwiftExtTests
    ;;
-h | --help) help_of scripts/test.sh && exit 0 ;;
*) refuse scripts/test.sh "expected --sanitizers, --sanitizers --all or nothing, not '$*'" ;;
esac

concurrency='ContractTests|Concurren|Thread|Race|Subject|Schedul|Dispos|Relay|Lock|Gate|Share|PausingTests|MapFilterFusionTests'

# Tests that leave subscriptions on purpose. A leak report would fail their exit tests.
leaving='serverWithoutMainQueueServiceIsWarnedOnce|aLoopOfRelaysIsWarnedOf'

read -ra flags <<<"${RX_TEST_FLAGS-}"

# announced FOLDER MINUTES_FRESH MINUTES_AGAIN WHAT [FOLDER]: prints WHAT, its duration, and the path of the full
# output. Empties the logs. The minutes are those of two cores.
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

tested() {
    watched "$seconds" "$still" "${@:2}" | suites "$1"
    return "${PIPESTATUS[0]}"
}

# A sanitizer's report needs no types. Line tables alone save about a tenth of the build's time.
lines=(-Xswiftc -gline-tables-only)

# The folders for AddressSanitizer. It also finds writes behind the end of a block, and a subject that is released
# before its last use.
unsafe='Disposables|FastPaths|Runtime|Subjects|Subscription'

# restricted SANITIZER: sets `filter`, and the variables that restrict the build (Package.swift). With ThreadSanitizer,
# the build omits test files that declare no name that matches `concurrency`, and files that start no thread. So
# declarations for other files need a file of their own, such as Wait.swift.
restricted() {
    local tests=()
    export RX_SANITIZED=$targets RX_SANITIZED_WITHOUT=
    filter=$concurrency
    if $all; then return; fi
    if [ "$1" = address ]; then
        RX_SANITIZED=RxSwiftTests filter+="|BlockListTests|RingTests"
        RX_SANITIZED_WITHOUT=$(find Tests/RxSwiftTests/* -maxdepth 0 | grep -vE "/($unsafe|Wait.swift)\$" | paste -sd ,)
        return
    fi
    mapfile -t tests < <(grep -rl --include='*.swift' '@Test' Tests/Rx{Swift,Blocking,Resilience}Tests)
    RX_SANITIZED_WITHOUT=$({
        grep -LE "(struct|class|extension|func) +\`?[A-Za-z0-9]*($concurrency)" "${tests[@]}"
        grep -LE '[Tt]hread|async|Task|Dispatch|Pool|Semaphore|[Cc]oncurren|[Rr]ace' "${tests[@]}"
    } | sort -u | paste -sd ,)
}

# Builds only the code that the targets need, into a separate folder, so that no build replaces another.
sanitized_build() {
    built ".build-$1/test.log" swift build --build-tests --sanitize="$1" --scratch-path ".build-$1" "${traits[@]}" \
        "${flags[@]}" "${lines[@]}"
}

# scripts/lib/leaks.txt lists false leaks.
sanitized_suites() {
    TSAN_OPTIONS="halt_on_error=0 exitcode=66 second_deadlock_stack=1 ${TSAN_OPTIONS-}" \
        ASAN_OPTIONS="detect_leaks=1 ${ASAN_OPTIONS-}" \
        LSAN_OPTIONS="suppressions=$PWD/scripts/lib/leaks.txt print_suppressions=0 ${LSAN_OPTIONS-}" \
        tested ".build-$1/test.log" swift test --sanitize="$1" --scratch-path ".build-$1" "${traits[@]}" "${flags[@]}" \
        "${lines[@]}" --skip-build --filter "$filter" --skip "$leaving" --skip "$alone"
}

sanitized() {
    local before=$step_failed name=${1^}Sanitizer
    step_failed=0
    restricted "$1"
    step "build, $name" sanitized_build "$1"
    [ $step_failed != 0 ] || step "suites of concurrent code, $name" sanitized_suites "$1"
    step_failed=$((before | step_failed))
}

need libatomic-ops-dev pkg-config
need_swift
if $sanitizers; then
    announced .build-thread 7 4 "Building the concurrent code with ThreadSanitizer and AddressSanitizer, and running its tests." .build-address
    sanitized thread
    sanitized address
    [ $step_failed != 0 ] || echo $SECONDS >.build-thread/test.seconds
    finish "scripts/test.sh --sanitizers"
else
    announced .build 8 3 "Building RxLinux and its tests, then running every test once."
    plain
    [ $step_failed != 0 ] || echo $SECONDS >.build/test.seconds
    finish "scripts/test.sh"
fi
