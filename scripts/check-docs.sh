#!/usr/bin/env bash
# Compiles the documentation of each module with the toolchain's DocC. Errors are:
#
# - a broken link, and an undocumented parameter beside a documented one
# - a text marble diagram with misaligned columns (scripts/check-marbles.py)
# - code in README.md, on a module's page or in a comment that does not compile or fails (scripts/check-snippets.sh)
# - a public symbol of the core in no topic of a page (scripts/check-topics.py)
# - an incomplete comment of a public symbol (scripts/check-comments.py)
# - a picture that does not match the table of SpeedComparison.md (scripts/draw-speed.py)
#
#   scripts/check-docs.sh [FOLDER...]    checks the packages in these folders (default: . and Packages/*)
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh
. scripts/lib/symbols.sh

case ${1-} in -h | --help) help_of scripts/check-docs.sh && exit 0 ;; esac
folders=("$@")
[ $# -gt 0 ] || folders=(. Packages/*)
for folder in "${folders[@]}"; do
    [ -f "$folder/Package.swift" ] || refuse scripts/check-docs.sh "there is no package in '$folder'"
done

need libatomic-ops-dev libpq-dev libsqlite3-dev pkg-config
need_swift
docc=$(docc_of_swift) || exit 1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

symbols() {
    symbol_graphs "$1" "$scratch" -emit-extension-block-symbols
}

# The core's modules are already built.
snippets() {
    local built
    built=$(swift build "${core_build[@]}" --show-bin-path) && scripts/check-snippets.sh --built "$built"
}

# Builds the tests too, because the pages' code uses their dependencies.
snippets_of() {
    local build=(swift build --package-path "$1" "${packages_build[@]}") built
    limited 1200 "${build[@]}" --build-tests >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log" && return 1; }
    built=$("${build[@]}" --show-bin-path) && scripts/check-snippets.sh --built "$built" --package "$1"
}

# of_core PREFIX SUFFIX COMMAND...: runs the command with an argument PREFIXmoduleSUFFIX for each module.
of_core() {
    local prefix=$1 suffix=$2 module all=()
    shift 2
    for module in $(modules .); do all+=("$prefix$module$suffix"); done
    "$@" "${all[@]}"
}

core() {
    step "code (scripts/check-snippets.sh)" snippets
    with_python step "text marbles (scripts/check-marbles.py)" scripts/check-marbles.py
    with_python step "pictures of figures (scripts/draw-speed.py --check)" scripts/draw-speed.py --check
    with_python step "symbols by family (scripts/check-topics.py)" of_core "$scratch/" .doccarchive scripts/check-topics.py
    with_python step "completeness of comments (scripts/check-comments.py)" of_core "$scratch/" "" scripts/check-comments.py
}

for folder in "${folders[@]}"; do
    step "symbols of $folder" symbols "$folder"
    [ $step_failed = 0 ] || finish "scripts/check-docs.sh"
    for module in $(modules "$folder"); do
        step "$module" archive "$docc" "$folder" "$module" "$scratch"
    done
    if [ "$folder" = . ]; then core; else step "code of $folder (scripts/check-snippets.sh)" snippets_of "$folder"; fi
done
finish "scripts/check-docs.sh"
