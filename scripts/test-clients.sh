#!/usr/bin/env bash
# Builds and runs clients of this checkout in a temporary folder: closures of every shape in both language modes, and
# each way to add the package. No client may cause a warning, trap, or resolve a package that it does not use: a client
# of the core pins one package. Exception: the code of Shapes gets the warnings about isolation in its table. RxTest's
# failures must reach XCTest and Swift Testing. Reports must name files and lines.
#
#   --all   also slow clients: a package by its URL (otherwise only resolved and planned), a split package by its URL, a
#           dependency on RxSwift with a mirror, a library that changes after the client's build, tests with
#           RX_EXPLORE=1
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

all=false
case $* in
'') ;;
--all) all=true ;;
-h | --help) help_of scripts/test-clients.sh && exit 0 ;;
*) refuse scripts/test-clients.sh "takes only --all, not '$*'" ;;
esac

clients=$PWD/Tests/Clients
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# repository NAME TAG: commits $scratch/NAME for clients.
repository() {
    git -C "$scratch/$1" init -q &&
        git -C "$scratch/$1" add -A &&
        git -C "$scratch/$1" -c user.name=client -c user.email=client@localhost commit -q -m "$2" &&
        git -C "$scratch/$1" tag "$2"
}

# publish NAME: publishes this checkout, with uncommitted changes, as version 6.11.0.
publish() {
    mkdir -p "$scratch/$1" &&
        git ls-files -z --cached --others --exclude-standard | xargs -0 -I{} sh -c 'test ! -e "$1" || cp --parents "$1" "$2"' - {} "$scratch/$1" &&
        repository "$1" 6.11.0
}

# client NAME FOLDER [PLACEHOLDER VALUE]...: copies Tests/Clients/NAME.
client() {
    local name=$1 folder=$scratch/$2
    cp -r "$clients/$name" "$folder" || return 1
    shift 2
    while [ $# -gt 0 ]; do
        sed -i "s#@$1@#$2#g" "$folder/Package.swift.in" || return 1
        shift 2
    done
    mv "$folder/Package.swift.in" "$folder/Package.swift"
}

# Build folders shared with other clients, so that the library is compiled once: the oracles' (debug), the hot path's
# (release). All build with an index, for XCTest's clients.
debug_clients=$PWD/.build-oracle/.build
release_clients=$PWD/.build-hot-path/.build

# Prints a client's build folder: `build` if it is set, otherwise the client's own. Clients that use one copy of the
# library share `build`.
build_of() {
    case ${build-} in
    /*) echo "$build" ;;
    *) echo "$scratch/${build:-$1/.build}" ;;
    esac
}

# complains LOG: succeeds if LOG has a diagnostic about the client or the library, except one about unhandled files. If
# `warnings` names a table and `mode` a language mode, succeeds if the warnings are not those of the table: each row has
# a mode, a file and the number of its warnings. Compilers other than 6.3 report other numbers, so only the files must
# be in the table.
complains() {
    local found expected
    found=$(grep -E '^(/.*:[0-9]+: )?(warning|error): ' "$1" | grep -v 'which are unhandled; explicitly declare' | sort -u)
    [ -n "${warnings-}" ] || { [ -n "$found" ] && return || return 1; }
    found=$(sed -E 's|^(/.*/)?([^/:]*\.swift):[0-9]+:[0-9]+: warning: .*|\2|' <<<"$found" | sort | uniq -c | awk '{ print $2, $1 }')
    expected=$(awk -F '\t' -v "mode=$mode" '$1 == mode { print $2, $3 }' "$warnings" | sort)
    if [[ $(swift --version 2>&1) != *"version 6.3"* ]]; then
        found=$(cut -d ' ' -f 1 <<<"$found")
        expected=$(cut -d ' ' -f 1 <<<"$expected")
        [ -n "$(comm -23 <(echo "$found") <(echo "$expected"))" ]
        return
    fi
    [ "$found" != "$expected" ] || return 1
    diff <(echo "$expected") <(echo "$found") | sed -n 's|^< |expected warnings: |p; s|^> |reported warnings: |p'
    return 0
}

# runs FOLDER PRODUCT WORDS [CONFIGURATION]: checks that the client builds without a diagnostic, and that WORDS is the
# last line that it prints. In a shared build folder, a cached build manifest would build the first client again.
runs() {
    local folder=$scratch/$1 log=$scratch/$1.log configuration=${4:-debug} output
    if ! limited 900 swift build -c "$configuration" --disable-dependency-cache --disable-build-manifest-caching \
        --package-path "$folder" --scratch-path "$(build_of "$1")" >"$log" 2>&1 || complains "$log"; then
        grep -E '(warning|error):' -A 6 "$log" || tail -n 30 "$log"
        return 1
    fi
    output=$(limited 60 "$(build_of "$1")/$configuration/$2" 2>&1) || { echo "$output" && echo "$2 ended with $?" && return 1; }
    echo "$output"
    [ "$(tail -n 1 <<<"$output")" = "$3" ]
}

