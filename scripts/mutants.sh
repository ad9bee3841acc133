#!/usr/bin/env bash
# Plants the faults of Tests/Mutants, each for itself, and runs what has to catch it, as many at a time as there are cores.
# What passes all the same is tried once more, alone; then it has survived and fails the run, but for those that the table
# calls equivalent, with its argument. All of them are built at once, into a copy of the package in .build-mutants, where
# RX_MUTANT switches one on; the package itself knows none.
#
#   --core       only those of the C core
#   --swift      only those of the Swift sources, which takes a build of all tests
#   --packages   only those of the packages, which takes a build of each with its tests
#   --only N     only that one; may be repeated
#   --sample N   so many of them
#   --seed N     which ones, 1 unless told
#
#   --generated      other faults: those that scripts/lib/generated/rules.py makes of every condition, comparison, number and
#                    statement, thousands of them. The tests are the same; a fault is tried by the suites that reach it.
#                    Nothing that survives fails the run, for many of them change nothing that anybody could see. All of
#                    them take a day; what was tried once is not tried again while its file stays as it is.
#   --package NAME   those of a package, rx-server or rx-streams, by its own tests
#   --files PATTERN  only those of the files whose path has that regular expression; builds faster, too
#
# What the generated leave behind is in .build-mutants, a package's in its folder there: survivors.txt has number, place,
# kind, what stands there and what in the mutant, and the suites that let it through; unreached.txt what no suite comes
# to; statistics.txt how many of each.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

tables=(Tests/Mutants/core.txt Tests/Mutants/swift.txt Tests/Mutants/packages.txt)
copy=$PWD/.build-mutants/package
# What a check may take: a mutant that hangs is caught. The slowest of them takes a fourth of that.
longest=90

chosen=("${tables[@]}") only=() sample='' seed=1 generated='' files='' package=''
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of scripts/mutants.sh && exit 0 ;;
    --core) chosen=(Tests/Mutants/core.txt) ;;
    --swift) chosen=(Tests/Mutants/swift.txt) ;;
    --packages) chosen=(Tests/Mutants/packages.txt) ;;
    --generated) generated=yes ;;
    --files)
        [ -n "${2-}" ] || refuse scripts/mutants.sh "--files wants a pattern"
        files=$2 && shift
        ;;
    --package)
        [[ ${2-} =~ ^rx- && -d Packages/${2-} ]] || refuse scripts/mutants.sh "--package wants a folder of Packages"
        package=$2 && shift
        ;;
    --only | --sample | --seed)
        [[ ${2-} =~ ^[1-9][0-9]*$ ]] || refuse scripts/mutants.sh "$1 wants a number above 0"
        case $1 in
        --only) only+=("$2") ;;
        --sample) sample=$2 ;;
        *) seed=$2 ;;
        esac
        shift
        ;;
    *) refuse scripts/mutants.sh "takes no '$1'; see --help" ;;
    esac
    shift
done

