#!/usr/bin/env bash
# Compiles the documentation of each module, with the DocC of the toolchain: a link that leads nowhere, or a parameter that is left out
# among documented ones, is an error. So is a marble diagram of text whose columns do not belong together (scripts/check-marbles.py), and a
# block of code in README.md or on a module's page that does not compile (scripts/check-snippets.sh), and a public symbol of the core that
# has no place on these pages (scripts/check-topics.py).
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/packages.sh
. scripts/lib/step.sh

no_options scripts/check-docs.sh "$@"

need libatomic-ops-dev libsqlite3-dev pkg-config
need_swift
docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
[ -x "$docc" ] || { echo "missing: docc, which comes with Swift, beside $(dirname "$docc")/swift" >&2 && exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# modules FOLDER: those of the package there.
modules() {
    local folder
    for folder in "$1"/Sources/Rx*/; do basename "$folder"; done
}

# Module by module: `swift package dump-symbol-graph` asks for the tests' modules as well, and fails where they were not built.
# What a package beside the core reads of C is found by its module maps.
symbols() {
    local folder=$1 module built triple map maps=(-Xcc -fmodule-map-file=CSources/CAtomicOps/module.modulemap)
    # As the gate has built it before.
    local build=(swift build --package-path "$folder")
    if [ "$folder" = . ]; then build+=(-Xswiftc -warnings-as-errors); else build+=("${packages_build[@]}"); fi
    triple=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1) && [ -n "$triple" ] &&
        built=$("${build[@]}" --show-bin-path) || return 1
    for module in $(modules "$folder"); do
        "${build[@]}" --target "$module" >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log" && return 1; }
    done
    for map in "$built"/*.build/module.modulemap "$folder"/.build/checkouts/*/Sources/*/{,include/}module.modulemap; do
        [ ! -f "$map" ] || maps+=(-Xcc "-fmodule-map-file=$map")
    done
    for module in $(modules "$folder"); do
        mkdir "$scratch/$module" &&
            swift symbolgraph-extract -module-name "$module" -target "$triple" -I "$built/Modules" "${maps[@]}" \
                -minimum-access-level public -emit-extension-block-symbols -output-dir "$scratch/$module" || return 1
    done
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