# resolves FOLDER PACKAGE...: checks that exactly these were pinned and fetched.
resolves() {
    local folder=$scratch/$1 found pinned
    found=$(ls "$(build_of "$1")/checkouts" 2>/dev/null | sort | xargs)
    shift
    pinned=$(grep -c '"revision"' "$folder/Package.resolved" 2>/dev/null)
    echo "fetched: ${found:-nothing}; pinned: ${pinned:-0}"
    [ "$found" = "$*" ] && [ "${pinned:-0}" = $# ]
}

# A package beside this checkout. Its closures run off the main thread. Tests/Clients/Shapes/warnings.tsv explains the
# warnings.
shapes() {
    local build=$debug_clients mode=$1 warnings=$clients/Shapes/warnings.tsv
    client Shapes "shapes$1" RXSWIFT "$PWD" MODE "$1" && runs "shapes$1" Shapes "shapes passed" && resolves "shapes$1"
}

# Programs in Swift 6 mode, one for each kind of isolation. Their closures run off the main thread.
isolated() {
    local build=$debug_clients program
    client Isolated isolated RXSWIFT "$PWD" || return 1
    for program in TopLevel/main AtMain/AtMain InMainActorClass/Screen InActor/Ledger; do
        sed -i -e "/^\/\/ BODY\$/{r $scratch/isolated/Body.swift" -e 'd}' "$scratch/isolated/Sources/$program.swift" || return 1
    done
    for program in TopLevel AtMain InMainActorClass InActor; do
        runs isolated "$program" "$program passed" || return 1
    done
}

# With C++ interoperability, in release, so that the core's functions are inlined.
interoperable() {
    local build=$release_clients
    client Interoperable "cxx$1" RXSWIFT "$PWD" MODE "$1" && runs "cxx$1" Interoperable "cxx passed" release
}

# line COMMENT: prints the place in Places.swift whose line ends with the comment.
line() {
    echo "Sources/Places.swift:$(grep -n "// $1\$" "$scratch/places$configuration/Sources/Places.swift" | cut -d : -f 1)"
}

# Waits up to 30 seconds.
appears() {
    local _
    for _ in {1..300}; do
        grep -qF -- "$2" "$1" && return
        sleep 0.1
    done
}

# names PROGRAM [WORDS...]: runs the program until its last report has names, and stores the `output`, which must
# contain each of the words. The first report must take less than 20 ms of the thread's time.
names() {
    local word program=$1 file=$scratch/places.output last="Names for the unhandled error Last"
    shift
    : >"$file"
    limited 120 "$program" recorded >"$file" 2>&1 < <(appears "$file" "$last") || { cat "$file" && return 1; }
    output=$(<"$file")
    for word in "$last" "$@"; do
        grep -qF -- "$word" <<<"$output" || { echo "$output" && echo "missing in the output: $word" && return 1; }
    done
    grep '^report took' <<<"$output"
    sed -n 's/^report took \([0-9]*\).*/\1/p' <<<"$output" | grep -qE '^1?[0-9]$' || { echo "the report took 20 ms or more" && return 1; }
}

# Reports of unhandled errors, subscriptions, nested events and stalls name files and lines; without debug information,
# symbols and offsets; without symbols, offsets in the program.
places() {
    local configuration=$1 build=$2 output program
    program=$build/$configuration/Places
    client Places "places$configuration" RXSWIFT "$PWD" || return 1
    limited 900 swift build -c "$configuration" --disable-dependency-cache --disable-build-manifest-caching \
        --package-path "$scratch/places$configuration" --scratch-path "$build" >"$scratch/places.log" 2>&1 ||
        { tail -n 30 "$scratch/places.log" && return 1; }
    names "$program" "$(line 'unhandled error')" "$(line subscription)" "$(line 'listed operator')" \
        "$(line 'listed subscription')" "$(line 'nested events')" "$(line stall)" || return 1
    # Debug builds use Swift's own look-up.
    [ "$configuration" = release ] || return 0
    strip --strip-debug -o "$scratch/places-symbols" "$program" && names "$scratch/places-symbols" "4failyy" " + 0x" || return 1
    ! grep -F Places.swift: <<<"$output" || { echo "there are places without debug information" && return 1; }
    strip -o "$scratch/places-stripped" "$program" && names "$scratch/places-stripped" "places-stripped+0x"
}

# A C program unloads a library with RxSwift while the library's threads and a timer are left. Each kind of work keeps
# the library loaded; the second run has only an operation.
closed() {
    local build=$debug_clients
    client Plugin plugin RXSWIFT "$PWD" && runs plugin Host "plugin passed" &&
        limited 60 "$(build_of plugin)/debug/Host" operation
}

# Fetches a repository whose name is not RxSwift. Without --all, builds only C code: planning already refuses unsafe
# flags and unknown products.
named() {
    local build=fetched
    publish elsewhere/rx-linux && client Named named REPOSITORY "file://$scratch/elsewhere/rx-linux" || return 1
    if $all; then
        runs named Named "named passed" || return 1
    else
        limited 300 swift build --disable-dependency-cache --package-path "$scratch/named" --scratch-path "$(build_of named)" --target CRxCore \
            >"$scratch/named.log" 2>&1 && ! complains "$scratch/named.log" || { tail -n 30 "$scratch/named.log" && return 1; }
    fi
    resolves named rx-linux
}

# A split package, by its URL, with the core. Only dependencies of the module in use are built.
split() {
    local build=fetched
    scripts/split-packages.sh --core "file://$scratch/elsewhere/rx-linux" --version 6.11.0 --into "$scratch/split" &&
        client Server server REPOSITORY "file://$scratch/elsewhere/rx-linux" SERVER "file://$scratch/split/rx-server" &&
        runs server Server "server passed"
}

mixed() {
    publish hosting/RxSwift &&
        cp -r "$clients/Dependency" "$scratch/Dependency" && repository Dependency 1.0.0 &&
        client Mixed mixed REPOSITORY "file://$scratch/hosting/RxSwift" DEPENDENCY "file://$scratch/Dependency" &&
        swift package --package-path "$scratch/mixed" config set-mirror \
            --original https://github.com/ReactiveX/RxSwift.git --mirror "file://$scratch/hosting/RxSwift" &&
        runs mixed Mixed "mixed passed" &&
        resolves mixed Dependency RxSwift
}

# The library changes below an existing build folder. Code inlined from the old library must be compiled again.
upgraded() {
    local version
    publish upgrade/RxSwift && client Upgraded upgraded RXSWIFT "$scratch/upgrade/RxSwift" || return 1
    for version in 1 2; do
        echo "@inlinable public func libraryVersion() -> Int { $version }" >"$scratch/upgrade/RxSwift/Sources/RxSwift/LibraryVersion.swift"
        runs upgraded Upgraded "version $version" release || return 1
    done
}

# tests FOLDER: runs the tests without a diagnostic, and stores the `output`.
tests() {
    output=$(limited 900 swift test --disable-dependency-cache --package-path "$scratch/$1" --scratch-path "$(build_of "$1")" 2>&1)
    local status=$?
    ! grep -E 'warning:' -A 6 <<<"$output" && return $status
}

# Tests in both frameworks pass. A failed expectation of RxTest fails one test of each, at its own line.
tested() {
    local output framework build=$debug_clients
    client Tested tested RXSWIFT "$PWD" || return 1
    tests tested || { echo "$output" | tail -n 30 && return 1; }
    ! EXPECT_FAILURE=1 tests tested || { echo "a failed expectation of RxTest fails no test" && return 1; }
    for framework in 'XCTestTests.swift:30: error:.*The events are not those expected' 'recorded an issue at SwiftTestingTests.swift:30:' \
        'Executed 3 tests, with 1 failure' 'Test run with 3 tests.* with 1 issue'; do
        grep -q "$framework" <<<"$output" || { echo "$output" | tail -n 40 && echo "missing in the output: $framework" && return 1; }
    done
    [ "$(grep -c 'expected  -   (1|)' <<<"$output")" = 2 ]
}

# Uses the library's control points and the command on the page TestingWithThreads.
explored() {
    local output
    client Explored explored RXSWIFT "$PWD" || return 1
    output=$(RX_EXPLORE=1 limited 900 swift test -Xcc -DRX_EXPLORE --disable-dependency-cache \
        --package-path "$scratch/explored" --scratch-path "$scratch/explored/.build-explore" 2>&1) || { echo "$output" | tail -n 40 && return 1; }
    grep -q 'Test run with 2 tests.* passed' <<<"$output" || { echo "$output" | tail -n 20 && return 1; }
}

need libatomic-ops-dev pkg-config git
need_swift
step "closures of every shape, Swift 5 mode" shapes 5
step "closures of every shape, Swift 6 mode" shapes 6
step "closures in main.swift, @main, a @MainActor class and an actor, Swift 6 mode" isolated
step "C++ interoperability, Swift 5 mode" interoperable 5
step "C++ interoperability, Swift 6 mode" interoperable 6
step "a library that is closed while one of its timers runs" closed
step "places in reports of a debug build" places debug "$debug_clients"
step "places in reports of a release build" places release "$release_clients"
step "a repository with another name, by name:" named
if $all; then
    step "rx-server, split, by its URL" split
    step "a dependency on RxSwift, with a mirror" mixed
    step "a library that changes after its client was built" upgraded
    step "tests with RX_EXPLORE=1" explored
fi
step "tests in XCTest and in Swift Testing" tested
finish "scripts/test-clients.sh"
