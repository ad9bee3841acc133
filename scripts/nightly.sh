#!/usr/bin/env bash
# The checks that take too long for the gate, or whose inputs seldom change: those in the table of HowItIsTested.md, the
# inspector's page in a browser, a service at SIGTERM under load, the quick start, the cost of an inspector viewer, the
# example programs' results, chaos on three brokers, and a soak of three builds with four threads per core.
#
#   --minutes N   the duration of each of the three chaos runs, of each soak under a sanitizer, and of the loads with an
#                 inspector viewer (default: 10). The interleavings and the soak without a sanitizer take six times as
#                 long. The service is stopped 2 * N times, and 30 * N faults by rule are tried.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/packages.sh
. scripts/lib/step.sh
. scripts/lib/watch.sh

minutes=10
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of scripts/nightly.sh && exit 0 ;;
    --minutes) [[ ${2-} =~ ^[1-9][0-9]*$ ]] || refuse scripts/nightly.sh "--minutes needs a number above 0" ;;
    *) refuse scripts/nightly.sh "unknown argument '$1'; see --help" ;;
    esac
    minutes=$2
    shift 2
done

# Each night, tries some faults of another folder or package. Building the faults of all folders would take 36 builds.
generated_faults() {
    local night=$(($(date +%s) / 86400)) folders=(CSources Sources/RxOperators Sources/RxResilience rx-server rx-streams)
    folders+=(Sources/RxSwift/{AsyncAwait,Backpressure,Disposables,Instrumentation,Operators,Schedulers,Subjects,Subscription})
    local folder=${folders[night % ${#folders[@]}]} part=$((night / ${#folders[@]} + 1)) where
    case $folder in rx-*) where=(--package "$folder") ;; *) where=(--files "^$folder/") ;; esac
    echo "$folder, part $part"
    scripts/mutants.sh --generated --sample $((minutes * 30)) --part "$part" "${where[@]}"
}

# Tests RxBlocking's error messages, and the schedulers that exist without Foundation.
without_foundation() {
    watched 1200 300 swift test --disable-default-traits --scratch-path .build-bare -Xswiftc -warnings-as-errors \
        --filter 'RxBlockingTests|ContractTests.Scheduler'
}

# Fails if a subscription allocates more than Tests/Benchmarks/Thresholds permits. A lower figure is printed until the
# budget is updated (CONTRIBUTING.md).
thresholds() {
    local said status
    said=$(cd Tests/Benchmarks && limited 1200 swift package benchmark thresholds check --no-progress 2>&1)
    status=$?
    sed -n '/^Deviations/,$p' <<<"$said"
    [ $status = 0 ] && return 0
    grep -aq 'is BETTER than the defined thresholds' <<<"$said" && return 0
    [ -n "$(sed -n '/^Deviations/p' <<<"$said")" ] || tail -n 30 <<<"$said"
    return $status
}

# Runs the laws in a build without the fast paths, which must change no event.
laws_portable() {
    RX_PORTABLE=1 watched 3600 900 swift test --scratch-path .build-portable --filter 'ContractTests|RxSwiftTests'
}

# Compares the build without the fast paths with RxSwift. The gate compares the usual build.
oracles_portable() {
    export RX_PORTABLE=1
    limited 2400 Tests/Oracle/Behaviour/check.py --at-least 956 && limited 2400 Tests/Oracle/Programs/check.py
}

laws_listed() {
    RX_SUBSCRIPTIONS=1 watched 3600 900 swift test --filter 'ContractTests|theEnvironmentSwitchesItOn'
}

# Sends a gigabyte through a channel, opens ten thousand connections, and tests Hummingbird's inspector routes.
server() {
    RX_NIGHTLY=1 watched 3600 900 swift test --package-path Packages/rx-server "${packages_build[@]}" &&
        watched 1200 300 swift test --package-path Packages/rx-server "${packages_build[@]}" --traits Hummingbird \
            --filter RxInspectorTests
}

# Tests millions of inputs for the NATS parser, a million waiting messages, and the drivers on both versions of NATS'
# server and on PostgreSQL, one process per module as in the gate. Also builds the code that the gate replaces or omits
# (RX_GATE). Then runs the pages' code with a NATS server.
streams() {
    local module built failed=0 build=(--package-path Packages/rx-streams "${packages_build[@]}")
    limited 1200 swift build "${build[@]}" --build-tests || return 1
    for module in RxStreamsTests RxStreamsSQLiteTests RxStreamsNATSTests RxOrdersTests; do
        RX_NIGHTLY=1 watched 3600 900 scripts/broker.sh tests -- swift test "${build[@]}" --skip-build --filter "^$module" || failed=1
    done
    scripts/test-postgres.sh --skip-build --relays || failed=1
    built=$(swift build "${build[@]}" --show-bin-path) &&
        scripts/broker.sh run -- scripts/check-snippets.sh --built "$built" --package Packages/rx-streams || failed=1
    return $failed
}

# Runs RxNIO's tests with ThreadSanitizer. The other modules of rx-server, and rx-streams, protect state by
# Synchronization's Mutex. ThreadSanitizer does not recognize it (Swift 6.3), and reports each access to that state.
nio_threads() {
    TSAN_OPTIONS="halt_on_error=0 exitcode=66 second_deadlock_stack=1 suppressions=$PWD/scripts/lib/races.txt ${TSAN_OPTIONS-}" \
        watched 3600 900 swift test --package-path Packages/rx-server --filter RxNIOTests --sanitize=thread \
        --scratch-path Packages/rx-server/.build-thread
}

# soak MINUTES [OPTION...]: runs every scenario. The program takes at most 64 threads.
soak() {
    local most=$(($(nproc) * 4))
    scripts/stress.sh --threads $((most < 64 ? most : 64)) --minutes "$@"
}

need libatomic-ops-dev libpq-dev libsqlite3-dev pkg-config
need_swift
step "the C core (scripts/test-c.sh)" scripts/test-c.sh
step "models of the protocols (check-models.sh)" scripts/check-models.sh --all
step "a million inputs for each fuzzer" scripts/fuzz.sh --runs 1000000
step "faults of the protocols (scripts/mutants.sh)" scripts/mutants.sh
step "faults by rule, tonight's sample" generated_faults
step "10 000 chains beside RxPY" scripts/differential.sh --count 10000 --seed "$(date +%Y%m%d)"
step "without Foundation" without_foundation
step "all laws and concurrent suites, sanitizers" scripts/test.sh --sanitizers --all
step "budgets (benchmark thresholds check)" thresholds
step "all laws, with subscriptions listed" laws_listed
step "laws and tests, without the fast paths" laws_portable
with_python step "oracles, without the fast paths" oracles_portable
step "all clients" scripts/test-clients.sh --all
step "rx-server, long tests" server
step "rx-streams, long tests" streams
step "RxNIO, ThreadSanitizer" nio_threads
step "the inspector's page, and its cost" scripts/test-inspector.sh --cost 20
step "the service at SIGTERM, under load" scripts/test-service.sh --rounds "$minutes" --seconds 20
step "the quick start, and a viewer's cost" scripts/test-quickstart.sh --viewer $((minutes < 60 ? minutes : 60))
for example in Examples/*.sh; do
    step "$example" "$example"
done
cuts=() fills=()
[ "$(id -u)" != 0 ] || { cuts=(--cut) && fills=(--full); }
step "chaos, NATS" scripts/chaos.sh --minutes "$minutes" "${cuts[@]}" "${fills[@]}"
step "chaos, SQLite" scripts/chaos.sh --minutes "$minutes" "${fills[@]}" --broker sqlite --orders 50000
step "chaos, PostgreSQL" scripts/chaos.sh --minutes "$minutes" "${fills[@]}" --broker postgres --orders 20000
step "interleavings, for six times as long" scripts/explore.sh --seconds $((minutes * 360))
step "soak" soak $((minutes * 6))
step "soak, ThreadSanitizer" soak "$minutes" --sanitize thread
step "soak, AddressSanitizer" soak "$minutes" --sanitize address
finish scripts/nightly.sh
