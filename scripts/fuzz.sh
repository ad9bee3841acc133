#!/usr/bin/env bash
# Tries the C core with sequences of operations out of random bytes, each held against a plain reference after every
# operation (Tests/Fuzz), under AddressSanitizer: first those in Tests/Fuzz/corpus, then new ones. Uses Swift's clang,
# or the system's, which it installs.
#
#   --runs N        so many inputs for each target, 100000 unless told
#   --target NAME   one target alone: bag, chain, gate, lock or wheel
#   --corpus        only what the corpus has, which takes seconds
#   --input FILE    only this one, as a failure leaves it behind; wants --target
#   --keep          what reaches something new joins the corpus, which is then made as small as it can be
#   --check         only whether there is a clang that can
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

targets=(bag chain gate lock wheel)
core=CSources/CRxCore
build=.build-fuzz
corpora=Tests/Fuzz/corpus
# No input is longer: what fails is then short enough to be read.
longest=400

runs=100000 what=fuzzed input=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of scripts/fuzz.sh && exit 0 ;;
    --corpus) what=replayed ;;
    --keep) what=kept ;;
    --check) what=checked ;;
    --runs)
        [[ ${2-} =~ ^[1-9][0-9]*$ ]] || refuse scripts/fuzz.sh "--runs wants a number above 0"
        runs=$2 && shift
        ;;
    --target)
        [[ -n ${2-} && " ${targets[*]} " == *" $2 "* ]] || refuse scripts/fuzz.sh "--target wants one of ${targets[*]}"
        targets=("$2") && shift
        ;;
    --input)
        [ -f "${2-}" ] || refuse scripts/fuzz.sh "--input wants a file"
        what=tried input=$2 && shift
        ;;
    *) refuse scripts/fuzz.sh "takes no '$1'; see --help" ;;
    esac
    shift
done
[ $what != tried ] || [ ${#targets[@]} = 1 ] || refuse scripts/fuzz.sh "--input wants --target, too"

# can CLANG: whether it links a fuzzer.
can() {
    [ -x "$1" ] && echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        "$1" -fsanitize=fuzzer,address,undefined ${linker[$1]-} -x c - -o "$build/can" 2>/dev/null
}

# The clang to use. Swift's is looked at first, since it is there wherever the rest is built; it comes without GNU's linker.
declare -A linker
find_clang() {
    local swift
    swift=$(readlink -f "$(command -v swift)")
    clang=$(dirname "${swift:-/}")/clang
    linker[$clang]=-fuse-ld=lld
    can "$clang" && return
    need clang libclang-rt-dev
    clang=$(command -v clang)
    can "$clang" || { echo "missing: a clang with libFuzzer; Swift's has none, nor has the system's" >&2 && return 1; }
}

# compiled TARGET: a harness that holds a file of the core itself takes the place of that in the archive.
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

# run TARGET OPTION...: says the last line of what it says, or, of one that fails, what is wrong and how to see it again.
run() {
    local name=$1 log=$build/$1.log left
    shift
    if "$build/$name" -max_len=$longest -timeout=10 -artifact_prefix="$build/$name-" "$@" >"$log" 2>&1; then
        grep -aE '^(Done|Executed|MERGE-OUTER: [0-9]+ new)' "$log" | tail -n 1
        return
    fi
    grep -aE '(not true|is -?[0-9]+, not|runtime error|ERROR|SUMMARY)' "$log" || tail -n 20 "$log"
    left=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    [ -z "$left" ] || echo "again: scripts/fuzz.sh --target $name --input $left"
    return 1
}

replayed() {
    compiled "$1" && run "$1" -runs=0 "$corpora/$1"
}

tried() {
    compiled "$1" && run "$1" "$input"
}

# What it finds goes to a folder beside the build, and grows there from run to run.
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
