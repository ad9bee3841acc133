#!/usr/bin/env bash
# Type-checks Tests/RxSwiftTests/TypeCheckingTests.swift, which holds expressions that are hard on the type checker, against the built
# library: none may take 300 ms. That the compiler says so when one does is tried first, with a limit that every long one misses.
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

# slow MILLISECONDS: the expressions that take so long or longer, a line each. It fails when the file does not compile.
slow() {
    said=$(swiftc -typecheck -swift-version 6 -I "$built/Modules" -Xcc -fmodule-map-file="$built/CRxCore.build/module.modulemap" \
        -Xcc -fmodule-map-file=CSources/CAtomicOps/module.modulemap \
        -Xfrontend -warn-long-expression-type-checking="$1" "$tests" 2>&1) || { echo "$said" >&2 && return 1; }
    grep -E "^$tests:.*: warning: expression took" <<<"$said" || true
}

all=$(slow 1) && missed=$(slow $limit) || { echo "scripts/check-type-checking.sh FAILED: $tests does not compile" && exit 1; }
if [ -z "$all" ]; then
    echo "scripts/check-type-checking.sh FAILED: the compiler does not say how long an expression takes"
    exit 1
elif [ -n "$missed" ]; then
    echo "$missed"
    echo "scripts/check-type-checking.sh FAILED: an expression takes $limit ms or more"
    exit 1
fi
echo "scripts/check-type-checking.sh passed: the longest of them took $(sed 's/.*took \([0-9]*\)ms.*/\1/' <<<"$all" | sort -n | tail -n 1) ms"
