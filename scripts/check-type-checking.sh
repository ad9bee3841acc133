#!/usr/bin/env bash
# Type-checks the hard expressions in Tests/RxSwiftTests/TypeCheckingTests.swift: no expression and no function may take
# 300 ms. A limit of 1 ms checks that the compiler reports times. Then checks the compiler's errors in
# Tests/Clients/Messages/Messages.swift: each line with a comment at its end, and no other line, has an error that
# begins with the comment.
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

modules=(-swift-version 6 -I "$built/Modules" -Xcc -fmodule-map-file="$built/CRxCore.build/module.modulemap"
    -Xcc -fmodule-map-file=CSources/CAtomicOps/module.modulemap)

# slow MILLISECONDS: prints each expression and function that takes at least that long. If a function returns an
# expression without `return`, the compiler reports only the function. Fails if the file does not compile.
slow() {
    said=$(swiftc -typecheck "${modules[@]}" \
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

# Each line: a line number and the beginning of a message.
rejected=Tests/Clients/Messages/Messages.swift
wrong=$(swiftc -typecheck -parse-as-library "${modules[@]}" "$rejected" 2>&1 | sed -n "s|^$rejected:\([0-9]*\):[0-9]*: error: |\1 |p" | sort -un)
wanted=$(sed -n '=;s|.*[^ ]  // ||p' "$rejected" | awk '/^[0-9]+$/ { line = $0; next } { print line " " $0 }')
while read -r line message; do
    case $(grep "^$line " <<<"$wrong") in
    "$line $message"*) ;;
    *)
        echo "$rejected:$line: the error should begin with: $message"
        missed=1
        ;;
    esac
done <<<"$wanted"
if [ -z "$wanted" ] || [ -n "$missed" ] || [ "$(cut -d ' ' -f 1 <<<"$wrong")" != "$(cut -d ' ' -f 1 <<<"$wanted")" ]; then
    echo "$wrong"
    echo "scripts/check-type-checking.sh FAILED: the compiler's errors of $rejected are not those of its comments"
    exit 1
fi
echo "scripts/check-type-checking.sh passed: the longest took $(sed 's/.*took \([0-9]*\)ms.*/\1/' <<<"$all" | sort -n | tail -n 1) ms"
