#!/usr/bin/env bash
# Writes the documentation of all modules, including those of Packages, as one static site.
#
#   scripts/docs.sh [--output FOLDER] [--hosting-base-path PATH] [--core]
#
#   --output FOLDER           the output folder (default: .build-docs); replaces the output of an earlier run
#   --hosting-base-path PATH  the site's path on its server, as in example.org/PATH (default: the root)
#   --core                    without Packages; their first builds take minutes
#
# Marble diagrams appear as pictures only. The navigator's filter searches the titles of one module's pages and symbols.
# The root page links to the list of modules. To open the site:
#
#   python3 -m http.server --bind 127.0.0.1 --directory .build-docs 8080
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh
. scripts/lib/symbols.sh

output=.build-docs
base=
folders=(. Packages/*)
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of scripts/docs.sh && exit 0 ;;
    --output)
        [ $# -gt 1 ] && [ -n "$2" ] || refuse scripts/docs.sh "--output needs a folder"
        output=$2
        shift
        ;;
    --hosting-base-path)
        [ $# -gt 1 ] || refuse scripts/docs.sh "--hosting-base-path needs a path"
        base=${2#/} && base=${base%/}
        [[ $base =~ ^[A-Za-z0-9._/-]+$ ]] || refuse scripts/docs.sh "--hosting-base-path takes a path such as 'rx/docs', not '$2'"
        shift
        ;;
    --core) folders=(.) ;;
    *) refuse scripts/docs.sh "unknown option '$1'" ;;
    esac
    shift
done
if [ -e "$output" ] && [ ! -f "$output/.written-by-docs.sh" ] && { [ ! -d "$output" ] || [ -n "$(ls -A "$output")" ]; }; then
    refuse scripts/docs.sh "'$output' exists and is not the output of an earlier run"
fi

need libatomic-ops-dev libpq-dev libsqlite3-dev pkg-config
need_swift
docc=$(docc_of_swift) || exit 1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
archives=()
hosting=(--transform-for-static-hosting)
[ -z "$base" ] || hosting+=(--hosting-base-path "$base")

site() {
    "$docc" merge "${archives[@]}" --output-path "$scratch/site" --synthesized-landing-page-name RxLinux \
        --synthesized-landing-page-kind "RxSwift for Linux servers" --synthesized-landing-page-topics-style list || return 1
    local list=${base:+/$base}/documentation/
    cat >"$scratch/site/index.html" <<EOF
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url=$list">
<title>RxLinux</title>
<p>The documentation of RxLinux: <a href="$list">all modules</a>.</p>
EOF
    touch "$scratch/site/.written-by-docs.sh"
    rm -rf "$output" && mkdir -p "$(dirname "$output")" && mv "$scratch/site" "$output"
}

for folder in "${folders[@]}"; do
    step "symbols of $folder" symbol_graphs "$folder" "$scratch" -emit-extension-block-symbols
    [ $step_failed = 0 ] || finish scripts/docs.sh
    # Only the core has marble diagrams.
    [ "$folder" != . ] || step "pictures in place of text marbles" scripts/lib/pictures.py "$scratch"/*/
    for module in $(modules "$folder"); do
        step "$module" archive "$docc" "$folder" "$module" "$scratch" "${hosting[@]}"
        archives+=("$scratch/$module.doccarchive")
    done
done
[ $step_failed = 0 ] || finish scripts/docs.sh
step "the site, in $output" site
finish scripts/docs.sh
