#!/usr/bin/env bash
# Builds and runs clients of this checkout in a temporary folder: closures of every shape in both language modes, and each way to adopt it.
#
# No client may see a warning, trap, or resolve a package that it did not ask for: one of the core alone pins one package.
# RxTest's failures reach XCTest and Swift Testing.
#
#   --all   with those that take long: a dependency on RxSwift by its mirror, a library that changed under its client
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
*) refuse scripts/test-clients.sh "takes --all and nothing else, not '$*'" ;;
esac

clients=$PWD/Tests/Clients
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# repository NAME TAG: commits what lies in $scratch/NAME, as a repository that clients can fetch.
repository() {
    git -C "$scratch/$1" init -q &&
        git -C "$scratch/$1" add -A &&
        git -C "$scratch/$1" -c user.name=client -c user.email=client@localhost commit -q -m "$2" &&
        git -C "$scratch/$1" tag "$2"
}

# publish NAME: this checkout, with what is not committed yet, as version 6.11.0.
publish() {
    mkdir -p "$scratch/$1" &&
        git ls-files -z --cached --others --exclude-standard | xargs -0 -I{} sh -c 'test ! -e "$1" || cp --parents "$1" "$2"' - {} "$scratch/$1" &&
        repository "$1" 6.11.0
}

# client NAME FOLDER [PLACEHOLDER VALUE]...: a copy of the client Tests/Clients/NAME, its placeholders filled in.
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

# Where a client is built, in $scratch: in a folder of its own unless `build` names one. Those that take the library from the
# same place share one, and what is compiled of it.
build_of() {
    echo "$scratch/${build:-$1/.build}"
}

# complains LOG: something is said of the client or the library. That somebody else's package has a file too many is its own matter.
complains() {
    grep -E '(warning|error):' "$1" | grep -vq 'which are unhandled; explicitly declare'
}

# runs FOLDER PRODUCT WORDS [CONFIGURATION]: builds without a diagnostic, runs, and the last line is WORDS.
runs() {
    local folder=$scratch/$1 log=$scratch/$1.log configuration=${4:-debug} said
    if ! limited 900 swift build -c "$configuration" --disable-dependency-cache --package-path "$folder" \
        --scratch-path "$(build_of "$1")" >"$log" 2>&1 || complains "$log"; then
        grep -E '(warning|error):' -A 6 "$log" || tail -n 30 "$log"
        return 1
    fi
    said=$(limited 60 "$(build_of "$1")/$configuration/$2" 2>&1) || { echo "$said" && echo "$2 ended with $?" && return 1; }
    echo "$said"
    [ "$(tail -n 1 <<<"$said")" = "$3" ]
}

