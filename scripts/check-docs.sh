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

symbols() {
    # The folder is named by what it prints last: an earlier toolchain's may be there as well.
    swift package dump-symbol-graph --emit-extension-block-symbols --minimum-access-level public >"$scratch/log" 2>&1 &&
        graphs=$(sed -n 's/^Files written to //p' "$scratch/log") && [ -d "$graphs" ] || { tail -n 20 "$scratch/log" && return 1; }
}

# documented MODULE: what it declares and what it adds to the modules below it.
documented() {
    local catalogue=Sources/$1/$1.docc
    mkdir "$scratch/$1" && cp "$graphs/$1.symbols.json" "$graphs/$1@"*.symbols.json "$scratch/$1" || return 1
    [ -d "$catalogue" ] || catalogue=
    limited 300 "$docc" convert $catalogue --fallback-display-name "$1" --fallback-bundle-identifier "$1" \
        --additional-symbol-graph-dir "$scratch/$1" --output-path "$scratch/$1.doccarchive" --warnings-as-errors
}

step "symbols" symbols
for module in RxSwift RxRelay RxCocoa RxTest RxBlocking RxSwiftExt; do
    step "$module" documented "$module"
done
finish "scripts/check-docs.sh"
