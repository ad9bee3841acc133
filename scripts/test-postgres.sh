#!/usr/bin/env bash
# Starts a PostgreSQL server on loopback, in memory if possible, and runs the tests of RxStreamsPostgreSQL that need it.
#
#   --filter REGEX   only the tests that match
#   --relays         also the tests of relays to NATS
#   --skip-build     uses the existing build
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
