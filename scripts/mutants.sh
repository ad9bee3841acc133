#!/usr/bin/env bash
# Plants faults in a copy of the sources and reports which of them the tests do not catch.
#
# With --generated, scripts/lib/generated/rules.py makes faults in every condition, comparison, number and statement,
# each tried with the suites that run its code. A survivor does not fail the run, because some faults change nothing
# that a user could observe. Read the list: each survivor is a test to write or code to remove.
#
#   --generated         makes faults by rule; all of them take a day
#   --changed REV       only in files that differ from the commit REV, for example `--changed origin/main`; minutes
#   --files PATTERN     only in files whose path matches the regular expression
#   --package NAME      in the package rx-server or rx-streams, by its own tests, instead of in the library
#   --sample N          only N faults, in a fixed random order
#   --part N            the N-th such sample instead of the first, modulo the number of samples, so N may be a date
#
# Results are in .build-mutants, or in a package's folder there: survivors.txt (number, place, rule, code, replacement,
# and the suites that passed), unreached.txt (faults in code that no suite runs), statistics.txt (counts of both by
# folder). The last line of the output is the score. A fault is not tried again until its file changes.
#
# Without --generated, plants the faults of the protocols (Tests/Mutants/protocols.txt), each with the test that must
# catch it. Fails if one survives or if a row no longer names a place.
#
#   --core        only the rows of the C core, which takes a minute
#   --only N      only row N; may be repeated
#
# All faults are built at once, into a copy of the package in .build-mutants. The environment variable RX_MUTANT enables
# one of them.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

table=Tests/Mutants/protocols.txt
copy=$PWD/.build-mutants/package
# The time limit of a check in seconds. A mutant that exceeds it is caught.
longest=90

core='' only=() sample='' part='' generated='' files='' package=''
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of scripts/mutants.sh && exit 0 ;;
    --core) core=yes ;;
    --generated) generated=yes ;;
    --changed)
        git rev-parse --quiet --verify "${2-}^{commit}" >/dev/null || refuse scripts/mutants.sh "--changed needs a commit, not '${2-}'"
        files=$({ git diff --name-only "$2" -- && git ls-files --others --exclude-standard; } | sed 's/[.+]/[&]/g' | paste -sd '|')
        files="^($files)\$" && shift
        ;;
    --files)
        [ -n "${2-}" ] || refuse scripts/mutants.sh "--files needs a regular expression"
        files=$2 && shift
        ;;
    --package)
        [[ ${2-} =~ ^rx- && -d Packages/${2-} ]] || refuse scripts/mutants.sh "--package needs the name of a folder in Packages"
        package=$2 && shift
        ;;
    --only | --sample | --part)
        [[ ${2-} =~ ^[1-9][0-9]*$ ]] || refuse scripts/mutants.sh "$1 needs a number above 0"
        case $1 in
        --only) only+=("$2") ;;
        --sample) sample=$2 ;;
        *) part=$2 ;;
        esac
        shift
        ;;
    *) refuse scripts/mutants.sh "there is no option '$1'; see --help" ;;
    esac
    shift
done

if [ -n "$generated" ]; then
    [ -z "$core${only[*]}" ] || refuse scripts/mutants.sh "--core and --only select rows of $table, not generated faults"
    [ -z "$part" ] || [ -n "$sample" ] || refuse scripts/mutants.sh "--part needs --sample"
else
    [ -z "$files$package$sample$part" ] ||
        refuse scripts/mutants.sh "--changed, --files, --package, --sample and --part need --generated"
fi

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

build_package() {
    limited 3600 swift build --build-tests --package-path "$copy/Packages/$1" --scratch-path "$copy/.build-$1" -Xswiftc -suppress-warnings
}

# checked NUMBER CHECK: runs a check with a mutant (0: none), with the output in `output.NUMBER`. Starts the test
# program itself, because `swift test` would spend seconds on a check for code to build.
checked() {
    local tests=(--testing-library swift-testing --filter "${2#rx-* }")
    case $2 in
    core\ *) set -- "$1" "$copy/.build-c/plain" "${2#core }" ;;
    fuzz\ *)
        set -- "$1" "$copy/.build-fuzz/${2#fuzz }" -runs=0 -max_len=400 -timeout=10 -artifact_prefix="$copy/" \
            "Tests/Fuzz/corpus/${2#fuzz }"
        ;;
    # Some tests need the NATS server.
    rx-*) set -- "$1" scripts/broker.sh tests -- "$copy/.build-${2%% *}/debug/${2%% *}PackageTests.xctest" "${tests[@]}" ;;
    *) set -- "$1" "$copy/.build/debug/RxLinuxPackageTests.xctest" "${tests[@]}" ;;
    esac
    # Each backtrace would take ten seconds. The group's redirection hides the shell's report of a crash.
    { SWIFT_BACKTRACE=enable=no RX_MUTANT=$1 timeout --kill-after=10 "$longest" "${@:2}" >"$copy/output.$1" 2>&1; } 2>/dev/null
}

