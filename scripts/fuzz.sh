#!/usr/bin/env bash
# Fuzzes the C core under AddressSanitizer: runs operations made from random bytes, and compares the state with a plain
# reference implementation after each (Tests/Fuzz). The inputs in Tests/Fuzz/corpus run first. Uses Swift's clang or, if
# that lacks libFuzzer, installs the system's.
#
#   --runs N        the number of inputs for each target (default: 100000)
#   --target NAME   only bag, chain, gate, lock or wheel
#   --corpus        only the corpus, which takes seconds
#   --input FILE    only this input, for example of a failure; needs --target
#   --keep          adds inputs that reach new code to the corpus, then minimizes it
#   --check         only checks whether there is a suitable clang
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

targets=(bag chain gate lock wheel)
core=CSources/CRxCore
build=.build-fuzz
corpora=Tests/Fuzz/corpus
# The maximum length of an input, so that failing inputs are readable.
longest=400

runs=100000 what=fuzzed input=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of scripts/fuzz.sh && exit 0 ;;
    --corpus) what=replayed ;;
    --keep) what=kept ;;
    --check) what=checked ;;
    --runs)
        [[ ${2-} =~ ^[1-9][0-9]*$ ]] || refuse scripts/fuzz.sh "--runs needs a number above 0"
        runs=$2 && shift
        ;;
    --target)
        [[ -n ${2-} && " ${targets[*]} " == *" $2 "* ]] || refuse scripts/fuzz.sh "--target needs one of ${targets[*]}"
        targets=("$2") && shift
        ;;
    --input)
        [ -f "${2-}" ] || refuse scripts/fuzz.sh "--input needs a file"
        what=tried input=$2 && shift
        ;;
    *) refuse scripts/fuzz.sh "unknown argument '$1'; see --help" ;;
    esac
    shift
done
[ $what != tried ] || [ ${#targets[@]} = 1 ] || refuse scripts/fuzz.sh "--input needs --target"

can() {
    [ -x "$1" ] && echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        "$1" -fsanitize=fuzzer,address,undefined ${linker[$1]-} -x c - -o "$build/can" 2>/dev/null
}

# Sets `clang`. Swift's comes first, because it is always installed; it lacks GNU's linker.
declare -A linker
find_clang() {
    local swift
    swift=$(readlink -f "$(command -v swift)")
    clang=$(dirname "${swift:-/}")/clang
    linker[$clang]=-fuse-ld=lld
    can "$clang" && return
    need clang libclang-rt-dev
    clang=$(command -v clang)
    can "$clang" || { echo "missing: a clang with libFuzzer; neither Swift's nor the system's has it" >&2 && return 1; }
}

# A file of the core that the target includes replaces that file of the archive.
compiled() {
    "$clang" "${flags[@]}" -fsanitize=fuzzer ${linker[$clang]-} "-I$core" "Tests/Fuzz/$1.c" "$build/core.a" -lpthread -o "$build/$1"
}

flags=(-std=gnu11 -g -O1 -Wall -Wextra -Wshadow -Wstrict-prototypes -Werror "-I$core/include"
    "-fsanitize=fuzzer-no-link,address,undefined" -fno-sanitize-recover=all)

compile_core() {
    local source objects=()
    rm -f "$build/core.a"
    for source in "$core"/*.c; do
        objects+=("$build/$(basename "$source" .c).o")
        "$clang" "${flags[@]}" -c "$source" -o "${objects[-1]}" || return 1
    done
    ar rcs "$build/core.a" "${objects[@]}"
}

# run TARGET OPTION...: prints the last line of output, or an error and a command to reproduce it.
run() {
    local name=$1 log=$build/$1.log left
    shift
    if "$build/$name" -max_len=$longest -timeout=10 -artifact_prefix="$build/$name-" "$@" >"$log" 2>&1; then
        grep -aE '^(Done|Executed|MERGE-OUTER: [0-9]+ new)' "$log" | tail -n 1
        return
    fi
    grep -aE '(not true|is -?[0-9]+, not|runtime error|ERROR|SUMMARY)' "$log" || tail -n 20 "$log"
    left=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    [ -z "$left" ] || echo "to reproduce: scripts/fuzz.sh --target $name --input $left"
    return 1
}

replayed() {
    compiled "$1" && run "$1" -runs=0 "$corpora/$1"
}

tried() {
    compiled "$1" && run "$1" "$input"
}

# New inputs go to a folder that later runs extend.
fuzzed() {
    mkdir -p "$build/corpus/$1"
    compiled "$1" && run "$1" "-runs=$runs" "$build/corpus/$1" "$corpora/$1"
}

kept() {
    fuzzed "$1" && mkdir -p "$build/kept/$1" && rm -f "$build/kept/$1"/* &&
        run "$1" -merge=1 "$build/kept/$1" "$corpora/$1" "$build/corpus/$1" &&
        rm -rf "${corpora:?}/$1" && cp -r "$build/kept/$1" "$corpora/$1"
}

mkdir -p "$build"
find_clang || exit 1
[ $what != checked ] || exit 0
compile_core || exit 1
for target in "${targets[@]}"; do
    mkdir -p "$corpora/$target"
    step "$target" $what "$target"
done
finish scripts/fuzz.sh