[ -z "$files$package" ] || [ -n "$generated" ] || refuse scripts/mutants.sh "--files and --package want --generated, too"
[ -z "$generated" ] || [ ${#only[@]} = 0 ] || refuse scripts/mutants.sh "--generated takes no --only"

# What is to be tried: number, check, fault, argument.
choose() {
    local number
    if [ -n "$sample" ]; then
        python3 scripts/lib/mutants.py sample "$sample" "$seed" "${chosen[@]}"
    elif [ ${#only[@]} -gt 0 ]; then
        for number in "${only[@]}"; do
            python3 scripts/lib/mutants.py list "${chosen[@]}" | grep "^$number"$'\t' || refuse scripts/mutants.sh "there is no mutant $number"
        done
    else
        python3 scripts/lib/mutants.py list "${chosen[@]}"
    fi
}

# What is built of the copy: the C core's tests, its fuzzers, the tests in Swift; each with all mutants in it.
build_core() {
    mkdir -p "$copy/.build-c" &&
        "$clang" -std=gnu11 -g -O1 -w "-I$copy/CSources/CRxCore/include" "$copy"/CSources/CRxCore/*.c \
            "$copy"/Tests/CRxCoreTests/*.c -lpthread -o "$copy/.build-c/plain"
}

build_fuzz() {
    bash "$copy/scripts/fuzz.sh" --corpus >"$copy/fuzz.log" 2>&1 || { cat "$copy/fuzz.log" && return 1; }
}

build_swift() {
    (cd "$copy" && limited 3600 swift build --build-tests -Xswiftc -suppress-warnings)
}

# build_package NAME: with its tests. Each has a folder of its own, so that what is built of one is not planned again for the other.
build_package() {
    limited 3600 swift build --build-tests --package-path "$copy/Packages/$1" --scratch-path "$copy/.build-$1" -Xswiftc -suppress-warnings
}

# checked NUMBER CHECK: runs a check with that mutant, 0 for none; what it says is in a file of the mutant's. The tests' binary is called
# as it is: `swift test` takes longer than most of them to find out that nothing is to be built.
checked() {
    local tests=(--testing-library swift-testing --filter "${2#rx-* }")
    case $2 in
    core\ *) set -- "$1" "$copy/.build-c/plain" "${2#core }" ;;
    fuzz\ *)
        set -- "$1" "$copy/.build-fuzz/${2#fuzz }" -runs=0 -max_len=400 -timeout=10 -artifact_prefix="$copy/" \
            "Tests/Fuzz/corpus/${2#fuzz }"
        ;;
    xctest\ *) set -- "$1" "$copy/.build/debug/RxLinuxPackageTests.xctest" "${2#xctest }" ;;
    # One that needs a server of NATS finds it.
    rx-*) set -- "$1" scripts/broker.sh tests -- "$copy/.build-${2%% *}/debug/${2%% *}PackageTests.xctest" "${tests[@]}" ;;
    *) set -- "$1" "$copy/.build/debug/RxLinuxPackageTests.xctest" "${tests[@]}" ;;
    esac
    # A process that a fault stops need not say where it was, which takes ten seconds, nor the shell that it did. What hangs is ended with
    # all that it has started.
    { SWIFT_BACKTRACE=enable=no RX_MUTANT=$1 timeout --kill-after=10 "$longest" "${@:2}" >"$copy/said.$1" 2>&1; } 2>/dev/null
}

# holds CHECK: whether it passes with no mutant, at the second try at the latest: a night's run shall not end by one test that is late once.
holds() {
    local try
    for try in 1 2; do
        checked 0 "$1" && return
        tail -n 30 "$copy/said.0"
        echo "scripts/mutants.sh: fails without a mutant, try $try: $1" >&2
    done
    return 1
}

# tried NUMBER CHECK FAULT [ARGUMENT]: plants one; says what came of it, within how many seconds.
tried() {
    local begin=$SECONDS status came said=$copy/said.$1
    checked "$1" "$2"
    status=$?
    case $status in
    0) came=SURVIVED && [ -z "${4-}" ] || came=equivalent ;;
    124 | 137) came=hangs ;;
    *) came=caught ;;
    esac
    [ -z "${4-}" ] || [ $status = 0 ] || came='CAUGHT, and not equivalent'
    # A name that is no test's.
    ! grep -q 'Test run with 0 tests\|Executed 0 tests' "$said" || came='RAN NO TEST'
    rm -f "$said"
    printf '%-10s %3d  %3d s  %s%s\n' "$came" "$1" $((SECONDS - begin)) "$3" "${4:+: $4}"
    [[ ! $came =~ ^(SURVIVED|RAN) ]] || printf '%10s      by: %s\n' '' "$2"
    [[ $came =~ ^(caught|hangs|equivalent)$ ]]
}

# build_generated: leaves out what does not compile, which takes some rounds.
build_generated() {
    local round left log=$beside/build.log
    for ((round = 1; round <= 40; round++)); do
        limited 3600 swift build --build-tests --package-path "$copy${package:+/Packages/$package}" --scratch-path "$copy/.build" \
            -Xswiftc -suppress-warnings -Xswiftc -continue-building-after-errors -Xcc -w -Xcc -ferror-limit=0 >"$log" 2>&1 && return
        left=$(python3 scripts/lib/generated/plant.py "$copy" --drop "$log") || return
        [ "$left" != 0 ] || break
        echo "left out, because they do not compile: $left"
    done
    grep -a 'error: ' "$log" | head
    return 1
}

# try_generated: lists what no test sees.
try_generated() {
    beside=$PWD/.build-mutants${package:+/$package}
    copy=$beside/generated
    mkdir -p "$copy"
    python3 scripts/lib/generated/plant.py "$copy" "$files" "$package" && build_generated || return
    [ -n "$package" ] || { build_core && build_fuzz; } || return
    # What needs a server of NATS finds it.
    ${package:+scripts/broker.sh tests --} \
        python3 scripts/lib/generated/trials.py "$copy" ${sample:+--sample "$sample"} --seed "$seed" || return
    cat "$beside/statistics.txt"
}

command -v python3 >/dev/null || { echo "missing: python3" >&2 && exit 1; }
need libatomic-ops-dev pkg-config
need_swift
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang

if [ -n "$generated" ]; then
    try_generated
    exit
fi
rows=$(choose) || exit $?
mkdir -p "$copy"
python3 scripts/lib/mutants.py apply "$copy" "${tables[@]}" || exit 1

# What is needed is built, and each check passes without a mutant: those in Swift in one run. (One that ran no test would let all survive.)
mapfile -t core < <(cut -f 2 <<<"$rows" | grep '^core ' | sort -u)
mapfile -t fuzz < <(cut -f 2 <<<"$rows" | grep '^fuzz ' | sort -u)
mapfile -t packages < <(cut -f 2 <<<"$rows" | grep '^rx-' | sort -u)
mapfile -t xctest < <(cut -f 2 <<<"$rows" | grep '^xctest ' | sort -u)
swift=$(cut -f 2 <<<"$rows" | grep -v '^core \|^fuzz \|^rx-\|^xctest ' | sort -u | paste -sd '|')
echo "$(wc -l <<<"$rows") mutants${sample:+, by seed $seed}"
[ ${#core[@]} = 0 ] || build_core || exit 1
[ ${#fuzz[@]} = 0 ] || build_fuzz || exit 1
[ -z "$swift${xctest[*]}" ] || build_swift || exit 1
for package in $(printf '%s\n' "${packages[@]}" | cut -d ' ' -f 1 | sort -u); do build_package "$package" || exit 1; done
for check in "${core[@]}" "${fuzz[@]}" "${packages[@]}" "${xctest[@]}" ${swift:+"$swift"}; do
    longest=600 holds "$check" || exit 1
done

# Beside others a race may not come about: whatever did not fail is listed, and tried once more.
again=$copy/again.txt
: >"$again"
while IFS=$'\t' read -r number check fault argument <&3; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    { came=$(tried "$number" "$check" "$fault" "$argument") && echo "$came" ||
        printf '%s\t%s\t%s\t%s\n' "$number" "$check" "$fault" "$argument" >>"$again"; } 3<&- &
done 3<<<"$rows"
wait
survived=0
while IFS=$'\t' read -r number check fault argument <&3; do
    tried "$number" "$check" "$fault" "$argument" || survived=$((survived + 1))
done 3<"$again"
echo "$SECONDS s, $survived survived"
[ $survived = 0 ]