# resolves FOLDER PACKAGE...: what was pinned and fetched for the client is these packages and nothing else.
resolves() {
    local folder=$scratch/$1 found pinned
    found=$(ls "$(build_of "$1")/checkouts" 2>/dev/null | sort | xargs)
    shift
    pinned=$(grep -c '"revision"' "$folder/Package.resolved" 2>/dev/null)
    echo "fetched: ${found:-nothing}; pinned: ${pinned:-0}"
    [ "$found" = "$*" ] && [ "${pinned:-0}" = $# ]
}

# A package of one's own, beside this checkout; its closures are delivered off the main thread.
shapes() {
    local build=beside
    client Shapes "shapes$1" RXSWIFT "$PWD" MODE "$1" && runs "shapes$1" Shapes "shapes passed" && resolves "shapes$1"
}

# A client with C++ interoperability, in release: there the core's functions are inlined into it.
interoperable() {
    local build=interoperable
    client Cxx "cxx$1" RXSWIFT "$PWD" MODE "$1" && runs "cxx$1" Cxx "cxx passed" release
}

# A program in C that loads a library with RxSwift in it and closes it while threads and a timer of it are left.
closed() {
    local build=beside
    client Plugin plugin RXSWIFT "$PWD" && runs plugin Host "plugin passed"
}

# A package of one's own, which fetches a repository of another name than RxSwift.
named() {
    local build=fetched
    publish elsewhere/rx-linux &&
        client Named named REPOSITORY "file://$scratch/elsewhere/rx-linux" &&
        runs named Named "named passed" &&
        resolves named rx-linux
}

# A package that was split out, by its address beside the core's: the one of its modules that is used brings what it needs.
split() {
    local build=fetched
    scripts/split-packages.sh --core "file://$scratch/elsewhere/rx-linux" --version 6.11.0 --into "$scratch/split" &&
        client Server server REPOSITORY "file://$scratch/elsewhere/rx-linux" SERVER "file://$scratch/split/rx-server" &&
        runs server Server "server passed"
}

# A package of one's own, with a dependency that asks for ReactiveX's RxSwift.
mixed() {
    publish hosting/RxSwift &&
        cp -r "$clients/Dependency" "$scratch/Dependency" && repository Dependency 1.0.0 &&
        client Mixed mixed REPOSITORY "file://$scratch/hosting/RxSwift" DEPENDENCY "file://$scratch/Dependency" &&
        swift package --package-path "$scratch/mixed" config set-mirror \
            --original https://github.com/ReactiveX/RxSwift.git --mirror "file://$scratch/hosting/RxSwift" &&
        runs mixed Mixed "mixed passed" &&
        resolves mixed Dependency RxSwift
}

# A package that keeps its build folder while the library changes: what was inlined into it from the older one is compiled anew.
upgraded() {
    local version
    publish upgrade/RxSwift && client Upgraded upgraded RXSWIFT "$scratch/upgrade/RxSwift" || return 1
    for version in 1 2; do
        echo "@inlinable public func libraryVersion() -> Int { $version }" >"$scratch/upgrade/RxSwift/Sources/RxSwift/LibraryVersion.swift"
        runs upgraded Upgraded "version $version" release || return 1
    done
}

# tests FOLDER: builds without a diagnostic and runs the tests; what they say is in $said.
tests() {
    said=$(limited 900 swift test --disable-dependency-cache --package-path "$scratch/$1" --scratch-path "$(build_of "$1")" 2>&1)
    local status=$?
    ! grep -E 'warning:' -A 6 <<<"$said" && return $status
}

# Tests in both frameworks: they pass, and an expectation of RxTest that does not hold fails one test of each, drawn at its own line.
tested() {
    local said framework build=beside
    client Tested tested RXSWIFT "$PWD" || return 1
    tests tested || { echo "$said" | tail -n 30 && return 1; }
    ! EXPECT_FAILURE=1 tests tested || { echo "a broken expectation fails nothing" && return 1; }
    for framework in 'XCTestTests.swift:30: error:.*The events are not those expected' 'recorded an issue at SwiftTestingTests.swift:30:' \
        'Executed 3 tests, with 1 failure' 'Test run with 3 tests.* with 1 issue'; do
        grep -q "$framework" <<<"$said" || { echo "$said" | tail -n 40 && echo "nothing like: $framework" && return 1; }
    done
    [ "$(grep -c 'expected  -   (1|)' <<<"$said")" = 2 ]
}

need libatomic-ops-dev pkg-config git
need_swift
step "closures of every shape, Swift 5 mode" shapes 5
step "closures of every shape, Swift 6 mode" shapes 6
step "C++ interoperability, Swift 5 mode" interoperable 5
step "C++ interoperability, Swift 6 mode" interoperable 6
step "a library that is closed while a timer of it runs" closed
step "a repository of another name, by name:" named
step "rx-server, split out, by its address" split
if $all; then
    step "a dependency on RxSwift, by its mirror" mixed
    step "a library that changed under its client" upgraded
fi
step "tests in XCTest and in Swift Testing" tested
finish "scripts/test-clients.sh"
