#!/usr/bin/env bash
# Compiles every ```swift block of README.md and of the modules' documentation, and the code in comments, in Swift 6
# mode. The code also runs; that of pages runs as if pasted into main.swift.
#
#   scripts/check-snippets.sh [--built FOLDER] [--package PACKAGE] [PAGE...]
#
#   PAGE               checks only these pages; Sources/MODULE checks the comments of a module
#   --built FOLDER     uses the modules in FOLDER/Modules instead of building them
#   --package PACKAGE  checks the pages of the package, as in Packages/rx-server, including its README.md; needs --built
#
# Tests/Snippets/PAGE.swift declares names that a page uses without declaring them (PACKAGE-README.swift for a package's
# README). Shared.swift, or PACKAGE.swift, declares names for all pages. The imports of these files apply to the page.
# Types, extensions and functions of a block are visible to the whole page, other names only in their block. Code that
# must not compile is fenced as text. Manifests are skipped. Tests/Snippets/Comments/MODULE.swift declares names for the
# code in comments, in an extension for each file. RxTest's code is only compiled, because it belongs in tests.
#
# A block of the core's pages runs for at most two seconds, and must neither stop the process nor block the main thread.
# Other blocks must end without an error, and each sequence that they make must send an element, unless it is a
# completable. A block of a package's page runs in a process and a folder of its own. `blocks` in the page's
# Tests/Snippets/PAGE.swift lists further requirements by the number of a block on its page. Blocks of rx-streams use a
# PostgreSQL server on loopback, which this script starts unless RX_POSTGRES_URL names one, and the NATS server of
# RX_NATS_URL if that is set.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/packages.sh
. scripts/lib/step.sh

built=
package=
pages=()
given=("$@")
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of scripts/check-snippets.sh && exit 0 ;;
    --built)
        [ $# -gt 1 ] || refuse scripts/check-snippets.sh "--built needs a folder"
        built=$2
        [ -d "$built/Modules" ] || refuse scripts/check-snippets.sh "there is no folder '$built/Modules'"
        shift
        ;;
    --package)
        [ $# -gt 1 ] && [ -f "$2/Package.swift" ] || refuse scripts/check-snippets.sh "--package needs the folder of a package"
        package=${2%/}
        shift
        ;;
    -*) refuse scripts/check-snippets.sh "unknown option '$1'" ;;
    *)
        [ -f "$1" ] || [[ ${1%/} =~ ^Sources/Rx[A-Za-z]+$ && -d $1 ]] || refuse scripts/check-snippets.sh "there is no page '$1'"
        pages+=("${1%/}")
        ;;
    esac
    shift
done

[ -z "$package" ] || [ -n "$built" ] || refuse scripts/check-snippets.sh "--package needs --built"

if [ -n "$package" ] && [ -d "$package/Sources/CPostgreSQL" ] && [ -z "${RX_POSTGRES_URL-}" ]; then
    exec scripts/postgres.sh run -- scripts/check-snippets.sh "${given[@]}"
fi

