#!/usr/bin/env bash
# Compiles every ```swift block of README.md and of the modules' documentation, in Swift 6 mode, as a reader would paste it.
#
#   scripts/check-snippets.sh [--built FOLDER] [PAGE...]
#
#   PAGE            only these: paths from the root of the repository
#   --built FOLDER  the modules are in FOLDER/Modules, and are not built first
#
# What a page uses and does not declare is declared in Tests/Snippets/PAGE.swift (or Shared.swift there), which a reader does not see; what
# that file imports is imported. Types, extensions and functions of a page are seen by all its blocks, other names by their own block only. A block that is not
# to compile is marked as text; a package's manifest is left out.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

built=
pages=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of scripts/check-snippets.sh && exit 0 ;;
    --built)
        [ $# -gt 1 ] || refuse scripts/check-snippets.sh "--built needs a folder"
        built=$2
        [ -d "$built/Modules" ] || refuse scripts/check-snippets.sh "there is no folder '$built/Modules'"
        shift
        ;;
    -*) refuse scripts/check-snippets.sh "unknown option '$1'" ;;
    *)
        [ -f "$1" ] || refuse scripts/check-snippets.sh "there is no page '$1'"
        pages+=("$1")
        ;;
    esac
    shift
done

need_swift
all=(README.md Sources/*/*.docc/*.md)
[ ${#pages[@]} -gt 0 ] || pages=("${all[@]}")

# A context whose page is gone helps nobody.
for context in Tests/Snippets/*.swift; do
    name=$(basename "$context" .swift)
    [ "$name" = Shared ] || grep -q "\(^\|/\)$name\.md$" <<<"$(printf '%s\n' "${all[@]}")" ||
        { echo "$context: error: there is no page $name.md" && exit 1; }
done

if [ -z "$built" ]; then
    need libatomic-ops-dev pkg-config
    built=$(swift build --show-bin-path) || exit 1
    for module in Sources/Rx*/; do
        said=$(swift build -Xswiftc -warnings-as-errors --target "$(basename "$module")" 2>&1) || { tail -n 20 <<<"$said" && exit 1; }
    done
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One file and one run of the compiler a page: its context, and its blocks. As far as the compiler finds faults, and no code is made.
check() {
    local page=$1 name module context file
    name=$(basename "$page" .md)
    module=$(sed -n 's|^Sources/\([^/]*\)/.*|\1|p' <<<"$page")
    context=Tests/Snippets/$name.swift
    file=$scratch/${page//\//-}.swift
    {
        echo "import RxSwift"
        [ -z "$module" ] || echo "import $module"
        if [ -f "$context" ]; then echo "#sourceLocation(file: \"$context\", line: 1)" && cat "$context" && echo "#sourceLocation()"; fi
        awk -f scripts/lib/snippets.awk "$page"
    } >"$file" || return 1
    limited 300 swiftc -emit-sil -wmo -o /dev/null -parse-as-library -suppress-warnings -swift-version 6 -module-name Snippets \
        -I "$built/Modules" -Xcc -fmodule-map-file="$built/CRxCore.build/module.modulemap" \
        -Xcc -fmodule-map-file=CSources/CAtomicOps/module.modulemap Tests/Snippets/Shared.swift "$file" 2>&1
}

# A fault is found, and its line named: this is tried first.
# shellcheck disable=SC2016
printf 'A page.\n\n```swift\nlet right = 1\n```\n\n```swift\nstruct Right {}\n\nlet wrong: Right\nprint(wrong)\n```\n' >"$scratch/Planted.md"
if planted=$(check "$scratch/Planted.md") || ! grep -q "Planted.md:11:.* error: " <<<"$planted"; then
    echo "$planted"
    echo "scripts/check-snippets.sh FAILED: it does not find a planted fault"
    exit 1
fi

failed=0 blocks=0 checked=()
for page in "${pages[@]}"; do
    count=$(awk -v count=1 -f scripts/lib/snippets.awk "$page") || { failed=1 && continue; }
    [ "$count" -gt 0 ] || continue
    blocks=$((blocks + count))
    while [ "$(jobs -r | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    { check "$page" >"$scratch/${#checked[@]}.log" || touch "$scratch/${#checked[@]}.failed"; } &
    checked+=("$page")
done
wait
for index in "${!checked[@]}"; do
    cat "$scratch/$index.log"
    [ ! -f "$scratch/$index.failed" ] || { failed=1 && echo "${checked[index]}: a block of it does not compile"; }
done
if [ $failed = 0 ]; then
    echo "scripts/check-snippets.sh passed: $blocks blocks of ${#checked[@]} pages, $SECONDS s"
else
    echo "scripts/check-snippets.sh FAILED"
fi
exit $failed