# holds CHECK: whether the check passes without a mutant. One late test must not end the night's run, so there is a
# second try.
holds() {
    local try
    for try in 1 2; do
        checked 0 "$1" && return
        tail -n 30 "$copy/output.0"
        echo "scripts/mutants.sh: the check fails without a mutant (try $try of 2): $1" >&2
    done
    return 1
}

# tried NUMBER CHECK FAULT: tries the mutant. Fails if it survives.
tried() {
    local begin=$SECONDS came output=$copy/output.$1
    checked "$1" "$2"
    case $? in
    0) came=SURVIVED ;;
    124 | 137) came=hangs ;;
    *) came=caught ;;
    esac
    ! grep -q 'Test run with 0 tests' "$output" || came='RAN NO TEST'
    rm -f "$output"
    printf '%-10s %3d  %3d s  %s\n' "$came" "$1" $((SECONDS - begin)) "$3"
    [[ $came =~ ^(caught|hangs)$ ]] || { printf '%10s check: %s\n' '' "$2" && return 1; }
}

try_rows() {
    local lost=0 number rows checks check package again survived=0 fault
    mkdir -p "$copy"
    rows=$(python3 scripts/lib/generated/rows.py "$table" "${core:+^(core|fuzz) }") || lost=$?
    [ $lost = 0 ] || [ $lost = 3 ] || return 1
    for number in "${only[@]}"; do
        grep -q "^$number"$'\t' <<<"$rows" || refuse scripts/mutants.sh "$table has no row $number, or the row names no place in the sources"
    done
    [ ${#only[@]} = 0 ] || rows=$(grep -E "^($(IFS='|' && echo "${only[*]}"))"$'\t' <<<"$rows")
    echo "$(wc -l <<<"$rows") faults"
    python3 scripts/lib/generated/plant.py "$copy" --rows "$table" || return

    mapfile -t checks < <(cut -f 2 <<<"$rows" | sort -u)
    check=$(printf '%s\n' "${checks[@]}")
    ! grep -q '^core ' <<<"$check" || build_core || return
    ! grep -q '^fuzz ' <<<"$check" || build_fuzz || return
    ! grep -qv '^core \|^fuzz \|^rx-' <<<"$check" || build_swift || return
    for package in $(grep '^rx-' <<<"$check" | cut -d ' ' -f 1 | sort -u); do build_package "$package" || return; done
    for check in "${checks[@]}"; do
        longest=600 holds "$check" || return
    done

    # One check per core runs at a time. Other checks may prevent a race, so a survivor is tried once more, alone.
    again=$copy/again.txt
    : >"$again"
    while IFS=$'\t' read -r number check fault <&3; do
        while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
        { came=$(tried "$number" "$check" "$fault") && echo "$came" || printf '%s\t%s\t%s\n' "$number" "$check" "$fault" >>"$again"; } 3<&- &
    done 3<<<"$rows"
    wait
    while IFS=$'\t' read -r number check fault <&3; do
        tried "$number" "$check" "$fault" || survived=$((survived + 1))
    done 3<"$again"
    echo "$SECONDS s, $survived survived"
    [ $survived = 0 ] && [ $lost = 0 ]
}

# Builds the copy in rounds, each without the mutants that the compiler has rejected.
build_generated() {
    local round left log=$beside/build.log
    for ((round = 1; round <= 40; round++)); do
        limited 3600 swift build --build-tests --package-path "$copy${package:+/Packages/$package}" --scratch-path "$copy/.build" \
            -Xswiftc -suppress-warnings -Xswiftc -continue-building-after-errors -Xcc -w -Xcc -ferror-limit=0 >"$log" 2>&1 && return
        left=$(python3 scripts/lib/generated/plant.py "$copy" --drop "$log") || return
        [ "$left" != 0 ] || break
        echo "build $round: $left faults removed that do not compile"
    done
    grep -a 'error: ' "$log" | head
    return 1
}

try_generated() {
    local count
    beside=$PWD/.build-mutants${package:+/$package}
    copy=$beside/generated
    mkdir -p "$copy"
    count=$(python3 scripts/lib/generated/plant.py "$copy" "$files" "$package") || return
    [ "$count" != 0 ] || { echo "no source of ${package:-the library} matches, so there are no faults" && return; }
    echo "$count faults; building them takes some minutes"
    build_generated || return
    [ -n "$package" ] || { build_core && build_fuzz; } || return
    ${package:+scripts/broker.sh tests --} \
        python3 scripts/lib/generated/trials.py "$copy" ${sample:+--sample "$sample"} ${part:+--part "$part"} | tee "$beside/trials.log"
    [ "${PIPESTATUS[0]}" = 0 ] || return 1
    cat "$beside/statistics.txt"
    grep '^score: ' "$beside/trials.log"
}

command -v python3 >/dev/null || { echo "missing: python3" >&2 && exit 1; }
need libatomic-ops-dev pkg-config
need_swift
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang

if [ -n "$generated" ]; then try_generated; else try_rows; fi
