#!/usr/bin/env bash
# Compiles the documentation of each module, with the DocC of the toolchain: a link that leads nowhere, or a parameter that is left out
# among documented ones, is an error. So is a marble diagram of text whose columns do not belong together (scripts/check-marbles.py), and a
# block of code in README.md or on a module's page that does not compile (scripts/check-snippets.sh), and a public symbol of the core that
# has no place on these pages (scripts/check-topics.py).
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh
. scripts/lib/symbols.sh

no_options scripts/check-docs.sh "$@"

need libatomic-ops-dev libsqlite3-dev pkg-config
need_swift
docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
[ -x "$docc" ] || { echo "missing: docc, which comes with Swift, beside $(dirname "$docc")/swift" >&2 && exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

symbols() {
    symbol_graphs "$1" "$scratch" -emit-extension-block-symbols
}

# documented FOLDER MODULE: what it declares and what it adds to the modules below it.
documented() {
    local catalogue=$1/Sources/$2/$2.docc
    [ -d "$catalogue" ] || catalogue=
    limited 300 "$docc" convert $catalogue --fallback-display-name "$2" --fallback-bundle-identifier "$2" \
        --additional-symbol-graph-dir "$scratch/$2" --output-path "$scratch/$2.doccarchive" --warnings-as-errors
}

# The core's modules have been built.
snippets() {
    local built
    built=$(swift build -Xswiftc -warnings-as-errors --show-bin-path) && scripts/check-snippets.sh --built "$built"
}

core() {
    step "code (scripts/check-snippets.sh)" snippets
    if command -v python3 >/dev/null; then
        step "symbols by family (scripts/check-topics.py)" scripts/check-topics.py "$scratch"/*.doccarchive
    else
        left_out "symbols by family (scripts/check-topics.py)" "there is no python3"
    fi
}

if command -v python3 >/dev/null; then
    step "text marbles (scripts/check-marbles.py)" scripts/check-marbles.py
else
    left_out "text marbles (scripts/check-marbles.py)" "there is no python3"
fi
for folder in . Packages/*; do
    step "symbols of $folder" symbols "$folder"
    [ $step_failed = 0 ] || finish "scripts/check-docs.sh"
    for module in $(modules "$folder"); do
        step "$module" documented "$folder" "$module"
    done
    [ "$folder" != . ] || core
done
finish "scripts/check-docs.sh"
