#!/usr/bin/env bash
# Runs the tests of RxStreamsPostgreSQL that need a server: starts one on loopback, runs the tests, and stops it. The
# server's files are in memory if that is possible.
#
#   --filter REGEX   only the tests that match
#   --relays         also the tests of relays to NATS
#   --skip-build     uses the tests that have been built
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/packages.sh
. scripts/lib/watch.sh
me=scripts/test-postgres.sh

filter='^RxStreamsPostgreSQLTests' skip=() nats=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of $me && exit 0 ;;
    --filter)
        [ $# -gt 1 ] || refuse $me "--filter takes a value"
        filter=$2
        shift 2
        ;;
    --relays) nats=(scripts/broker.sh tests --) && shift ;;
    --skip-build) skip=(--skip-build) && shift ;;
    *) refuse $me "unknown option '$1'; see --help" ;;
    esac
done
[ ${#nats[@]} = 0 ] || filter="$filter|^RxStreamsNATSTests.RelayTests"
need_swift
need libatomic-ops-dev libpq-dev libsqlite3-dev pkg-config
export TMPDIR=${TMPDIR:-$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)}
watched 1200 300 scripts/postgres.sh run -- "${nats[@]}" swift test --package-path Packages/rx-streams "${packages_build[@]}" "${skip[@]}" --filter "$filter"
