#!/usr/bin/env bash
# Explores interleavings: runs small concurrent programs on controlled threads, and checks that some order of the
# program's actions, one at a time, has the same result (Tests/Explore). First come the programs in
# Tests/Explore/programs.txt, then random ones. Builds the library with control points in .build-explore.
#
# Tests/Explore/README.md lists the limits.
#
#   --seconds N      how long to try random programs (default: 10)
#   --count N        at most N random programs
#   --seed N         makes the same random programs again (default: a new one)
#   --schedules N    the number of schedules for each program (default: 300), half of it for each random one
#   --failures N     stops after N failures (default: 1)
#   --program TEXT   only this program, in the notation of Tests/Explore/Program.swift
#   --schedule NAME  only this schedule of the program, as a failure has printed it
#   --exhaust        every schedule of the program with at most two preemptions
#   --self-test      tries the explorer on deliberate faults
#   --unoptimized    builds without optimisation, in .build-explore-unoptimized, in a third of the processor time; each
#                    schedule takes three times as long. A program has the same schedules in both builds.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

me=scripts/explore.sh build=.build-explore optimization=() arguments=() has_program=0 needs_program=0
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of $me && exit 0 ;;
    --seconds | --count | --seed | --schedules | --failures)
        [[ ${2-} =~ ^[1-9][0-9]{0,17}$ ]] || refuse $me "$1 needs a number above 0"
        arguments+=("$1" "$2") && shift
        ;;
    --program | --schedule)
        [ -n "${2-}" ] || refuse $me "$1 needs a value"
        [ "$1" = --program ] && has_program=1 || needs_program=1
        arguments+=("$1" "$2") && shift
        ;;
    --exhaust) needs_program=1 arguments+=("$1") ;;
    --self-test) arguments+=("$1") ;;
    # The assertions of an unoptimised build have control points of their own.
    --unoptimized) build+=-unoptimized optimization=(-Xswiftc -Onone -Xswiftc -gnone -Xswiftc -assert-config -Xswiftc Release) ;;
    *) refuse $me "unknown argument '$1'; see --help" ;;
    esac
    shift
done
[ $needs_program = 0 ] || [ $has_program = 1 ] || refuse $me "--schedule and --exhaust need --program"

need_swift
# clang's importer also needs RX_EXPLORE, because Swift code inlines the core. The programs import the contract suite's
# table with `@testable`.
RX_EXPLORE=1 limited 1200 swift build -c release --scratch-path $build --product rx-explore --disable-index-store \
    -Xcc -DRX_EXPLORE -Xswiftc -enable-testing -Xswiftc -warnings-as-errors ${optimization[@]+"${optimization[@]}"} || exit 1
exec $build/release/rx-explore --programs Tests/Explore/programs.txt ${arguments[@]+"${arguments[@]}"}
