#!/usr/bin/env bash
# Type-checks the hard expressions in Tests/RxSwiftTests/TypeCheckingTests.swift against the built library. No expression
# and no function may take 300 ms. First checks, with a limit of 1 ms, that the compiler reports times at all.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/packages.sh

no_options scripts/check-type-checking.sh "$@"

need libatomic-ops-dev pkg-config
need_swift

tests=Tests/RxSwiftTests/TypeCheckingTests.swift
limit=300
built=$(swift build "${core_build[@]}" --show-bin-path) || exit 1
said=$(swift build "${core_build[@]}" --target RxSwift 2>&1) || { echo "$said" && exit 1; }

# slow MILLISECONDS: prints one line for each expression and function that takes at least that long. Fails if the file
# does not compile. The time of an expression that a function returns without `return` counts only toward the function.
slow() {
    said=$(swiftc -typecheck -swift-version 6 -I "$built/Modules" -Xcc -fmodule-map-file="$built/CRxCore.build/module.modulemap" \
        -Xcc -fmodule-map-file=CSources/CAtomicOps/module.modulemap \
        -Xfrontend -warn-long-expression-type-checking="$1" -Xfrontend -warn-long-function-bodies="$1" "$tests" 2>&1) || { echo "$said" >&2 && return 1; }
    grep -E "^$tests:.*: warning: .* took [0-9]+ms to type-check" <<<"$said" || true
}

all=$(slow 1) && missed=$(slow $limit) || { echo "scripts/check-type-checking.sh FAILED: $tests does not compile" && exit 1; }
if [ -z "$all" ]; then
    echo "scripts/check-type-checking.sh FAILED: the compiler reports no times"
    exit 1
elif [ -n "$missed" ]; then
    echo "$missed"
    echo "scripts/check-type-checking.sh FAILED: an expression or a function takes $limit ms or more"
    exit 1
fi
echo "scripts/check-type-checking.sh passed: the longest took $(sed 's/.*took \([0-9]*\)ms.*/\1/' <<<"$all" | sort -n | tail -n 1) ms"