need_swift
all=(README.md Sources/*/*.docc/*.md Packages/*/README.md Packages/*/Sources/*/*.docc/*.md)
if [ ${#pages[@]} = 0 ]; then
    pages=("${package:-.}"/README.md "${package:-.}"/Sources/*/*.docc/*.md)
    [ -n "$package" ] || pages+=(Sources/Rx*)
fi
# Module maps locate the C modules of a package.
maps=(-Xcc -fmodule-map-file=CSources/CAtomicOps/module.modulemap)

# These pages are only compiled: one declares `@main`, one measures for longer than the limit.
compiled='DriverAndSignalOnAServer|Performance'
for name in ${compiled//|/ }; do
    compgen -G "Sources/*/*.docc/$name.md" >/dev/null || { echo "$0: error: there is no page $name.md" && exit 1; }
done

for context in Tests/Snippets/*.swift; do
    name=$(basename "$context" .swift)
    [[ $name = @(Shared|Run) ]] || [ -f "Packages/${name%-README}/README.md" ] || grep -q "\(^\|/\)$name\.md$" <<<"$(printf '%s\n' "${all[@]}")" ||
        { echo "$context: error: there is no page $name.md" && exit 1; }
done

for context in Tests/Snippets/Comments/*.swift; do
    name=$(basename "$context" .swift)
    [ -d "Sources/$name" ] || { echo "$context: error: there is no module $name" && exit 1; }
done

if [ -z "$built" ]; then
    need libatomic-ops-dev pkg-config
    built=$(swift build "${core_build[@]}" --show-bin-path) || exit 1
    for module in Sources/Rx*/; do
        said=$(swift build "${core_build[@]}" --target "$(basename "$module")" 2>&1) || { tail -n 20 <<<"$said" && exit 1; }
    done
fi

checkouts=()
[ -z "$package" ] || checkouts=("$package"/Sources/*/module.modulemap "$packages_scratch"/checkouts/*/Sources/*/{,include/}module.modulemap)
for map in "$built"/*.build/module.modulemap "${checkouts[@]}"; do
    [ ! -f "$map" ] || maps+=(-Xcc "-fmodule-map-file=$map")
done
# The compiler may not search the folder of a system library's header.
[ ! -d "$package/Sources/CPostgreSQL" ] || maps+=(-Xcc "-I$(pkg-config --variable=includedir libpq)")
if [ -z "$package" ]; then
    mapfile -t objects < <(find "$built"/{CRxCore,CRxExplorer,RxSwift,RxRelay,RxCocoa,RxTest,RxSwiftExt,RxResilience,RxOperators,RxBlocking}.build -name '*.o')
else
    linked=$built/$(basename "$package")PackageTests.product/Objects.LinkFileList
    [ -f "$linked" ] || { echo "$linked: error: the tests of $package are not built" && exit 1; }
fi
shared=Tests/Snippets/Shared.swift
[ -z "$package" ] || shared=Tests/Snippets/$(basename "$package").swift

scratch=$(mktemp -d)
trap 'rm -rf "$scratch" ${files:+"$files"}' EXIT
if [ -n "$package" ]; then
    # The objects that the package's tests link, without tests and programs.
    objects=("$scratch/package.a" -lstdc++)  # BoringSSL needs the library of C++
    grep -vE '(Tests|/rx_[A-Za-z_]*)\.build/' "$linked" | xargs ar rcsTP "${objects[0]}" || exit 1
    # In memory, because SQLite is slow on a slow disk.
    files=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
fi

blocks_of() {
    local page=$1 file
    shift
    if [ -f "$page" ]; then
        awk "$@" -f scripts/lib/statements.awk -f scripts/lib/snippets.awk "$page"
    else
        while read -r file; do awk "$@" -f scripts/lib/statements.awk -f scripts/lib/comments.awk "$file"; done < <(find "$page" -name '*.swift' | sort)
    fi
}

# Compiles the context and the blocks of a page as one file. SIL is enough for all diagnostics.
check() {
    local page=$1 name module context file
    name=$(basename "$page" .md)
    page=${page#./}
    module=$(sed -n 's|^\(Packages/[^/]*/\)\{0,1\}Sources/\([^/]*\).*|\2|p' <<<"$page")
    context=Tests/Snippets/$name.swift
    [ ! -d "$page" ] || context=Tests/Snippets/Comments/$name.swift
    [[ $page != Packages/*/README.md ]] || context=Tests/Snippets/$(basename "$package")-README.swift
    file=$scratch/${page//\//-}.swift
    {
        echo "import RxSwift"
        [ -z "$module" ] || echo "import $module"
        [ -z "$package" ] || grep '^import ' "$shared"
        if [ -f "$context" ]; then echo "#sourceLocation(file: \"$context\", line: 1)" && cat "$context" && echo "#sourceLocation()"; fi
        blocks_of "$page" -v examine="${package:+1}"
    } >"$file" || return 1
    local compiler=(limited 300 swiftc -wmo -parse-as-library -suppress-warnings -swift-version 6 -module-name Snippets
        -I "$built/Modules" "${maps[@]}" "$shared")
    if [[ -z $package && -f $page && ! $name =~ ^($compiled)$ ]]; then
        paste_into_main
    elif [[ -n $package && -f $page ]]; then
        run_alone
    elif [ ! -d "$page" ]; then
        "${compiler[@]}" -emit-sil -o /dev/null "$file" 2>&1
    elif [ "$name" = RxTest ]; then
        "${compiler[@]}" -emit-sil -o /dev/null Tests/Snippets/Run.swift "$file" 2>&1
    else
        run
    fi
}

# Until this subshell ends, no other program runs: the code of several pages listens on the same port.
exclusively() {
    exec 9>"$scratch/running" && flock 9
}

# Runs `file`, the code in a module's comments.
run() {
    local main=${file%.swift}-main.swift program=${file%.swift}
    {
        echo "@main enum Main { static func main() async {"
        blocks_of "$page" -v calls=1
        echo "} }"
    } >"$main" || return 1
    "${compiler[@]}" -Onone -o "$program" Tests/Snippets/Run.swift "$file" "$main" "${objects[@]}" 2>&1 || return 1
    (exclusively && limited 300 "$program") <<<"a line" >"$program.said" 2>&1 || { tail -n 5 "$program.said" && return 1; }
}

# Runs each block of `file`, a page, on the main actor, like main.swift.
paste_into_main() {
    local main=${file%.swift}-main.swift program=${file%.swift}
    {
        echo "@main enum Main { @MainActor static func main() async {"
        sed -n "s|^@MainActor func snippet\([0-9]*\)() .*|await pasted(\"$page:\1\") { try await snippet\1() }|p" "$file"
        echo "} }"
    } >"$main" || return 1
    "${compiler[@]}" -Onone -o "$program" Tests/Snippets/Run.swift "$file" "$main" "${objects[@]}" 2>&1 || return 1
    limited 300 "$program" <<<"a line" >"$program.said" 2>&1 && return
    # The last block that began has failed.
    echo "$(grep -F "$page:" "$program.said" | tail -n 1): error: the block stops the process"
    grep -m 3 -E 'error|Crash' "$program.said"
    return 1
}

# Runs each block of `file`, a package's page, in a process and folder of its own.
run_alone() {
    local main=${file%.swift}-main.swift program=${file%.swift} line count=0 failures=0 lines=()
    mapfile -t lines < <(sed -n 's|^@MainActor func snippet\([0-9]*\)() .*|\1|p' "$file")
    {
        grep -q '^let blocks' "$context" 2>/dev/null || echo "let blocks: [Int: Block] = [:]"
        echo "@main enum Main { @MainActor static func main() async {"
        echo "precondition(blocks.keys.allSatisfy((1...${#lines[@]}).contains), \"a number in \\\"blocks\\\" is not on the page\")"
        echo "switch CommandLine.arguments[1] {"
        for line in "${lines[@]}"; do
            echo "case \"$line\": await alone(\"$page:$line\", blocks[$((++count))] ?? Block()) { try await snippet$line() }"
        done
        echo "default: fatalError() } } }"
    } >"$main"
    "${compiler[@]}" -Onone -o "$program" Tests/Snippets/Run.swift "$file" "$main" "${objects[@]}" 2>&1 || return 1
    for line in "${lines[@]}"; do
        mkdir -p "$files/$page/$line"
        (exclusively && cd "$files/$page/$line" && SWIFT_BACKTRACE=enable=no limited 60 "$program" "$line") <<<"a line" >"$program.said" 2>&1 && continue
        echo "$page:$line: error: the block fails"
        grep -vF "$page:$line" "$program.said" | tail -n 8
        grep -F "error:" "$program.said"
        failures=1
    done
    return $failures
}

# shellcheck disable=SC2016
printf 'A page.\n\n```swift\nlet right = 1\n```\n\n```swift\nstruct Right {}\n\nlet wrong: Right\nprint(wrong)\n```\n' >"$scratch/Planted.md"
if planted=$(check "$scratch/Planted.md") || ! grep -q "Planted.md:11:.* error: " <<<"$planted"; then
    echo "$planted"
    echo "scripts/check-snippets.sh FAILED: a planted fault on a page is not found"
    exit 1
fi

# Then checks that a block which stops the process is found. shellcheck disable=SC2016
printf '```swift\nlet right = 1\nprint(right)\n```\n\n```swift\nlet none: Int? = nil\nprint(none!)\n```\n' >"$scratch/Trapping.md"
if planted=$(check "$scratch/Trapping.md") || ! grep -q "Trapping.md:7" <<<"$planted"; then
    echo "$planted"
    echo "scripts/check-snippets.sh FAILED: a block that stops the process is not found"
    exit 1
fi

mkdir "$scratch/Planted"
printf '/// A type.\n///\n///     let wrong: Right = 1\nstruct Right {}\n' >"$scratch/Planted/Right.swift"
if planted=$(check "$scratch/Planted") || ! grep -q "Right.swift:3:.* error: " <<<"$planted"; then
    echo "$planted"
    echo "scripts/check-snippets.sh FAILED: a planted fault in a comment is not found"
    exit 1
fi

# The comments of packages are not compiled.
if [ -z "$package" ]; then
    printf '/// A type.\n///\n///     Observable<Int>.empty()\nstruct Right {}\n' >"$scratch/Planted/Right.swift"
    if planted=$(check "$scratch/Planted") || ! grep -q "Right.swift:3: error: it fails with no element" <<<"$planted"; then
        echo "$planted"
        echo "scripts/check-snippets.sh FAILED: a comment whose code fails is not found"
        exit 1
    fi
fi

failed=0 blocks=0 checked=()
for page in "${pages[@]}"; do
    count=$(blocks_of "$page" -v count=1 | awk '{ sum += $1 } END { print sum + 0 }') || { failed=1 && continue; }
    [ "$count" -gt 0 ] || continue
    blocks=$((blocks + count))
    while [ "$(jobs -r | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    { check "$page" >"$scratch/${#checked[@]}.log" || touch "$scratch/${#checked[@]}.failed"; } &
    checked+=("$page")
done
wait
for index in "${!checked[@]}"; do
    cat "$scratch/$index.log"
    [ ! -f "$scratch/$index.failed" ] || { failed=1 && echo "${checked[index]}: a block does not compile, or fails"; }
done
if [ $failed = 0 ]; then
    echo "scripts/check-snippets.sh passed: $blocks blocks of ${#checked[@]} pages, $SECONDS s"
else
    echo "scripts/check-snippets.sh FAILED"
fi
exit $failed
