#!/usr/bin/env bash
# Compiles the documentation of each module, with the DocC of the toolchain: a link that leads nowhere, or a parameter that is left out
# among documented ones, is an error.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

no_options scripts/check-docs.sh "$@"

need libatomic-ops-dev pkg-config
need_swift
docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
[ -x "$docc" ] || { echo "missing: docc, which comes with Swift, beside $(dirname "$docc")/swift" >&2 && exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

modules=(RxSwift RxRelay RxCocoa RxTest RxBlocking RxSwiftExt RxResilience)

# Module by module: `swift package dump-symbol-graph` asks for the tests' modules as well, and fails where they were not built.
symbols() {
    local module built triple
    triple=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1) && [ -n "$triple" ] &&
        built=$(swift build --show-bin-path) || return 1
    for module in "${modules[@]}"; do
        swift build --target "$module" >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log" && return 1; }
        mkdir "$scratch/$module" &&
            swift symbolgraph-extract -module-name "$module" -target "$triple" -I "$built/Modules" \
                -Xcc -fmodule-map-file=CSources/CAtomicOps/module.modulemap -Xcc -fmodule-map-file="$built/CRxCore.build/module.modulemap" \
                -minimum-access-level public -emit-extension-block-symbols -output-dir "$scratch/$module" || return 1
    done
}

# documented MODULE: what it declares and what it adds to the modules below it.
documented() {
    local catalogue=Sources/$1/$1.docc
    [ -d "$catalogue" ] || catalogue=
    limited 300 "$docc" convert $catalogue --fallback-display-name "$1" --fallback-bundle-identifier "$1" \
        --additional-symbol-graph-dir "$scratch/$1" --output-path "$scratch/$1.doccarchive" --warnings-as-errors
}

step "symbols" symbols
[ $step_failed = 0 ] || finish "scripts/check-docs.sh"
for module in "${modules[@]}"; do
    step "$module" documented "$module"
done
finish "scripts/check-docs.sh"
